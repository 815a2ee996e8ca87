"""Confidence by refitting: which edges return when the graph is learned from half of the rows."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray

from mcsl.checkpoint import identify
from mcsl.data import MIN_SAMPLES, Dataset, SeriesTable, to_dataset, to_series
from mcsl.errors import DataError, OutputError, SettingsError
from mcsl.graph import Stability
from mcsl.learning import follows_time, learn
from mcsl.memory import DEFAULT_MEMORY, parse_memory
from mcsl.missing import MissingRule, complete
from mcsl.parallel import side_by_side
from mcsl.problem import Knowledge, Problem, cut_windows
from mcsl.recipe import Recipe
from mcsl.settings import whole_number
from mcsl.writing import make_directory, write_whole

LEDGER = "halves.jsonl"
"""File of the half-samples that are done, one JSON line each."""

HalvesObserver: TypeAlias = Callable[[int, int], None]
"""Receives how many half-samples are done, and how many there are."""


def assess_stability(
    data: Any,
    recipe: Recipe | str | None = None,
    *,
    n_halves: int = 20,
    groups: Mapping[str, Sequence[str]] | None = None,
    lags: int = 0,
    series: str | None = None,
    time: str | None = None,
    resample: str | float | None = None,
    knowledge: Knowledge | None = None,
    missing: MissingRule = "refuse",
    memory: str | int = DEFAULT_MEMORY,
    seed: int = 0,
    n_jobs: int | None = None,
    directory: str | os.PathLike[str] | None = None,
    force: bool = False,
    observers: Sequence[HalvesObserver] = (),
) -> Stability:
    """Learn a graph from each of `n_halves` half-samples and count how often every edge returns.

    Arguments that `learn` has too mean the same. The samples are split at random into two halves,
    `n_halves` / 2 times (complementary pairs, Shah and Samworth 2013), so the number is even. Rows of a
    table are drawn one by one, rows of series in blocks that follow each other. Half-samples run side by
    side, `n_jobs` at a time on joblib's backend, with one thread each.

    With a `directory`, every half-sample is kept there once it is done, and a later call with the same data,
    settings and seed goes on where this one stopped, also to a larger `n_halves`. What is there of
    other data, settings or seeds is refused, or replaced with `force`.
    """
    lags = whole_number("lags", lags)
    layout: dict[str, Any] = {"series": series, "time": time, "resample": resample}
    timed = follows_time(lags, missing, layout) or isinstance(data, SeriesTable)
    table = to_series(data, **layout) if timed else to_dataset(data, allow_missing=missing != "refuse")
    halves = HalfSamples.of(
        table,
        recipe,
        n_halves,
        groups=groups,
        lags=lags,
        knowledge=knowledge,
        missing=missing,
        memory=memory,
        seed=seed,
        directory=directory,
        force=force,
    )
    return halves.count(n_jobs=n_jobs, observers=observers)


@dataclass(frozen=True, eq=False)
class HalfSamples:
    """Half-samples of a table, checked and ready to be learned from."""

    problem: Problem
    """The whole table with what is known."""
    recipe: Recipe
    settings: Mapping[str, Any]
    """Of `learn`, the same for all."""
    parts: Sequence[Callable[[], SeriesTable]]
    ledger: Ledger

    @classmethod
    def of(
        cls,
        table: Dataset | SeriesTable,
        recipe: Recipe | str | None,
        n_halves: int,
        *,
        groups: Mapping[str, Sequence[str]] | None = None,
        lags: int = 0,
        knowledge: Knowledge | None = None,
        missing: MissingRule = "refuse",
        memory: str | int = DEFAULT_MEMORY,
        seed: int = 0,
        directory: str | os.PathLike[str] | None = None,
        force: bool = False,
    ) -> HalfSamples:
        """Draw the rows; refuse halves that are too small, and a directory with other half-samples."""
        if whole_number("n_halves", n_halves, 2) % 2:
            raise SettingsError(f"`n_halves` must be even. Got {n_halves} instead.")
        seed, knowledge = whole_number("seed", seed), Knowledge.of(knowledge)
        timed = isinstance(table, SeriesTable)
        series = table if isinstance(table, SeriesTable) else SeriesTable.of(table)
        rows = series.dataset
        pose = partial(_pose, missing=missing, lags=lags, groups=groups)
        problem = pose(series).with_knowledge(knowledge)
        recipe = Recipe.of(recipe, problem.n_variables)
        blocks = _blocks(series, lags) if timed else np.arange(rows.n_samples)
        parts = [
            partial(_part, series, half, blocks)
            for k in range(n_halves // 2)
            for half in _pair(rows, blocks, (seed, k))
        ]
        for part in parts:
            with _said_of_half_samples():
                pose(part())
        settings = {"groups": groups, "lags": lags, "knowledge": knowledge, "missing": missing}
        settings |= {"memory": parse_memory(memory), "seed": seed}
        run = identify(rows.fingerprint(), series.starts, recipe.describe(), settings)
        path = Path(directory) / LEDGER if directory is not None else None
        return cls(problem, recipe, settings, parts, Ledger.open(path, run, force=force))

    def count(self, *, n_jobs: int | None = None, observers: Sequence[HalvesObserver] = ()) -> Stability:
        """Learn from those that are not in the ledger, and count how often every edge is in all graphs."""
        n_halves, ledger = len(self.parts), self.ledger
        waiting = [k for k in range(n_halves) if k not in ledger.edges]
        refits = (partial(_refit, k, self.parts[k](), self.recipe, self.settings) for k in waiting)
        finished = side_by_side(refits, n_jobs, ordered=False)
        for n_done in range(n_halves - len(waiting), n_halves + 1):
            for observer in observers:
                observer(n_done, n_halves)
            if n_done < n_halves:
                ledger.add(*next(finished))
        frequencies = np.zeros(self.problem.candidates.shape)
        for k in range(n_halves):
            frequencies[tuple(np.array(ledger.edges[k], dtype=int).reshape(-1, 2).T)] += 1
        candidates = self.problem.candidates & ~self.problem.required
        return Stability(self.problem.names, frequencies / n_halves, n_halves, candidates)


def _pose(
    table: SeriesTable, *, missing: MissingRule, lags: int, groups: Mapping[str, Sequence[str]] | None
) -> Problem:
    """Return the problem that `learn` would solve, with quick draws for gaps, or refuse it as it would."""
    if missing == "refuse":
        return cut_windows(table, lags=lags, groups=groups)[0]
    completed = complete(table.dataset, missing, rounds=0)
    problem = cut_windows(SeriesTable.of(completed.dataset), lags=lags, groups=groups)[0]
    problem = replace(problem, observed=completed.observed)
    for effect in range(problem.n_variables):
        problem.measured(effect)
    return problem


@contextmanager
def _said_of_half_samples() -> Iterator[None]:
    """Say of a table that is refused that it is half of another."""
    try:
        yield
    except DataError as error:
        said = str(error).rstrip(".")
        raise DataError(
            f"A half-sample cannot be learned from: {said}, or do without half-samples."
        ) from None


def _blocks(table: SeriesTable, lags: int) -> NDArray[np.intp]:
    """Number the rows by blocks: about twenty of rows that follow each other, each long against a window."""
    length = max(table.dataset.n_samples // 20, 5 * (lags + 1))
    sizes = [
        len(part)
        for first, last in pairwise(table.starts)
        for part in np.array_split(np.arange(first, last), max((last - first) // length, 1))
    ]
    return np.repeat(np.arange(len(sizes)), sizes)


def _pair(dataset: Dataset, blocks: NDArray[np.intp], seeds: tuple[int, int]) -> Iterator[NDArray[np.intp]]:
    """Draw the rows of two halves of equally many blocks that share none, and check that they vary."""
    n_blocks = int(blocks[-1]) + 1
    shuffled = np.random.default_rng(seeds).permutation(n_blocks)
    for chosen in np.split(shuffled[: n_blocks // 2 * 2], 2):
        rows = np.flatnonzero(np.isin(blocks, chosen))
        if len(rows) < MIN_SAMPLES:
            raise DataError(
                f"Half of the rows are {len(rows)}, and learning needs at least {MIN_SAMPLES}; "
                "do without half-samples."
            )
        for name, column in zip(dataset.names, dataset.values[rows].T, strict=True):
            known = column[~np.isnan(column)]
            if len(known) and known.min() == known.max():
                raise DataError(
                    f"The column {name!r} has a single value in half of the rows; leave it out, or do "
                    "without half-samples."
                )
        yield rows


def _part(table: SeriesTable, rows: NDArray[np.intp], blocks: NDArray[np.intp]) -> SeriesTable:
    """Return some rows of a table, where those of two blocks must not share a window."""
    values = Dataset(table.dataset.values[rows], table.dataset.names)
    drawn_one_by_one = blocks[-1] + 1 == len(blocks)
    if drawn_one_by_one:
        return SeriesTable.of(values)
    starts = (0, *(np.flatnonzero(np.diff(blocks[rows])) + 1).tolist(), len(rows))
    return SeriesTable(values, starts, ("",) * (len(starts) - 1))


def _refit(
    k: int, half: SeriesTable, recipe: Recipe, settings: Mapping[str, Any]
) -> tuple[int, list[list[int]]]:
    # Half-samples already share the cores; a pruner that asks for all of them again would only wait.
    with _said_of_half_samples(), parallel_config(backend="sequential"):
        graph = learn(half, recipe, **settings).graph
    return k, np.argwhere(graph.adjacency).tolist()


@dataclass
class Ledger:
    """The edges of every half-sample that is done, in memory and, where there is a path, on disk."""

    path: Path | None
    digest: str
    edges: dict[int, list[list[int]]] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path | None, digest: str, *, force: bool) -> Ledger:
        """Read what is done already; refuse what belongs to another call unless `force`."""
        ledger = cls(path, digest)
        if path is None or not path.exists():
            return ledger
        try:
            rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            ledger.edges = {row["half"]: row["edges"] for row in rows if row["of"] == digest}
        except (OSError, ValueError, TypeError, KeyError):
            rows = [None]
        if len(ledger.edges) < len(rows) and not force:
            raise OutputError(
                f"{path} holds half-samples of other data, settings or seed; "
                "choose another directory, or replace them with --force."
            )
        return ledger

    def add(self, k: int, edges: list[list[int]]) -> None:
        """Keep one more half-sample; the file is replaced whole, so it is never half written."""
        self.edges[k] = edges
        if self.path is None:
            return
        lines = [{"half": k, "of": self.digest, "edges": found} for k, found in sorted(self.edges.items())]
        make_directory(self.path.parent)
        write_whole(self.path, "".join(json.dumps(line) + "\n" for line in lines).encode())
