"""Checks of options that several rooms have."""

from __future__ import annotations

import operator
from typing import Any, get_args

from mcsl.errors import SettingsError


def whole_number(name: str, value: Any, least: int = 0) -> int:
    """Return a count or a seed as an int, NumPy's integers among them, and refuse anything else."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise SettingsError(f"`{name}` must be a whole number >= {least}. Got {value!r} instead.")
    return number


def check_number(
    name: str,
    value: Any,
    *,
    least: float | None = None,
    above: float | None = None,
    below: float | None = None,
    most: float | None = None,
) -> None:
    """Refuse what is no number, or is out of bounds."""
    bounds = {">= ": least, "> ": above, "< ": below, "<= ": most}
    rule = " and ".join(f"{sign}{bound:g}" for sign, bound in bounds.items() if bound is not None)
    try:
        number = float("nan") if isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        number = float("nan")
    # No comparison holds of what is no number.
    holds = (
        least is None or number >= least,
        above is None or number > above,
        below is None or number < below,
        most is None or number <= most,
    )
    if not all(holds):
        raise SettingsError(f"`{name}` must be a number {rule}. Got {value!r} instead.")


def check_choice(name: str, value: object, literal: Any) -> None:
    """Refuse a value that is not among those of a Literal type."""
    choices = get_args(literal)
    if value not in choices:
        listed = ", ".join(map(repr, choices[:-1])) + f" or {choices[-1]!r}"
        raise SettingsError(f"`{name}` must be {listed}. Got {value!r} instead.")
