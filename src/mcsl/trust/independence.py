"""Tests of what the model assumes about its noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, gammaincc

Array = NDArray[np.float64]


def hsic_test(left: Array, right: Array) -> float:
    """Return the p-value of the hypothesis that rows of `left` and `right` are independent.

    The Hilbert-Schmidt independence criterion (Gretton et al. 2008) with Gaussian kernels as wide as the
    median distance, referred to a gamma distribution with the mean and variance it has under independence.
    """
    n = len(left)
    k, l = _kernel(left), _kernel(right)  # noqa: E741
    mean_k, mean_l = _off_diagonal_mean(k), _off_diagonal_mean(l)
    centred_k, centred_l = _centred(k), _centred(l)
    product = centred_k * centred_l
    statistic = product.sum() / n
    mean = (1 + mean_k * mean_l - mean_k - mean_l) / n
    square = product**2 / 36
    variance = (square.sum() - np.trace(square)) / (n * (n - 1))
    variance *= 72 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3))
    if not (mean > 0 and variance > 0):
        return 1.0
    return float(gammaincc(mean**2 / variance, statistic * mean / (n * variance)))


def normality_test(values: Array) -> float:
    """Return the p-value of the hypothesis that values are normal, by Jarque and Bera's test."""
    z = (values - values.mean()) / max(float(values.std()), 1e-300)
    statistic = len(z) / 6 * (np.mean(z**3) ** 2 + (np.mean(z**4) - 3) ** 2 / 4)
    return float(chdtrc(2, statistic))


def _kernel(rows: Array) -> Array:
    deviations = rows.std(axis=0)
    scaled = (rows - rows.mean(axis=0)) / np.where(deviations > 0, deviations, 1.0)
    squares = np.sum(scaled**2, axis=1)
    distances = np.maximum(squares[:, None] + squares - 2 * scaled @ scaled.T, 0.0)
    apart = distances[np.triu_indices(len(rows), 1)]
    middle = float(np.median(apart[apart > 1e-12])) if (apart > 1e-12).any() else 1.0
    kernel: Array = np.exp(-distances / middle)
    return kernel


def _centred(kernel: Array) -> Array:
    centred: Array = kernel - kernel.mean(axis=0) - kernel.mean(axis=1)[:, None] + kernel.mean()
    return centred


def _off_diagonal_mean(kernel: Array) -> float:
    n = len(kernel)
    return float((kernel.sum() - np.trace(kernel)) / (n * (n - 1)))
