"""How well a set of parents explains a variable: penalised likelihoods of additive spline regressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv

from mcsl.order.noise import N_TILTS, log_scale, tilt_gain
from mcsl.order.regressors import Regressors
from mcsl.problem import Problem

Score = Callable[[int, frozenset[int]], float]
"""`score(effect, parents)`, larger is better."""
_ROWS_FOR_A_FUNCTION = 8


@dataclass(frozen=True, eq=False)
class GaussianScore:
    """Akaike's criterion of X_i = sum_j f_ij(X_j) + eps_i with Gaussian noise of constant variance.

    -n/2 (log(RSS / n) + log 2 pi + 1) - p for p spline functions, summed over the variable's columns.
    Columns count in units of their deviations, so the units of the table do not matter. Only the Gram
    matrix is read, and no set of parents is looked at twice.
    """

    problem: Problem
    regressors: Regressors
    _known: dict[tuple[int, frozenset[int]], float] = field(default_factory=dict, init=False, repr=False)

    def __call__(self, effect: int, parents: frozenset[int]) -> float:
        """Return the penalised log-likelihood of a variable given its parents."""
        key = effect, parents
        if key not in self._known:
            outputs = self.problem.variables[effect].outputs
            chosen = self._functions(effect, parents)
            self._known[key] = sum(self._score(output, chosen) for output in outputs)
        return self._known[key]

    def _functions(self, effect: int, parents: frozenset[int]) -> NDArray[np.intp]:
        variables = self.problem.variables
        own = variables[effect].own_past
        return self.regressors.functions([*own, *(c for j in sorted(parents) for c in variables[j].inputs)])

    def _score(self, output: int, chosen: NDArray[np.intp]) -> float:
        return gaussian_log_likelihood(self._square(output, chosen), self.problem.n_samples) - len(chosen)

    def _square(self, output: int, chosen: NDArray[np.intp]) -> float:
        column = self.regressors.table.values[:, output]
        explained = self.regressors.moments[output][chosen] @ self._coefficients(output, chosen)
        return float(column @ column - explained)

    def _coefficients(self, output: int, chosen: NDArray[np.intp]) -> NDArray[np.float64]:
        if not len(chosen):
            return np.zeros(0)
        gram = self.regressors.gram[chosen[:, None], chosen]
        # Copies of a column would make it singular.
        gram.flat[:: len(chosen) + 1] += 1e-8
        coefficients: NDArray[np.float64] = dposv(gram, self.regressors.moments[output][chosen])[1]
        return coefficients


@dataclass(frozen=True, eq=False)
class ResidualVariance(GaussianScore):
    """RSS / n in the units of the table, summed over the variable's columns."""

    def _score(self, output: int, chosen: NDArray[np.intp]) -> float:
        variance = float(self.problem.columns([output]).var())
        return self._square(output, chosen) / self.problem.n_samples * variance


@dataclass(frozen=True, eq=False)
class EqualVarianceScore(ResidualVariance):
    """Akaike's criterion where all noises have one known variance: -RSS / 2 sigma^2 - p, least squares.

    Where that variance is wrong, every function may seem to pay. So there are eight rows for each, and
    further ones cost more than they can gain.
    """

    noise_variance: float = 1.0

    def _score(self, output: int, chosen: NDArray[np.intp]) -> float:
        unit = self.problem.n_samples / (2 * self.noise_variance)
        beyond = max(len(chosen) - self.problem.n_samples // _ROWS_FOR_A_FUNCTION, 0)
        price = len(chosen) + beyond * unit * super()._score(output, chosen[:0])
        return -unit * super()._score(output, chosen) - price


@dataclass(frozen=True, eq=False)
class TiltedScore(GaussianScore):
    """The same with noise that may be skewed or peaked (see `tilt_gain`), at the price of its parameters."""

    def _score(self, output: int, chosen: NDArray[np.intp]) -> float:
        return self._tilted(self._residuals(output, chosen)) - len(chosen)

    def _tilted(self, residuals: NDArray[np.float64]) -> float:
        n = len(residuals)
        return gaussian_log_likelihood(float(residuals @ residuals), n) + n * tilt_gain(residuals) - N_TILTS

    def _residuals(self, output: int, chosen: NDArray[np.intp]) -> NDArray[np.float64]:
        fitted = self.regressors.design(chosen) @ self._coefficients(output, chosen)
        residuals: NDArray[np.float64] = self.regressors.table.values[:, output] - fitted
        return residuals


@dataclass(frozen=True, eq=False)
class LocationScaleScore(TiltedScore):
    """The same with noise exp(sum_j g_ij(X_j)) eps_i where that pays: the parents move its scale too.

    The g_ij are the three smoothest functions of each parent, fitted to the residuals by `log_scale`.
    """

    steady: frozenset[int] = frozenset()
    """Columns whose noise keeps one scale."""

    def _score(self, output: int, chosen: NDArray[np.intp]) -> float:
        residuals = self._residuals(output, chosen)
        constant = self._tilted(residuals) - len(chosen)
        smooth = chosen[self.regressors.ranks[chosen] < 3]
        if output in self.steady or not len(smooth):
            return constant
        gram = self.regressors.gram[np.ix_(smooth, smooth)]
        logs = log_scale(residuals, self.regressors.design(smooth), gram)
        varying = self._tilted(residuals * np.exp(-logs)) - float(logs.sum()) - len(chosen) - len(smooth)
        return max(constant, varying)


def gaussian_log_likelihood(square: float, n_samples: int) -> float:
    """Return the largest log-likelihood of Gaussian noise with a given sum of squares."""
    # A perfect fit would have infinite likelihood.
    return -n_samples / 2 * float(np.log(max(square / n_samples, 1e-9)) + np.log(2 * np.pi) + 1)
