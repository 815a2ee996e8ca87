"""Whether rows resemble the rows before them, as those of a series or of one subject do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from mcsl.data import Dataset
from mcsl.problem import Problem, in_time
from mcsl.sem import FittedSEM
from mcsl.trust.finding import Finding

Array = NDArray[np.float64]

_MOST_ROWS = 20_000
_SIGNIFICANCE = 0.001
"""The share of tables of independent rows that may be taken for others, at the most."""
_NOTED = 0.15
"""Smaller correlations mislead no test by much."""
_STRONG = 0.5
_KNOTS = 20
_ROWS_A_KNOT = 25
"""With less, a curve along the rows would follow what neighbours share."""


def check_neighbours(problem: Problem, sem: FittedSEM | None) -> list[Finding]:
    """Correlate what causes leave over of every variable with what they left over one row before.

    A table may be sorted by one of its columns, and columns without causes may have been set in any order,
    as in a design; rows are independent nevertheless, given these. So what the column that changes least
    from row to row explains is taken out of the others, one of which must still resemble the row before,
    and if there are effects, one of these must.
    """
    if in_time(problem.variables):
        return []
    rows = Dataset(problem.dataset.values[:_MOST_ROWS], problem.dataset.names)
    values = rows.values
    noise = values if sem is None else sem.unexplained(values)
    steadiest = int(_with_the_row_before(_ranks(values)).argmax())
    by_column = _with_the_row_before(_without(values[:, steadiest], _ranks(noise), steadiest))
    if _is_sorted(values[:, steadiest]):
        by_column[steadiest] = 0.0
    figures = {v.name: float(by_column[list(v.outputs)].max()) for v in problem.variables}
    owner = next(v.name for v in problem.variables if steadiest in v.outputs)
    least = max(_NOTED, -ndtri(_SIGNIFICANCE / values.shape[1]) / len(values) ** 0.5)
    alike = {name for name, correlation in figures.items() if correlation > least}
    effects = {effect for _, effect in sem.graph.edges} if sem else set()
    if not alike - {owner} or (effects and not alike & effects):
        return []
    is_strong = sum(correlation > _STRONG for correlation in figures.values()) > 1
    return [
        Finding(
            "neighbours",
            "bad" if is_strong else "caution",
            f"Rows resemble the rows before them (correlations up to {max(figures.values()):.2f} in "
            f"{len(alike)} of {len(figures)} variables), so they are fewer observations than they seem.",
            "If rows follow each other in time, say `lags=1` (--lags 1), and by `series=` (--series-column) "
            "which column tells several series apart; if they are repeated measurements, keep one row of "
            "each; if they stand in groups, such as sites, the group may be a cause that is missing.",
            figures,
        )
    ]


def _ranks(values: Array) -> Array:
    """Return centred ranks, in which two wild values that meet by chance do not matter."""
    ranks = rankdata(values, axis=0)
    centred: Array = ranks - ranks.mean(axis=0)
    return centred


def _without(cause: Array, ranks: Array, own: int) -> Array:
    """Return what a curve along one column leaves of the others; that column itself stays as it is."""
    n_knots = min(max(len(cause) // _ROWS_A_KNOT, 2), _KNOTS)
    knots = np.unique(np.quantile(cause, np.linspace(0, 1, n_knots)))
    hats = np.column_stack([np.interp(cause, knots, hat) for hat in np.eye(len(knots))])
    left: Array = ranks - hats @ np.linalg.lstsq(hats, ranks, rcond=None)[0]
    left[:, own] = ranks[:, own]
    return left


def _with_the_row_before(z: Array) -> Array:
    """Return the correlation of every column, of mean 0, with itself one row before; 0 if it is constant."""
    squares = np.sum(z**2, axis=0)
    correlations: Array = np.sum(z[1:] * z[:-1], axis=0) / np.where(squares > 0, squares, 1.0)
    return correlations


def _is_sorted(column: Array) -> bool:
    steps = np.diff(column)
    return bool((steps >= 0).all() or (steps <= 0).all())
