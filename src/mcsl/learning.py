"""The whole walk from a table to a causal graph."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any

from mcsl.checkpoint import Checkpoint, identify
from mcsl.data import LongTable, SeriesTable, open_long_table, to_dataset, to_series
from mcsl.errors import SettingsError
from mcsl.graph import CausalGraph
from mcsl.memory import DEFAULT_MEMORY, parse_memory
from mcsl.missing import MissingRule, complete
from mcsl.problem import Knowledge, cut_windows
from mcsl.pruning import EdgeTest, LagTest, lag_tests, prune
from mcsl.pruning.splines import shared_splines
from mcsl.recipe import Recipe
from mcsl.result import Result
from mcsl.search import Observer, StopReason
from mcsl.settings import whole_number
from mcsl.steps import PruningLog, timed
from mcsl.training import find_graph

_VERSIONED = ("mcsl", "jax", "jaxlib", "equinox", "optax", "numpy", "scipy")


@shared_splines()
def learn(
    data: Any,
    recipe: Recipe | str | None = None,
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
    row per sample, or a Dataset. `recipe` is a Recipe or the name of one: "default", "additive", "masked" or
    "paper". What `knowledge` requires or forbids holds in the result. The same data,
    knowledge, recipe and seed give the same graph. `missing` says what to do about missing values of a
    table (docs/missing-values.md); series have a rule of their own.

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
    lags, seed = whole_number("lags", lags), whole_number("seed", seed)
    knowledge = Knowledge.of(knowledge)
    timings: dict[str, float] = {}
    with timed("read", timings):
        budget = parse_memory(memory)
        table, long = _read(data, lags, missing, budget, seed, series=series, time=time, resample=resample)
        digest = long.fingerprint if long else table.dataset.fingerprint()
        completed = complete(table.dataset, missing, seed)
        rows = table if missing == "refuse" else SeriesTable.of(completed.dataset)
        problem, summary = cut_windows(rows, lags=lags, groups=groups)
        problem = replace(problem, observed=completed.observed)
        n_samples = long.rows.n_samples if long else problem.n_samples
        problem = replace(problem, whole=long.rows) if long else problem.sampled(budget, seed)
    recipe = Recipe.of(recipe, problem.n_variables)
    given = problem = problem.with_knowledge(knowledge)
    steps = checkpoint if isinstance(checkpoint, Checkpoint) else Checkpoint(checkpoint)
    how = {"groups": groups, "lags": lags, "knowledge": knowledge, "missing": missing, "seed": seed}
    how["rows"] = problem.n_samples
    steps.begin(identify(digest, table.starts, recipe.describe(), how))
    if recipe.standardize:
        problem = replace(problem, dataset=problem.dataset.standardized())
    problem, found = find_graph(problem, recipe, seed, observers, timings, steps)
    log = PruningLog(steps)

    def result(
        graph: CausalGraph, stop_reason: StopReason, tests: Sequence[EdgeTest], by_lag: Sequence[LagTest] = ()
    ) -> Result:
        return Result(
            graph=graph,
            edge_probabilities=found.edge_probabilities,
            directions=found.directions,
            trace=found.trace,
            stop_reason=stop_reason,
            cut_edges=found.cut_edges,
            restarts=found.restarts,
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
        with timed("prune", timings):
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


def follows_time(lags: int, missing: MissingRule, layout: Mapping[str, Any]) -> bool:
    """Say whether any setting speaks of time, and refuse a rule for missing values beside it."""
    timed = lags > 0 or any(option is not None for option in layout.values())
    if timed and missing != "refuse":
        raise SettingsError("`missing` is a rule for tables; short gaps of series are filled anyway.")
    return timed


def _read(
    data: Any, lags: int, missing: MissingRule, memory: int, seed: int, **layout: Any
) -> tuple[SeriesTable, LongTable | None]:
    """Read series where anything speaks of time, and otherwise a table, or the rows drawn from a long one."""
    if follows_time(lags, missing, layout) or isinstance(data, SeriesTable):
        return to_series(data, **layout), None
    if missing == "refuse":
        long = data if isinstance(data, LongTable) else open_long_table(data, memory=memory, seed=seed)
        if long:
            return SeriesTable.of(long.sample), long
    return SeriesTable.of(to_dataset(data, allow_missing=missing != "refuse")), None
