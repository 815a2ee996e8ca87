"""A robust regression that stays sober outside of what it has seen."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_KNOTS = (0.1, 0.35, 0.65, 0.9)
"""Quantiles where the pieces of a spline meet; beyond the outer ones it is a straight line."""
_RIDGE = 1.0
_HUBER = 2.5
_STEPS = 3


@dataclass(frozen=True, eq=False)
class RobustMechanism:
    """y = b_0 + sum_k f_k(x_k), with every f_k a natural cubic spline.

    Ridge regression with Huber's weights: residuals beyond 2.5 deviations count less. An incident leads
    far outside of normal operation, and straight tails are the least daring guess there.
    """

    knots: Array = field(repr=False)
    """Shape (n_inputs, 4)."""
    centre: Array = field(repr=False)
    deviation: Array = field(repr=False)
    intercept: float
    coefficients: Array = field(repr=False)

    @classmethod
    def fit(cls, inputs: Array, response: Array) -> RobustMechanism:
        """Fit to rows of inputs, shape (n, k), and the response to them; rows without one are left out."""
        known = np.isfinite(response)
        inputs, response = inputs[known], response[known]
        knots = np.quantile(inputs, _KNOTS, axis=0).T
        design = _splines(inputs, knots)
        centre, deviation = design.mean(axis=0), design.std(axis=0)
        deviation = np.where(deviation > 1e-12, deviation, np.inf)
        design = (design - centre) / deviation
        weights, intercept = np.ones(len(response)), float(np.median(response))
        coefficients = np.zeros(design.shape[1])
        for _ in range(_STEPS):
            weighted = design.T * weights
            gram = weighted @ design + _RIDGE * np.eye(design.shape[1])
            coefficients = np.linalg.solve(gram, weighted @ (response - intercept))
            residuals = response - design @ coefficients
            intercept = float(weights @ residuals / weights.sum())
            residuals -= intercept
            spread = 1.4826 * float(np.median(np.abs(residuals))) or float(residuals.std()) or 1.0
            weights = 1 / np.maximum(np.abs(residuals) / (_HUBER * spread), 1.0)
        return cls(knots, centre, deviation, intercept, coefficients)

    def predict(self, inputs: Array) -> Array:
        """Return the response expected at every row."""
        design = (_splines(inputs, self.knots) - self.centre) / self.deviation
        expected: Array = self.intercept + design @ self.coefficients
        return expected


def _splines(inputs: Array, knots: Array) -> Array:
    """Return every input and its natural cubic splines, shape (n, 3 n_inputs)."""
    columns = [np.zeros((len(inputs), 0))]
    for x, (*inner, last) in zip(inputs.T, knots, strict=True):
        # Knots coincide where values repeat; without two different ones to end at, tails would be bent.
        before = max((knot for knot in inner if knot < last), default=last)
        end = _bend(x, before, last)
        columns += [x[:, None], *(((_bend(x, k, last) - end) * (k < before))[:, None] for k in inner[:2])]
    return np.concatenate(columns, axis=1)


def _bend(x: Array, knot: float, last: float) -> Array:
    """Return ((x - knot)_+^3 - (x - last)_+^3) / (last - knot)."""
    width = max(last - knot, 1e-12)
    curve: Array = (np.maximum(x - knot, 0) ** 3 - np.maximum(x - last, 0) ** 3) / width
    return curve
