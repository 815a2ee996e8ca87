"""Files, frames and arrays to a checked Dataset."""

from __future__ import annotations

import numbers
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcsl.data.checks import MAX_WHOLE, Column, Origin, check_table, first_twice
from mcsl.data.dataset import Dataset
from mcsl.data.delimited import DATE, decode, parse_text, to_columns
from mcsl.errors import DataError

if TYPE_CHECKING:
    import narwhals as nw

_INDEX_LEVEL = re.compile(r"__index_level_\d+__")
"""What pandas calls a level of an index without a name when it writes one into a Parquet file."""


class RawTable(NamedTuple):
    """The columns of a table, of whatever kind, before anything is checked."""

    columns: list[Column]
    origin: Origin
    levels: Callable[[], list[Column]] = list
    """Reads the levels of a frame's index, which are no variables, but may hold the time or name series."""


def read_table(
    path: str | os.PathLike[str], *, drop: Collection[str] = (), allow_missing: bool = False
) -> Dataset:
    """Read a table of numbers from delimited text (comma, tab, semicolon, pipe, blanks) or Parquet.

    The first line holds the names unless it holds only numbers and missing values; then the columns are x1,
    x2, .... Numbers are names too if they count the columns, or are whole where those below are not.
    `drop` names columns to leave out. Missing values are refused, or are NaN with `allow_missing`.
    Messages count lines from 1, the header being line 1.
    """
    table = _read_file(Path(path))
    return check_table(table.columns, table.origin, drop, allow_missing=allow_missing)


def to_dataset(data: Any, *, drop: Collection[str] = (), allow_missing: bool = False) -> Dataset:
    """Turn a Dataset, array, frame (pandas, polars, pyarrow, ...) or path into a checked Dataset.

    The columns of an array are named x1, x2, .... `drop` names columns to leave out. Missing values are
    refused, or are NaN with `allow_missing`. Messages count rows from 0.
    """
    table = raw_table(data)
    origin = replace(table.origin, options={"allow_missing": True} if allow_missing else {})
    return check_table(table.columns, origin, drop, allow_missing=allow_missing)


def raw_table(data: Any) -> RawTable:
    """Return the columns of anything `to_dataset` takes, and where they come from; a RawTable as it is."""
    origin = Origin("the table")
    if isinstance(data, RawTable):
        return data
    if isinstance(data, str | os.PathLike):
        return _read_file(Path(data))
    if isinstance(data, Dataset):
        pairs = zip(data.names, data.values.T, strict=True)
        return RawTable([Column(name, values) for name, values in pairs], origin)
    if hasattr(data, "toarray") and hasattr(data, "nnz"):
        raise DataError("The table is a sparse matrix; pass `data.toarray()` instead.")

    import narwhals as nw

    try:
        frame = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:
        names = [str(name) for name in data.columns]
        raise DataError(f"Two columns of the table are named {first_twice(names)!r}; rename one.") from None
    if isinstance(frame, nw.DataFrame | nw.LazyFrame):
        return _of_frame(frame, origin)
    return RawTable(array_columns(data), origin)


def _of_frame(frame: nw.DataFrame[Any] | nw.LazyFrame[Any], origin: Origin) -> RawTable:
    import narwhals as nw

    held = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    return RawTable(frame_columns(held), origin, partial(_index_levels, held))


def _index_levels(table: nw.DataFrame[Any]) -> list[Column]:
    """Return what was an index before pandas wrote it to a file, and the levels of a pandas frame's index.

    Of the latter, those that have a name or hold dates; without a name they are called as `reset_index`
    calls them, and a column goes before a level of its name.
    """
    import narwhals as nw

    levels = [
        _frame_column(name, table[name]) for name in map(str, table.columns) if _INDEX_LEVEL.fullmatch(name)
    ]
    frame = nw.to_native(table)
    if not nw.dependencies.is_pandas_dataframe(frame):
        return levels
    for i, name in enumerate(frame.index.names):
        unnamed = "index" if frame.index.nlevels == 1 else f"level_{i}"
        values = nw.from_native(frame.index.get_level_values(i).to_series(), series_only=True)
        level = _frame_column(unnamed if name is None else str(name), values)
        if (name is not None or level.kind == "dates") and level.name not in map(str, frame.columns):
            levels.append(level)
    return levels


def _read_file(path: Path) -> RawTable:
    content = read_bytes(path)
    if is_parquet(path, content):
        return _of_frame(_read_parquet(content, path), Origin(str(path), is_file=True))
    table = parse_text(decode(content, str(path)), str(path))
    origin = Origin(str(path), lambda row: f"line {table.line(row)}", is_file=True)
    return RawTable(to_columns(table, str(path)), origin)


def is_parquet(path: Path, content: bytes) -> bool:
    """Tell by its name, or by how its content begins, whether a file is meant to be Parquet."""
    return bool(content) and (path.suffix.lower() in {".parquet", ".pq"} or content.startswith(b"PAR1"))


def read_bytes(path: Path) -> bytes:
    """Return what is in a file, or say why it cannot be read."""
    try:
        if not path.is_dir():
            return path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"There is no file {path}.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"{path} cannot be read: {reason}.") from None
    raise DataError(f"{path} is a directory; give the path of a file in it.")


