"""Logarithms of a column from several origins, of which each set of causes has its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

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
    begun: int
    """Which scale that is."""

    @classmethod
    def around(cls, column: NDArray[np.float64], begun: Logarithm) -> Logarithms:
        """Gather the logarithms of a standardised column that the search began to see on one of them."""
        curves = logarithms_of(column, FINER_OFFSETS)
        values = np.column_stack([curve.forward(column) for curve in curves])
        log_slopes = np.array([curve.log_slope(column).sum() for curve in curves])
        # Standardising is a change of scale too.
        log_slopes -= len(column) * np.log(values.std(axis=0))
        place = int(np.argmin([abs(curve.origin - begun.origin) for curve in curves]))
        return cls(curves, standardize(values), log_slopes - log_slopes[place], place)

    def likeliest(self, residuals: NDArray[np.float64]) -> int:
        """Return a scale that leaves less entropy than those beside it, given what causes leave of each."""
        n, last = len(residuals), len(self.curves) - 1

        @cache
        def likelihood(place: int) -> float:
            return float(self.log_slopes[place]) - n * entropy(residuals[:, place])

        place = self.begun
        while True:
            best = max((place, max(place - 1, 0), min(place + 1, last)), key=likelihood)
            if best == place:
                return place
            place = best


def finer_logarithms(problem: Problem, curves: Mapping[int, Curve]) -> dict[int, Logarithms]:
    """Gather the logarithms that each column on a logarithmic scale may have."""
    return {
        column: Logarithms.around(standardize(problem.columns([column]))[:, 0], curve)
        for column, curve in curves.items()
        if isinstance(curve, Logarithm)
    }
