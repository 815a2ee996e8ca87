"""Tables with more rows than memory should hold: read in blocks, with some of the rows drawn at random."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcsl.data.checks import (
    Column,
    Origin,
    check_drawn,
    check_kinds,
    check_names,
    check_summary,
    drop_columns,
)
from mcsl.data.dataset import Dataset, fingerprint
from mcsl.data.sources import array_columns, frame_columns, is_parquet, parquet_errors
from mcsl.data.summary import Summary
from mcsl.errors import DataError
from mcsl.memory import rows_held

Array = NDArray[np.float64]

_BLOCK_VALUES = 2**21


@dataclass(frozen=True, eq=False)
class Rows:
    """All rows of a table, in blocks, and some of them at once."""

    blocks: Callable[[], Iterator[Array]]
    """Reads the rows from the first to the last."""
    n_samples: int
    drawn: Array = field(repr=False)
    """The rows that were drawn at random, in order."""
    low: Array = field(repr=False)
    """The smallest value of each column in all rows ..."""
    high: Array = field(repr=False)
    """... and the largest."""

    @classmethod
    def of(cls, values: Array, drawn: NDArray[np.intp]) -> Rows:
        """Cut a table that is in memory into blocks."""

        def blocks() -> Iterator[Array]:
            return (values[start:stop] for start, stop in _bounds(*values.shape))

        return cls(blocks, len(values), values[drawn], values.min(axis=0), values.max(axis=0))


@dataclass(frozen=True, eq=False)
class LongTable:
    """A checked table of which only some rows, drawn at random, are in memory."""

    sample: Dataset
    rows: Rows
    fingerprint: str
    """Digest of all rows, as `Dataset.fingerprint` would give it."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.sample.names


def open_long_table(data: Any, *, memory: int, seed: int, drop: Collection[str] = ()) -> LongTable | None:
    """Read a table in blocks if it has more rows than `memory` bytes hold; None if it has not.

    `data` is a path to a Parquet file, a frame, a polars LazyFrame, an array or a Dataset. One pass over all
    rows checks them and draws the sample: the same rows for the same seed, wherever the table lies. Text too
    long for `memory` is refused, and whatever else cannot be read in blocks is left to `to_dataset`.
    """
    source = _source_of(data, memory)
    if source is None:
        return None
    columns = source.part(0, 1)
    names = [column.name for column in drop_columns(columns, source.origin, drop)]
    n_drawn = rows_held(source.n_rows, max(len(names), 1), memory)
    if n_drawn == source.n_rows:
        return None
    check_names(names, [column.name for column in columns], source.origin)

    def blocks() -> Iterator[Array]:
        return (source.block(start, stop, drop) for start, stop in _bounds(source.n_rows, len(names)))

    chosen = draw_rows(source.n_rows, n_drawn, seed)
    summary, drawn = Summary(len(names)), []

    def watched() -> Iterator[Array]:
        for block in blocks():
            first, last = np.searchsorted(chosen, [summary.n_rows, summary.n_rows + len(block)])
            drawn.append(block[chosen[first:last] - summary.n_rows])
            summary.add(block)
            yield block

    digest = fingerprint(names, watched())
    check_summary(summary, names, source.origin)
    sample = Dataset(np.concatenate(drawn), tuple(names))
    check_drawn(sample, source.origin)
    rows = Rows(blocks, source.n_rows, sample.values, summary.low, summary.high)
    return LongTable(sample, rows, digest)


def draw_rows(n_rows: int, n_drawn: int, seed: int) -> NDArray[np.intp]:
    """Draw some rows at random, none twice, and return them in order."""
    return np.sort(np.random.default_rng((seed, 2)).choice(n_rows, n_drawn, replace=False, shuffle=False))


class _Source(NamedTuple):
    """A table that can be read in parts."""

    n_rows: int
    part: Callable[[int, int], Sequence[Column]]
    """Returns the columns from one row to another."""
    origin: Origin

    def block(self, start: int, stop: int, drop: Collection[str]) -> Array:
        """Return some rows as numbers, or say which are none."""
        columns = drop_columns(self.part(start, stop), self.origin, drop)
        check_kinds(columns, replace(self.origin, place=lambda row: self.origin.place(start + row)))
        return np.column_stack([column.values for column in columns])


def _source_of(data: Any, memory: int) -> _Source | None:
    if isinstance(data, str | os.PathLike):
        return _file_source(Path(data), memory)
    origin = Origin("the table")
    if isinstance(data, Dataset):
        named = list(data.names)

        def part(start: int, stop: int) -> list[Column]:
            return [Column(name, c) for name, c in zip(named, data.values[start:stop].T, strict=True)]

        return _Source(data.n_samples, part, origin)
    if isinstance(data, np.ndarray):
        plain = data.ndim == 2 and data.dtype.kind in "biuf" and not np.ma.isMaskedArray(data)
        return _Source(len(data), lambda a, b: array_columns(data[a:b]), origin) if plain else None
    return _frame_source(data, origin)


def _frame_source(data: Any, origin: Origin) -> _Source | None:
    import narwhals as nw
    import polars as pl

    if isinstance(data, pl.LazyFrame):
        n_rows = int(data.select(pl.len()).collect().item())
        return _Source(
            n_rows, lambda a, b: frame_columns(nw.from_native(data.slice(a, b - a).collect())), origin
        )
    try:
        frame = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:
        return None
    if not isinstance(frame, nw.DataFrame):
        return None
    return _Source(len(frame), lambda a, b: frame_columns(frame[a:b]), origin)


def _file_source(path: Path, memory: int) -> _Source | None:
    import polars as pl

    try:
        with path.open("rb") as file:
            begins = file.read(4)
    except (OSError, ValueError):
        return None
    if is_parquet(path, begins):
        with parquet_errors(path):
            source = _frame_source(pl.scan_parquet(path, glob=False), Origin(str(path), is_file=True))
        assert source is not None

        def part(start: int, stop: int) -> Sequence[Column]:
            with parquet_errors(path):
                return source.part(start, stop)

        return source._replace(part=part)
    if path.stat().st_size > memory:
        turned = path.with_suffix(".parquet")
        command = f"import polars; polars.scan_csv({str(path)!r}).sink_parquet({str(turned)!r})"
        raise DataError(
            f"{path} is larger than the {memory / 10**6:g}MB of memory that may be used, and only Parquet is "
            f"read in blocks; allow more, or turn it into Parquet: python -c {shlex.quote(command)}"
        )
    return None


def _bounds(n_rows: int, n_columns: int) -> Iterator[tuple[int, int]]:
    size = max(_BLOCK_VALUES // n_columns, 1)
    return ((start, min(start + size, n_rows)) for start in range(0, n_rows, size))
