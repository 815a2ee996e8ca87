"""What the checks of a table need to know about its numbers, gathered in one pass over blocks of rows."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Place(NamedTuple):
    """A row, counted from 0, and a column."""

    row: int
    column: int


class Spots:
    """Where something stands that should not: how often in each column, in how many rows, and where first."""

    def __init__(self, n_columns: int) -> None:
        self.by_column = np.zeros(n_columns, dtype=int)
        self.n_rows = 0
        self.first = Place(0, 0)

    def add(self, bad: NDArray[np.bool_], start: int) -> None:
        """Count the entries of a block whose first row is number `start`."""
        rows = np.flatnonzero(bad.any(axis=1))
        if len(rows) and not self.n_rows:
            self.first = Place(start + int(rows[0]), int(bad[rows[0]].argmax()))
        self.by_column += bad.sum(axis=0)
        self.n_rows += len(rows)


class Summary:
    """Counts, extremes and digests of the columns; blocks are added in the order of their rows."""

    def __init__(self, n_columns: int) -> None:
        self.n_rows = 0
        self.missing, self.infinite = Spots(n_columns), Spots(n_columns)
        self.low, self.high = np.full(n_columns, np.inf), np.full(n_columns, -np.inf)
        self.magnitude = np.full(n_columns, -1.0)
        """The largest size of each column ..."""
        self.outermost = np.zeros(n_columns, dtype=int)
        """... and the first row that has it."""
        self.first_value = np.nan
        self.counts_rows = True
        """Whether the first column is first_value, first_value + 1, ...."""
        self._digests = [hashlib.sha256() for _ in range(n_columns)]

    @property
    def digests(self) -> list[bytes]:
        """One a column, equal for columns that are equal in every row."""
        return [digest.digest() for digest in self._digests]

    # A file may hold NaN of the kind that signals when it is touched.
    @np.errstate(invalid="ignore")
    def add(self, block: NDArray[np.float64]) -> None:
        """Take the next rows into account."""
        if not len(block):
            return
        self.missing.add(np.isnan(block), self.n_rows)
        self.infinite.add(np.isinf(block), self.n_rows)
        low, high = np.fmin.reduce(block, axis=0), np.fmax.reduce(block, axis=0)
        size = np.fmax(-low, high)
        for i in np.flatnonzero(size > self.magnitude):
            self.outermost[i] = self.n_rows + int(np.nanargmax(np.abs(block[:, i])))
        self.low, self.high = np.fmin(self.low, low), np.fmax(self.high, high)
        self.magnitude = np.fmax(self.magnitude, size)
        if not self.n_rows:
            self.first_value = block[0, 0]
        expected = self.first_value + np.arange(self.n_rows, self.n_rows + len(block))
        self.counts_rows &= np.array_equal(block[:, 0], expected)
        for digest, column in zip(self._digests, block.T, strict=True):
            # Adding zero turns -0.0 into 0.0, so that equal columns have equal bytes.
            digest.update((column + 0.0).tobytes())
        self.n_rows += len(block)
