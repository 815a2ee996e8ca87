"""The whole walk from a table to a causal graph."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcsl.checkpoint import Checkpoint, identify
from mcsl.data import LongTable, SeriesTable, open_long_table, to_dataset, to_series
from mcsl.errors import SettingsError
from mcsl.graph import CausalGraph, threshold
from mcsl.memory import DEFAULT_MEMORY, parse_memory
from mcsl.missing import MissingRule, complete
from mcsl.order import OrderFit
from mcsl.order.held_out import predict_held_out
from mcsl.order.search import Noise
from mcsl.problem import Knowledge, Problem, cut_windows
from mcsl.pruning import EdgeTest, LagTest, lag_tests, prune
from mcsl.recipe import Recipe
from mcsl.result import Result
from mcsl.search import Observer, StopReason, TraceRow
from mcsl.steps import PruningLog, earlier_training, find_order, keep_training

# Share of the rows that judge whether networks are better than splines, and the trained graph than the start.
_HELD_OUT = 0.2
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
    memory: str | int = DEFAULT_MEMORY,
    seed: int = 0,
    observers: Sequence[Observer] = (),
    checkpoint: Checkpoint | str | os.PathLike[str] | None = None,
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

    A table with more rows than `memory` holds, such as "2GB" or a number of bytes, is read in blocks, from a
    Parquet file, a polars LazyFrame or what is in memory, with the same result. Additive tests count all
    rows; what needs rows at once gets as many as fit, drawn at random by the seed.

    With a directory as `checkpoint`, every expensive step is kept there once it is done. If the process
    dies, the same call goes on after the last step, to exactly the same result; a call that returns removes
    what was kept. An interrupt (Ctrl-C) raises `Interrupted`, with the best graph so far where there is one.
    """
    timings: dict[str, float] = {}
    with _timed("read", timings):
        budget = parse_memory(memory)
        table, long = _read(data, lags, missing, budget, seed, series=series, time=time, resample=resample)
        digest = long.fingerprint if long else table.dataset.fingerprint()
        completed = complete(table.dataset, missing, seed)
        rows = table if missing == "refuse" else SeriesTable.of(completed.dataset)
        problem, summary = cut_windows(rows, lags=lags, groups=groups)
        problem = replace(problem, observed=completed.observed)
        n_samples = long.rows.n_samples if long else problem.n_samples
        problem = replace(problem, whole=long.rows) if long else problem.sampled(budget, seed)
    recipe = recipe or Recipe.default()
    knowledge = knowledge or Knowledge()
    given = problem = problem.with_knowledge(knowledge)
    steps = checkpoint if isinstance(checkpoint, Checkpoint) else Checkpoint(checkpoint)
    how = {"groups": groups, "lags": lags, "knowledge": knowledge, "missing": missing, "seed": seed}
    how["rows"] = problem.n_samples
    steps.begin(identify(digest, table.starts, recipe.describe(), how))
    if recipe.standardize:
        problem = replace(problem, dataset=problem.dataset.standardized())
    problem, found = _search(problem, recipe, seed, observers, timings, steps)
    log = PruningLog(steps)

    def result(
        graph: CausalGraph, stop_reason: StopReason, tests: Sequence[EdgeTest], by_lag: Sequence[LagTest] = ()
    ) -> Result:
        return Result(
            graph=graph,
            edge_probabilities=found.edge_probabilities,
            trace=found.trace,
            stop_reason=stop_reason,
            cut_edges=found.cut_edges,
            tests=tuple(tests),
            recipe=recipe,
            knowledge=knowledge,
            seed=seed,
            n_samples=n_samples,
            n_drawn=problem.n_samples if problem.n_samples < n_samples else 0,
            fingerprint=digest,
            versions={name: version(name) for name in _VERSIONED},
            timings=timings,
            edge_counts={**found.edge_counts, "pruned": graph.n_edges},
            groups={v.name: tuple(table.dataset.names[c] for c in v.outputs) for v in problem.variables},
            lag_tests=tuple(by_lag),
            series=summary,
            missing=completed.summary,
            problem=replace(given, whole=None),
        )

    try:
        if found.stop_reason is StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        with _timed("prune", timings):
            pruned = prune(recipe.pruner, found.graph, problem, known=tuple(log.tests), observer=log)
            log.keep()
            # A pruner of one's own may not know of required edges.
            graph = CausalGraph(pruned.graph.adjacency | problem.required, problem.names)
            by_lag = lag_tests(graph, problem)
    except KeyboardInterrupt:
        best = result(log.best_graph(found.untested), StopReason.INTERRUPTED, log.tests)
        raise Interrupted(best) from None
    if steps is not checkpoint:
        steps.remove()
    return result(graph, found.stop_reason, pruned.tests, by_lag)


