"""Logarithms of a column from several origins, of which each set of causes has its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcsl.order.noise import entropy
from mcsl.problem import Problem
from mcsl.pruning.splines import standardize
from mcsl.scales import FINER_OFFSETS, Curve, Logarithm, logarithms_of


@dataclass(frozen=True, eq=False)
class Logarithms:
    """Logarithms of a column from nearer and farther origins, to choose from for each set of causes.

    Candidates hold effects too, and given these a column's noise has another shape. Given its causes alone,
    the origin where noise adds can be told far better, above all if the noise has a sharp edge.
    """

    curves: list[Logarithm]
    columns: NDArray[np.float64]
    """The column on each of these scales, standardised, side by side."""
    log_slopes: NDArray[np.float64]
    """Sums of log |T'(x)|, less that of the scale that the search began with."""

    @classmethod
    def around(cls, column: NDArray[np.float64], begun: Logarithm) -> Logarithms:
        """Gather the logarithms of a standardised column that the search began to see on one of them."""
        curves = logarithms_of(column, FINER_OFFSETS)
        values = np.column_stack([curve.forward(column) for curve in curves])
        slopes = [_log_slopes(column, curve, curve.forward(column)) for curve in (*curves, begun)]
        return cls(curves, standardize(values), np.array(slopes[:-1]) - slopes[-1])

    def likeliest(self, residuals: NDArray[np.float64]) -> int:
        """Return which scale leaves the least entropy, given what causes leave of each of them."""
        n = len(residuals)
        return int(np.argmax(self.log_slopes - [n * entropy(column) for column in residuals.T]))


def finer_logarithms(problem: Problem, curves: Mapping[int, Curve]) -> dict[int, Logarithms]:
    """Gather the logarithms that each column on a logarithmic scale may have."""
    return {
        column: Logarithms.around(standardize(problem.columns([column]))[:, 0], curve)
        for column, curve in curves.items()
        if isinstance(curve, Logarithm)
    }


def _log_slopes(x: NDArray[np.float64], curve: Logarithm, t: NDArray[np.float64]) -> float:
    return float(curve.log_slope(x).sum() - len(x) * np.log(t.std()))
