"""Functions of the causes that a regression is linear in, and that can be evaluated anywhere.

They map standardised inputs, shape (n, n_inputs), to shape (n, n_functions).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_MOST_KNOTS = 14
# A direction of the basis, or a variance of the kernel, that is this much smaller than the largest is noise.
_RANK_TOLERANCE = 1e-7


@dataclass(frozen=True, eq=False)
class SplineFeatures:
    """Natural cubic splines of one input: straight beyond the outermost knots.

    The functions are [|x - u|^3 / 12, x, 1] T with knots u. On the rows they were built from they are centred
    and orthonormal and diagonalise the roughness penalty: the first is the straight line.
    """

    input: int
    knots: Array = field(repr=False)
    transform: Array = field(repr=False)
    """T, shape (n_knots + 2, n_functions)."""
    penalties: Array = field(repr=False)
    """Roughness of each function, 0 for the straight line and 1 for the smoothest curve."""

    @classmethod
    def of(cls, inputs: Array, index: int) -> SplineFeatures:
        """Place knots at quantiles of one column of the inputs."""
        column = inputs[:, index]
        distinct = np.unique(column)
        n_knots = min(_MOST_KNOTS, len(distinct))
        knots = distinct[np.linspace(0, len(distinct) - 1, n_knots).round().astype(int)]
        basis = _basis(column, knots)
        # Natural splines: no square and no cube survives beyond the last knot.
        null = np.linalg.svd(np.stack([np.ones_like(knots), knots]))[2][2:].T
        raw = np.zeros((n_knots + 2, null.shape[1] + 1))
        raw[:n_knots, :-1], raw[n_knots, -1] = null, 1.0
        penalty = np.zeros((raw.shape[1], raw.shape[1]))
        penalty[:-1, :-1] = null.T @ _basis(knots, knots)[:, :n_knots] @ null
        raw[-1] = -(basis @ raw).mean(axis=0)
        scale = np.linalg.norm(basis @ raw, axis=0)
        raw, penalty = raw / scale, penalty / np.outer(scale, scale)
        _, singular, right = np.linalg.svd(basis @ raw, full_matrices=False)
        kept = singular > _RANK_TOLERANCE * singular[0]
        whitener = right[kept].T / singular[kept]
        roughness, rotation = np.linalg.eigh(whitener.T @ penalty @ whitener)
        roughness = np.maximum(roughness, 0.0)
        roughness[0] = 0.0
        if len(roughness) > 1 and roughness[1] > 0:
            roughness /= roughness[1]
        return cls(index, knots, raw @ whitener @ rotation, roughness)

    def __call__(self, inputs: Array) -> Array:
        """Evaluate every function at every row."""
        return _basis(inputs[:, self.input], self.knots) @ self.transform

    def combine(self, inputs: Array, coefficients: Array) -> Array:
        """Evaluate combinations of the functions, without the functions one by one."""
        return _basis(inputs[:, self.input], self.knots) @ (self.transform @ coefficients)

    @property
    def n_functions(self) -> int:
        """Number of functions."""
        return len(self.penalties)


@dataclass(frozen=True, eq=False)
class KernelFeatures:
    """A Gaussian process of low rank: the kernel exp(-|x - z|^2 / (2 l^2)) at a few points z, whitened."""

    points: Array = field(repr=False)
    whitener: Array = field(repr=False)
    length: float

    @classmethod
    def of(cls, inputs: Array, length: float, max_points: int) -> KernelFeatures:
        """Choose the points one by one where the process is least determined by those before."""
        # So many rows are dense enough to choose points from.
        inputs = inputs[spread_out(len(inputs), 4 * max_points)]
        n = len(inputs)
        scaled = inputs / length
        rows = np.empty((min(max_points, n), n))
        variance, chosen = np.ones(n), []
        for rank in range(len(rows)):
            pivot = int(np.argmax(variance))
            if variance[pivot] < _RANK_TOLERANCE:
                break
            row = np.exp(-0.5 * np.square(scaled - scaled[pivot]).sum(axis=1))
            row -= rows[:rank, pivot] @ rows[:rank]
            rows[rank] = row / np.sqrt(variance[pivot])
            variance = np.maximum(variance - rows[rank] ** 2, 0.0)
            chosen.append(pivot)
        # With L' the factor's columns at the points, k(z, z) = L L' and the features are k(x, z) L'^-1.
        whitener = np.linalg.inv(rows[: len(chosen), chosen])
        return cls(inputs[chosen], np.asarray(whitener, dtype=np.float64), length)

    def __call__(self, inputs: Array) -> Array:
        """Evaluate every function at every row."""
        return self._kernel(inputs) @ self.whitener

    def combine(self, inputs: Array, coefficients: Array) -> Array:
        """Evaluate combinations of the functions, without the functions one by one."""
        return self._kernel(inputs) @ (self.whitener @ coefficients)

    @property
    def n_functions(self) -> int:
        """Number of functions."""
        return len(self.points)

    def _kernel(self, inputs: Array) -> Array:
        left, right = inputs / self.length, self.points / self.length
        exponent = left @ right.T - np.sum(left**2, axis=1)[:, None] / 2 - np.sum(right**2, axis=1) / 2
        kernel: Array = np.exp(np.minimum(exponent, 0.0))
        return kernel


def spread_out(n_rows: int, most: int) -> NDArray[np.intp]:
    """Return at most so many rows from the first to the last: the head of a sorted table is not all of it."""
    return np.linspace(0, n_rows - 1, min(n_rows, most)).astype(np.intp)


def _basis(x: Array, knots: Array) -> Array:
    """Return [|x - u|^3 / 12, x, 1], with the cubes going on as straight lines beyond the outermost knots.

    Natural splines are the same for it, and far away nothing is left of a difference of cubes.
    """
    inside = np.clip(x, knots[0], knots[-1])
    distance = np.abs(inside[:, None] - knots)
    cubes = distance * distance * distance / 12
    beyond = x - inside
    outside = np.flatnonzero(beyond)
    cubes[outside] += np.abs(beyond[outside, None]) * distance[outside] ** 2 / 4
    return np.column_stack([cubes, x, np.ones_like(x)])


Features = SplineFeatures | KernelFeatures
