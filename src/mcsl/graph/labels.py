"""Square matrices from elsewhere, which may carry names as pandas and polars frames do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcsl.errors import GraphError


def read_matrix(matrix: Any) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return the numbers with rows in the order of the columns, and the columns' names, () if it has none."""
    values = np.array(matrix)
    if values.dtype.kind not in "biuf":
        try:
            values = values.astype(float)
        except (TypeError, ValueError):
            raise GraphError(
                "A graph must be a CausalGraph, or a square matrix of numbers. "
                f"Got {type(matrix).__name__} instead."
            ) from None
    names = _labels(getattr(matrix, "columns", ()))
    # Lists have an `index` too, and polars has none.
    rows = _labels(matrix.index) if hasattr(matrix, "iloc") else ()
    if names and rows and rows != names:
        if sorted(rows) != sorted(names):
            odd = next(name for name in (*rows, *names) if (name in rows) != (name in names))
            raise GraphError(
                f"Rows and columns of a labelled matrix must name the same variables, and only one of them "
                f"names {odd!r}."
            )
        values = values[[rows.index(name) for name in names]]
    return values, names


def _labels(labels: Sequence[Any]) -> tuple[str, ...]:
    """Return labels as text; numbers that merely count are none."""
    return () if list(labels) == list(range(len(labels))) else tuple(str(label) for label in labels)