class Interrupted(KeyboardInterrupt):
    """Learning was interrupted, and there is a graph already."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.stop_reason.sentence)
        self.result = result


def _read(
    data: Any, lags: int, missing: MissingRule, memory: int, seed: int, **layout: Any
) -> tuple[SeriesTable, LongTable | None]:
    """Read series where anything speaks of time, and otherwise a table, or the rows drawn from a long one."""
    timed = lags > 0 or any(option is not None for option in layout.values())
    if timed and missing != "refuse":
        raise SettingsError("`missing` is a rule for tables; short gaps of series are filled anyway.")
    if timed or isinstance(data, SeriesTable):
        return to_series(data, **layout), None
    if missing == "refuse":
        long = data if isinstance(data, LongTable) else open_long_table(data, memory=memory, seed=seed)
        if long:
            return SeriesTable.of(long.sample), long
    return SeriesTable.of(to_dataset(data, allow_missing=missing != "refuse")), None


class _Found(NamedTuple):
    """What a search hands to the pruner and to the result."""

    graph: CausalGraph
    untested: CausalGraph
    """The best graph if there is no pruner."""
    edge_probabilities: NDArray[np.float64]
    stop_reason: StopReason
    edge_counts: dict[str, int]
    trace: tuple[TraceRow, ...] = ()
    cut_edges: tuple[tuple[str, str], ...] = ()


def _search(
    problem: Problem,
    recipe: Recipe,
    seed: int,
    observers: Sequence[Observer],
    timings: dict[str, float],
    steps: Checkpoint,
) -> tuple[Problem, _Found]:
    """Find an order, train masks, or train masks from the order; return also the problem as searched."""
    start = None if recipe.order is None else find_order(recipe.order, problem, steps)
    if start is None:
        return problem, _train(problem, None, _networks(recipe), seed, observers, timings, steps)
    timings |= start.timings
    ordered = _Found(
        start.graph, start.learned, start.edge_probabilities, StopReason.SETTLED, start.edge_counts
    )
    if recipe.schedule is None:
        return start.problem, ordered
    try:
        return start.problem, _improve(start, ordered, recipe, seed, observers, timings, steps)
    except KeyboardInterrupt:
        return start.problem, ordered._replace(stop_reason=StopReason.INTERRUPTED)


def _improve(
    start: OrderFit,
    ordered: _Found,
    recipe: Recipe,
    seed: int,
    observers: Sequence[Observer],
    timings: dict[str, float],
    steps: Checkpoint,
) -> _Found:
    """Train masks from the order if networks predict unseen rows better than splines; keep the best graph."""
    from mcsl.search.held_out import held_out_score, score_of_predictions

    along = start.graph.adjacency
    problem = replace(start.problem, candidates=along | along.T)
    held_out = np.random.default_rng(seed).permutation(problem.n_samples) < _HELD_OUT * problem.n_samples
    seen, unseen = problem.of_rows(~held_out), problem.of_rows(held_out)
    kinds = _kinds_of_networks(recipe, start.noise)

    with _timed("judge", timings):
        interactions = recipe.order is not None and recipe.order.interactions
        splines = predict_held_out(problem, start.learned, held_out, interactions=interactions)
        by_splines = min(
            score_of_predictions(unseen, predicted, networks["score"])
            for predicted, networks in zip((splines[0], splines), kinds, strict=False)
        )
        by_networks = [held_out_score(seen, unseen, start.learned, seed, **networks) for networks in kinds]
        at_start, networks = min(by_networks), kinds[int(np.argmin(by_networks))]
        if not at_start < by_splines:
            return ordered._replace(stop_reason=StopReason.NOTHING_TO_ADD)
    # Along the order an edge starts as more likely than not, and its reverse as less.
    logits = np.where(along, 1.0, -1.0)
    found = _train(seen, logits, networks, seed, observers, timings, steps)
    counts = start.edge_counts | found.edge_counts
    if found.stop_reason is StopReason.INTERRUPTED:
        return found._replace(edge_counts=counts)
    if not held_out_score(seen, unseen, found.graph, seed, **networks) < at_start:
        return ordered._replace(stop_reason=StopReason.START_KEPT, trace=found.trace, edge_counts=counts)
    return found._replace(edge_counts=counts)


def _train(
    problem: Problem,
    logits: NDArray[np.float64] | None,
    networks: Mapping[str, Any],
    seed: int,
    observers: Sequence[Observer],
    timings: dict[str, float],
    steps: Checkpoint,
) -> _Found:
    # JAX takes a second to load.
    from mcsl.search.augmented_lagrangian import search

    with _timed("train", timings):
        fit = search(
            problem,
            seed,
            **networks,
            initial_logits=logits,
            observers=observers,
            earlier=earlier_training(steps),
            keep=partial(keep_training, steps) if steps else None,
        )
    cut = threshold(fit.edge_probabilities, problem.names, required=problem.required)
    counts = {"trained": cut.graph.n_edges}
    return _Found(
        cut.graph, cut.graph, fit.edge_probabilities, fit.stop_reason, counts, fit.trace, cut.cut_edges
    )


def _networks(recipe: Recipe) -> dict[str, Any]:
    parts = ("mechanism", "temperature", "score", "acyclicity", "sparsity_weight", "schedule")
    return {part: getattr(recipe, part) for part in parts}


def _kinds_of_networks(recipe: Recipe, noise: Noise) -> list[dict[str, Any]]:
    """Return the recipe's networks, and networks with scales too where the order search found such noise."""
    from mcsl.model import LocationScale
    from mcsl.objective import gaussian_likelihood, location_scale_likelihood

    constant = _networks(recipe)
    if noise != "location-scale" or recipe.score is not gaussian_likelihood:
        return [constant]
    with_scales = partial(LocationScale.init, part=constant["mechanism"])
    return [constant, {**constant, "mechanism": with_scales, "score": location_scale_likelihood}]


@contextmanager
def _timed(room: str, timings: dict[str, float]) -> Iterator[None]:
    began = time.perf_counter()
    yield
    timings[room] = time.perf_counter() - began
    _log.info("%s took %.2f s", room, timings[room])
