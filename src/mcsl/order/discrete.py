"""Columns whose values repeat: which of them have no density, and what a yes or no owes to its causes."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

Form = Literal["dense", "massed", "lumped", "ordinal"]

# A value with more of the rows is a lump, or a mass, if it or all masses in a row with it have so many times
# more rows than the values beside them.
_LUMP, _MASS, _ABOVE_NEIGHBOURS = 0.15, 0.05, 3.0
_FEW_LEVELS = 4
# Levels in effect: two rows are equal more often than in one of so many cases.
_LEAST_LEVELS = 10
# Values with a smaller share of the rows are rare, and where they are many, the column is no row of levels.
_RARE, _MOST_RARE = 0.02, 0.2
_ROWS_OF_A_LEVEL, _MOST_LEVELS = 5, 100
# Keeps coefficients finite where functions tell levels apart without exception.
_RIDGE = 0.05
_TINY = 1e-7


def form_of(column: NDArray[np.float64]) -> Form:
    """Tell whether a column has a density, one with a mass or a lump of equal values in it, or levels alone.

    A density makes a lump as likely as one likes. Whole numbers have none if there are many: each has about
    as many rows as its neighbours. Yes and no, grades and small counts are levels, in order.
    """
    values, counts = np.unique(column, return_counts=True)
    if len(values) <= _FEW_LEVELS:
        return "ordinal"
    n = len(column)
    shares, equal = counts / n, float(counts @ (counts - 1)) / (n * (n - 1))
    # A value that comes once is rare in any table.
    if equal > 1 / _LEAST_LEVELS and shares[counts < max(_RARE * n, 2)].sum() < _MOST_RARE:
        return "ordinal"
    outstanding = shares[_stands_out(shares)].max(initial=0.0)
    return "lumped" if outstanding > _LUMP else "massed" if outstanding > _MASS else "dense"


def _stands_out(shares: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which values have far more rows than those beside them, alone or with masses in a row."""
    padded = np.pad(shares, 1)
    alone = shares > _ABOVE_NEIGHBOURS * np.maximum(padded[:-2], padded[2:])
    is_mass = padded > _MASS
    starts, ends = np.flatnonzero(is_mass[1:] & ~is_mass[:-1]), np.flatnonzero(is_mass[:-1] & ~is_mass[1:])
    for start, end in zip(starts, ends, strict=True):
        around = max(padded[start], padded[end + 1])
        alone[start:end] |= 0 < _ABOVE_NEIGHBOURS * around < shares[start:end].min()
    return alone


def ordinal_gain(column: NDArray[np.float64], design: NDArray[np.float64], *, max_steps: int = 12) -> float:
    """Return by how many nats cumulative odds that follow some functions beat the shares of the levels.

    P(x <= level) = expit(threshold of the level - functions), McCullagh's proportional odds, by Newton's
    method; of two levels this is a logistic regression. Levels of a few rows beside each other, as in the
    tails of counts, are joined.
    """
    if not design.shape[1]:
        return 0.0
    level, n = _joined_levels(column), len(column)
    shares = np.bincount(level) / n
    if len(shares) < 2:
        return 0.0
    start = n * float(shares @ np.log(shares))
    # The functions have length one over all rows.
    followed = np.sqrt(n) * design
    numbers = np.arange(len(shares) - 1)
    to_upper = np.column_stack([level[:, None] == numbers, -followed])
    to_lower = np.column_stack([level[:, None] == numbers + 1, -followed])
    is_last, is_first = level == len(numbers), level == 0
    # Thresholds between levels that functions tell apart have hardly any curvature.
    ridge = np.repeat([1e-6, _RIDGE], [len(numbers), design.shape[1]])

    def chances(parameters: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        upper = np.where(is_last, 1.0, expit(to_upper @ parameters))
        lower = np.where(is_first, 0.0, expit(to_lower @ parameters))
        return upper, lower, float(np.log(np.maximum(upper - lower, _TINY)).sum())

    parameters = np.append(logit(np.cumsum(shares)[:-1]), np.zeros(design.shape[1]))
    upper, lower, best = chances(parameters)
    for _ in range(max_steps):
        chance = np.maximum(upper - lower, _TINY)
        rise, fall = upper * (1 - upper) / chance, lower * (1 - lower) / chance
        slope = to_upper.T @ rise - to_lower.T @ fall - ridge * parameters
        between = to_upper.T @ ((rise * fall)[:, None] * to_lower)
        curvature = to_upper.T @ ((rise * (rise - 1 + 2 * upper))[:, None] * to_upper)
        curvature += to_lower.T @ ((fall * (fall + 1 - 2 * lower))[:, None] * to_lower) - between - between.T
        step = np.linalg.solve(curvature + np.diag(ridge), slope)
        before = best
        for _ in range(8):
            upper, lower, best = chances(parameters + step)
            if best > before:
                break
            step = step / 2
        else:
            return before - start
        parameters = parameters + step
        if best < before + 0.01:
            break
    return best - start


def _joined_levels(column: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the rank of each row's value, where values of few rows share one.

    Values whose middle ranks lie in the same of up to a hundred equal cells are joined. Cells are counted
    from the median, and rounding treats both sides alike, so that the sign of a column does not matter.
    """
    n = len(column)
    _, ranks, counts = np.unique(column, return_inverse=True, return_counts=True)
    n_cells = min(max(n // _ROWS_OF_A_LEVEL, 3), _MOST_LEVELS)
    from_median = 2 * np.cumsum(counts) - counts - n
    _, joined = np.unique(np.round(from_median * (n_cells / (2 * n))), return_inverse=True)
    return joined.ravel()[ranks.ravel()]
