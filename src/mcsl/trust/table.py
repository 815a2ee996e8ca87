"""Checks of the table itself: too few rows, rows and columns that come twice, counters and codes."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from mcsl.data import MIN_SAMPLES
from mcsl.problem import Problem, alike, in_time
from mcsl.trust.finding import Finding, some_of

_ENOUGH_ROWS = 100
_ROWS_PER_VARIABLE = 2
_AGAIN = 3
_DISTINCT = 10
"""With fewer values a column holds levels, of which one may well be far from the others."""
_ROUNDING = 1e-6
"""Steps of a clock are equal but for so small a share of them."""
_REPEATED = 0.01
_NEARLY_ALL = 0.9


def check_table(problem: Problem) -> list[Finding]:
    """Say what about a table misleads whatever is learned from it; nothing where all is well."""
    checks = (_rows, _repeats, _copies, _counters, _codes)
    return [finding for check in checks if (finding := check(problem))]


def _rows(problem: Problem) -> Finding | None:
    """Say where rows are so few that the best of all that a search has tried looks better than it is."""
    n, d = problem.n_samples, problem.n_variables
    if n >= max(_ENOUGH_ROWS, _ROWS_PER_VARIABLE * d):
        return None
    return Finding(
        "rows",
        "caution",
        f"{n} rows are few for {d} variables: more false edges pass than the tests promise.",
        "Count on the edges that return in half-samples.",
        {"rows": float(n)},
    )


def _repeats(problem: Problem) -> Finding | None:
    """Find rows that come again although a column of theirs hardly repeats a value otherwise."""
    if in_time(problem.variables):
        return None
    distinct = np.unique(problem.dataset.values, axis=0)
    n_repeated = problem.n_samples - len(distinct)
    most_values = max(len(np.unique(column)) for column in distinct.T)
    if n_repeated < _REPEATED * problem.n_samples or most_values < _NEARLY_ALL * len(distinct):
        return None
    return Finding(
        "repeats",
        "caution",
        f"{n_repeated} rows are copies of others, and each counts as new evidence: false edges pass.",
        "Learn from distinct rows, unless these really were measured again.",
        {"rows": float(n_repeated)},
    )


def _copies(problem: Problem) -> Finding | None:
    """Find columns that are others in a different unit, which fit each other both ways without noise."""
    columns = _outputs(problem)
    same = np.triu(np.abs(_correlations(problem, columns)) > 1 - _ROUNDING**2, 1)
    names = [problem.dataset.names[column] for column in columns]
    pairs = [f"{names[i]} and {names[j]}" for i, j in np.argwhere(same)]
    if not pairs:
        return _lookalikes(problem)
    return Finding(
        "copies",
        "bad",
        f"{some_of(pairs)} are the same but for scale and offset, and nothing tells which is the cause.",
        "Learn with one column of each pair.",
    )


def _lookalikes(problem: Problem) -> Finding | None:
    """Find variables that measure nearly the same, so that an arrow may start from the wrong one."""
    if in_time(problem.variables):
        return None
    sets = defaultdict(list)
    for number, name in zip(alike(problem, range(problem.n_variables)).tolist(), problem.names, strict=True):
        sets[number].append(name)
    close = [" ≈ ".join(names) for names in sets.values() if len(names) > 1]
    if not close:
        return None
    return Finding(
        "lookalikes",
        "caution",
        f"{some_of(close)} are nearly the same: correlations exceed 0.9, and one may stand for another.",
        "Read arrows from one of them as arrows from all, or learn with one alone.",
    )


def _outputs(problem: Problem) -> list[int]:
    """Return the columns that are effects: all of a table, and those of the present in a series."""
    return [column for variable in problem.variables for column in variable.outputs]


def _correlations(problem: Problem, columns: list[int]) -> NDArray[np.float64]:
    """Return the correlation of any two columns where both were measured; 0 if they do not vary there."""
    measured = np.broadcast_to(problem.observed, problem.dataset.values.shape)[:, columns].astype(float)
    z = problem.dataset.standardized().values[:, columns] * measured
    n = measured.T @ measured
    sums, squares = z.T @ measured, (z**2).T @ measured
    left = squares - sums**2 / np.maximum(n, 1.0)
    varies = (left > _ROUNDING * squares) & (n >= MIN_SAMPLES)
    spread = np.sqrt(np.where(varies & varies.T, left, np.inf))
    correlations: NDArray[np.float64] = (z.T @ z - sums * sums.T / np.maximum(n, 1.0)) / (spread * spread.T)
    return correlations


def _counters(problem: Problem) -> Finding | None:
    """Find columns that number the rows: whatever drifts from row to row looks like their effect."""
    measured = np.broadcast_to(problem.observed, problem.dataset.values.shape)
    names = [
        problem.dataset.names[column]
        for column in _outputs(problem)
        if _counts(np.flatnonzero(measured[:, column]), problem.dataset.values[measured[:, column], column])
    ]
    if not names:
        return None
    in_rows = "" if in_time(problem.variables) else "; if rows follow each other in time, learn from a series"
    return Finding(
        "counters",
        "caution",
        f"{some_of(names)} count{'s' if len(names) == 1 else ''} the rows, as a number or a time does.",
        f"Learn without such columns{in_rows}.",
    )


def _counts(rows: NDArray[np.intp], values: NDArray[np.float64]) -> bool:
    """Tell whether values rise or fall from row to row, by whole numbers or evenly."""
    steps = np.diff(values) / np.diff(rows)
    is_even = np.ptp(steps) <= _ROUNDING * np.abs(steps).max()
    is_whole = bool((values == np.round(values)).all())
    return bool((steps > 0).all() or (steps < 0).all()) and (is_even or is_whole)


def _codes(problem: Problem) -> Finding | None:
    """Find columns with one value again and again, further from all others than these from each other."""
    names, said, times = problem.dataset.names, [], {}
    for column in _outputs(problem):
        values, counts = np.unique(problem.dataset.values[:, column], return_counts=True)
        if len(values) < _DISTINCT:
            continue
        for end, others in ((0, values[1:]), (-1, values[:-1])):
            if counts[end] >= _AGAIN and np.abs(values[end] - others).min() > np.ptp(others):
                said.append(f"{names[column]} is {values[end]:g} in {counts[end]} rows")
                times[names[column]] = float(counts[end])
    if not said:
        return None
    return Finding(
        "codes",
        "bad",
        f"{some_of(said)}, far from all other values.",
        "If it stands for a gap, leave these cells empty and say what to do about missing values.",
        times,
    )
