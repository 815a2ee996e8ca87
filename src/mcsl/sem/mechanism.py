"""The mechanism of one variable: how it comes about from its causes and its noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from mcsl.pruning.smoothing import fit_smooth
from mcsl.sem.features import Features, KernelFeatures, SplineFeatures, spread_out

Array = NDArray[np.float64]

N_FOLDS = 5
_FEWEST_ROWS = 50
"""Below, no Gaussian process and no scale of the noise is looked for."""
_LENGTHS = (0.5, 1.0, 2.0, 4.0)
_NOISES = 10.0 ** np.arange(-2, 4, 0.5)
_FEW_POINTS, _MOST_POINTS = 80, 200
_SEARCH_ROWS = 600
"""Rows on which the length of the kernel is chosen."""
_RIDGE = 1e-8
# Nats a row, and in all, that noise of changing scale must gain on held-out rows.
_LEAST_SPREAD_GAIN, _LEAST_SPREAD_TOTAL = 0.01, 3.0


@dataclass(frozen=True, eq=False)
class Mechanism:
    """z = f(x) + s(x) e, with f linear in features of the inputs: penalised splines and a Gaussian process.

    Inputs and outputs are on the scales of their columns. Noise e has mean 0; s is 1 unless `spread` says how
    log s depends on the inputs.
    """

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    features: tuple[Features, ...]
    coefficients: Array = field(repr=False)
    """Shape (1 + n_functions, n_outputs), the intercept first."""
    shrinkage: Array = field(repr=False)
    """Penalty of each coefficient."""
    spread: Array | None = field(repr=False)
    """Coefficients of log s on the splines, shape (1 + n_spline_functions, n_outputs)."""
    held_out_r2: Array = field(repr=False)
    """R^2 of each output on each fold of rows that were left out, shape (n_folds, n_outputs)."""

    @property
    def splines(self) -> tuple[SplineFeatures, ...]:
        """The features that are functions of one input."""
        return tuple(feature for feature in self.features if isinstance(feature, SplineFeatures))

    def design(self, inputs: Array) -> Array:
        """Return the intercept and all functions at every row."""
        return evaluate(self.features, inputs)

    def mean(self, inputs: Array, coefficients: Array | None = None) -> Array:
        """Return f, shape (n, n_outputs), with coefficients other than its own where they are given."""
        beta = self.coefficients if coefficients is None else coefficients
        mean, start = np.tile(beta[0], (len(inputs), 1)), 1
        for feature in self.features:
            stop = start + feature.n_functions
            mean += feature.combine(inputs, beta[start:stop])
            start = stop
        return mean

    def scale(self, inputs: Array) -> Array:
        """Return s, shape (n, n_outputs)."""
        if self.spread is None:
            return np.ones((len(inputs), len(self.outputs)))
        # Beyond what was seen, a straight line in the logarithm would run away.
        return np.exp(np.clip(evaluate(self.splines, inputs) @ self.spread, -4.0, 4.0))

    def noise(self, inputs: Array, outputs: Array) -> Array:
        """Return e = (z - f) / s."""
        noise: Array = (outputs - self.mean(inputs)) / self.scale(inputs)
        return noise

    def n_parameters(self, inputs: Array) -> float:
        """Return the effective number of parameters of f, the trace of (Z'Z + P)^-1 Z'Z."""
        design = self.design(inputs)
        gram = design.T @ design
        return float(np.trace(cho_solve(cho_factor(gram + np.diag(self.shrinkage + _RIDGE)), gram)))

    def redraw(
        self, inputs: Array, outputs: Array, weights: Array, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return coefficients refitted with other row weights, shape (1 + n_functions, n_outputs, n_draws).

        With C = (Z'Z + P)^-1 and residuals r, a draw is beta + C (Z'(w - 1)r + sigma P^1/2 zeta): one Newton
        step of the weighted fit, and the prior's share of the posterior, for what smoothing hides.
        """
        design = self.design(inputs)
        factor = cho_factor(design.T @ design + np.diag(self.shrinkage + _RIDGE))
        residuals = outputs - design @ self.coefficients
        residuals *= np.sqrt(len(design) / max(len(design) - self.n_parameters(inputs), 1.0))
        draws = []
        for column, beta in zip(residuals.T, self.coefficients.T, strict=True):
            prior = rng.standard_normal((len(beta), weights.shape[1])) * np.sqrt(self.shrinkage)[:, None]
            push = design.T @ (column[:, None] * (weights - 1)) + column.std() * prior
            draws.append(beta[:, None] + cho_solve(factor, push))
        return np.stack(draws, axis=1)


def fit_mechanism(
    inputs: Sequence[int],
    outputs: Sequence[int],
    x: Array,
    z: Array,
    folds: NDArray[np.intp],
) -> Mechanism:
    """Fit f to standardised inputs x and outputs z, rows in `folds`, which are numbered from 0.

    Penalised splines of each input come first, smoothed by GCV. A Gaussian process of what they leave joins
    them if that lowers the error on rows left out.
    """
    varies = bool(np.ptp(z, axis=0).any())
    splines = [SplineFeatures.of(x, k) for k in range(x.shape[1]) if varies and np.ptp(x[:, k]) > 0]
    features: tuple[Features, ...] = tuple(splines)
    design = evaluate(features, x)
    shrinkage = _smooth(splines, design, z)
    errors = _held_out(design, z, shrinkage, folds)
    if len(splines) > 1 and len(x) >= _FEWEST_ROWS:
        kernel, noise = _rest(x, z - design @ _solve(design, z, shrinkage))
        wider = np.column_stack([design, kernel(x)])
        penalties = np.append(shrinkage, np.full(wider.shape[1] - design.shape[1], noise))
        joint_errors = _held_out(wider, z, penalties, folds)
        if np.sum(joint_errors**2) < np.sum(errors**2):
            features, design, shrinkage, errors = (*features, kernel), wider, penalties, joint_errors
    return Mechanism(
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        features=features,
        coefficients=_solve(design, z, shrinkage),
        shrinkage=shrinkage,
        spread=_spread(tuple(splines), x, errors, folds) if splines and len(x) >= _FEWEST_ROWS else None,
        held_out_r2=_r2(errors, z, folds),
    )


def evaluate(features: Sequence[Features], inputs: Array) -> Array:
    """Return the intercept and all functions at every row."""
    return np.column_stack([np.ones(len(inputs)), *(feature(inputs) for feature in features)])


def _smooth(splines: Sequence[SplineFeatures], design: Array, z: Array) -> Array:
    """Return the penalty of each function, the intercept's 0 first; several outputs share the gentlest."""
    if not splines:
        return np.zeros(1)
    ends = np.cumsum([0, *(len(spline.penalties) for spline in splines)])
    terms = [slice(int(a), int(b)) for a, b in pairwise(ends)]
    penalties = np.concatenate([spline.penalties for spline in splines])
    functions, centred = design[:, 1:], z - z.mean(axis=0)
    gram = functions.T @ functions
    fits = [
        fit_smooth(gram, functions.T @ column, float(column @ column), penalties, terms, len(z))
        for column in centred.T
        if column.any()
    ]
    return np.append(0.0, np.min([fit.shrinkage for fit in fits], axis=0))


def _rest(x: Array, residuals: Array) -> tuple[KernelFeatures, float]:
    """Return the kernel and its noise that predict residuals best by GCV."""
    best, chosen = np.inf, (0.0, 0.0)
    some = spread_out(len(x), _SEARCH_ROWS)
    everything, (x, residuals) = x, (x[some], residuals[some])
    for length in np.array(_LENGTHS) * np.sqrt(x.shape[1]):
        functions = KernelFeatures.of(x, length, _FEW_POINTS)(x)
        variances, axes = np.linalg.eigh(functions.T @ functions)
        moments = axes.T @ (functions.T @ residuals)
        for noise in _NOISES:
            kept = variances / (variances + noise)
            fitted = moments / (variances + noise)[:, None]
            left = np.sum(residuals**2) - np.sum((2 * moments - variances[:, None] * fitted) * fitted)
            gcv = left / (len(x) - kept.sum()) ** 2
            if gcv < best:
                best, chosen = gcv, (float(length), float(noise))
    return KernelFeatures.of(everything, chosen[0], _MOST_POINTS), chosen[1]


def _solve(design: Array, z: Array, shrinkage: Array) -> Array:
    gram = design.T @ design + np.diag(shrinkage + _RIDGE)
    solved: Array = cho_solve(cho_factor(gram), design.T @ z)
    return solved


def _held_out(design: Array, z: Array, shrinkage: Array, folds: NDArray[np.intp]) -> Array:
    """Return the errors of every row predicted from the other folds; the smoothing is that of all rows."""
    parts = [(folds == fold, design[folds == fold], z[folds == fold]) for fold in range(folds.max() + 1)]
    grams = [part.T @ part for _, part, _ in parts]
    moments = [part.T @ response for _, part, response in parts]
    gram, moment = sum(grams) + np.diag(shrinkage + _RIDGE), sum(moments)
    errors = np.empty_like(z)
    for (out, part, response), own_gram, own_moment in zip(parts, grams, moments, strict=True):
        errors[out] = response - part @ cho_solve(cho_factor(gram - own_gram), moment - own_moment)
    return errors


def _r2(errors: Array, z: Array, folds: NDArray[np.intp]) -> Array:
    total = np.mean((z - z.mean(axis=0)) ** 2, axis=0)
    parts = [np.mean(errors[folds == fold] ** 2, axis=0) for fold in range(folds.max() + 1)]
    return 1 - np.array(parts) / np.where(total > 0, total, 1.0)


def _spread(
    splines: tuple[SplineFeatures, ...], x: Array, errors: Array, folds: NDArray[np.intp]
) -> Array | None:
    """Return how log s depends on the inputs if held-out rows are likelier with it, else None.

    log e^2 of held-out errors is regressed on the splines; the gain is mean(log sigma^2 - log s^2) / 2 with s
    scaled to fit.
    """
    logs = np.log(errors**2 + 1e-12 * np.mean(errors**2, axis=0) + 1e-300)
    design = evaluate(splines, x)
    shrinkage = _smooth(splines, design, logs)
    gains = 0.0
    for fold in range(folds.max() + 1):
        out = folds == fold
        guesses = np.clip(design @ _solve(design[~out], logs[~out], shrinkage), logs.min(), logs.max())
        guess, seen = guesses[out], guesses[~out]
        shift = np.log(np.mean(errors[~out] ** 2 / np.exp(seen), axis=0))
        plain = np.log(np.mean(errors[~out] ** 2, axis=0))
        e2 = errors[out] ** 2
        gains += float(np.sum(plain - guess - shift + e2 / np.exp(plain) - e2 / np.exp(guess + shift))) / 2
    if gains < max(_LEAST_SPREAD_GAIN * errors.size, _LEAST_SPREAD_TOTAL):
        return None
    coefficients = _solve(design, logs, shrinkage) / 2
    # The average row keeps the scale of its residuals.
    coefficients[0] -= np.mean(design @ coefficients, axis=0)
    return coefficients
