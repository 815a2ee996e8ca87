"""Logarithms of a column from several origins, of which each set of causes has its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from mcsl.order.discrete import form_of
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

    x: NDArray[np.float64]
    curves: list[Logarithm]
    log_slopes: NDArray[np.float64]
    """Sums of log |T'(x)|, less that of the scale that the search began with."""
    begun: int
    """Which scale that is."""

    @classmethod
    def around(cls, x: NDArray[np.float64], begun: Logarithm) -> Logarithms:
        """Gather the logarithms of a standardised column that the search began to see on one of them."""
        curves = logarithms_of(x, FINER_OFFSETS)
        # Standardising is a change of scale too.
        sums = [curve.log_slope(x).sum() - len(x) * np.log(curve.forward(x).std()) for curve in curves]
        place = int(np.argmin([abs(curve.origin - begun.origin) for curve in curves]))
        return cls(x, curves, np.array(sums) - sums[place], place)

    def column(self, place: int) -> NDArray[np.float64]:
        """Return the column on one of the scales, standardised."""
        return standardize(self.curves[place].forward(self.x)[:, None])[:, 0]

    def likeliest(self, unexplained: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> int:
        """Return a scale on which causes leave less entropy than on those beside it."""

        @cache
        def likelihood(place: int) -> float:
            left = unexplained(self.column(place))
            return float(self.log_slopes[place]) - len(left) * entropy(left)

        place, last = self.begun, len(self.curves) - 1
        while True:
            best = max((place, max(place - 1, 0), min(place + 1, last)), key=likelihood)
            if best == place:
                return place
            place = best


def finer_logarithms(problem: Problem, curves: Mapping[int, Curve]) -> dict[int, Logarithms]:
    """Gather the logarithms that each column with a density may have, if it is on a logarithmic scale."""
    found = {}
    for column, curve in curves.items():
        x = standardize(problem.columns([column]))[:, 0]
        if isinstance(curve, Logarithm) and form_of(x) == "dense":
            found[column] = Logarithms.around(x, curve)
    return found
