"""A test that sees any joint function of the causes: does a Gaussian process predict better with this one?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from mcsl.pruning.cholesky import Array, factorise, solve
from mcsl.pruning.gaussian_process import Kernel, add_noise, gaussian, learn_kernel
from mcsl.pruning.smoothing import fit_smooth, inverse_of
from mcsl.pruning.splines import SplineTable, standardize

Matrix = NDArray[np.float64]

N_FOLDS = 4
FEWEST_ROWS = 100
_HEAVY_TAIL = 10.0
_FLOOR = 0.05


@dataclass(frozen=True, eq=False)
class JointFindings:
    """The p-value of each group, and how the Gaussian process compares with an additive model."""

    p_values: NDArray[np.float64] = field(repr=False)
    advantage: float
    """By how many standard errors it predicts the last fold better than penalised splines do."""


def joint_test(
    inputs: Matrix,
    responses: Matrix,
    groups: Sequence[NDArray[np.intp]],
) -> JointFindings:
    """Test for each group of inputs that no response depends on it, given the other inputs.

    The projected covariance measure with Gaussian processes. The rows come in random order, and each fold is
    predicted from the folds before it: m(x) from all inputs, and g(x) = E[m(x) | other inputs]. If the
    group is irrelevant, y - g and m - g are uncorrelated whatever m is, so that

        T = sum_i (y_i - g_i)(m_i - g_i) / sqrt(sum_i (y_i - g_i)^2 (m_i - g_i)^2)

    is standard normal; if it matters, m - g predicts y - g and T is large. Both factors are first cleared
    of their additive dependence on the other inputs. The factors of several responses are multiplied
    first and summed. A group without relevance in the kernel hardly moves m: its p-value is 1.
    """
    folds = np.linspace(0, len(inputs), N_FOLDS + 1).astype(int)
    # Nothing is learned of a response that does not vary before the last fold.
    responses = responses[:, np.ptp(responses[: folds[-2]], axis=0) > 0]
    if not responses.shape[1]:
        return JointFindings(np.ones(len(groups)), 0.0)
    x, y = tamed(inputs), tamed(responses).astype(np.float32)
    kernel = learn_kernel(x.astype(np.float32), y)
    least = _least_relevance(kernel, len(x))
    relevant = [k for k, group in enumerate(groups) if kernel.relevance[group].max() >= least]
    p_values = np.ones(len(groups))
    if not relevant:
        return JointFindings(p_values, 0.0)
    n_basis = max(2, min(8, -(-len(x) // (3 * x.shape[1]))))
    table = SplineTable.of(x, n_basis=n_basis)
    everywhere = _AdditiveFit(table.design)
    tested = [groups[k] for k in relevant]
    kernel = _sharpened(kernel, tested)
    blurs = [
        _Blur(x[:, group], everywhere.residuals(x[:, group], table.functions(group))) for group in tested
    ]
    full, reduced = _predict_ahead(x.astype(np.float32), y, kernel, tested, blurs, folds)
    ahead = _AdditiveFit(table.design[folds[1] :])
    for k, g in zip(relevant, reduced, strict=True):
        p_values[k] = _p_value(y[folds[1] :] - g, full - g, g, ahead, table.functions(groups[k]))
    last = slice(folds[-2], None)
    errors = np.sum((y[last] - full[folds[-2] - folds[1] :]) ** 2, axis=1, dtype=np.float64)
    difference = np.sum((y[last] - _additive_prediction(table, y, folds[-2])) ** 2, axis=1) - errors
    spread = np.std(difference)
    advantage = np.mean(difference) / spread * np.sqrt(len(difference)) if spread > 0 else 0.0
    return JointFindings(p_values, float(advantage))


def _least_relevance(kernel: Kernel, n_samples: int) -> float:
    """Return the relevance r below which an input moves less than the rows can show: n r < 3 noise."""
    return 3 * kernel.noise / n_samples


def _sharpened(kernel: Kernel, tested: Sequence[NDArray[np.intp]]) -> Kernel:
    """Return the kernel with a floor under the relevance of every column that is tested."""
    relevance = kernel.relevance.copy()
    for group in tested:
        relevance[group] = np.maximum(relevance[group], np.float32(_FLOOR))
    return replace(kernel, relevance=relevance)


def tamed(values: Matrix) -> Matrix:
    """Return the columns standardised; a heavy-tailed one is replaced by its normal scores."""
    standardized = standardize(values)
    heavy = np.abs(standardized).max(axis=0) > _HEAVY_TAIL
    if heavy.any():
        # It takes a second to load and is rarely needed.
        from scipy.stats import rankdata

        standardized[:, heavy] = ndtri((rankdata(values[:, heavy], axis=0) - 0.5) / len(values))
    return standardized


class _AdditiveFit:
    """Least squares on spline functions of all inputs, from which one group's can be left out."""

    def __init__(self, design: Matrix) -> None:
        self.design = design - design.mean(axis=0)
        self.inverse = inverse_of(self.design.T @ self.design, np.full(design.shape[1], 1e-9))

    def residuals(self, values: Matrix, left_out: NDArray[np.intp]) -> Matrix:
        """Return what the functions of the other inputs leave unexplained."""
        centred = values - values.mean(axis=0)
        coefficients = self.inverse @ (self.design.T @ centred)
        block = self.inverse[np.ix_(left_out, left_out)]
        coefficients -= self.inverse[:, left_out] @ np.linalg.solve(block, coefficients[left_out])
        unexplained: Matrix = centred - self.design @ coefficients
        return unexplained


