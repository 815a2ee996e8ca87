"""Tables whose columns have names of several levels: component, metric, statistic."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from mcsl.data.checks import Column, Origin, first_twice, listed
from mcsl.data.dataset import Dataset
from mcsl.data.delimited import DATE, Record, decode, is_missing, records
from mcsl.data.sources import read_bytes
from mcsl.data.stamps import time_order
from mcsl.errors import DataError

_LEVELS = ("component", "metric", "statistic")


def read_metrics(
    path: str | os.PathLike[str], *, metric: str | None = None, statistic: str | None = None
) -> Dataset:
    """Read one metric of every component from a CSV file with two or three rows of names.

    The first row names the components, the second their metrics, the third the statistics; the first
    column holds the time, by which rows are put in order, or a row number.
    """
    path = Path(path)
    try:
        rows = list(records(decode(read_bytes(path), str(path)), ","))
    except csv.Error as error:
        raise DataError(f"{path} cannot be read as delimited text: {error}.") from None
    n_names = next((k for k, row in enumerate(rows) if _begins_numbers(row.cells[0])), len(rows))
    head, body = [row.cells for row in islice(rows, n_names)], rows[n_names:]
    # pandas gives the name of the index a row of its own.
    head = [cells for cells in head if any(cell.strip() for cell in cells[1:])]
    if not 2 <= len(head) <= 3 or not body:
        raise DataError(
            f"{path} has {len(head)} rows of names above {len(body)} rows of numbers; a table of metrics has "
            "a row of components, one of metrics and perhaps one of statistics."
        )
    kept = list(range(1, min(map(len, head))))
    for level, wanted in zip(range(1, len(head)), (metric, statistic), strict=False):
        kept = _matching(head[level], kept, wanted, level, path)
    names = [head[0][k].strip() for k in kept]
    if len(set(names)) < len(names):
        twice = first_twice(names)
        raise DataError(f"{path} has more than one column for {twice!r} with this choice; rename one.")
    origin = Origin(str(path), lambda row: f"line {body[row].first_line}", is_file=True)
    values = np.array([_numbers(row, kept, names, path) for row in body])
    return Dataset(values[time_order(_clock(body), origin)], tuple(names))


def _begins_numbers(cell: str) -> bool:
    """Whether a row that begins so is one of numbers: with the time or its own number."""
    return _number(cell) is not None or DATE.match(cell.strip()) is not None


def _matching(cells: Sequence[str], kept: list[int], wanted: str | None, level: int, path: Path) -> list[int]:
    """Return the columns of the wanted metric or statistic; there is no need to name the only one."""
    known = list(dict.fromkeys(cells[k].strip() for k in kept))
    option = f"--{_LEVELS[level]}"
    if wanted is None and len(known) > 1:
        raise DataError(f"{path} has the {listed(known, _LEVELS[level])}; choose one by {option}.")
    if wanted is not None and wanted not in known:
        raise DataError(
            f"{path} has no {_LEVELS[level]} {wanted!r}; it has the {listed(known, _LEVELS[level])}."
        )
    return [k for k in kept if wanted is None or cells[k].strip() == wanted]


def _clock(body: Sequence[Record]) -> Column:
    """Return the first column: the time or the rows' numbers."""
    cells = [row.cells[0].strip() for row in body]
    if any(map(DATE.match, cells)):
        return Column("time", kind="dates", cells=cells)
    return Column("time", np.array([_number(cell) for cell in cells], dtype=np.float64))


def _numbers(row: Record, kept: Sequence[int], names: Sequence[str], path: Path) -> list[float]:
    if len(row.cells) <= max(kept):
        raise DataError(f"Line {row.first_line} of {path} has fewer cells than the table has columns.")
    for k, name in zip(kept, names, strict=True):
        if _number(row.cells[k]) is None and not is_missing(row.cells[k]):
            raise DataError(
                f"Line {row.first_line} of {path} holds {row.cells[k]!r} for {name!r}, which is no number; "
                "write a plain number, or nothing where none was measured."
            )
    return [math.nan if (value := _number(row.cells[k])) is None else value for k in kept]


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
