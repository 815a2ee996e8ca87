"""Checks of the simulators' options."""

from typing import Any, get_args

from mcsl.errors import SettingsError


def check_choice(name: str, value: object, literal: Any) -> None:
    """Refuse a value that is not among those of a Literal type."""
    choices = get_args(literal)
    if value not in choices:
        listed = ", ".join(map(repr, choices[:-1])) + f" or {choices[-1]!r}"
        raise SettingsError(f"`{name}` must be {listed}. Got {value!r} instead.")


def check_at_least(name: str, value: float, least: float) -> None:
    """Refuse a value below a bound."""
    if not value >= least:
        raise SettingsError(f"`{name}` must be at least {least}. Got {value} instead.")
