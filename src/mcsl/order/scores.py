"""How well a set of parents explains a variable: penalised likelihoods of additive spline regressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtrs

from mcsl.order.density import shape_gain
from mcsl.order.discrete import Form, form_of, ordinal_gain
from mcsl.order.logarithms import Logarithms
from mcsl.order.noise import N_TILTS, log_scale, tilt_gain
from mcsl.order.regressors import Models, Regressors
from mcsl.problem import Problem
from mcsl.scales import Logarithm

Score = Callable[[int, frozenset[int]], float]
"""`score(effect, parents)`, larger is better."""
# With less, Akaike's criterion pays for functions that follow the noise.
_ROWS_FOR_A_FUNCTION = 4
_ROWS_WITH_KNOWN_VARIANCE = 8


class Fit(NamedTuple):
    """The best of several models of one column."""

    worth: float
    square: float
    """What is left unexplained, a sum of squares."""
    functions: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class GaussianScore:
    """Akaike's criterion of X_i = sum_j f_ij(X_j) + eps_i with Gaussian noise of constant variance.

    -n/2 (log(RSS / n) + log 2 pi + 1) - p for p functions, summed over the variable's columns. Of the models
    that `Regressors.models` offers, the best one counts, as long as it has four rows for each function.
    Columns count in units of their deviations, so the units of the table do not matter. No set of parents
    is looked at twice, and only the Gram matrix is read, but for yes and no, grades and small counts: what
    their parents add is the gain of cumulative odds that follow the same functions.
    """

    problem: Problem
    regressors: Regressors
    _known: dict[tuple[int, frozenset[int]], float] = field(default_factory=dict, init=False, repr=False)
    _forms: dict[int, Form] = field(default_factory=dict, init=False, repr=False)

    def __call__(self, effect: int, parents: frozenset[int]) -> float:
        """Return the penalised log-likelihood of a variable given its parents."""
        key = effect, parents
        if key not in self._known:
            models = self._models(effect, parents)
            outputs = self.problem.variables[effect].outputs
            self._known[key] = sum(self._score(output, models) for output in outputs)
        return self._known[key]

    def _models(self, effect: int, parents: frozenset[int]) -> list[Models]:
        variables = self.problem.variables
        inputs = (column for j in sorted(parents) for column in variables[j].inputs)
        return self.regressors.models([*variables[effect].own_past, *inputs])

    def _score(self, output: int, models: list[Models]) -> float:
        best = self._best(output, models)
        return self._ordinal(output, best.functions) if self._form(output) == "ordinal" else best.worth

    def _form(self, output: int) -> Form:
        if output not in self._forms:
            self._forms[output] = form_of(self.regressors.table.values[:, output])
        return self._forms[output]

    def _ordinal(self, output: int, chosen: NDArray[np.intp]) -> float:
        column = self.regressors.table.values[:, output]
        alone = gaussian_log_likelihood(float(column @ column), len(column))
        return alone + ordinal_gain(column, self.regressors.design(chosen)) - len(chosen)

    def _best(self, output: int, models: list[Models]) -> Fit:
        column = self.regressors.table.values[:, output]
        inner_products, worth = partial(self._inner_products, output), partial(self._worth, output)
        return best_fit(models, float(column @ column), self.problem.n_samples, inner_products, worth)

    def _inner_products(
        self, output: int, functions: NDArray[np.intp]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        gram = self.regressors.gram[functions[:, None], functions]
        return gram, self.regressors.moments[output][functions]

    def _worth(self, output: int, square: float, n_functions: int) -> float:
        return gaussian_log_likelihood(square, self.problem.n_samples) - n_functions


@dataclass(frozen=True, eq=False)
class ResidualVariance(GaussianScore):
    """RSS / n in the units of the table, summed over the variable's columns."""

    def _score(self, output: int, models: list[Models]) -> float:
        variance = float(self.problem.columns([output]).var())
        return self._best(output, models).square / self.problem.n_samples * variance


