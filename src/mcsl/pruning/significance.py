"""Tests of one term of a regression: Wood's for penalised fits, Wilks' for least squares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from mcsl.pruning.smoothing import SmoothFit

_ANGLES = (np.arange(24) + 0.5) * np.pi / 48
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def wood_test(fit: SmoothFit, term: slice) -> float:
    """Return the p-value of the hypothesis that a smooth term is zero (Wood 2013).

    The statistic is beta' V^r- beta, where V^r- inverts the covariance V of the coefficients in its
    r largest directions and r, the effective degrees of freedom of the term, need not be whole. The
    two ways to invert the fractional direction are averaged.
    """
    if term.stop == term.start:
        return 1.0
    beta, rank = fit.coefficients[term], _rank(fit, term)
    spread, axes = np.linalg.eigh(fit.variance * fit.inverse[term, term])
    order = np.argsort(-spread)
    z = axes[:, order].T @ beta / np.sqrt(np.maximum(spread[order], 1e-300))
    whole = int(np.floor(rank + 1e-9))
    part = max(rank - whole, 0.0)
    if whole == 0:
        return float(fdtrc(1, fit.residual_freedom, z[0] ** 2))
    if part < 1e-6 or whole == len(z):
        return float(fdtrc(whole, fit.residual_freedom, np.sum(z[:whole] ** 2) / whole))
    last, extra = z[whole - 1], z[whole]
    centre = np.sum(z[:whole] ** 2) + part * extra**2
    swing = 2 * np.sqrt(part * (1 - part) / 2) * last * extra
    tails = [_tail(centre + sign * swing, whole, part, fit.residual_freedom) for sign in (1.0, -1.0)]
    return float(np.mean(tails))


def wilks_test(
    coefficients: NDArray[np.float64],
    inverse: NDArray[np.float64],
    residual_scatter: NDArray[np.float64],
    residual_freedom: float,
) -> float:
    """Return the p-value of the hypothesis that one term of a least-squares fit is zero for every response.

    With the term's coefficients B, its block C of (Z'Z)^-1 and the residuals' scatter E, Wilks' lambda is
    |E| / |E + B' C^-1 B|, referred to Rao's F; for one response this is the F-test.
    """
    count, width = coefficients.shape
    if count == 0:
        return 1.0
    gain = coefficients.T @ np.linalg.solve(inverse, coefficients)
    log_lambda = np.linalg.slogdet(residual_scatter)[1] - np.linalg.slogdet(residual_scatter + gain)[1]
    size = count**2 + width**2 - 5
    power = np.sqrt((count**2 * width**2 - 4) / size) if size > 0 else 1.0
    first = count * width
    second = (residual_freedom + count - (count + width + 1) / 2) * power - (first - 2) / 2
    return float(fdtrc(first, second, np.expm1(-log_lambda / power) * second / first))


def _rank(fit: SmoothFit, term: slice) -> float:
    """Sum of the diagonal of 2F - FF over a term, with F = C Z'Z."""
    penalty, rows = fit.shrinkage[term], fit.inverse[term]
    leak = penalty * np.diag(fit.inverse[term, term])
    again = 1 - 2 * leak + penalty * ((rows**2) @ fit.shrinkage)
    return float(min(len(leak), np.sum(2 * (1 - leak) - again)))


def _tail(statistic: float, whole: int, part: float, freedom: float) -> float:
    """P(chi2_{m-1} + w1 chi2_1 + w2 chi2_1 > t chi2_f / f), w = ((1 + v) +- sqrt((1 + v)(1 - v))) / 2.

    The sum is chi2_{m+1} times a weighted mean of the weights over directions on the sphere, independent
    of each other: the tail is the mean, over directions, of tails of F(m + 1, f). Every term is positive,
    so even p-values near 1e-30 are right to a tenth of their size.
    """
    root = np.sqrt((1 + part) * (1 - part))
    weight = ((1 + part + root) * np.cos(_ANGLES) ** 2 + (1 + part - root) * np.sin(_ANGLES) ** 2) / 2
    if whole == 1:
        return float(np.mean(_f_tail(statistic / weight, 2, freedom)))
    share = 1 - ((1 - _NODES) / 2) ** (2 / (whole - 1))  # of the two fractional directions: Beta(1, (m-1)/2)
    mixed = 1 + share[:, None] * (weight - 1)
    return float(_WEIGHTS @ _f_tail(statistic / mixed, whole + 1, freedom).mean(axis=1) / 2)


def _f_tail(statistic: NDArray[np.float64], count: int, freedom: float) -> NDArray[np.float64]:
    tail: NDArray[np.float64] = fdtrc(count, freedom, np.maximum(statistic, 0.0) / count)
    return tail
