"""Checks of options that several rooms have."""

from __future__ import annotations

import operator
from typing import Any

from mcsl.errors import SettingsError


def whole_number(name: str, value: Any) -> int:
    """Return a count or a seed as an int, NumPy's integers among them, and refuse anything else."""
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if number < 0:
        raise SettingsError(f"`{name}` must be a whole number >= 0. Got {value!r} instead.")
    return number
