"""The table that everything is learned from, checked once and never changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcsl.errors import DataError


@dataclass(frozen=True, eq=False)
class Dataset:
    """Observations of named variables: one row a sample, one column a variable; NaN where one is missing."""

    values: NDArray[np.float64]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64)
        names = tuple(str(name) for name in self.names)
        if values.ndim != 2:
            raise DataError(f"The table must have rows and columns. Got an array of shape {values.shape}.")
        if values.shape[1] != len(names):
            raise DataError(f"{values.shape[1]} columns need as many names. Got {len(names)} instead.")
        values.flags.writeable = False
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "names", names)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.values)

    @property
    def n_variables(self) -> int:
        """Number of columns."""
        return len(self.names)

    def standardized(self) -> Dataset:
        """Return the table with every column at mean 0 and deviation 1."""
        centred = self.values - self.values.mean(axis=0)
        # Dividing by the largest entry first keeps the square from overflowing or vanishing.
        centred /= np.abs(centred).max(axis=0)
        return Dataset(centred / centred.std(axis=0), self.names)

    def fingerprint(self) -> str:
        """Return a digest of names and values, to tell later whether a result belongs to this table."""
        return fingerprint(self.names, [self.values])


def fingerprint(names: Sequence[str], blocks: Iterable[NDArray[np.float64]]) -> str:
    """Return the digest of a table whose rows come in blocks."""
    digest = hashlib.sha256("\x1f".join(names).encode())
    for block in blocks:
        digest.update(np.ascontiguousarray(block, dtype="<f8").tobytes())
    return digest.hexdigest()
