"""The scale on which the noise of a column adds: its own, or a logarithm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcsl.logarithms import logarithms_of

Array = NDArray[np.float64]

# Nats a row, and in all, that a logarithm must gain to be believed; chance gives up to five in all.
_LEAST_GAIN, _LEAST_TOTAL = 0.05, 5.0
# Values that are held at once while a mean over the noise is taken.
_BLOCK = 2**20


@dataclass(frozen=True)
class Scale:
    """z = (T(x) - centre) / deviation, where T(x) is x or sign log(sign (x - origin)).

    Beyond the outermost value that it was chosen by, a logarithm goes on as its tangent: towards its origin
    it would run away, and nothing was seen there.
    """

    centre: float
    deviation: float
    sign: float = 0.0
    """1 or -1 for a logarithm whose long tail is on the right or left, 0 for x itself."""
    origin: float = 0.0
    nearest: float = 0.0
    """Distance from the origin where the tangent begins."""

    def forward(self, x: Array) -> Array:
        """Return z for x."""
        if self.sign:
            height = self.sign * (x - self.origin)
            tangent = np.minimum(height / self.nearest - 1, 0.0)
            x = self.sign * (np.log(np.maximum(height, self.nearest)) + tangent)
        z: Array = (x - self.centre) / self.deviation
        return z

    def backward(self, z: Array) -> Array:
        """Return x for z."""
        x = self.centre + self.deviation * z
        if self.sign:
            # Beyond the largest finite number there is nothing to tell apart.
            x, edge = self.sign * x, np.log(self.nearest)
            tangent = self.nearest * np.minimum(x - edge, 0.0)
            x = self.origin + self.sign * (np.exp(np.clip(x, edge, 700.0)) + tangent)
        return x

    def expect(self, mean: Array, spread: Array, noise: Array) -> Array:
        """Return the mean of x over all noises, row by row, for z = mean + spread * noise."""
        if not self.sign:
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

    The likelihood of x is log p(T(x)) + log |T'(x)| with Gaussian residuals. There should be several rows for
    each function: what fits everything fits a logarithm as well.
    """
    plain = plain_scale(column)
    standardized = plain.forward(column)
    sign, height, offsets = logarithms_of(standardized)
    if not len(offsets):
        return plain
    basis = np.linalg.qr(np.column_stack([np.ones(len(column)), design]))[0]
    least_gain = max(_LEAST_GAIN, _LEAST_TOTAL / len(column))
    best, most = 0.0, least_gain - _log_deviation(standardized, basis)
    for offset in offsets:
        logarithm = np.log(height + offset)
        likelihood = -_log_deviation(logarithm, basis) - float(logarithm.mean())
        if likelihood > most:
            best, most = float(offset), likelihood
    if not best:
        return plain
    offset = best * plain.deviation
    origin = float(column.min() if sign > 0 else column.max()) - sign * offset
    scale = plain_scale(sign * np.log(sign * (column - origin)))
    return Scale(scale.centre, scale.deviation, sign, origin, offset)


def _log_deviation(values: Array, basis: Array) -> float:
    """Logarithm of the residuals' deviation; the Gaussian log-likelihood a row is minus this."""
    residuals = values - basis @ (basis.T @ values)
    return float(np.log(max(np.sqrt(np.mean(residuals**2)), 1e-300)))
