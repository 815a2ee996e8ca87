"""Columns whose values repeat: which of them have no density, and what a yes or no owes to its causes."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Form = Literal["dense", "lumped", "binary"]

# A value with more of the rows, and so many times more than either value beside it, is a lump.
_LUMP, _ABOVE_NEIGHBOURS = 0.05, 3.0
_FEW_LEVELS = 4
# Two rows that are equal more often than in one of so many cases are on steps, which no density has.
_LEAST_LEVELS = 10
# Keeps coefficients finite where functions tell both outcomes apart without exception.
_RIDGE = 0.05


def form_of(column: NDArray[np.float64]) -> Form:
    """Tell whether a column has a density, a lump of equal values in it, or two values alone.

    A density makes a lump as likely as one likes. Whole numbers have none if there are many: each has about
    as many rows as its neighbours. Grades and small counts are nothing but lumps.
    """
    values, counts = np.unique(column, return_counts=True)
    if has_few_levels(values):
        return "binary" if len(values) == 2 else "lumped"
    if _LEAST_LEVELS * (counts.astype(float) ** 2).sum() > len(column) ** 2:
        return "lumped"
    beside = np.pad(counts, 1)
    lumps = (counts > _LUMP * len(column)) & (
        counts > _ABOVE_NEIGHBOURS * np.maximum(beside[:-2], beside[2:])
    )
    return "lumped" if lumps.any() else "dense"


def has_few_levels(column: NDArray[np.float64]) -> bool:
    """Tell whether a column is yes or no, or one of four grades at most."""
    # Of most columns a few rows tell, and sorting all of them takes a while.
    return all(len(np.unique(part)) <= _FEW_LEVELS for part in (column[:100], column))


def logistic_gain(outcomes: NDArray[np.bool_], design: NDArray[np.float64], *, max_steps: int = 8) -> float:
    """Return by how many nats a logistic regression on some functions beats the outcomes' share."""
    if not design.shape[1]:
        return 0.0
    n, share = len(outcomes), float(outcomes.mean())
    start = n * float(share * np.log(share) + (1 - share) * np.log(1 - share))
    # The functions have length one over all rows.
    regressors = np.column_stack([np.ones(n), np.sqrt(n) * design])
    ridge = np.full(regressors.shape[1], _RIDGE)
    ridge[0] = 1e-9
    coefficients = np.zeros(len(ridge))
    coefficients[0] = np.log(share / (1 - share))
    best = start
    for _ in range(max_steps):
        chances = _chances(regressors @ coefficients)
        weighted = regressors * (chances * (1 - chances) + 1e-6)[:, None]
        slope = regressors.T @ (outcomes - chances) - ridge * coefficients
        coefficients = coefficients + np.linalg.solve(weighted.T @ regressors + np.diag(ridge), slope)
        chances = _chances(regressors @ coefficients)
        likelihood = float(np.sum(np.log(np.where(outcomes, chances, 1 - chances))))
        if likelihood <= best + 1e-3:
            break
        best = likelihood
    return best - start


def _chances(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    chances: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(log_odds, -15.0, 15.0)))
    return chances
