"""The whole walk from a table to a causal graph."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcsl.data import to_dataset
from mcsl.graph import CausalGraph, threshold
from mcsl.problem import Knowledge, Problem
from mcsl.recipe import Recipe
from mcsl.result import Result
from mcsl.search import Observer, StopReason, TraceRow, search

_log = logging.getLogger(__name__)
_VERSIONED = ("mcsl", "jax", "jaxlib", "equinox", "optax", "numpy", "scipy")


def learn(
    data: Any,
    recipe: Recipe | None = None,
    *,
    knowledge: Knowledge | None = None,
    seed: int = 0,
    observers: Sequence[Observer] = (),
) -> Result:
    """Learn the causal graph behind a table.

    `data` is a path to a CSV or Parquet file, a pandas, polars or pyarrow frame, a NumPy array with a
    row per sample, or a Dataset. What `knowledge` requires or forbids holds in the result. The same data,
    knowledge, recipe and seed give the same graph.
    """
    timings: dict[str, float] = {}
    with _timed("read", timings):
        dataset = to_dataset(data)
    recipe = recipe or Recipe.default()
    knowledge = knowledge or Knowledge()
    given = problem = Problem.from_dataset(dataset).with_knowledge(knowledge)
    if recipe.standardize:
        problem = replace(problem, dataset=problem.dataset.standardized())
    problem, found = _search(problem, recipe, seed, observers, timings)
    with _timed("prune", timings):
        pruned = recipe.pruner.prune(found.graph, problem)
    return Result(
        # A pruner of one's own may not know of required edges.
        graph=CausalGraph(pruned.graph.adjacency | problem.required, problem.names),
        edge_probabilities=found.edge_probabilities,
        trace=found.trace,
        stop_reason=found.stop_reason,
        cut_edges=found.cut_edges,
        tests=pruned.tests,
        recipe=recipe,
        knowledge=knowledge,
        seed=seed,
        n_samples=dataset.n_samples,
        fingerprint=dataset.fingerprint(),
        versions={name: version(name) for name in _VERSIONED},
        timings=timings,
        problem=given,
    )


class _Found(NamedTuple):
    """What a search hands to the pruner and to the result."""

    graph: CausalGraph
    edge_probabilities: NDArray[np.float64]
    stop_reason: StopReason
    trace: tuple[TraceRow, ...] = ()
    cut_edges: tuple[tuple[str, str], ...] = ()


def _search(
    problem: Problem, recipe: Recipe, seed: int, observers: Sequence[Observer], timings: dict[str, float]
) -> tuple[Problem, _Found]:
    """Find an order, train masks, or train masks from the order; return also the problem as searched."""
    logits = None
    if recipe.order is not None:
        with _timed("order", timings):
            start = recipe.order.find(problem)
        if recipe.schedule is None:
            return start.problem, _Found(start.graph, start.edge_probabilities, StopReason.SETTLED)
        along = start.graph.adjacency
        problem = replace(start.problem, candidates=along | along.T)
        # Along the order an edge starts as more likely than not, and its reverse as less.
        logits = np.where(along, 1.0, -1.0)
    assert recipe.schedule is not None
    with _timed("train", timings):
        fit = search(
            problem,
            seed,
            mechanism=recipe.mechanism,
            temperature=recipe.temperature,
            score=recipe.score,
            acyclicity=recipe.acyclicity,
            sparsity_weight=recipe.sparsity_weight,
            schedule=recipe.schedule,
            initial_logits=logits,
            observers=observers,
        )
    cut = threshold(fit.edge_probabilities, problem.names, required=problem.required)
    return problem, _Found(cut.graph, fit.edge_probabilities, fit.stop_reason, fit.trace, cut.cut_edges)


@contextmanager
def _timed(room: str, timings: dict[str, float]) -> Iterator[None]:
    began = time.perf_counter()
    yield
    timings[room] = time.perf_counter() - began
    _log.info("%s took %.2f s", room, timings[room])
