"""Noise that is not Gaussian, or not of one size: tilted densities and scales that vary."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mcsl.pruning.smoothing import inverse_of

_TINY = 1e-300
_GRID = np.linspace(-8.0, 8.0, 161)
_NORMAL = np.exp(-_GRID * _GRID / 2) / np.exp(-_GRID * _GRID / 2).sum()


def smooth_functions(u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return bounded functions that skewed densities (odd ones) and peaked or flat ones (even) move."""
    narrow, wide = np.exp(-u * u / 2), np.exp(-u * u / 8)
    return np.stack([u * narrow, narrow, u * wide, wide])


_MEANS = smooth_functions(_GRID) @ _NORMAL
_CENTRED = smooth_functions(_GRID) - _MEANS[:, None]


N_TILTS = len(_MEANS)


def tilt_gain(residuals: NDArray[np.float64], *, max_steps: int = 20) -> float:
    """Return by how many nats a row a tilted normal density beats the normal one.

    The density of the standardised residuals u is phi(u) exp(t(u)) / Z with the tilt
    t(u) = (a u + b) e^(-u^2 / 2) + (c u + d) e^(-u^2 / 8), whose odd terms make it skewed and whose even
    terms make it peaked or flat. The gain max E t(u) - log Z, found by Newton's method, estimates the
    residuals' negentropy from below and is 0 for Gaussian noise.
    """
    deviation = residuals.std()
    if deviation <= 0:
        return 0.0
    target = smooth_functions((residuals - residuals.mean()) / deviation).mean(axis=1) - _MEANS
    tilt, gain, weights = np.zeros(len(target)), 0.0, _NORMAL
    for _ in range(max_steps):
        mean = _CENTRED @ weights
        curvature = (_CENTRED * weights) @ _CENTRED.T - np.outer(mean, mean)
        step = np.linalg.solve(curvature + 1e-9 * np.eye(len(target)), target - mean)
        for _ in range(10):
            proposal, density = _tilted(tilt + step, target)
            if proposal >= gain:
                break
            step = step / 2
        else:
            break
        converged = proposal - gain < 1e-7
        tilt, gain, weights = tilt + step, proposal, density
        if converged:
            break
    return gain


def entropy(residuals: NDArray[np.float64]) -> float:
    """Return the differential entropy of any density, in nats: mean log (n / k) (r_(i+m) - r_(i-m)).

    Vasicek's estimate from spacings of sorted values, k of them each: 2m, and less at the ends.
    """
    n = len(residuals)
    m = max(round(n ** (1 / 3)), 1)
    ordered, place = np.sort(residuals), np.arange(n)
    above, below = np.minimum(place + m, n - 1), np.maximum(place - m, 0)
    spacings = (ordered[above] - ordered[below]) / (above - below)
    # Equal values have no density; this is about how far they may lie apart.
    return float(np.mean(np.log(np.maximum(n * spacings, 1e-3 * residuals.std() + _TINY))))


def log_scale(
    residuals: NDArray[np.float64],
    design: NDArray[np.float64],
    gram: NDArray[np.float64],
    *,
    max_steps: int = 4,
) -> NDArray[np.float64]:
    """Return the log-scale g(x) of residuals ~ s e^g(x) N(0, 1), a combination of centred functions.

    Fisher scoring of the Gaussian likelihood -sum g - n/2 log sum (r e^-g)^2. The information about g is
    constant, so that every step regresses (u^2 - 1) / 2, u being the residuals in their scales, on the
    same functions with the same Gram matrix `gram`. It starts from a regression of log |r|.
    """
    n = len(residuals)
    hat = inverse_of(gram, np.zeros(len(gram))) @ design.T

    def loss(logs: NDArray[np.float64]) -> float:
        return float(logs.sum() + n / 2 * np.log(np.mean((residuals * np.exp(-logs)) ** 2) + _TINY))

    size = np.sqrt(np.mean(residuals**2)) + _TINY
    # Residuals near 0 say little about the scale, and their logarithms would say much.
    logs: NDArray[np.float64] = design @ (hat @ np.log(np.abs(residuals) / size + 0.05))
    for _ in range(max_steps):
        squares = (residuals * np.exp(-logs)) ** 2
        excess = squares / (squares.mean() + _TINY) - 1
        proposal = logs + design @ (hat @ np.minimum(excess / 2, 4.0))
        if loss(proposal) > loss(logs) - 0.01:
            break
        logs = proposal
    return logs


def _tilted(tilt: NDArray[np.float64], target: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Return tilt' target - log Z and the tilted density on the grid."""
    exponent = tilt @ _CENTRED
    density = _NORMAL * np.exp(exponent - exponent.max())
    total = density.sum()
    return float(tilt @ target - exponent.max() - np.log(total)), density / total