class _Blur:
    """The distribution of a group given the other inputs, taken as normal around its additive mean."""

    def __init__(self, values: Matrix, residuals: Matrix) -> None:
        self.values = values
        self.means = values - residuals
        self.covariance = residuals.T @ residuals / len(values)

    def coordinates(self, relevance: Array) -> tuple[Array, Array, np.float32]:
        """Return points p, q and a factor c with E[k(x, x') | others of x] = c exp(-|p - q'|^2 / 2).

        For x ~ N(mu, S) and k with relevances R it is |I + R S|^-1/2 times the Gaussian of mu - x' with
        covariance R^-1 + S.
        """
        # Within a group, a column of no relevance at all would have no length scale.
        floored = np.maximum(relevance.astype(float), 1e-6)
        spread = np.diag(1 / floored) + self.covariance
        factor = np.linalg.cholesky(spread)
        white = np.linalg.inv(factor).T
        shrink = 1 / (np.prod(np.diag(factor)) * np.sqrt(np.prod(floored)))
        means, values = self.means @ white, self.values @ white
        return means.astype(np.float32), values.astype(np.float32), np.float32(shrink)


def _predict_ahead(
    x: Array,
    y: Array,
    kernel: Kernel,
    groups: Sequence[NDArray[np.intp]],
    blurs: Sequence[_Blur],
    folds: NDArray[np.intp],
) -> tuple[Array, list[Array]]:
    """Predict every fold but the first from those before it: from all inputs, and without each group."""
    weighed = kernel.weigh(x)
    places = [blur.coordinates(kernel.relevance[group]) for group, blur in zip(groups, blurs, strict=True)]
    full: list[Array] = []
    reduced: list[list[Array]] = [[] for _ in groups]
    past = weighed[: folds[-2]]
    similarity = gaussian(past, past)
    # The factor of the first rows is the first part of the factor of all.
    factor = similarity.copy()
    add_noise(factor, kernel.noise)
    factorise(factor)
    for start, stop in pairwise(folds[1:]):
        alpha = solve(factor[:start, :start], y[:start])
        now = weighed[start:stop]
        across = similarity[start:stop, :start] if stop <= len(past) else gaussian(now, past)
        full.append(across @ alpha)
        for group, (means, values, shrink), found in zip(groups, places, reduced, strict=True):
            here, there = now.copy(), past[:start].copy()
            here[:, group], there[:, group] = means[start:stop], values[:start]
            found.append(shrink * (gaussian(here, there) @ alpha))
    return np.concatenate(full), [np.concatenate(found) for found in reduced]


def _additive_prediction(table: SplineTable, y: Array, start: int) -> Matrix:
    """Predict the rows from `start` on by penalised splines fitted to those before."""
    past, past_y = table.design[:start], y[:start].astype(float)
    centre, centre_y = past.mean(axis=0), past_y.mean(axis=0)
    past, past_y = past - centre, past_y - centre_y
    # The functions have length one over all rows; the penalties are made for that.
    scale = len(y) / start
    gram, moments, squares = scale * past.T @ past, scale * past.T @ past_y, scale * np.sum(past_y**2, axis=0)
    fits = [
        fit_smooth(gram, moment, float(square), table.penalties, table.slices, start)
        for moment, square in zip(moments.T, squares, strict=True)
    ]
    ahead: Matrix = centre_y + (table.design[start:] - centre) @ np.stack(
        [fit.coefficients for fit in fits], axis=1
    )
    return ahead


def _p_value(
    surprise: Array, gain: Array, base: Array, additive: _AdditiveFit, left_out: NDArray[np.intp]
) -> float:
    width = surprise.shape[1]
    cleared = additive.residuals(np.column_stack([surprise, gain, base]).astype(float), left_out)
    surprise_left, gain_left, base_left = (cleared[:, k * width : (k + 1) * width] for k in range(3))
    product = np.sum(_without(surprise_left, base_left) * _without(gain_left, base_left), axis=1)
    # Clearing costs both factors degrees of freedom; the variance of their sum loses them only once.
    left = 1 - (1 + width + additive.design.shape[1] - len(left_out)) / len(product)
    if left <= 0:
        return 1.0
    length = np.sqrt(np.sum(product**2) / left)
    return float(ndtr(-product.sum() / length)) if length > 0 else 1.0


def _without(values: Matrix, regressors: Matrix) -> Matrix:
    left: Matrix = values - regressors @ np.linalg.lstsq(regressors, values, rcond=None)[0]
    return left
