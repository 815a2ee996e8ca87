"""Logarithms for columns whose noise may multiply: which way they run, and where their origin may lie."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Distance of the origin from the outermost value, in units of that value's distance to the median.
_OFFSETS = np.array([4.0**k for k in range(-4, 2)])
# With a larger share of the rows at the outermost value, they are a point mass.
_POINT_MASS = 0.05
# Levels of which so many or less lie below the median are counted, one by one.
_FEW_LEVELS = 4


class Logarithms(NamedTuple):
    """sign log(height + offset) for several offsets."""

    sign: float
    """1 if the long tail is on the right, -1 if it is on the left."""
    height: Array
    """Distance of every value from the outermost one, on the side of the short tail."""
    offsets: Array


def logarithms_of(standardized: Array) -> Logarithms:
    """Return the logarithms that a standardised column may have; none if half of it is at its edge.

    A density says nothing of a point mass, such as the zeros of rainfall: the nearer an origin, the likelier
    it would make them. Counts may have a logarithm from one level on, a continuum beside a point mass none.
    """
    sign = 1.0 if np.median(standardized) <= 0 else -1.0
    height = sign * standardized
    height -= height.min()
    middle = float(np.median(height))
    offsets = _OFFSETS * middle if middle > 0 else np.zeros(0)
    tied = height == 0
    if len(offsets) and tied.mean() > _POINT_MASS:
        step = height[~tied].min()
        offsets = offsets[(offsets >= step) & (middle <= _FEW_LEVELS * step)]
    return Logarithms(sign, height, offsets)
