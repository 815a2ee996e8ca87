"""Tables whose rows follow each other in time: one series or several, each in order and equally spaced."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcsl.data.checks import MAX_WHOLE, Column, Origin, check_table, drop_columns, listed
from mcsl.data.dataset import Dataset
from mcsl.data.sources import raw_table
from mcsl.data.stamps import find_time, read_stamps, read_step, say_step
from mcsl.errors import DataError, SettingsError
from mcsl.settings import whole_number

MAX_GAP = 3
"""Missing values in a row, within a series, that a straight line may fill."""

_MOST_STEPS = 10**6


@dataclass(frozen=True, eq=False)
class SeriesTable:
    """Series one after the other, each in order of time and equally spaced; missing values are NaN."""

    dataset: Dataset
    starts: tuple[int, ...]
    """The first row of each series, and at the end the number of rows."""
    labels: tuple[str, ...] = field(repr=False)
    """What each series is called; "" if there is one without a name."""
    n_filled: int = 0
    """Missing values that were filled by straight lines."""
    apart: str = ""
    """How far apart the rows were, such as "1d", if they were resampled to steps too short to fill."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.dataset.names

    @classmethod
    def of(cls, dataset: Dataset) -> SeriesTable:
        """Take all rows of a table as one series."""
        return cls(dataset, (0, dataset.n_samples), ("",))


def to_series(
    data: Any,
    *,
    series: str | None = None,
    time: str | None = None,
    resample: str | float | None = None,
    max_gap: int = MAX_GAP,
    drop: Collection[str] = (),
) -> SeriesTable:
    """Turn what `to_dataset` takes into series that are sorted, equally spaced and checked.

    `series` names the column that tells the series apart, of any type. `time` names the time column; by
    default it is the column of dates, or a rising or falling column of numbers called time, timestamp, ....
    Neither is a variable. Either may be in the index of a pandas frame. Without a time column the rows are
    taken in the order in which they stand.

    Stamps that come twice are refused, and so are gaps unless `resample` gives a step ("5min", "1h", or
    a number where time is one): then a sample is the mean of the rows within a step. Up to `max_gap`
    missing values in a row are filled by a straight line; longer gaps stay missing. A SeriesTable is returned
    as it is, and none of these may be given with it.
    """
    whole_number("max_gap", max_gap)
    options = {"series": series, "time": time, "resample": resample}
    options["max_gap"] = None if max_gap == MAX_GAP else max_gap
    told = {name: option for name, option in options.items() if option is not None}
    if isinstance(data, SeriesTable):
        _refuse_options([*told, "drop"] if len(drop) else list(told))
        return data
    raw = raw_table(data)
    origin = replace(raw.origin, reader="mcsl.to_series", options=told)
    index = raw.levels()
    columns = drop_columns([*raw.columns, *index], origin, drop)
    ids, labels = _read_ids(columns, series, origin)
    columns = [column for column in columns if column.name != series]
    clock = find_time(columns, ids, time, origin)
    stamps = None if clock is None else read_stamps(clock, origin)
    if resample is not None and clock is None:
        option = origin.hint("--time-column", "`time=`")
        raise DataError(f"Resampling needs a time column, and {origin.name} has none; name it by {option}.")
    order = np.lexsort((np.arange(len(ids)) if stamps is None else stamps, ids))
    columns = [_reordered(column, order) for column in columns if column not in [clock, *index]]
    place_in_file = origin.place
    origin = replace(origin, place=lambda row: place_in_file(int(order[row])))
    values = check_table(columns, origin, (), allow_missing=True)
    starts = [0, *(np.flatnonzero(np.diff(ids[order])) + 1).tolist(), len(ids)]
    table = SeriesTable(values, tuple(starts), labels)
    if clock is not None and stamps is not None:
        stamps = stamps[order]
        if resample is not None:
            step = read_step(resample, clock)
            usual = _usual_step(_steps(stamps, starts))
            table = _resampled(table, stamps, step)
            if round(usual / step) > max_gap + 1:
                table = replace(table, apart=say_step(usual, clock))
        else:
            _check_spacing(clock, stamps, starts, origin)
    return _filled(table, max_gap)


def _refuse_options(given: Sequence[str]) -> None:
    """Refuse what would change series that are ready."""
    if given:
        said = " and ".join(f"`{name}`" for name in given)
        raise SettingsError(
            f"{said} cannot be given with a SeriesTable, whose rows are in order already; "
            "give the table that it was made from."
        )


