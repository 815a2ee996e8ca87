"""The scale on which the noise of a column adds: its own, or a curve of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mcsl.order.transformation import rarer_scale
from mcsl.scales import Curve, logarithms_of

Array = NDArray[np.float64]

# Nats a row, and in all, that a logarithm must gain to be believed; chance gives up to five in all.
_LEAST_GAIN, _LEAST_TOTAL = 0.05, 5.0
# Values that are held at once while a mean over the noise is taken.
_BLOCK = 2**20


@dataclass(frozen=True)
class Scale:
    """z = (t - centre) / deviation, where t is x or a curve of it."""

    centre: float
    deviation: float
    curve: Curve | None = None

    def forward(self, x: Array) -> Array:
        """Return z for x."""
        z: Array = ((x if self.curve is None else self.curve.forward(x)) - self.centre) / self.deviation
        return z

    def backward(self, z: Array) -> Array:
        """Return x for z."""
        t = self.centre + self.deviation * z
        return t if self.curve is None else self.curve.backward(t)

    @property
    def bounds(self) -> tuple[float, float]:
        """The values of x where the scale ends; what lies beyond is taken for these."""
        return (-np.inf, np.inf) if self.curve is None else self.curve.bounds

    def within(self, z: Array) -> Array:
        """Return z, but no further than the bounds."""
        if self.curve is None:
            return z
        low, high = self.forward(np.array(self.bounds))
        return np.clip(z, low, high)

    def expect(self, mean: Array, spread: Array, noise: Array) -> Array:
        """Return the mean of x over all noises, row by row, for z = mean + spread * noise."""
        if self.curve is None:
            return self.backward(mean)
        # The mean of a function is not the function of the mean.
        parts = [np.empty(0)]
        n_rows = max(_BLOCK // len(noise), 1)
        for start in range(0, len(mean), n_rows):
            rows = slice(start, start + n_rows)
            parts.append(self.backward(mean[rows, None] + spread[rows, None] * noise).mean(axis=1))
        return np.concatenate(parts)


def plain_scale(column: Array) -> Scale:
    """Return the scale with mean 0 and deviation 1; a constant column keeps its unit."""
    # Dividing by the largest entry first keeps the square from overflowing or vanishing.
    largest = float(np.abs(column).max()) or 1.0
    deviation = largest * float((column / largest).std())
    return Scale(largest * float((column / largest).mean()), deviation if deviation > 0 else 1.0)


def choose_scale(column: Array, design: Array) -> Scale:
    """Return the scale on which a column is likeliest, given functions of its causes (n, n_functions).

    The likelihood of x is log p(T(x)) + log |T'(x)|, for logarithms with Gaussian residuals, for others as in
    `rarer_scale`. There should be several rows for each function: what fits everything fits a logarithm too.
    """
    plain = plain_scale(column)
    standardized = plain.forward(column)
    centred = design - design.mean(axis=0)
    curve = rarer_scale(standardized, centred, centred.T @ centred) or _logarithm(standardized, design)
    if curve is None:
        return plain
    curve = curve.in_units(plain.centre, plain.deviation)
    return replace(plain_scale(curve.forward(column)), curve=curve)


def _logarithm(standardized: Array, design: Array) -> Curve | None:
    """Return the logarithm that makes a standardised column much likelier, with Gaussian noise, or None."""
    curves = logarithms_of(standardized)
    if not curves:
        return None
    basis = np.linalg.qr(np.column_stack([np.ones(len(design)), design]))[0]
    fits = [
        float(curve.log_slope(standardized).mean()) - _log_deviation(curve.forward(standardized), basis)
        for curve in curves
    ]
    best = int(np.argmax(fits))
    least_gain = max(_LEAST_GAIN, _LEAST_TOTAL / len(design))
    return curves[best] if fits[best] > least_gain - _log_deviation(standardized, basis) else None


def _log_deviation(values: Array, basis: Array) -> float:
    """Logarithm of the residuals' deviation; the Gaussian log-likelihood a row is minus this."""
    residuals = values - basis @ (basis.T @ values)
    return float(np.log(max(np.sqrt(np.mean(residuals**2)), 1e-300)))
