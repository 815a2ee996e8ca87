"""Columns whose noise multiplies: the logarithm that makes it add, chosen by likelihood."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mcsl.data.dataset import Dataset
from mcsl.logarithms import logarithms_of
from mcsl.order.noise import tilt_gain
from mcsl.order.scores import gaussian_log_likelihood
from mcsl.problem import Problem
from mcsl.pruning.smoothing import inverse_of
from mcsl.pruning.splines import SplineTable, standardize


def straighten(
    problem: Problem, table: SplineTable, candidates: NDArray[np.bool_], *, least_gain: float = 0.05
) -> Problem:
    """Replace columns by logarithms where that makes them much likelier given their candidates.

    Multiplicative noise X = m(parents) e^eps is additive in log X. Where a column's zero lies is a matter
    of units, so the transformations T are log(x - c), or -log(c - x) if the long tail is on the left, for
    several c beyond the data. Each competes with x itself in an additive regression on all candidate
    neighbours, by the likelihood of x, log p(T(x)) + log |T'(x)|. It must win by `least_gain` nats a row:
    chance and regressions against the causal direction give about 0.01, multiplicative noise gives 1.
    Where none wins, `problem` comes back as it is.
    """
    values = problem.dataset.values.copy()
    for effect, variable in enumerate(problem.variables):
        inputs = [c for j in np.flatnonzero(candidates[:, effect]) for c in problem.variables[j].inputs]
        functions = table.functions([*variable.own_past, *inputs])
        for output in variable.outputs:
            options, log_slopes = _options(values[:, output])
            fits = _log_likelihoods(options, table, functions) + log_slopes
            best = int(fits.argmax())
            if fits[best] > fits[0] + least_gain * len(values):
                values[:, output] = options[:, best]
    if np.array_equal(values, problem.dataset.values):
        return problem
    return replace(problem, dataset=Dataset(values, problem.dataset.names))


def _options(column: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the transformed columns, the column itself first, and the sums of their log slopes."""
    standardized = standardize(column[:, None])[:, 0]
    sign, height, offsets = logarithms_of(standardized)
    logarithms = np.log(height[:, None] + offsets)
    return np.column_stack([standardized, sign * logarithms]), np.append(0.0, -logarithms.sum(axis=0))


def _log_likelihoods(
    targets: NDArray[np.float64], table: SplineTable, functions: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the log-likelihood of each target regressed on some functions, with tilted normal noise."""
    residuals = targets - targets.mean(axis=0)
    if len(functions):
        design = table.design[:, functions]
        inverse = inverse_of(table.gram_of(functions), np.zeros(len(functions)))
        residuals = residuals - design @ (inverse @ (design.T @ residuals))
    n = table.n_samples
    return np.array([gaussian_log_likelihood(float(r @ r), n) + n * tilt_gain(r) for r in residuals.T])
