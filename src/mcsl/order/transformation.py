"""Columns whose noise does not add up in their own units: the scale where it does, chosen by likelihood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mcsl.data.dataset import Dataset
from mcsl.order.discrete import form_of
from mcsl.order.noise import entropy, log_scale, tilt_gain
from mcsl.order.scores import gaussian_log_likelihood
from mcsl.problem import Problem
from mcsl.pruning.smoothing import inverse_of
from mcsl.pruning.splines import SplineTable, standardize
from mcsl.scales import Curve, InverseSinh, logarithms_of, rarer_scales_of

# Nats a row, and in all, that a scale must gain to be believed. Chance and regressions against the causal
# direction give about 0.01, and 0.1 where noise has long tails on both sides.
_LEAST_GAIN, _LEAST_GAIN_OF_LONG_TAILS, _LEAST_TOTAL = 0.05, 0.15, 15.0
# With less, entropies are those of what functions leave of the noise by following it.
_ROWS_FOR_A_FUNCTION = 4


def bent_columns(problem: Problem, table: SplineTable, candidates: NDArray[np.bool_]) -> dict[int, Curve]:
    """Return the scales, of standardised columns, that make columns much likelier given their candidates.

    Multiplicative noise X = m(parents) e^eps is additive in log X. Where a column's zero lies is a matter
    of units, so the transformations T are log(x - c), or -log(c - x) if the long tail is on the left, for
    several c beyond the data. Each competes with x itself in an additive regression on all candidate
    neighbours, by the likelihood of x, log p(T(x)) + log |T'(x)|. It must win by 0.05 nats a row:
    multiplicative noise gives 1. See `rarer_scale` for what is bent on both sides.
    """
    curves: dict[int, Curve] = {}
    for effect, variable in enumerate(problem.variables):
        inputs = [c for j in np.flatnonzero(candidates[:, effect]) for c in problem.variables[j].inputs]
        functions = table.functions([*variable.own_past, *inputs])
        design, gram = table.design[:, functions], table.gram_of(functions)
        for output in variable.outputs:
            column = standardize(problem.columns([output]))[:, 0]
            curve = rarer_scale(column, design, gram) or _logarithm(column, design, gram)
            if curve is not None:
                curves[output] = curve
    return curves


def straighten(problem: Problem, curves: Mapping[int, Curve]) -> Problem:
    """Put some columns on other scales; without any, `problem` comes back as it is."""
    if not curves:
        return problem
    values = problem.dataset.values.copy()
    for column, curve in curves.items():
        values[:, column] = curve.forward(standardize(problem.columns([column]))[:, 0])
    return replace(problem, dataset=Dataset(values, problem.dataset.names))


def rarer_scale(
    standardized: NDArray[np.float64], design: NDArray[np.float64], gram: NDArray[np.float64]
) -> Curve | None:
    """Return the log-odds or inverse hyperbolic sine that makes a column much likelier, if there is one.

    `design` are centred functions of its causes and `gram` their inner products. Noise of short or long tails
    is no reason, nor is noise whose scale depends on the causes: by entropies of residuals, noise may have
    any density, and in the column's own units any such scale.
    """
    n, n_functions = design.shape
    if not n_functions or n < _ROWS_FOR_A_FUNCTION * n_functions:
        return None
    if form_of(standardized) in ("lumped", "ordinal"):
        return None
    curves = rarer_scales_of(standardized)
    if not curves:
        return None
    residuals, slopes = _residuals(standardized, curves, design, gram)
    # Where column and causes have few levels, so have residuals: entropies are chance.
    if len(np.unique(residuals[:, 0].round(9))) < n / 2:
        return None
    own, *fits = slopes - [entropy(column) for column in residuals.T]
    best = int(np.argmax(fits))
    long_tails = isinstance(curves[best], InverseSinh)
    least_gain = max(_LEAST_GAIN_OF_LONG_TAILS if long_tails else _LEAST_GAIN, _LEAST_TOTAL / n)
    near_enough = fits[best] - least_gain
    if own >= near_enough:
        return None
    logs = log_scale(residuals[:, 0], design, gram)
    if -entropy(residuals[:, 0] * np.exp(-logs)) - float(logs.mean()) >= near_enough:
        return None
    residuals, slopes = _residuals(standardized, logarithms_of(standardized), design, gram)
    usual = slopes - [entropy(column) for column in residuals.T]
    return None if usual.max() >= near_enough else curves[best]


def _logarithm(
    standardized: NDArray[np.float64], design: NDArray[np.float64], gram: NDArray[np.float64]
) -> Curve | None:
    """Return the logarithm that makes a column much likelier, with tilted normal noise, if there is one."""
    curves = logarithms_of(standardized)
    if not curves:
        return None
    residuals, slopes = _residuals(standardized, curves, design, gram)
    n = len(standardized)
    fits = slopes + [gaussian_log_likelihood(float(r @ r), n) / n + tilt_gain(r) for r in residuals.T]
    best = int(fits.argmax())
    return curves[best - 1] if fits[best] > fits[0] + _LEAST_GAIN else None


def _residuals(
    standardized: NDArray[np.float64],
    curves: Sequence[Curve],
    design: NDArray[np.float64],
    gram: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what regressions of the column, and of its curves, leave, and the means of their log slopes."""
    targets = np.column_stack([standardized, *(curve.forward(standardized) for curve in curves)])
    slopes = np.array([0.0, *(curve.log_slope(standardized).mean() for curve in curves)])
    residuals = targets - targets.mean(axis=0)
    if len(gram):
        inverse = inverse_of(gram, np.zeros(len(gram)))
        residuals = residuals - design @ (inverse @ (design.T @ residuals))
    return residuals, slopes
