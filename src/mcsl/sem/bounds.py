"""Values beyond the bounds of the scales: warned of where they are taken for the bounds, else refused."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcsl.errors import DataError, SettingsError
from mcsl.sem.scale import Scale

Array = NDArray[np.float64]

logger = logging.getLogger(__name__)

_MARGIN = 0.5
"""How far beyond a bound, in distances of the bound from the middle, values are still taken for it.

A bound is estimated: the zero of a column that is always positive may lie beyond, as may new rows.
"""


def check_intervention(name: str, scale: Scale, values: ArrayLike, *, warn: bool = True) -> None:
    """Refuse to set a column to values far beyond the bounds of its scale, and warn of nearer ones."""
    said = f"The intervention on {name!r} is"
    for problem, side, is_far in _problems(said, scale, np.asarray(values, float)):
        if is_far:
            raise SettingsError(
                f"{problem}; choose values {side} that, or fit the model to rows that reach further."
            )
        if warn:
            logger.warning("%s; what lies beyond is taken for that value.", problem)


def check_rows(
    names: Sequence[str], scales: Sequence[Scale], rows: Array, read: Collection[str], *, refuse: bool
) -> None:
    """Warn of values beyond the bounds of their scales; `refuse` those that are far beyond."""
    found = [
        problem
        for name, scale, column in zip(names, scales, rows.T, strict=True)
        if name in read
        for problem in _problems(f"The column {name!r} holds", scale, column)
    ]
    for said, _, is_far in found:
        if refuse and is_far:
            raise DataError(f"{said}; leave such rows out, or fit the model to rows that reach further.")
    for said, _, _ in found:
        logger.warning("%s; what lies beyond is taken for that value.", said)


def _problems(said: str, scale: Scale, values: Array) -> Iterator[tuple[str, str, bool]]:
    """Yield what is wrong at each bound, on which side of it values belong, and whether any is far beyond."""
    if scale.curve is None:
        return
    middle = float(scale.backward(np.zeros(1))[0])
    for bound, side, beyond in zip(
        scale.bounds, ("above", "below"), (values < scale.bounds[0], values > scale.bounds[1]), strict=True
    ):
        if beyond.any():
            outer = values[beyond]
            farthest = float(outer[np.abs(outer - bound).argmax()])
            is_far = abs(farthest - bound) > _MARGIN * abs(middle - bound)
            yield f"{said} {farthest:g}, but its scale ({scale.curve.name}) ends at {bound:g}", side, is_far
