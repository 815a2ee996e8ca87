"""Penalised least squares whose smoothing is chosen by generalised cross-validation (GCV)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpocon, dpotrf, dpotri

_START = -2.0  # GCV has several minima; from here Newton's method reaches the one mgcv reports.
_BOUNDS = (-12.0, 22.0)
_LONGEST_STEP = 5.0
_FLATTENED = 1e7  # A function with a larger penalty is zero to rounding and need not be inverted.

# The least reciprocal condition number of a matrix that is inverted as it is.
_REGULAR = 1e-9


@dataclass(frozen=True, eq=False)
class SmoothFit:
    """Penalised regression beta = C Z'y with C = (Z'Z + P)^-1 and a diagonal penalty P."""

    coefficients: NDArray[np.float64] = field(repr=False)
    inverse: NDArray[np.float64] = field(repr=False)
    """C."""
    shrinkage: NDArray[np.float64] = field(repr=False)
    """The diagonal of P, one smoothing parameter times a roughness for each function."""
    residual_square: float
    """Sum of squared residuals."""
    n_parameters: float
    """Effective number of parameters, the intercept included."""
    n_samples: int

    @property
    def gcv(self) -> float:
        """The GCV score n RSS / (n - tau)^2."""
        return self.n_samples * self.residual_square / self.residual_freedom**2

    @property
    def residual_freedom(self) -> float:
        """Degrees of freedom left to the residuals, n - tau."""
        return self.n_samples - self.n_parameters

    @property
    def variance(self) -> float:
        """Estimated noise variance RSS / (n - tau)."""
        return self.residual_square / self.residual_freedom

    @property
    def freedom(self) -> NDArray[np.float64]:
        """Effective degrees of freedom of each function, the diagonal of F = C Z'Z."""
        spent: NDArray[np.float64] = 1.0 - self.shrinkage * np.diag(self.inverse)
        return spent


def fit_fixed(
    gram: NDArray[np.float64],
    moments: NDArray[np.float64],
    square: float,
    shrinkage: NDArray[np.float64],
    n_samples: int,
) -> SmoothFit:
    """Fit with a given diagonal penalty, from Z'Z, Z'y and y'y."""
    inverse = np.diag(1 / (1 + shrinkage))
    live = np.flatnonzero(shrinkage < _FLATTENED)
    inverse[np.ix_(live, live)] = inverse_of(gram[np.ix_(live, live)], shrinkage[live])
    beta = inverse @ moments
    return SmoothFit(
        coefficients=beta,
        inverse=inverse,
        shrinkage=shrinkage,
        # A perfect fit leaves rounding noise, which may be negative.
        residual_square=max(float(square - beta @ moments - beta @ (shrinkage * beta)), 1e-14 * square),
        n_parameters=1.0 + len(beta) - float(shrinkage @ np.diag(inverse)),
        n_samples=n_samples,
    )


def fit_smooth(
    gram: NDArray[np.float64],
    moments: NDArray[np.float64],
    square: float,
    penalties: NDArray[np.float64],
    terms: Sequence[slice],
    n_samples: int,
    *,
    max_steps: int = 100,
) -> SmoothFit:
    """Choose one smoothing parameter a term by minimising log RSS - 2 log(n - tau), then fit.

    Newton's method in the logarithms of the smoothing parameters, on the absolute eigenvalues of the
    Hessian, with step halving. Terms that consist of a straight line alone have nothing to choose.
    """
    curved = [term for term in terms if np.any(penalties[term] > 0)]
    owner = np.zeros((len(curved), len(moments)))
    for row, term in enumerate(curved):
        owner[row, term] = 1.0

    def fit_at(logs: NDArray[np.float64]) -> SmoothFit:
        return fit_fixed(gram, moments, square, penalties * (np.exp(logs) @ owner), n_samples)

    logs = np.full(len(curved), _START)
    fit = fit_at(logs)
    for _ in range(max_steps if curved else 0):
        gradient, hessian = _derivatives(fit, gram, owner)
        # At a bound, a coordinate that wants to leave stays; the others move without it.
        free = ~((logs >= _BOUNDS[1]) & (gradient < 0) | (logs <= _BOUNDS[0]) & (gradient > 0))
        if not free.any() or np.abs(gradient[free]).max() < 1e-9:
            break
        curvature, axes = np.linalg.eigh(hessian[np.ix_(free, free)])
        along = axes.T @ gradient[free]
        curvature = np.maximum(np.abs(curvature), 1e-10)
        step = np.zeros_like(logs)
        step[free] = -axes @ np.clip(along / curvature, -_LONGEST_STEP, _LONGEST_STEP)
        score = np.log(fit.gcv)
        for _ in range(30):
            proposal = np.clip(logs + step, *_BOUNDS)
            candidate = fit_at(proposal)
            if np.log(candidate.gcv) <= score:
                break
            step = step / 2
        else:
            break
        logs, fit = proposal, candidate
        if score - np.log(fit.gcv) < 1e-9 and np.abs(gradient).max() < 1e-5:
            break
    return fit


def _derivatives(
    fit: SmoothFit, gram: NDArray[np.float64], owner: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gradient and Hessian of log RSS - 2 log(n - tau) in the log smoothing parameters."""
    live = np.flatnonzero(fit.shrinkage < _FLATTENED)
    inverse, gram, owner = fit.inverse[np.ix_(live, live)], gram[np.ix_(live, live)], owner[:, live]
    shrinkage, beta = fit.shrinkage[live], fit.coefficients[live]
    pull = owner * (shrinkage * beta)  # row j: D_j beta
    moved = pull @ inverse  # row j: C D_j beta = -d beta / d log lambda_j
    response = inverse @ (shrinkage * beta)  # C P beta
    middle = inverse - (inverse * shrinkage) @ inverse  # M = C - C P C
    slope_rss = 2 * pull @ response
    slope_tau = -owner @ (shrinkage * np.diag(middle))
    cross = (owner * (shrinkage * response)) @ moved.T
    bend_rss = 2 * moved @ gram @ moved.T - 2 * (cross + cross.T) + np.diag(slope_rss)
    weighted = (shrinkage[:, None] * inverse * middle) * shrinkage
    bend_tau = 2 * owner @ weighted @ owner.T + np.diag(slope_tau)
    rss, left = fit.residual_square, fit.residual_freedom
    gradient = slope_rss / rss + 2 * slope_tau / left
    hessian = (
        bend_rss / rss
        - np.outer(slope_rss, slope_rss) / rss**2
        + 2 * bend_tau / left
        + 2 * np.outer(slope_tau, slope_tau) / left**2
    )
    return gradient, hessian


def inverse_of(gram: NDArray[np.float64], shrinkage: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (Z'Z + P)^-1; functions that depend on each other get the smallest ridge that separates them."""
    if not len(gram):
        return gram
    for ridge in (0.0, 1e-10, 1e-8, 1e-6):
        matrix = gram + np.diag(shrinkage + ridge)
        factor, failed = dpotrf(matrix, lower=1)
        # Pivots alone do not tell: those of a singular matrix may all look harmless.
        if not failed and dpocon(factor, np.abs(matrix).sum(axis=0).max(), uplo="L")[0] > _REGULAR:
            lower, _ = dpotri(factor, lower=1)
            inverse: NDArray[np.float64] = lower + lower.T
            inverse[np.diag_indices_from(inverse)] /= 2
            return inverse
    return np.asarray(np.linalg.pinv(gram + np.diag(shrinkage), rcond=1e-10, hermitian=True))
