"""Columns whose values repeat: which of them have no density, and what a yes or no owes to its causes."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

Form = Literal["dense", "massed", "lumped", "ordinal"]

# A value with more of the rows, and so many times more than either value beside it, is a lump, or a mass.
_LUMP, _MASS, _ABOVE_NEIGHBOURS = 0.15, 0.05, 3.0
_FEW_LEVELS = 4
# Levels in effect: two rows are equal more often than in one of so many cases.
_LEAST_LEVELS = 10
# Values with a smaller share of the rows are rare, and rare values are no levels.
_RARE = 0.02
_MOST_RARE = 0.2
# Keeps coefficients finite where functions tell levels apart without exception.
_RIDGE = 0.05


def form_of(column: NDArray[np.float64]) -> Form:
    """Tell whether a column has a density, one with a mass or a lump of equal values in it, or levels alone.

    A density makes a lump as likely as one likes. Whole numbers have none if there are many: each has about
    as many rows as its neighbours. Yes and no, grades and small counts are levels, in order.
    """
    values, counts = np.unique(column, return_counts=True)
    if has_few_levels(values):
        return "ordinal"
    shares = counts / len(column)
    if (shares**2).sum() > 1 / _LEAST_LEVELS and shares[shares < _RARE].sum() < _MOST_RARE:
        return "ordinal"
    beside = np.pad(shares, 1)
    outstanding = shares[shares > _ABOVE_NEIGHBOURS * np.maximum(beside[:-2], beside[2:])].max(initial=0.0)
    return "lumped" if outstanding > _LUMP else "massed" if outstanding > _MASS else "dense"


def has_few_levels(column: NDArray[np.float64]) -> bool:
    """Tell whether a column is yes or no, or one of four grades at most."""
    # Of most columns a few rows tell, and sorting all of them takes a while.
    return all(len(np.unique(part)) <= _FEW_LEVELS for part in (column[:100], column))


def ordinal_gain(column: NDArray[np.float64], design: NDArray[np.float64], *, max_steps: int = 12) -> float:
    """Return by how many nats cumulative odds that follow some functions beat the shares of the levels.

    P(x <= level) = expit(threshold of the level - functions), McCullagh's proportional odds, by Newton steps
    of the thresholds and of the coefficients; of two levels this is a logistic regression. Rare levels, as in
    the tails of counts, are joined to the next.
    """
    if not design.shape[1]:
        return 0.0
    level, n = _joined_levels(column), len(column)
    shares = np.bincount(level) / n
    if len(shares) < 2:
        return 0.0
    start = n * float(shares @ np.log(shares))
    # The functions have length one over all rows.
    regressors = np.sqrt(n) * design
    thresholds, coefficients = logit(np.cumsum(shares)[:-1]), np.zeros(design.shape[1])
    best, odds = start, _Odds.of(thresholds, np.zeros(n), level)
    for _ in range(max_steps):
        slope = regressors.T @ (odds.upper + odds.lower - 1) - _RIDGE * coefficients
        curvature = (regressors * (odds.upper_slope + odds.lower_slope)[:, None]).T @ regressors
        curvature.flat[:: len(curvature) + 1] += _RIDGE
        turn, shift = np.linalg.solve(curvature, slope), odds.step_of_thresholds(level, len(thresholds))
        before = best
        for _ in range(8):
            odds = _Odds.of(thresholds + shift, regressors @ (coefficients + turn), level)
            if odds.likelihood > before:
                break
            turn, shift = turn / 2, shift / 2
        else:
            break
        best, coefficients, thresholds = odds.likelihood, coefficients + turn, thresholds + shift
        if best < before + 0.01:
            break
    return best - start


class _Odds(NamedTuple):
    """Chances of at most the level of each row, and of less; how they change; and all rows' likelihood."""

    upper: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper_slope: NDArray[np.float64]
    lower_slope: NDArray[np.float64]
    likelihood: float

    @classmethod
    def of(
        cls, thresholds: NDArray[np.float64], followed: NDArray[np.float64], level: NDArray[np.intp]
    ) -> _Odds:
        bounds = np.concatenate([[-np.inf], thresholds, [np.inf]])
        upper, lower = (expit(bounds[level + side] - followed) for side in (1, 0))
        likelihood = float(np.log(np.maximum(upper - lower, 1e-7)).sum())
        return cls(upper, lower, upper * (1 - upper), lower * (1 - lower), likelihood)

    def step_of_thresholds(self, level: NDArray[np.intp], number: int) -> NDArray[np.float64]:
        """Return Newton's step: each threshold bounds the level below it and the one above."""
        chance = np.maximum(self.upper - self.lower, 1e-7)
        rise, fall = self.upper_slope / chance, self.lower_slope / chance

        def total(rows: NDArray[np.float64], first: int) -> NDArray[np.float64]:
            return np.bincount(level, rows, number + 1)[first : number + first].astype(float)

        slope = total(rise, 0) - total(fall, 1)
        below = total(rise**2 - rise * (1 - 2 * self.upper), 0)
        above = total(fall**2 + fall * (1 - 2 * self.lower), 1)
        between = total(rise * fall, 1)[:-1]
        curvature = np.diag(below + above + 1e-6) - np.diag(between, 1) - np.diag(between, -1)
        step: NDArray[np.float64] = np.asarray(np.linalg.solve(curvature, slope), dtype=float)
        return step


def _joined_levels(column: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the rank of each row's value, where rare values are joined to the next."""
    _, ranks, counts = np.unique(column, return_inverse=True, return_counts=True)
    groups = np.zeros(len(counts), dtype=np.intp)
    held = 0.0
    for k in range(1, len(counts)):
        held += counts[k - 1] / len(column)
        rest = counts[k:].sum() / len(column)
        is_next = held >= _RARE and rest >= _RARE
        groups[k] = groups[k - 1] + is_next
        held = 0.0 if is_next else held
    return groups[ranks.ravel()]