def _read_parquet(content: bytes, path: Path) -> nw.DataFrame[Any]:
    import io

    import narwhals as nw
    import polars as pl

    with parquet_errors(path):
        return nw.from_native(pl.read_parquet(io.BytesIO(content)))


@contextmanager
def parquet_errors(path: Path) -> Iterator[None]:
    """Say in one sentence that a Parquet file cannot be read."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise DataError(f"{path} is not a complete Parquet file; write it again.") from None


def frame_columns(frame: nw.DataFrame[Any]) -> list[Column]:
    """Return the columns of a frame without those that were an index."""
    names = enumerate(map(str, frame.columns))
    return [_frame_column(name, frame[:, i]) for i, name in names if not _INDEX_LEVEL.fullmatch(name)]


def _frame_column(name: str, series: nw.Series[Any]) -> Column:
    import narwhals as nw

    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        try:
            values = np.asarray(series.cast(nw.Float64).fill_null(float("nan")).to_numpy(), dtype=np.float64)
        except ValueError:
            # pyarrow does not round whole numbers.
            return _object_column(name, series.to_list())
        return Column(name, values, cells=() if series.dtype.is_float() else _exact(values, series))
    if series.dtype in (nw.Object, nw.Unknown):
        return _object_column(name, series.to_list())
    cells = [_plain(cell) for cell in series.to_list()]
    row = next((row for row, cell in enumerate(cells) if cell is not None), None)
    if row is None:
        return Column(name, np.full(len(cells), np.nan))
    return Column(name, kind=_kind(cells[row]), example=str(cells[row]), row=row, cells=cells)


def array_columns(data: Any) -> list[Column]:
    """Return the columns of anything that NumPy makes an array of, named x1, x2, ...."""
    array = np.ma.filled(data.astype(float), np.nan) if np.ma.isMaskedArray(data) else _as_array(data)
    if array.ndim != 2:
        raise DataError(f"The table must have rows and columns. Got an array of shape {array.shape} instead.")
    names = [f"x{i + 1}" for i in range(array.shape[1])]
    if array.dtype.kind in "biuf":
        return [_array_column(name, column) for name, column in zip(names, array.T, strict=True)]
    kinds = {"c": "complex numbers", "M": "dates", "m": "dates"}
    if array.dtype.kind in kinds:
        kind = kinds[array.dtype.kind]
        # Nanoseconds would come out as plain integers.
        units = {"M": "datetime64[us]", "m": "timedelta64[us]"}
        cells = [column.tolist() for column in array.astype(units.get(array.dtype.kind, array.dtype)).T]
        return [
            Column(name, kind=kind, example=str(column[0]) if column else name, cells=column)
            for name, column in zip(names, cells, strict=True)
        ]
    return [_object_column(name, column) for name, column in zip(names, array.T, strict=True)]


def _array_column(name: str, column: NDArray[Any]) -> Column:
    values = column.astype(np.float64)
    return Column(name, values, cells=() if column.dtype.kind == "f" else _exact(values, column))


def _exact(values: NDArray[np.float64], cells: Iterable[Any]) -> list[Any]:
    """Return the cells themselves if there are any that floats may not tell apart."""
    return [_plain(cell) for cell in cells] if (np.abs(values) >= MAX_WHOLE).any() else []


def _as_array(data: Any) -> NDArray[Any]:
    try:
        array = np.asarray(data)
    except (ValueError, TypeError):
        raise DataError("The table's rows differ in length; pass a rectangular array or a frame.") from None
    if array.ndim == 0 or array.dtype.names:
        raise DataError(
            f"The data must be a path, a 2-D array, or a pandas, polars or pyarrow frame. "
            f"Got {type(data).__name__} instead."
        )
    return array


def _object_column(name: str, cells: Iterable[Any]) -> Column:
    """Read Python objects: numbers and None are fine, anything else is reported."""
    cells = [_plain(cell) for cell in cells]
    for row, cell in enumerate(cells):
        if not (cell is None or isinstance(cell, numbers.Real | Decimal | np.bool_)):
            return Column(name, kind=_kind(cell), example=str(cell), row=row, cells=cells)
    values = np.array([np.nan if cell is None else float(cell) for cell in cells], dtype=np.float64)
    is_exact = not any(isinstance(cell, float | np.floating) for cell in cells)
    return Column(name, values, cells=_exact(values, cells) if is_exact else ())


def _plain(cell: Any) -> Any:
    """Return None for a cell that is missing, and the start of a pandas Period, such as a month."""
    kind = type(cell).__name__
    if cell is np.nan or kind in ("NAType", "NaTType"):
        return None
    return cell.start_time if kind == "Period" else cell


def _kind(cell: Any) -> str:
    import datetime

    if isinstance(cell, str | bytes):
        return "dates" if isinstance(cell, str) and DATE.match(cell) else "text"
    if isinstance(cell, datetime.date | datetime.time | datetime.timedelta):
        return "dates"
    if isinstance(cell, numbers.Real):
        # Numbers are read unless the frame says that they only name kinds.
        return "categories"
    if isinstance(cell, numbers.Complex):
        return "complex numbers"
    return f"{type(cell).__name__} objects"
