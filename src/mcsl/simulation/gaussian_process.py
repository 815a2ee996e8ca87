"""Exact draws of functions from a Gaussian process at given inputs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky

Array = NDArray[np.float64]

TOLERANCE = 1e-8
"""Variance, out of 1, that a draw may lack (low rank) or have in excess (Cholesky) at any input.

Less would let rounding, which differs between machines, steer the draw where inputs crowd.
"""

LOW_RANK_DIMENSIONS = 2
"""Up to here a few hundred inputs determine the function everywhere; beyond, the rank nears n."""


def draw_gp(inputs: Array, rng: np.random.Generator, *, n_draws: int = 1) -> Array:
    """Draw f ~ N(0, K) at the rows of `inputs`, K_ab = exp(-||x_a - x_b||^2 / 2); shape (n, n_draws)."""
    low_rank = inputs.shape[1] <= LOW_RANK_DIMENSIONS
    factor = _pivoted_cholesky(inputs) if low_rank else _cholesky(inputs)
    return factor @ rng.standard_normal((factor.shape[1], n_draws))


def _cholesky(inputs: Array) -> Array:
    """Return the lower triangular L with L L^T = K + TOLERANCE I, in the memory of one n x n matrix."""
    kernel = inputs @ inputs.T
    squares = np.diagonal(kernel).copy()
    kernel -= squares / 2
    kernel -= squares[:, None] / 2
    np.exp(kernel, out=kernel)
    np.fill_diagonal(kernel, 1 + TOLERANCE)
    # LAPACK overwrites column-major arrays only; K is symmetric, so its transpose is one.
    factor: Array = cholesky(kernel.T, lower=True, overwrite_a=True, check_finite=False)
    return factor


def _pivoted_cholesky(inputs: Array) -> Array:
    """Return an (n, rank) factor F whose F F^T misses K by at most TOLERANCE in every entry.

    Each step conditions on the function's value at the input where it is least determined so far, so
    the n x n matrix K is never formed.
    """
    n = len(inputs)
    rows = np.empty((64, n))
    variance = np.ones(n)
    rank = 0
    while rank < n and variance[pivot := int(np.argmax(variance))] > TOLERANCE:
        if rank == len(rows):
            rows = np.concatenate([rows, np.empty_like(rows)])
        row = np.exp(-0.5 * np.square(inputs - inputs[pivot]).sum(axis=1))
        # Unlike a BLAS product, einsum rounds the same way whatever the number of threads.
        row -= np.einsum("r,rn->n", rows[:rank, pivot], rows[:rank])
        row /= np.sqrt(variance[pivot])
        rows[rank] = row
        variance -= row**2
        rank += 1
    return rows[:rank].T
