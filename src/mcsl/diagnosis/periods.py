"""Normal operation and the incident, over the variables that both have measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcsl.data import MIN_SAMPLES
from mcsl.data.checks import check_marks, tell_doubts
from mcsl.data.sources import raw_table
from mcsl.data.stamps import find_time, time_order
from mcsl.errors import DataError

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Periods:
    """Rows of normal operation and of an incident; NaN where nothing was measured."""

    names: tuple[str, ...]
    normal: Array = field(repr=False)
    incident: Array = field(repr=False)
    follows: bool
    """Whether the incident comes right after normal operation."""
    left_out: Mapping[str, str]
    """Columns that cannot be judged, and why."""

    @property
    def n_missing(self) -> int:
        """How many values were not measured."""
        return int(np.isnan(self.normal).sum() + np.isnan(self.incident).sum())


def read_periods(data: Any, baseline: Any) -> Periods:
    """Read the incident and what is normal: another table, or the first rows of the same one.

    `baseline` is a table, a number of leading rows of `data`, or None for the first half of them. Columns
    that one of two tables lacks, that hold no numbers, that were measured in fewer than 20 rows of normal
    operation or in none of the incident are left out, and so are dates unless one column alone has them,
    which is the time. It puts the rows in order, as does an index of dates.
    """
    columns, not_numbers = _numbers(data)
    is_split = baseline is None or isinstance(baseline, int | np.integer)
    if is_split:
        n_rows = len(next(iter(columns.values()), ()))
        start = n_rows // 2 if baseline is None else int(baseline)
        if not MIN_SAMPLES <= start < n_rows:
            raise DataError(
                f"The table has {n_rows} rows, of which {start} are the baseline; it needs at least "
                f"{MIN_SAMPLES}, and the incident at least one."
            )
        normal = {name: values[:start] for name, values in columns.items()}
        incident = {name: values[start:] for name, values in columns.items()}
    else:
        normal, also_not = _numbers(baseline)
        incident, not_numbers = columns, also_not | not_numbers
    left_out = {name: "it is not in the baseline" for name in incident if name not in normal}
    left_out |= {name: "it is not in the incident" for name in normal if name not in incident}
    left_out |= not_numbers
    for name in normal.keys() & incident.keys():
        seen = int(np.isfinite(normal[name]).sum())
        if seen < MIN_SAMPLES:
            left_out[name] = f"the baseline has {seen} values of it"
        elif not np.isfinite(incident[name]).any():
            left_out[name] = "the incident has no value of it"
    names = tuple(name for name in incident if name not in left_out)
    if len(names) < 2:
        why = "; ".join(f"{name!r}: {reason}" for name, reason in list(left_out.items())[:3])
        raise DataError(f"Fewer than two columns can be judged ({why or 'there are no more'}).")
    return Periods(
        names,
        np.column_stack([normal[name] for name in names]),
        np.column_stack([incident[name] for name in names]),
        follows=is_split,
        left_out={name: left_out[name] for name in sorted(left_out)},
    )


def _numbers(data: Any) -> tuple[dict[str, Array], dict[str, str]]:
    """Return the columns of numbers in order of time, infinite values as missing, and what the others hold.

    Of several columns of dates it is not known which is the time.
    """
    columns, origin, levels = raw_table(data)
    n_rows = max((len(column.values) for column in columns), default=0)
    if not n_rows:
        raise DataError(f"There are no rows of numbers in {origin.name}.")
    check_marks(columns, origin)
    tell_doubts(columns)
    left_out = {
        column.name: f"it holds {column.kind}, for example {column.example!r} in {origin.place(column.row)}"
        for column in columns
        if column.kind not in ("numbers", "dates")
    }
    dates = [column.name for column in columns if column.kind == "dates"]
    clocks = columns if dates else [*columns, *levels()]
    if sum(column.kind == "dates" for column in clocks) > 1:
        clocks = [column for column in clocks if column.kind != "dates"]
        left_out |= dict.fromkeys(dates, "it holds dates")
    clock = find_time(clocks, np.zeros(n_rows, dtype=np.intp), None, origin)
    order = slice(None) if clock is None else time_order(clock, origin)
    found: dict[str, Array] = {}
    for column in columns:
        if column is clock or column.kind != "numbers":
            continue
        if column.name in found:
            raise DataError(f"Two columns of {origin.name} are named {column.name!r}; rename one.")
        found[column.name] = np.where(np.isfinite(column.values), column.values, np.nan)[order]
    return found, left_out
