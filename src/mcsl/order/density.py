"""The shape of noise: how much likelier a density of its own makes residuals than the normal one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mcsl.order.noise import smooth_functions

# Splines with knots at quantiles: the first has them at the quartiles, and peaks and edges ask for more.
_KNOTS = (5, 8)
_CELLS = 24
"""Cells of the grid between two knots."""
# A few smooth functions see at least a quarter of what any density gains; of most normal residuals they
# tell within microseconds that there is nothing to gain.
_LEAST_SEEN = 0.25
_TIED = 1e-9


def shape_gain(residuals: NDArray[np.float64]) -> float:
    """Return by how many nats a row a density of its own beats the normal one, net of its price.

    Log-densities are quadratic splines on the range of the residuals (Kooperberg and Stone 1991), fitted by
    maximum likelihood, and each pays log(n) / 2 for a parameter: a normal density explains what it can. The
    gain estimates the residuals' negentropy, and is 0 for Gaussian noise.
    """
    n, deviation = len(residuals), residuals.std()
    if deviation <= 0:
        return 0.0
    u = np.sort((residuals - residuals.mean()) / deviation)
    prices = [(knots + 1) * np.log(n) / (2 * n) for knots in _KNOTS]
    if _seen_by_smooth_functions(u) < _LEAST_SEEN * min(prices):
        return 0.0
    u = _spread(u)
    gains = [_spline_gain(u, knots) - price for knots, price in zip(_KNOTS, prices, strict=True)]
    return float(max(0.0, *gains))


def _spline_gain(u: NDArray[np.float64], n_knots: int, *, max_steps: int = 30) -> float:
    """Return the mean log-likelihood of sorted standardised values, less that of the normal density."""
    knots = _knots(u, n_knots)
    if len(knots) < 3:
        return 0.0
    widths = np.repeat(np.diff(knots) / _CELLS, _CELLS)
    grid = np.repeat(knots[:-1], _CELLS) + np.tile(np.arange(_CELLS) + 0.5, len(knots) - 1) * widths
    # All quadratic splines but for constants, which do not change a density.
    basis = np.column_stack([grid, np.maximum(grid[:, None] - knots[:-1], 0.0) ** 2])
    scale = np.abs(basis).max(axis=0)
    basis /= scale
    target = _means_of_basis(u, knots) / scale
    log_widths = np.log(widths)

    def likelihood(coefficients: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        logs = basis @ coefficients + log_widths
        top = logs.max()
        masses = np.exp(logs - top)
        total = masses.sum()
        return float(coefficients @ target - top - np.log(total)), masses / total

    # The normal density is one of them: -x^2 / 2 = -(x - k)^2 / 2 - k x and a constant.
    coefficients = np.zeros(len(scale))
    coefficients[:2] = -knots[0] * scale[0], -scale[1] / 2
    value, masses = likelihood(coefficients)
    ridge = 1e-10 * np.eye(len(scale))
    for _ in range(max_steps):
        mean = masses @ basis
        curvature = (basis * masses[:, None]).T @ basis - np.outer(mean, mean)
        step = np.linalg.solve(curvature + ridge, target - mean)
        for _ in range(12):
            proposal, density = likelihood(coefficients + step)
            if proposal >= value:
                break
            step = step / 2
        else:
            break
        converged = proposal - value < 1e-8
        coefficients, value, masses = coefficients + step, proposal, density
        if converged:
            break
    return value + float(np.log(2 * np.pi) + 1) / 2


def _knots(u: NDArray[np.float64], number: int) -> NDArray[np.float64]:
    """Return quantiles of sorted values, the outer ones as far beyond the last value as values are apart."""
    place = np.linspace(0, len(u) - 1, number)
    knots = (u[np.floor(place).astype(int)] + u[np.ceil(place).astype(int)]) / 2
    nearby = max(round(np.sqrt(len(u)) / 4), 1)
    knots[0] -= (u[nearby] - u[0]) / nearby
    knots[-1] += (u[-1] - u[-1 - nearby]) / nearby
    apart: NDArray[np.float64] = knots[np.append(True, np.diff(knots) > 1e-6)]
    return apart


def _means_of_basis(u: NDArray[np.float64], knots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the means of u and of its squares beyond each knot but the last, from sums of sorted values."""
    first = np.searchsorted(u, knots[:-1])
    beyond = len(u) - first
    sums, squares = (np.append(0.0, np.cumsum(powers)) for powers in (u, u * u))
    of_squares = squares[-1] - squares[first] - 2 * knots[:-1] * (sums[-1] - sums[first])
    return np.append(sums[-1], of_squares + knots[:-1] ** 2 * beyond) / len(u)


def _spread(u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Spread equal values evenly halfway to their neighbours: rounding is no reason for a narrow density."""
    if np.diff(u).min() > _TIED:
        return u
    values, counts = np.unique(np.round(u / _TIED) * _TIED, return_counts=True)
    middles = (values[1:] + values[:-1]) / 2
    edges = np.concatenate([2 * values[:1] - middles[:1], middles, 2 * values[-1:] - middles[-1:]])
    number = np.arange(len(u)) - np.repeat(np.cumsum(counts) - counts, counts)
    steps = np.repeat(np.diff(edges) / counts, counts)
    spread: NDArray[np.float64] = np.repeat(edges[:-1], counts) + (number + 0.5) * steps
    return spread


def _under_normal() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return means and inverse covariance of the smooth functions, beyond what mean and variance say."""
    u = np.linspace(-8.0, 8.0, 161)
    density = np.exp(-u * u / 2) / np.exp(-u * u / 2).sum()
    functions = np.vstack([smooth_functions(u), u, u * u])
    means = functions @ density
    covariance = ((functions - means[:, None]) * density) @ (functions - means[:, None]).T
    k = len(functions) - 2
    known = np.linalg.solve(covariance[k:, k:], covariance[k:, :k])
    return means[:k], np.linalg.inv(covariance[:k, :k] - covariance[:k, k:] @ known)


_MEANS, _PRECISION = _under_normal()


def _seen_by_smooth_functions(u: NDArray[np.float64]) -> float:
    """Return about how many nats a row it gains to tilt the normal density by the smooth functions."""
    surplus = smooth_functions(u).mean(axis=1) - _MEANS
    return float(surplus @ _PRECISION @ surplus) / 2
