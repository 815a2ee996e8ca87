"""How far the incident is from normal operation: robust deviations, and the limit they normally keep."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SHARE = 0.99
_LEAST_LIMIT = 2.576
"""What 99 of 100 samples of a normal distribution keep, in deviations."""
_RESOLUTION = 1e-3
_LEAST_WEIGHT = 1e-3
_LONGEST_PATH = 5


@dataclass(frozen=True)
class Yardstick:
    """What is normal for one variable, or for its noise."""

    centre: float
    """The median."""
    deviation: float
    """1.4826 times the median absolute deviation; the standard deviation where more than half of the
    values are the same, and a thousandth of that value, or of the incident's largest, where all are."""
    limit: float
    """In deviations: 99 of 100 normal samples keep it; never less than those of a normal distribution."""

    @classmethod
    def of(cls, normal: Array, incident: Array | None = None) -> Yardstick:
        """Take the measure of normal operation; where that is always 0, the incident gives the unit."""
        known = normal[np.isfinite(normal)]
        centre = float(np.median(known))
        deviation = 1.4826 * float(np.median(np.abs(known - centre))) or float(np.std(known))
        if deviation <= 1e-12 * abs(centre):
            largest = 0.0 if incident is None else float(np.nan_to_num(np.abs(incident)).max(initial=0.0))
            deviation = _RESOLUTION * (abs(centre) or largest) or 1.0
        limit = float(np.quantile(np.abs(known - centre) / deviation, _SHARE))
        return cls(centre, deviation, max(limit, _LEAST_LIMIT))

    def measure(self, values: Array) -> Array:
        """Return values in deviations from the median."""
        z: Array = (values - self.centre) / self.deviation
        return z


def surprise(z: Array, weights: Array, limit: float, quiet: NDArray[np.bool_]) -> float:
    """Return log(sqrt(sum_t w_t z_t^2 / sum_t w_t) / limit): above 0, the incident leaves what is normal.

    What a variable does while the symptom is quiet does not cause it, so the limit is at least that. Samples
    that are missing have no say; without any, nothing is known and nothing is anomalous.
    """
    known = np.isfinite(z)
    early = np.abs(z[known & quiet])
    limit = max(limit, float(np.median(early)) if len(early) else 0.0)
    total = float(weights[known].sum())
    if not total:
        return -float(np.log(limit))
    square = float(weights[known] @ z[known] ** 2) / total
    return float(np.log(max(np.sqrt(square), 1e-6) / limit))


def row_weights(z: Array, lags: int) -> Array:
    """Weigh the rows of an incident by how anomalous its symptoms, the columns of z, are in them.

    A cause may come `lags` rows before its effect, so a row weighs as much as the heaviest of the
    next ones.
    """
    square = np.nansum(np.minimum(np.abs(z), 1e3) ** 2, axis=1)
    weights = np.max(
        [np.append(square[k:], np.zeros(k)) for k in range(min(lags, len(square) - 1) + 1)], axis=0
    )
    heaviest = float(weights.max())
    return np.maximum(weights, _LEAST_WEIGHT * heaviest) if heaviest > 0 else np.ones(len(z))


def quiet_rows(z: Array, limit: float, lags: int) -> NDArray[np.bool_]:
    """Tell in which rows of an incident its symptom z is not there yet.

    These are the rows before its first anomaly in which it stays below a third of its peak. A cause may
    come a few times `lags` rows before its effect, so as many do not count. One row is not enough.
    """
    size = np.abs(np.nan_to_num(z))
    loud = np.flatnonzero(size > limit)
    first = loud[0] - _LONGEST_PATH * lags if len(loud) else 0
    quiet: NDArray[np.bool_] = (np.arange(len(z)) < first) & (size < size.max() / 3)
    return quiet if quiet.sum() > 1 else np.zeros_like(quiet)
