"""Columns whose values repeat: which of them have no density, and what a yes or no owes to its causes."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

Form = Literal["dense", "massed", "lumped", "ordinal"]

# A value with more of the rows, and so many times more than either value beside it, is a lump, or a mass.
_LUMP, _MASS, _ABOVE_NEIGHBOURS = 0.15, 0.05, 3.0
_FEW_LEVELS = 4
# Levels in effect: two rows are equal more often than in one of so many cases.
_LEAST_LEVELS = 10
# Values with a smaller share of the rows are rare, and where they are many, the column is no row of levels.
_RARE, _MOST_RARE = 0.02, 0.2
_ROWS_OF_A_LEVEL = 10
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
    shares = counts / len(column)
    if (shares**2).sum() > 1 / _LEAST_LEVELS and shares[shares < _RARE].sum() < _MOST_RARE:
        return "ordinal"
    beside = np.pad(shares, 1)
    outstanding = shares[shares > _ABOVE_NEIGHBOURS * np.maximum(beside[:-2], beside[2:])].max(initial=0.0)
    return "lumped" if outstanding > _LUMP else "massed" if outstanding > _MASS else "dense"


def ordinal_gain(column: NDArray[np.float64], design: NDArray[np.float64], *, max_steps: int = 12) -> float:
    """Return by how many nats cumulative odds that follow some functions beat the shares of the levels.

    P(x <= level) = expit(threshold of the level - functions), McCullagh's proportional odds, by Newton's
    method; of two levels this is a logistic regression. Levels of a few rows, as in the tails of counts, are
    joined to the next.
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
    ridge = np.repeat([1e-9, _RIDGE], [len(numbers), design.shape[1]])

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
        step = np.linalg.solve(curvature + np.diag(ridge + 1e-6), slope)
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
    """Return the rank of each row's value, where values of a few rows are joined to the next."""
    _, ranks, counts = np.unique(column, return_inverse=True, return_counts=True)
    groups = np.zeros(len(counts), dtype=np.intp)
    held, rest = 0, len(column)
    for k, count in enumerate(counts[:-1].tolist()):
        held, rest = held + count, rest - count
        is_full = held >= _ROWS_OF_A_LEVEL <= rest
        groups[k + 1] = groups[k] + is_full
        held = 0 if is_full else held
    return groups[ranks.ravel()]