def _read_ids(
    columns: Sequence[Column], name: str | None, origin: Origin
) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Return which series each row belongs to, in the order of their names, and the names."""
    if name is None:
        n_rows = max((max(len(column.values), len(column.cells)) for column in columns), default=0)
        return np.zeros(n_rows, dtype=np.intp), ("",)
    found = [column for column in columns if column.name == name]
    if not found:
        names = [column.name for column in columns]
        raise DataError(f"There is no series column {name!r} in {origin.name}; it has {listed(names)}.")
    cells = list(found[0].cells) or _say_numbers(found[0], origin)
    if None in cells:
        raise DataError(
            f"The series column {name!r} of {origin.name} is empty in {origin.place(cells.index(None))}; "
            "say which series the row belongs to, or remove it."
        )
    labels, ids = np.unique(np.array([str(cell) for cell in cells], dtype=object), return_inverse=True)
    return ids, tuple(labels.tolist())


def _say_numbers(column: Column, origin: Origin) -> list[str | None]:
    """Return the shortest digits that tell each number from all others, and None where it is missing."""
    for row in np.flatnonzero(np.abs(column.values) >= MAX_WHOLE).tolist():
        raise DataError(
            f"The series column {column.name!r} of {origin.name} holds {column.values[row]:g} in "
            f"{origin.place(row)}, a float too large to be told from its neighbours; "
            "write the names of series as integers or text."
        )
    return [None if np.isnan(v) else np.format_float_positional(v, trim="-") for v in column.values]


def _reordered(column: Column, order: NDArray[np.intp]) -> Column:
    if column.kind != "numbers" and len(column.cells):
        row = int(np.argsort(order)[column.row])
        return replace(column, cells=[column.cells[row] for row in order], row=row)
    return replace(column, values=column.values[order])


def _check_spacing(clock: Column, stamps: NDArray[np.float64], starts: Sequence[int], origin: Origin) -> None:
    """Refuse stamps that come twice, are missing, or are not equally spaced."""
    steps = _steps(stamps, starts)
    name = f"the time column {clock.name!r} of {origin.name}"
    for row in np.flatnonzero(steps == 0).tolist():
        hint = origin.hint("--series-column", "`series=`")
        raise DataError(
            f"Two rows have the same time in {name}, {origin.place(row)} and {origin.place(row + 1)}; "
            f"remove one, or name the column that tells series apart by {hint}."
        )
    usual = _usual_step(steps)
    # Months differ by a tenth and clocks drift; half a step more or less is a sample too few or too many.
    for row in np.flatnonzero(np.abs(steps / usual - 1) > 0.5).tolist():
        step = say_step(usual, clock)
        found = "There is a gap" if steps[row] > usual else "Two rows are too close"
        raise DataError(
            f"{found} in {name}: {origin.place(row + 1)} comes {say_step(steps[row], clock)} after "
            f"{origin.place(row)}, where the usual step is {step}; make the rows equally spaced by "
            + origin.hint(f"--resample {step}", f"`resample={step!r}`")
            + "."
        )


def _steps(stamps: NDArray[np.float64], starts: Sequence[int]) -> NDArray[np.float64]:
    """Return the time from each row to the next; NaN from one series to another."""
    steps = np.diff(stamps)
    steps[np.array(starts[1:-1], dtype=int) - 1] = np.nan
    return steps


def _usual_step(steps: NDArray[np.float64]) -> float:
    """Return the median of the steps that there are; 0 if there are none."""
    return float(np.median(steps[steps > 0])) if (steps > 0).any() else 0.0


def _resampled(table: SeriesTable, stamps: NDArray[np.float64], step: float) -> SeriesTable:
    """Average the rows within each step of each series; a step without rows is missing."""
    blocks, starts = [], [0]
    for first, last in pairwise(table.starts):
        # Rounding must not push a stamp on the grid below it: that of seconds since 1970 is 2e-7.
        rounding = np.maximum(1e-6, 4 * np.spacing(np.abs(stamps[first:last])) / step)
        place = np.floor(stamps[first:last] / step + rounding).astype(np.int64)
        place -= place[0]
        if place[-1] >= max(_MOST_STEPS, 10 * len(place)):
            raise SettingsError(
                f"`resample` cuts {len(place)} rows into {place[-1] + 1} steps, nearly all of them without a "
                "row; take longer ones."
            )
        rows = table.dataset.values[first:last]
        known = ~np.isnan(rows)
        sums, counts = np.zeros((2, int(place[-1]) + 1, rows.shape[1]))
        np.add.at(sums, place, np.where(known, rows, 0.0))
        np.add.at(counts, place, known)
        blocks.append(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))
        starts.append(starts[-1] + len(sums))
    return replace(table, dataset=Dataset(np.concatenate(blocks), table.dataset.names), starts=tuple(starts))


def _filled(table: SeriesTable, max_gap: int) -> SeriesTable:
    """Fill gaps of at most `max_gap` values, which have a known value on both sides, by straight lines."""
    values = table.dataset.values.copy()
    for first, last in pairwise(table.starts):
        for column in values[first:last].T:
            known = np.flatnonzero(~np.isnan(column))
            for left in np.flatnonzero((np.diff(known) > 1) & (np.diff(known) <= max_gap + 1)).tolist():
                a, b = known[left], known[left + 1]
                column[a : b + 1] = np.linspace(column[a], column[b], b - a + 1)
    n_filled = int(np.isnan(table.dataset.values).sum() - np.isnan(values).sum())
    return replace(table, dataset=Dataset(values, table.dataset.names), n_filled=n_filled)
