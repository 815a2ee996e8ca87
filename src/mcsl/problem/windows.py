"""From series to samples: every variable at (t, t-1, ..., t-p), as one row a time t."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mcsl.data import MIN_SAMPLES, Dataset, SeriesTable
from mcsl.errors import DataError
from mcsl.problem.groups import resolve_groups
from mcsl.problem.problem import Problem, Variable
from mcsl.settings import whole_number


@dataclass(frozen=True)
class SeriesSummary:
    """How the samples were cut from series, and what became of missing values."""

    n_series: int = 1
    lags: int = 0
    n_filled: int = 0
    """Missing values that were filled by straight lines."""
    n_left_out: int = 0
    """Windows that were left out because a value in them is still missing."""

    @property
    def sentence(self) -> str:
        """Say how many series there were and what was done about gaps, or nothing of a plain table."""
        if self == SeriesSummary():
            return ""
        series = "one series" if self.n_series == 1 else f"{self.n_series} series"
        lags = {0: "no lags", 1: "1 lag"}.get(self.lags, f"{self.lags} lags")
        values = "1 missing value was" if self.n_filled == 1 else f"{self.n_filled} missing values were"
        windows = "1 window was" if self.n_left_out == 1 else f"{self.n_left_out} windows were"
        gaps = f"; {values} filled by straight lines and {windows} left out for longer gaps"
        return f"Samples are from {series}, with {lags}{gaps if self.n_filled or self.n_left_out else ''}."


def cut_windows(
    table: SeriesTable, *, lags: int = 0, groups: Mapping[str, Sequence[str]] | None = None
) -> tuple[Problem, SeriesSummary]:
    """Make a problem of all windows of `lags` + 1 samples in a row, none of which spans two series.

    A variable is read at (t, t-1, ..., t-p) and predicted at t, so its own past is always an input and
    never an edge. A variable with several columns has all of them in its window.
    """
    lags = whole_number("lags", lags)
    owned = resolve_groups(table.dataset.names, groups)
    for label, (first, last) in zip(table.labels, pairwise(table.starts), strict=True):
        if last - first <= lags:
            which = f"The series {label!r}" if label else "The series"
            rows = "1 sample" if last - first == 1 else f"{last - first} samples"
            raise DataError(
                f"{which} has {rows}, and with {lags} lags a window needs {lags + 1}; use fewer lags, or "
                "leave the series out."
            )
    width = table.dataset.n_variables
    windows = np.concatenate(
        [
            np.concatenate(
                [table.dataset.values[first + lags - k : last - k] for k in range(lags + 1)], axis=1
            )
            for first, last in pairwise(table.starts)
        ]
    )
    complete = ~np.isnan(windows).any(axis=1)
    n_left_out = int((~complete).sum())
    names = table.dataset.names
    columns = (*names, *(f"{name}[t-{k}]" for k in range(1, lags + 1) for name in names))
    if len(set(columns)) < len(columns):
        past = next(name for name in names if name in columns[width:])
        raise DataError(f"The column {past!r} is called as the past of another would be; rename it.")
    dataset = Dataset(windows[complete], columns)
    _check(dataset, table, n_left_out)
    variables = tuple(
        Variable(name, tuple(column + k * width for k in range(lags + 1) for column in own), own)
        for name, own in owned.items()
    )
    candidates = np.ones((len(variables), len(variables)), dtype=bool)
    problem = Problem(dataset, variables, candidates)
    return problem, SeriesSummary(len(table.labels), lags, table.n_filled, n_left_out)


def _check(dataset: Dataset, table: SeriesTable, n_left_out: int) -> None:
    if dataset.n_samples < MIN_SAMPLES:
        raise DataError(
            f"The series have only {dataset.n_samples} complete windows, and learning needs at least "
            f"{MIN_SAMPLES}; {_remedy(table, n_left_out)}."
        )
    for name, column in zip(dataset.names, dataset.values.T, strict=True):
        if column.min() == column.max():
            raise DataError(
                f"The column {name!r} has the same value in every complete window, which says nothing about "
                "causes; leave it out."
            )


def _remedy(table: SeriesTable, n_left_out: int) -> str:
    """Say why there are few complete windows, and what to do."""
    if table.apart:
        return (
            f"the rows are {table.apart} apart (median), and shorter steps leave gaps between them: resample "
            f"to steps of {table.apart} or longer"
        )
    if not n_left_out:
        return "use fewer lags or more rows"
    missing = np.isnan(table.dataset.values).mean(axis=0)
    worst = table.dataset.names[int(missing.argmax())]
    return (
        f"{n_left_out} more have missing values, and the column {worst!r} lacks {missing.max():.0%}: leave "
        "it out or allow longer gaps to be filled"
    )
