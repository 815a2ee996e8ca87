"""Spline tables of which all rows are summed up, block by block, while only some are held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mcsl.data import Rows
from mcsl.problem import Problem
from mcsl.pruning.splines import SplineTable, spread, standardize

Array = NDArray[np.float64]

_BLOCK_VALUES = 2**18
# The time for all inner products grows with the square of the columns.
_MAX_COLUMNS = 100


@dataclass(frozen=True, eq=False)
class LongSplineTable(SplineTable):
    """Functions that were made for the rows drawn, with inner products of all rows."""

    n_rows: int = 0
    """Number of all rows."""
    products: Array = field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    """[Z X]'[Z X] of all rows, centred; the functions are scaled to have length one again."""

    @property
    def n_samples(self) -> int:
        """Number of rows in the inner products."""
        return self.n_rows

    def inner_products(
        self, functions: NDArray[np.intp], columns: Sequence[int]
    ) -> tuple[Array, Array, Array]:
        """Return Z'Z, Z'X and X'X of some functions and columns, over all rows."""
        x = len(self.penalties) + np.array(columns, dtype=np.intp)
        of = self.products
        return of[np.ix_(functions, functions)], of[np.ix_(functions, x)], of[np.ix_(x, x)]

    @classmethod
    def over(cls, rows: Rows, values: Array, *, n_basis: int = 10) -> LongSplineTable:
        """Make functions for `values`, the rows drawn in units of their own, and sum up all rows.

        The extremes of all rows are among the knots, so that no function is read beyond them.
        """
        to_units = _units(rows.drawn, values)
        held = np.concatenate([standardize(values), to_units(np.stack([rows.low, rows.high]))])
        table = SplineTable.of(held, n_basis=n_basis)
        splines = [_spline(x, table.design[:, s]) for x, s in zip(held.T, table.slices, strict=True)]
        n_functions, n_columns = len(table.penalties), held.shape[1]
        products, sums = np.zeros((n_functions + n_columns,) * 2), np.zeros(n_functions + n_columns)
        size = max(_BLOCK_VALUES // n_columns, 1)
        for block in rows.blocks():
            for start in range(0, len(block), size):
                x = to_units(block[start : start + size])
                z = np.empty((len(x), len(sums)))
                for spline, s, column in zip(splines, table.slices, x.T, strict=True):
                    z[:, s] = spline(column)
                z[:, n_functions:] = x
                products += z.T @ z
                sums += z.sum(axis=0)
        products -= np.outer(sums, sums) / rows.n_samples
        lengths = np.ones(len(sums))
        lengths[:n_functions] = np.sqrt(len(held) / rows.n_samples)
        products *= np.outer(lengths, lengths)
        return cls(table.design, table.values, table.penalties, table.slices, rows.n_samples, products)


def summed_splines(problem: Problem, *, n_basis: int = 10) -> SplineTable:
    """Build the functions of a problem's columns, with inner products of all rows if columns are few.

    Millions of rows would show what a few functions cannot fit, and a test would take it for the effect of
    another cause. So the functions of a column grow from nine at 10,000 rows with n^(1/5).
    """
    values, whole = problem.dataset.values, problem.whole
    if whole is None or values.shape[1] > _MAX_COLUMNS:
        return SplineTable.of(values, n_basis=n_basis)
    n_functions = round(9 * (whole.n_samples / 10_000) ** 0.2)
    return LongSplineTable.over(whole, values, n_basis=max(n_basis, n_functions + 1))


def _units(given: Array, values: Array) -> Callable[[Array], Array]:
    """Return what takes any rows to standardised units of `values`, which `given` are in other units.

    A column that was only shifted and scaled is so again. Of one that was straightened, each value lies
    between those of the rows drawn.
    """
    known, wanted = standardize(given), standardize(values)
    centre, deviation = given.mean(axis=0), given.std(axis=0)
    bent = np.flatnonzero((np.abs(known - wanted) > 1e-6).any(axis=0)).tolist()
    curves = [(k, np.sort(known[:, k]), np.sort(wanted[:, k])) for k in bent]

    def to_units(block: Array) -> Array:
        standardized: Array = (block - centre) / deviation
        for k, x, y in curves:
            standardized[:, k] = np.interp(standardized[:, k], x, y)
        return standardized

    return to_units


def _spline(column: Array, functions: Array) -> Callable[[Array], Array]:
    """Return functions of one column as natural cubic splines through their values at the knots."""
    # It takes a third of a second to load, and only long tables need it.
    from scipy.interpolate import CubicSpline

    distinct, first = np.unique(column, return_index=True)
    knots = spread(len(distinct))
    spline: Callable[[Array], Array] = CubicSpline(
        distinct[knots], functions[first[knots]], bc_type="natural"
    )
    return spline
