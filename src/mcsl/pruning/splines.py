"""Spline functions of every column of a table, and their inner products."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import eigsh

from mcsl.settings import whole_number

MAX_KNOTS = 200
# Directions of a basis that are this much shorter than its longest one are rounding noise.
_RANK_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class SplineTable:
    """Thin-plate spline functions Z of each column of a table and their inner products.

    Within a column the functions are centred and orthonormal and diagonalise the roughness penalty
    (Demmler-Reinsch form): the first is the straight line with penalty 0, the next is the smoothest
    curve with penalty 1, and roughness grows from there. A constant column has no functions; one with u
    distinct values has at most u - 1.
    """

    design: NDArray[np.float64] = field(repr=False)
    """Z, shape (n_samples, n_functions); each function is contiguous."""
    values: NDArray[np.float64] = field(repr=False)
    """X, the columns standardised."""
    penalties: NDArray[np.float64] = field(repr=False)
    """Roughness of each function."""
    slices: tuple[slice, ...] = field(repr=False)
    """Where the functions of each column lie."""

    @classmethod
    def of(cls, values: NDArray[np.float64], *, n_basis: int = 10, max_knots: int = MAX_KNOTS) -> SplineTable:
        """Build the functions of every column, at most `n_basis` - 1 for each."""
        whole_number("n_basis", n_basis, 2)
        shelf = _shelf.get()
        if shelf is None:
            return cls._build(values, n_basis, max_knots)
        if shelf.table is None or shelf.values is not values or shelf.settings != (n_basis, max_knots):
            # Two tables at once would be twice the memory.
            shelf.table = None
            shelf.table = cls._build(values, n_basis, max_knots)
            shelf.values, shelf.settings = values, (n_basis, max_knots)
        return shelf.table

    @classmethod
    def _build(cls, values: NDArray[np.float64], n_basis: int, max_knots: int) -> SplineTable:
        standardized = standardize(values)
        n_samples, n_columns = values.shape
        # Filled in place: beside it, a list of its parts would double the memory.
        design = np.empty((n_samples, n_columns * (n_basis - 1)), order="F")
        slices, penalties, end = [], [], 0
        for column in standardized.T:
            functions, roughness = _functions(column, n_basis, max_knots)
            slices.append(slice(end, end + len(roughness)))
            penalties.append(roughness)
            end += len(roughness)
            design[:, slices[-1]] = functions
        return cls(design[:, :end], standardized, np.concatenate(penalties), tuple(slices))

    @cached_property
    def gram(self) -> NDArray[np.float64]:
        """Z'Z of all functions; of a large table, only `inner_products` of some are affordable."""
        gram: NDArray[np.float64] = self.design.T @ self.design
        return gram

    @cached_property
    def moments(self) -> NDArray[np.float64]:
        """Z'X of all functions and columns."""
        moments: NDArray[np.float64] = self.design.T @ self.values
        return moments

    @cached_property
    def scatter(self) -> NDArray[np.float64]:
        """X'X of all columns."""
        scatter: NDArray[np.float64] = self.values.T @ self.values
        return scatter

    def inner_products(
        self, functions: NDArray[np.intp], columns: Sequence[int]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return Z'Z, Z'X and X'X of some functions and columns: all that a regression needs of the data."""
        z, x = self.design[:, functions], self.values[:, list(columns)]
        return z.T @ z, z.T @ x, x.T @ x

    def gram_of(self, functions: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return Z'Z of some functions, as a part of that of all if it is known already."""
        if "gram" in vars(self):
            return self.gram[np.ix_(functions, functions)]
        z = self.design[:, functions]
        gram: NDArray[np.float64] = z.T @ z
        return gram

    def smoothest(self, n_functions: int, *, without: Collection[int] = ()) -> SplineTable:
        """Return a table of the so many smoothest functions of each column, and none of those `without`."""
        firsts = [
            np.arange(place.start, min(place.start + n_functions * (column not in without), place.stop))
            for column, place in enumerate(self.slices)
        ]
        ends = np.cumsum([0, *map(len, firsts)]).tolist()
        chosen = np.concatenate([np.zeros(0, np.intp), *firsts])
        slices = tuple(slice(start, end) for start, end in pairwise(ends))
        design = np.asfortranarray(self.design[:, chosen])
        return SplineTable(design, self.values, self.penalties[chosen], slices)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.design)

    def functions(self, columns: Iterable[int]) -> NDArray[np.intp]:
        """Return the indices of the functions of some columns, in the order given."""
        ranges = [np.arange(self.slices[column].start, self.slices[column].stop) for column in columns]
        return np.concatenate([np.zeros(0, np.intp), *ranges])


@dataclass
class _Shelf:
    """Room for the table that was built last."""

    values: NDArray[np.float64] | None = None
    settings: tuple[int, int] | None = None
    table: SplineTable | None = None


_shelf: ContextVar[_Shelf | None] = ContextVar("shelf", default=None)


@contextmanager
def shared_splines() -> Iterator[None]:
    """Build a table once within this context if it is asked for several times in a row."""
    token = _shelf.set(_Shelf())
    try:
        yield
    finally:
        _shelf.reset(token)


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
    knots = distinct[spread(len(distinct), max_knots)]
    values, vectors = _largest_eigenpairs(_cubed(np.abs(knots[:, None] - knots)) / 12, n_basis)
    line = np.stack([np.ones_like(knots), knots]) @ vectors
    null = np.linalg.svd(line)[2][2:].T
    basis = np.column_stack([_cubic_spline(column, knots, vectors @ null), column])
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


def spread(n_values: int, max_knots: int = MAX_KNOTS) -> NDArray[np.intp]:
    """Return which of a column's distinct values, in order, are knots."""
    return np.linspace(0, n_values - 1, min(max_knots, n_values)).round().astype(np.intp)


def _largest_eigenpairs(
    matrix: NDArray[np.float64], count: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the eigenvalues of largest size and their vectors."""
    if len(matrix) > 4 * count:
        # Lanczos' method takes a fifth of the time of all eigenvalues. A fixed start makes it repeatable.
        values, vectors = eigsh(matrix, count, v0=np.ones(len(matrix)))
        return values, vectors
    values, vectors = np.linalg.eigh(matrix)
    largest = np.argsort(-np.abs(values))[:count]
    return values[largest], vectors[:, largest]


def _cubed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    # NumPy's general power takes twenty times as long.
    return values * values * values


def _cubic_spline(
    x: NDArray[np.float64], knots: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return f(x) = sum_j |x - u_j|^3 / 12 w_j by the Taylor polynomial at the last knot u_m <= x."""
    distance = knots[:, None] - knots
    size, after = np.abs(distance), np.where(distance >= 0, 1.0, -1.0)
    derivatives = (_cubed(size) / 12, distance * size / 4, size / 2, after / 2)
    value, slope, curvature, jerk = (derivative @ weights for derivative in derivatives)
    m = np.searchsorted(knots, x, side="right") - 1
    h = (x - knots[m])[:, None]
    f: NDArray[np.float64] = value[m] + h * (slope[m] + h * (curvature[m] / 2 + h * (jerk[m] / 6)))
    return f
