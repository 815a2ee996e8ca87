"""Rows of a table in and out of the model: any frame in, polars out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mcsl.data import Dataset
from mcsl.errors import DataError

if TYPE_CHECKING:
    import polars as pl

Array = NDArray[np.float64]


def read_rows(data: Any, columns: Sequence[str], needed: Collection[str]) -> Array:
    """Return rows with the given columns from a frame, a Dataset, a mapping or an array.

    A column that is not needed may be absent and is nan then; unknown ones are left out.
    """
    if isinstance(data, Dataset):
        given: dict[str, Any] = dict(zip(data.names, data.values.T, strict=True))
    elif isinstance(data, Mapping):
        given = {str(name): np.atleast_1d(column) for name, column in data.items()}
    elif isinstance(data, np.ndarray | list | tuple):
        table = np.atleast_2d(np.asarray(data, dtype=object))
        if table.ndim != 2 or table.shape[1] != len(columns):
            raise DataError(
                f"An array of rows must have {len(columns)} columns. Got shape {table.shape} instead."
            )
        given = dict(zip(columns, table.T, strict=True))
    else:
        given = _from_frame(data)
    absent = [name for name in columns if name in needed and name not in given]
    if absent:
        raise DataError(f"The rows have no column {absent[0]!r}, which the model needs.")
    lengths = {len(given[name]) for name in columns if name in given}
    if len(lengths) != 1:
        raise DataError(f"All columns must have equally many rows. Got {sorted(lengths)} instead.")
    rows = np.full((lengths.pop(), len(columns)), np.nan)
    for place, name in enumerate(columns):
        if name in given:
            try:
                rows[:, place] = np.asarray(given[name], dtype=float)
            except (TypeError, ValueError):
                raise DataError(f"The column {name!r} holds something that is not a number.") from None
            if name in needed and not np.isfinite(rows[:, place]).all():
                raise DataError(f"The column {name!r} has missing or infinite values; leave these rows out.")
    return rows


def to_frame(values: Array, columns: Sequence[str]) -> pl.DataFrame:
    """Return rows as a polars frame."""
    import polars as pl

    return pl.DataFrame(
        {name: np.ascontiguousarray(column) for name, column in zip(columns, values.T, strict=True)}
    )


def _from_frame(data: Any) -> dict[str, Any]:
    import narwhals as nw

    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        raise DataError(
            f"Rows must come as a frame, a Dataset, a mapping of names to values or an array. "
            f"Got {type(data).__name__} instead."
        )
    return {str(name): frame[:, place].to_numpy() for place, name in enumerate(frame.columns)}
