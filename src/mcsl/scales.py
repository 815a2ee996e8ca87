"""Scales on which the noise of a column may add up, where it does not in the column's own units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[np.float64]

# Distance of the origin from the outermost value, in units of that value's distance to the median.
_OFFSETS: Array = 4.0 ** np.arange(-4.0, 2.0)
FINER_OFFSETS: Array = 2.0 ** np.arange(-10.0, 4.0)
# Distance of both bounds from the outermost values, in units of half the range.
_MARGINS = 4.0 ** np.arange(-5, 1)
# Where an inverse hyperbolic sine turns from a line to a logarithm, in median distances from the median.
_WIDTHS = 2.0 ** np.arange(-3, 2)
# With a larger share of the rows at the outermost values, they are a point mass.
_POINT_MASS = 0.05
# Levels of which so many or less lie below the median are counted, one by one.
_FEW_LEVELS = 4
# Beyond the exponential of this there are no finite numbers to tell apart.
_LARGEST_LOGARITHM = 700.0


@dataclass(frozen=True)
class Logarithm:
    """t = sign log(sign (x - origin)): noise multiplies the distance from a bound.

    Nearer to the origin than any value that it was chosen by, it goes on as its tangent: there it would run
    away, and nothing was seen. It ends at the origin, which stands for all that lies beyond.
    """

    name: ClassVar[str] = "logarithm"
    sign: float
    """1 if the long tail is on the right, -1 if it is on the left."""
    origin: float
    nearest: float

    def forward(self, x: Array) -> Array:
        """Return t for x."""
        height = np.maximum(self.sign * (x - self.origin), 0.0)
        tangent = np.minimum(height / self.nearest - 1, 0.0)
        t: Array = self.sign * (np.log(np.maximum(height, self.nearest)) + tangent)
        return t

    def backward(self, t: Array) -> Array:
        """Return x for t."""
        t, edge = self.sign * t, np.log(self.nearest)
        height = np.exp(np.clip(t, edge, _LARGEST_LOGARITHM)) + self.nearest * np.minimum(t - edge, 0.0)
        x: Array = self.origin + self.sign * np.maximum(height, 0.0)
        return x

    def log_slope(self, x: Array) -> Array:
        """Return log dt/dx at values that it was chosen by."""
        slope: Array = -np.log(self.sign * (x - self.origin))
        return slope

    def in_units(self, centre: float, deviation: float) -> Logarithm:
        """Return the same scale for values of another unit, but for a constant."""
        return Logarithm(self.sign, centre + deviation * self.origin, deviation * self.nearest)

    @property
    def bounds(self) -> tuple[float, float]:
        """The values where it ends."""
        return (self.origin, np.inf) if self.sign > 0 else (-np.inf, self.origin)


@dataclass(frozen=True)
class LogOdds:
    """t = log((x - lower) / (upper - x)): noise is squeezed between two bounds, as in percentages.

    Nearer to either bound than any value that it was chosen by, it goes on as its tangent. It ends at the
    bounds, which stand for all that lies beyond.
    """

    name: ClassVar[str] = "log-odds"
    lower: float
    upper: float
    nearest: float

    def forward(self, x: Array) -> Array:
        """Return t for x."""
        x = np.clip(x, *self.bounds)
        inside = np.clip(x, self.lower + self.nearest, self.upper - self.nearest)
        t: Array = np.log((inside - self.lower) / (self.upper - inside)) + (x - inside) * self._edge_slope
        return t

    def backward(self, t: Array) -> Array:
        """Return x for t."""
        span = self.upper - self.lower
        edge = np.log((span - self.nearest) / self.nearest)
        inside = np.clip(t, -edge, edge)
        x: Array = np.clip(self.lower + span * expit(inside) + (t - inside) / self._edge_slope, *self.bounds)
        return x

    def log_slope(self, x: Array) -> Array:
        """Return log dt/dx at values that it was chosen by."""
        slope: Array = np.log(1 / (x - self.lower) + 1 / (self.upper - x))
        return slope

    def in_units(self, centre: float, deviation: float) -> LogOdds:
        """Return the same scale for values of another unit."""
        lower, upper = centre + deviation * self.lower, centre + deviation * self.upper
        return LogOdds(lower, upper, deviation * self.nearest)

    @property
    def bounds(self) -> tuple[float, float]:
        """The values where it ends."""
        return self.lower, self.upper

    @property
    def _edge_slope(self) -> float:
        return 1 / self.nearest + 1 / (self.upper - self.lower - self.nearest)


@dataclass(frozen=True)
class InverseSinh:
    """t = asinh((x - middle) / width): noise multiplies on both sides, as in gains and losses."""

    name: ClassVar[str] = "inverse hyperbolic sine"
    bounds: ClassVar[tuple[float, float]] = (-np.inf, np.inf)
    middle: float
    width: float

    def forward(self, x: Array) -> Array:
        """Return t for x."""
        t: Array = np.arcsinh((x - self.middle) / self.width)
        return t

    def backward(self, t: Array) -> Array:
        """Return x for t."""
        limit = _LARGEST_LOGARITHM - max(np.log(self.width), 0.0)
        x: Array = self.middle + self.width * np.sinh(np.clip(t, -limit, limit))
        return x

    def log_slope(self, x: Array) -> Array:
        """Return log dt/dx."""
        slope: Array = -np.log(np.hypot(self.width, x - self.middle))
        return slope

    def in_units(self, centre: float, deviation: float) -> InverseSinh:
        """Return the same scale for values of another unit."""
        return InverseSinh(centre + deviation * self.middle, deviation * self.width)


Curve: TypeAlias = Logarithm | LogOdds | InverseSinh


def logarithms_of(standardized: Array, offsets: Array = _OFFSETS) -> list[Logarithm]:
    """Return the logarithms that a standardised column may have; none if half of it is at its edge.

    A density says nothing of a point mass, such as the zeros of rainfall: the nearer an origin, the likelier
    it would make them. Counts may have a logarithm from one level on, a continuum beside a point mass none.
    """
    # Where mean and median are equal, rounding must not choose the tail.
    sign = 1.0 if np.median(standardized) <= 1e-9 else -1.0
    height = sign * standardized
    edge = height.min()
    height -= edge
    middle = float(np.median(height))
    offsets = offsets * middle if middle > 0 else np.zeros(0)
    # Beside a value that is far out, the smallest offsets vanish in rounding.
    offsets = offsets[offsets > 1e-14 * abs(edge)]
    tied = height == 0
    if len(offsets) and tied.mean() > _POINT_MASS:
        step = height[~tied].min()
        offsets = offsets[(offsets >= step) & (middle <= _FEW_LEVELS * step)]
    return [Logarithm(sign, sign * float(edge - offset), float(offset)) for offset in offsets]


def rarer_scales_of(standardized: Array) -> list[LogOdds] | list[InverseSinh]:
    """Return log-odds for a standardised column of short tails, inverse hyperbolic sines for long ones."""
    if np.mean(standardized**4) > 3:
        middle = float(np.median(standardized))
        unit = float(np.median(np.abs(standardized - middle)))
        return [InverseSinh(middle, unit * float(width)) for width in _WIDTHS if unit > 0]
    first, last = float(standardized.min()), float(standardized.max())
    if np.mean((standardized == first) | (standardized == last)) > _POINT_MASS:
        return []
    margins = (float(margin) * (last - first) / 2 for margin in _MARGINS)
    return [LogOdds(first - margin, last + margin, margin) for margin in margins]
