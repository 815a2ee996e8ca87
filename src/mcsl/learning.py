"""The whole walk from a table to a causal graph."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcsl.data import SeriesTable, to_dataset, to_series
from mcsl.errors import SettingsError
from mcsl.graph import CausalGraph, threshold
from mcsl.missing import MissingRule, complete
from mcsl.problem import Knowledge, Problem, cut_windows
from mcsl.pruning import lag_tests, prune
from mcsl.recipe import Recipe
from mcsl.result import Result
from mcsl.search import Observer, StopReason, TraceRow

_log = logging.getLogger(__name__)
_VERSIONED = ("mcsl", "jax", "jaxlib", "equinox", "optax", "numpy", "scipy")


def learn(
    data: Any,
    recipe: Recipe | None = None,
    *,
    groups: Mapping[str, Sequence[str]] | None = None,
    lags: int = 0,
    series: str | None = None,
    time: str | None = None,
    resample: str | float | None = None,
    knowledge: Knowledge | None = None,
    missing: MissingRule = "refuse",
    seed: int = 0,
    observers: Sequence[Observer] = (),
) -> Result:
    """Learn the causal graph behind a table.

    `data` is a path to a CSV or Parquet file, a pandas, polars or pyarrow frame, a NumPy array with a
    row per sample, or a Dataset. What `knowledge` requires or forbids holds in the result. The same data,
    knowledge, recipe and seed give the same graph. `missing` says what to do about missing values of a
    table, see `complete`; series have a rule of their own.

    `groups` names variables with several columns, such as {"site": ["site.x", "site.y"]}; a column in no
    group is a variable of its own. With `lags` p the rows are a time series, and an edge may act at the
    same time or up to p steps later; the graph over the variables is acyclic, and a variable's own past is
    no edge. `series`, `time` and `resample` say how rows make up series, see `to_series`, whose
    SeriesTable is `data` too.
    """
    timings: dict[str, float] = {}
    with _timed("read", timings):
        table = _read(data, lags, missing, series=series, time=time, resample=resample)
        completed = complete(table.dataset, missing, seed)
        rows = table if missing == "refuse" else SeriesTable.of(completed.dataset)
        problem, summary = cut_windows(rows, lags=lags, groups=groups)
        problem = replace(problem, observed=completed.observed)
    recipe = recipe or Recipe.default()
    knowledge = knowledge or Knowledge()
    given = problem = problem.with_knowledge(knowledge)
    if recipe.standardize:
        problem = replace(problem, dataset=problem.dataset.standardized())
    problem, found = _search(problem, recipe, seed, observers, timings)
    with _timed("prune", timings):
        pruned = prune(recipe.pruner, found.graph, problem)
        # A pruner of one's own may not know of required edges.
        graph = CausalGraph(pruned.graph.adjacency | problem.required, problem.names)
        by_lag = lag_tests(graph, problem)
    return Result(
        graph=graph,
        edge_probabilities=found.edge_probabilities,
        trace=found.trace,
        stop_reason=found.stop_reason,
        cut_edges=found.cut_edges,
        tests=pruned.tests,
        recipe=recipe,
        knowledge=knowledge,
        seed=seed,
        n_samples=problem.n_samples,
        fingerprint=table.dataset.fingerprint(),
        versions={name: version(name) for name in _VERSIONED},
        timings=timings,
        edge_counts={**found.edge_counts, "pruned": graph.n_edges},
        groups={v.name: tuple(table.dataset.names[c] for c in v.outputs) for v in problem.variables},
        lag_tests=by_lag,
        series=summary,
        missing=completed.summary,
        problem=given,
    )


def _read(data: Any, lags: int, missing: MissingRule, **layout: Any) -> SeriesTable:
    """Read series where anything speaks of time, and otherwise a table."""
    timed = lags > 0 or any(option is not None for option in layout.values())
    if timed and missing != "refuse":
        raise SettingsError("`missing` is a rule for tables; short gaps of series are filled anyway.")
    if timed or isinstance(data, SeriesTable):
        return to_series(data, **layout)
    return SeriesTable.of(to_dataset(data, allow_missing=missing != "refuse"))


class _Found(NamedTuple):
    """What a search hands to the pruner and to the result."""

    graph: CausalGraph
    edge_probabilities: NDArray[np.float64]
    stop_reason: StopReason
    edge_counts: dict[str, int]
    trace: tuple[TraceRow, ...] = ()
    cut_edges: tuple[tuple[str, str], ...] = ()


def _search(
    problem: Problem, recipe: Recipe, seed: int, observers: Sequence[Observer], timings: dict[str, float]
) -> tuple[Problem, _Found]:
    """Find an order, train masks, or train masks from the order; return also the problem as searched."""
    logits, edge_counts = None, {}
    if recipe.order is not None:
        start = recipe.order.find(problem)
        timings |= start.timings
        edge_counts = start.edge_counts
        if recipe.schedule is None:
            settled = StopReason.SETTLED
            return start.problem, _Found(start.graph, start.edge_probabilities, settled, edge_counts)
        along = start.graph.adjacency
        problem = replace(start.problem, candidates=along | along.T)
        # Along the order an edge starts as more likely than not, and its reverse as less.
        logits = np.where(along, 1.0, -1.0)
    # JAX takes a second to load.
    from mcsl.search.augmented_lagrangian import search

    parts = ("mechanism", "temperature", "score", "acyclicity", "sparsity_weight", "schedule")
    networks: dict[str, Any] = {part: getattr(recipe, part) for part in parts}
    with _timed("train", timings):
        fit = search(problem, seed, **networks, initial_logits=logits, observers=observers)
    cut = threshold(fit.edge_probabilities, problem.names, required=problem.required)
    edge_counts = edge_counts | {"trained": cut.graph.n_edges}
    return problem, _Found(
        cut.graph, fit.edge_probabilities, fit.stop_reason, edge_counts, fit.trace, cut.cut_edges
    )


@contextmanager
def _timed(room: str, timings: dict[str, float]) -> Iterator[None]:
    began = time.perf_counter()
    yield
    timings[room] = time.perf_counter() - began
    _log.info("%s took %.2f s", room, timings[room])
