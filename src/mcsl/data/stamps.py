"""Time columns: which one it is, its stamps as numbers, and steps in words."""

from __future__ import annotations

import datetime
import logging
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcsl.data.checks import Column, Origin, listed
from mcsl.errors import DataError, SettingsError

logger = logging.getLogger(__name__)

TIME_NAMES = frozenset({"time", "timestamp", "datetime", "date", "t", "ts", "step", "epoch", "unix_time"})
"""What a rising or falling column of numbers is called if it is the time, in lower case."""

_DAY_AND_MONTH = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-]\d{4}")

UNITS = {"w": 604800.0, "d": 86400.0, "h": 3600.0, "min": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6}
"""Seconds in a unit, longest first."""


def find_time(
    columns: Sequence[Column], ids: NDArray[np.intp], name: str | None, origin: Origin
) -> Column | None:
    """Return the time column: the one named, the one of dates, or one called so that rises or falls."""
    if name is not None:
        found = [column for column in columns if column.name == name]
        if not found:
            names = [column.name for column in columns]
            raise DataError(f"There is no time column {name!r} in {origin.name}; it has {listed(names)}.")
        return found[0]
    dates = [column for column in columns if column.kind == "dates"]
    if len(dates) > 1:
        hint = origin.hint("--time-column", "`time=`")
        names = [column.name for column in dates]
        raise DataError(
            f"{listed(names, 'Column')} of {origin.name} hold dates; name the time column by {hint}."
        )
    called = [c for c in columns if c.name.strip().lower() in TIME_NAMES and _runs(c.values, ids)]
    return next(iter([*dates, *called]), None)


def _runs(values: NDArray[np.float64], ids: NDArray[np.intp]) -> bool:
    """Whether numbers never fall within a series, or never rise: some tables have the newest row first."""
    if len(values) != len(ids) or len(values) < 2 or np.isnan(values).any():
        return False
    order = np.argsort(ids, kind="stable")
    steps = np.diff(values[order])[np.diff(ids[order]) == 0]
    return bool(((steps >= 0).all() or (steps <= 0).all()) and steps.any())


def read_stamps(column: Column, origin: Origin) -> NDArray[np.float64]:
    """Return times as numbers: dates as seconds since 1970, numbers as they are."""
    stamps = column.values if column.kind == "numbers" else _seconds(column.cells)
    if np.isfinite(stamps).all():
        if column.kind != "numbers" and not _is_even(stamps):
            _refuse_turned(column, origin)
        return stamps
    row = int(np.argmin(np.isfinite(stamps)))
    cell = column.cells[row] if len(column.cells) else None
    holds = "is empty" if cell is None else f"holds {str(cell)!r}, which is no time,"
    raise DataError(
        f"The time column {column.name!r} of {origin.name} {holds} in {origin.place(row)}; "
        "write it like 2024-05-01 13:45:00, or remove the row."
    )


def _is_even(stamps: NDArray[np.float64]) -> bool:
    """Whether times follow each other in about equal steps."""
    steps = np.diff(np.unique(stamps))
    return not len(steps) or bool((np.abs(steps / np.median(steps) - 1) < 0.5).all())


def _refuse_turned(column: Column, origin: Origin) -> None:
    """Refuse days such as 05/01/2024 unless there is one alone, or one that can have no month first."""
    found = [_DAY_AND_MONTH.match(cell) if isinstance(cell, str) else None for cell in column.cells]
    pairs = [(int(day[1]), int(day[2])) for day in found if day]
    if len(pairs) < len(found) or max(map(max, pairs)) > 12 or len(set(pairs)) == 1:
        return
    row = next((row for row, (first, second) in enumerate(pairs) if first != second), 0)
    raise DataError(
        f"The time column {column.name!r} of {origin.name} holds {column.cells[row]!r} in "
        f"{origin.place(row)}, where the day or the month may come first; "
        "write it like 2024-05-01 13:45:00."
    )


def time_order(clock: Column, origin: Origin) -> NDArray[np.intp] | slice:
    """Return the rows in order of time, or all as they stand, with a warning, where it cannot be read."""
    try:
        return np.argsort(read_stamps(clock, origin), kind="stable")
    except DataError as unread:
        logger.warning("%s The rows are taken in the order in which they stand.", unread)
        return slice(None)


def _seconds(cells: Sequence[Any]) -> NDArray[np.float64]:
    if any(isinstance(cell, str) for cell in cells):
        import polars as pl

        text = pl.Series(cells, dtype=pl.String, strict=False)
        # Offsets make the stamps comparable; what has none is taken as it stands.
        zoned = text.str.contains(r"(?:Z|[+-]\d{2}:?\d{2})$").all()
        try:
            parsed = text.str.to_datetime(time_unit="us", time_zone="UTC" if zoned else None, strict=False)
        except pl.exceptions.PolarsError:
            return np.full(len(cells), np.nan)
        cells = parsed.to_list()
    return np.array([_second(cell) for cell in cells], dtype=np.float64)


def _second(cell: Any) -> float:
    if isinstance(cell, datetime.timedelta):
        return cell.total_seconds()
    if isinstance(cell, datetime.time):
        return cell.hour * 3600 + cell.minute * 60 + cell.second + cell.microsecond * 1e-6
    if not isinstance(cell, datetime.date) or str(cell) == "NaT":
        return np.nan
    if not isinstance(cell, datetime.datetime):
        cell = datetime.datetime.combine(cell, datetime.time())
    assert isinstance(cell, datetime.datetime)
    return (cell if cell.tzinfo else cell.replace(tzinfo=datetime.UTC)).timestamp()


def read_step(rule: str | float, clock: Column) -> float:
    """Return the length of a step, in seconds if the time column holds dates."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)?\s*([a-zA-Z]*)\s*", str(rule))
    number, unit = found.groups() if found else (None, "")
    unit = {"m": "min", "t": "min", "sec": "s"}.get(unit.lower(), unit.lower())
    is_date = clock.kind != "numbers"
    if (unit in UNITS) is not is_date or not (number or unit) or not float(number or 1) > 0:
        example = "a step such as 30s, 5min, 1h or 1d" if is_date else "a number above 0, as the times are"
        raise SettingsError(f"`resample` must be {example}. Got {rule!r} instead.")
    return float(number or 1) * UNITS.get(unit, 1.0)


def say_step(step: float, clock: Column) -> str:
    """Return the length of a step as `read_step` reads it."""
    if clock.kind == "numbers":
        return f"{step:g}"
    whole = [unit for unit, seconds in UNITS.items() if abs(step / seconds - round(step / seconds)) < 1e-6]
    unit = next((unit for unit in whole if step / UNITS[unit] >= 1), "s")
    return f"{step / UNITS[unit]:g}{unit}"
