"""Spline functions of every column of a table, with one Gram matrix for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mcsl.errors import SettingsError

# Directions of a basis that are this much shorter than its longest one are rounding noise.
_RANK_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class SplineTable:
    """Thin-plate spline functions Z of each column of a table and their inner products.

    Within a column the functions are centred and orthonormal and diagonalise the roughness penalty
    (Demmler-Reinsch form): the first is the straight line with penalty 0, the next is the smoothest
    curve with penalty 1, and roughness grows from there. Between columns `gram` = Z'Z holds the rest,
    so that a regression on the functions of any set of columns reads a sub-block and never the data.
    A constant column has no functions; one with u distinct values has at most u - 1.
    """

    design: NDArray[np.float64] = field(repr=False)
    """Z, shape (n_samples, n_functions)."""
    gram: NDArray[np.float64] = field(repr=False)
    """Z'Z, shape (n_functions, n_functions)."""
    moments: NDArray[np.float64] = field(repr=False)
    """Z'X with the columns of X standardised, shape (n_functions, n_columns)."""
    scatter: NDArray[np.float64] = field(repr=False)
    """X'X with the columns of X standardised, shape (n_columns, n_columns)."""
    penalties: NDArray[np.float64] = field(repr=False)
    """Roughness of each function."""
    slices: tuple[slice, ...] = field(repr=False)
    """Where the functions of each column lie."""

    @classmethod
    def of(cls, values: NDArray[np.float64], *, n_basis: int = 10, max_knots: int = 200) -> SplineTable:
        """Build the functions of every column, at most `n_basis` - 1 for each."""
        if n_basis < 2:
            raise SettingsError(f"`n_basis` must be at least 2. Got {n_basis} instead.")
        standardized = standardize(values)
        blocks = [_functions(column, n_basis, max_knots) for column in standardized.T]
        ends = np.cumsum([0, *(len(penalty) for _, penalty in blocks)])
        design = np.concatenate([block for block, _ in blocks], axis=1)
        return cls(
            design=design,
            gram=design.T @ design,
            moments=design.T @ standardized,
            scatter=standardized.T @ standardized,
            penalties=np.concatenate([penalty for _, penalty in blocks]),
            slices=tuple(slice(int(a), int(b)) for a, b in pairwise(ends)),
        )

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.design)

    def functions(self, columns: Iterable[int]) -> NDArray[np.intp]:
        """Return the indices of the functions of some columns, in the order given."""
        ranges = [np.arange(self.slices[column].start, self.slices[column].stop) for column in columns]
        return np.concatenate([np.zeros(0, np.intp), *ranges])


def standardize(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the columns at mean 0 and deviation 1; a constant column becomes 0."""
    largest = np.abs(values).max(axis=0, initial=0.0)
    # Dividing by the largest entry first keeps sums and squares from overflowing.
    scaled = values / np.where(largest > 0, largest, 1.0)
    centred = scaled - scaled.mean(axis=0)
    deviation = centred.std(axis=0)
    constant = deviation <= 1e-12
    standardized: NDArray[np.float64] = np.where(constant, 0.0, centred / np.where(constant, 1.0, deviation))
    return standardized


def _functions(
    column: NDArray[np.float64], n_basis: int, max_knots: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the Demmler-Reinsch functions of one standardised column and their penalties.

    With knots u, E = |u - u'|^3 / 12 and its `n_basis` largest eigenpairs (U, L), the basis is
    [|x - u|^3 / 12 U N, x] with penalty blockdiag(N'LN, 0), where N spans the null space of [1, u]'U.
    """
    distinct = np.unique(column)
    n_basis = min(n_basis, len(distinct))
    if n_basis < 2:
        return np.zeros((len(column), 0)), np.zeros(0)
    knots = distinct[np.linspace(0, len(distinct) - 1, min(max_knots, len(distinct))).round().astype(int)]
    values, vectors = np.linalg.eigh(_cubic(knots, knots))
    largest = np.argsort(-np.abs(values))[:n_basis]
    values, vectors = values[largest], vectors[:, largest]
    line = np.stack([np.ones_like(knots), knots]) @ vectors
    null = np.linalg.svd(line)[2][2:].T
    basis = np.column_stack([_cubic(column, knots) @ (vectors @ null), column])
    penalty = np.zeros((n_basis - 1, n_basis - 1))
    penalty[:-1, :-1] = null.T @ (values[:, None] * null)

    basis -= basis.mean(axis=0)
    scale = np.sqrt(np.sum(basis**2, axis=0))
    left, singular, right = np.linalg.svd(basis / scale, full_matrices=False)
    kept = singular > _RANK_TOLERANCE * singular[0]
    whitener = right[kept].T / singular[kept] / scale[:, None]
    roughness, rotation = np.linalg.eigh(whitener.T @ penalty @ whitener)
    roughness = np.maximum(roughness, 0.0)
    roughness[0] = 0.0
    # Curves over a column with extreme outliers may be straight up to rounding.
    curved = roughness[roughness > 1e-15 * roughness[-1]]
    return left[:, kept] @ rotation, roughness / curved[0] if len(curved) else roughness


def _cubic(x: NDArray[np.float64], knots: NDArray[np.float64]) -> NDArray[np.float64]:
    distance = np.abs(x[:, None] - knots)
    cubed: NDArray[np.float64] = distance * distance * distance / 12
    return cubed