@dataclass(frozen=True, eq=False)
class EqualVarianceScore(GaussianScore):
    """Akaike's criterion where all noises have one known variance: -RSS / 2 sigma^2 - p, least squares.

    Where that variance is wrong, every cause may seem to pay. So there are eight rows for each function of
    the causes and for four products of each pair, and further causes cost more than they can gain.
    """

    noise_variance: float = 1.0

    def _score(self, output: int, models: list[Models]) -> float:
        n_functions = models[-1].ends[-1]
        beyond = max(n_functions - self.problem.n_samples // _ROWS_WITH_KNOWN_VARIANCE, 0)
        return self._best(output, models).worth - beyond * self._unit(output) * self.problem.n_samples

    def _worth(self, output: int, square: float, n_functions: int) -> float:
        return -self._unit(output) * square - n_functions

    def _unit(self, output: int) -> float:
        """Return what a column's standardised squares are worth."""
        return float(self.problem.columns([output]).var()) / (2 * self.noise_variance)


@dataclass(frozen=True, eq=False)
class ShapedScore(GaussianScore):
    """The same with noise of any density that pays for its parameters (see `shape_gain`).

    A column with lumps keeps Gaussian noise: any other would be made for them. One with smaller masses may
    have noise that is skewed or peaked (see `tilt_gain`). A column that may have one of several logarithms
    has, with each set of parents, that which makes it likeliest.
    """

    logarithms: Mapping[int, Logarithms] = field(default_factory=dict, repr=False)

    def curves(self, effect: int, parents: frozenset[int]) -> dict[int, Logarithm]:
        """Return the logarithms that the columns of a variable have, given its parents."""
        outputs = [c for c in self.problem.variables[effect].outputs if c in self.logarithms]
        models = self._models(effect, parents) if outputs else []
        found = {}
        for output in outputs:
            scales = self.logarithms[output]
            unexplained = self._unexplained(self._best(output, models).functions)
            columns = map(scales.column, range(len(scales.curves)))
            likelihoods = [shaped_log_likelihood(unexplained(column)) for column in columns]
            found[output] = scales.curves[int(np.argmax(likelihoods + scales.log_slopes))]
        return found

    def _score(self, output: int, models: list[Models]) -> float:
        if self._form(output) in ("lumped", "ordinal"):
            return super()._score(output, models)
        chosen = self._best(output, models).functions
        return self._likelihood(output, chosen) - len(chosen)

    def _likelihood(self, output: int, chosen: NDArray[np.intp]) -> float:
        if output not in self.logarithms:
            return self._likelihood_of(self._residuals(output, chosen), output)
        scales, unexplained = self.logarithms[output], self._unexplained(chosen)
        # Entropies find a scale in a fraction of the time that densities take, and may miss the better one
        # where several fit alike, as they do without causes.
        places = {scales.begun, scales.likeliest(unexplained)}
        # In units of the scale that the search began with, as all likelihoods of the column are.
        return max(
            shaped_log_likelihood(unexplained(scales.column(place))) + float(scales.log_slopes[place])
            for place in places
        )

    def _likelihood_of(self, residuals: NDArray[np.float64], output: int) -> float:
        return (shaped_log_likelihood if self._form(output) == "dense" else tilted_log_likelihood)(residuals)

    def _residuals(self, output: int, chosen: NDArray[np.intp]) -> NDArray[np.float64]:
        return self._unexplained(chosen)(self.regressors.table.values[:, output])

    def _unexplained(self, chosen: NDArray[np.intp]) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
        """Return what takes from a column all that some functions explain of it."""
        if not len(chosen):
            return lambda column: column
        design, gram = self.regressors.design(chosen), self.regressors.gram[chosen[:, None], chosen]
        factor, _ = dpotrf(_regular(gram), clean=False, overwrite_a=True)
        return lambda column: column - design @ dpotrs(factor, design.T @ column)[0]


@dataclass(frozen=True, eq=False)
class LocationScaleScore(ShapedScore):
    """The same with noise exp(sum_j g_ij(X_j)) eps_i where that pays: the parents move its scale too.

    The g_ij are the three smoothest functions of each parent, fitted to the residuals by `log_scale`.
    """

    steady: frozenset[int] = frozenset()
    """Columns whose noise keeps one scale."""

    def _score(self, output: int, models: list[Models]) -> float:
        if output in self.steady or self._form(output) in ("lumped", "ordinal"):
            return super()._score(output, models)
        chosen = self._best(output, models).functions
        residuals = self._residuals(output, chosen)
        constant = self._likelihood_of(residuals, output) - len(chosen)
        smooth = chosen[self.regressors.is_smooth[chosen]]
        if not len(smooth):
            return constant
        gram = self.regressors.gram[np.ix_(smooth, smooth)]
        logs = log_scale(residuals, self.regressors.design(smooth), gram)
        varying = self._likelihood_of(residuals * np.exp(-logs), output) - float(logs.sum())
        return max(constant, varying - len(chosen) - len(smooth))


def best_fit(
    models: list[Models],
    square: float,
    n_samples: int,
    inner_products: Callable[[NDArray[np.intp]], tuple[NDArray[np.float64], NDArray[np.float64]]],
    worth: Callable[[float, int], float],
) -> Fit:
    """Return the model of most worth, given the sum of squares that it leaves and its number of functions.

    The smallest model may always be taken, and others if there are four rows for each of their functions.
    """
    most = max(n_samples // _ROWS_FOR_A_FUNCTION, models[0].ends[0])
    fits = []
    for functions, ends in models:
        sizes = [end for end in ends if end <= most]
        functions = functions[: max(sizes, default=0)]
        explained = _explained_squares(*inner_products(functions))
        for size in sizes:
            left = square - float(explained[size])
            fits.append(Fit(worth(left, size), left, functions[:size]))
    return max(fits, key=lambda fit: fit.worth)


def _explained_squares(gram: NDArray[np.float64], moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of squares that the first k functions explain, for every k from 0 on.

    With Z'Z = U'U the functions Z U^-1 are orthonormal, and the first k of them are made of the first k of Z.
    """
    if not len(moments):
        return np.zeros(1)
    factor, _ = dpotrf(_regular(gram), clean=False, overwrite_a=True)
    along, _ = dtrtrs(factor, moments, trans=1)
    return np.append(0.0, np.cumsum(along**2))


def _regular(gram: NDArray[np.float64]) -> NDArray[np.float64]:
    """Keep copies of a column from making the matrix singular, and give it the order that LAPACK reads."""
    gram.flat[:: len(gram) + 1] += 1e-8
    return gram.T


def gaussian_log_likelihood(square: float, n_samples: int) -> float:
    """Return the largest log-likelihood of Gaussian noise with a given sum of squares."""
    # A perfect fit would have infinite likelihood.
    return -n_samples / 2 * float(np.log(max(square / n_samples, 1e-9)) + np.log(2 * np.pi) + 1)


def shaped_log_likelihood(residuals: NDArray[np.float64]) -> float:
    """Return the log-likelihood of noise with the density that pays best, less the density's price."""
    n = len(residuals)
    return gaussian_log_likelihood(float(residuals @ residuals), n) + n * shape_gain(residuals)


def tilted_log_likelihood(residuals: NDArray[np.float64]) -> float:
    """Return the same with the normal density or a tilted one, which cannot follow masses."""
    n = len(residuals)
    gain = max(n * tilt_gain(residuals) - N_TILTS, 0.0)
    return gaussian_log_likelihood(float(residuals @ residuals), n) + gain
