"""The contract of a pruner: it looks at every edge of a graph and may only remove."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

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


@dataclass(frozen=True)
class KeepAll:
    """The pruner that removes nothing."""

    def prune(self, graph: CausalGraph, problem: Problem) -> Pruned:
        """Return the graph as it is."""
        return Pruned(graph, ())


def prune(pruner: Pruner, graph: CausalGraph, problem: Problem) -> Pruned:
    """Let a pruner test the causes of each effect on the rows where the effect was measured."""
    if problem.observed.all():
        return pruner.prune(graph, problem)
    adjacency = np.zeros_like(graph.adjacency)
    tests: list[EdgeTest] = []
    for effect in range(problem.n_variables):
        into = np.zeros_like(adjacency)
        into[:, effect] = graph.adjacency[:, effect]
        part = problem.of_effect(effect, np.flatnonzero(into[:, effect]).tolist())
        pruned = pruner.prune(CausalGraph(into, graph.names), part)
        adjacency |= pruned.graph.adjacency
        tests += pruned.tests
    return Pruned(CausalGraph(adjacency, graph.names), tuple(tests))
