"""The contract of a pruner: it looks at every edge of a graph and may only remove."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol, TypeAlias

import numpy as np

from mcsl.graph import CausalGraph
from mcsl.problem import Problem


@dataclass(frozen=True)
class EdgeTest:
    """What a pruner found out about one edge, kept or dropped."""

    cause: str
    effect: str
    kept: bool
    test: str
    """What decided, for example "additive"; "required" if the edge stays whatever its value."""
    statistic: Literal["p_value", "coefficient"]
    value: float


@dataclass(frozen=True)
class Pruned:
    """The graph that is left and the test of every edge that was looked at."""

    graph: CausalGraph
    tests: tuple[EdgeTest, ...]


class Pruner(Protocol):
    """Anything with `prune(graph, problem) -> Pruned` that only removes edges, and none that is required."""

    def prune(self, graph: CausalGraph, problem: Problem) -> Pruned:
        """Return the graph without the edges that the data do not need."""
        ...


PruningObserver: TypeAlias = Callable[[tuple[EdgeTest, ...]], None]
"""Receives all tests of an effect as soon as they are done."""


def ignore(tests: tuple[EdgeTest, ...]) -> None:
    """Observe nothing."""


class EffectwisePruner(ABC):
    """A pruner that tests all edges, those of each effect without regard to those of others."""

    @abstractmethod
    def prune_effects(self, graph: CausalGraph, problem: Problem, observer: PruningObserver) -> Pruned:
        """Prune, and tell of each effect in turn."""

    def prune(self, graph: CausalGraph, problem: Problem) -> Pruned:
        """Return the graph without the edges that the data do not need."""
        return self.prune_effects(graph, problem, ignore)


@dataclass(frozen=True)
class KeepAll:
    """The pruner that removes nothing."""

    def prune(self, graph: CausalGraph, problem: Problem) -> Pruned:
        """Return the graph as it is."""
        return Pruned(graph, ())


def prune(
    pruner: Pruner,
    graph: CausalGraph,
    problem: Problem,
    *,
    known: Sequence[EdgeTest] = (),
    observer: PruningObserver = ignore,
) -> Pruned:
    """Let a pruner test the causes of each effect on the rows where the effect was measured.

    An effectwise pruner tells the observer of each effect, and leaves alone those whose tests are `known`.
    """
    if not isinstance(pruner, EffectwisePruner):
        return _prune_measured(pruner.prune, graph, problem)
    done = {test.effect for test in known}
    left = CausalGraph(graph.adjacency & [name not in done for name in graph.names], graph.names)
    pruned = _prune_measured(partial(pruner.prune_effects, observer=observer), left, problem)
    place = {name: i for i, name in enumerate(graph.names)}
    tests = sorted((*known, *pruned.tests), key=lambda test: (place[test.effect], place[test.cause]))
    kept = [(test.cause, test.effect) for test in tests if test.kept]
    return Pruned(CausalGraph.from_edges(kept, graph.names), tuple(tests))


def _prune_measured(
    prune: Callable[[CausalGraph, Problem], Pruned], graph: CausalGraph, problem: Problem
) -> Pruned:
    if problem.observed.all():
        return prune(graph, problem)
    adjacency = np.zeros_like(graph.adjacency)
    tests: list[EdgeTest] = []
    for effect in range(problem.n_variables):
        into = np.zeros_like(adjacency)
        into[:, effect] = graph.adjacency[:, effect]
        part = problem.of_effect(effect, np.flatnonzero(into[:, effect]).tolist())
        pruned = prune(CausalGraph(into, graph.names), part)
        adjacency |= pruned.graph.adjacency
        tests += pruned.tests
    return Pruned(CausalGraph(adjacency, graph.names), tuple(tests))
