"""Which pairs of variables deserve a second look: candidate edges from spline regressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, fdtrc

from mcsl.problem import Problem
from mcsl.pruning.smoothing import inverse_of
from mcsl.pruning.splines import SplineTable, standardize

# A joint test needs at least three rows for each function.
_ROWS_PER_FUNCTION = 3
# One inverse for all regressions may be this large, one for each regression only that large.
_MAX_TOGETHER, _MAX_SEPARATE = 1000, 300


def spline_table(problem: Problem) -> SplineTable:
    """Build spline functions of every column: nine each, n^(1/3) for less than 729 rows."""
    n_functions = int(np.clip(round(np.cbrt(problem.n_samples)), 2, 9))
    return SplineTable.of(problem.dataset.values, n_basis=n_functions + 1)


def screen(
    problem: Problem,
    table: SplineTable | None = None,
    *,
    false_candidates: float = 1.0,
    interactions: bool = True,
    stand_aside: int = 20,
) -> NDArray[np.bool_]:
    """Return the candidate edges that regressions of each variable on all others support.

    Variable i is regressed on the spline functions of all others, and j is a candidate neighbour of i if
    the F-test of its functions rejects in either direction. With `interactions`, j and k are too if the
    residuals of i correlate with the product X_j X_k. The levels are such that a variable gains
    `false_candidates` unrelated ones on average by each test. What `problem` forbids stays forbidden,
    and what it requires stays a candidate.

    Interactions of many variables escape these tests, and up to `stand_aside` variables cost little: so
    few are not screened at all.
    """
    if problem.n_variables <= stand_aside:
        return problem.candidates
    table = spline_table(problem) if table is None else table
    n_others = max(problem.n_variables - 1, 1)
    p_values, residuals = _regress_all(problem, table)
    related = p_values < false_candidates / (2 * n_others)
    if interactions and n_others > 1:
        n_pairs = n_others * (n_others - 1) / 2
        # A false pair makes two candidates, each of them in both directions.
        related |= _interaction_p_values(problem, residuals) < false_candidates / (4 * n_pairs)
    return problem.candidates & (related | related.T | problem.required)


@dataclass(frozen=True, eq=False)
class _Regression:
    """Least squares of one column on some functions, as far as F-tests need it."""

    coefficients: NDArray[np.float64] = field(repr=False)
    """One for every function of the table, 0 where it takes no part."""
    covariance: Callable[[NDArray[np.intp]], NDArray[np.float64]]
    """Of the coefficients of a block of functions, for noise of variance one."""
    residual_square: float
    freedom: int

    def p_value(self, block: NDArray[np.intp]) -> float:
        """Test whether a block of functions is needed."""
        beta, size = self.coefficients[block], len(block)
        explained = max(float(beta @ np.linalg.solve(self.covariance(block), beta)), 0.0)
        return float(fdtrc(size, self.freedom, explained / size / (self.residual_square / self.freedom)))


def _regress_all(problem: Problem, table: SplineTable) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return `p[cause, effect]` of the F-tests, and the residuals of every column that is an output.

    Where all functions together are too many for the rows, a regression takes the variables that are
    most strongly associated with the effect on their own, and the others have p = 1.
    """
    blocks = [table.functions(variable.inputs) for variable in problem.variables]
    n_functions = len(table.penalties)
    budget = problem.n_samples // _ROWS_PER_FUNCTION
    together = 0 < n_functions <= min(budget, _MAX_TOGETHER)
    precision = inverse_of(table.gram, np.zeros(n_functions)) if together else None
    p_values = np.ones((problem.n_variables, problem.n_variables))
    coefficients = np.zeros((n_functions, problem.dataset.n_variables))
    for effect, variable in enumerate(problem.variables):
        past = table.functions(variable.own_past)
        for output in variable.outputs:
            others = [j for j, block in enumerate(blocks) if j != effect and len(block)]
            if precision is not None:
                fit = _regress_on_rest(table, precision, output, table.functions(variable.outputs))
            else:
                others = _strongest(table, blocks, others, output, min(budget, _MAX_SEPARATE) - len(past))
                fit = _regress(table, output, np.concatenate([past, *(blocks[j] for j in others)]))
            coefficients[:, output] = fit.coefficients
            for cause in others:
                p_values[cause, effect] = min(p_values[cause, effect], fit.p_value(blocks[cause]))
    return p_values, standardize(problem.dataset.values) - table.design @ coefficients


def _regress_on_rest(
    table: SplineTable, precision: NDArray[np.float64], output: int, own: NDArray[np.intp]
) -> _Regression:
    """Regress a column on all functions but its `own`, which are those of its variable's outputs.

    The column is y = Z_o a, so that with K = (Z'Z)^-1 the coefficients are -K_ro K_oo^-1 a, their
    covariance K_rr - K_ro K_oo^-1 K_or and the residual sum of squares a' K_oo^-1 a: one inverse
    serves every column.
    """
    functions = table.functions([output])
    weights = np.zeros(len(own))
    weights[np.isin(own, functions)] = table.moments[functions, output]
    within = np.linalg.pinv(precision[np.ix_(own, own)], hermitian=True)
    across = precision[:, own] @ within
    coefficients = -across @ weights
    coefficients[own] = 0.0
    return _Regression(
        coefficients,
        lambda block: precision[np.ix_(block, block)] - across[block] @ precision[np.ix_(own, block)],
        max(float(weights @ within @ weights), _least_square(table)),
        table.n_samples - 1 - len(table.penalties) + len(own),
    )


def _regress(table: SplineTable, output: int, chosen: NDArray[np.intp]) -> _Regression:
    """Regress a column on the `chosen` functions."""
    coefficients = np.zeros(len(table.penalties))
    inverse = np.zeros((0, 0))
    if len(chosen):
        inverse = inverse_of(table.gram[np.ix_(chosen, chosen)], np.zeros(len(chosen)))
        coefficients[chosen] = inverse @ table.moments[chosen, output]
    place = np.zeros(len(table.penalties), dtype=np.intp)
    place[chosen] = np.arange(len(chosen))
    square = float(table.scatter[output, output] - coefficients @ table.moments[:, output])
    return _Regression(
        coefficients,
        lambda block: inverse[np.ix_(place[block], place[block])],
        max(square, _least_square(table)),
        max(table.n_samples - 1 - len(chosen), 1),
    )


def _least_square(table: SplineTable) -> float:
    """Residual sum of squares below which a fit is perfect but for rounding."""
    return 1e-12 * table.n_samples


def _strongest(
    table: SplineTable, blocks: list[NDArray[np.intp]], others: list[int], output: int, budget: int
) -> list[int]:
    """Return the variables whose functions explain most on their own, as many as the budget allows."""
    strength = {j: float(np.mean(table.moments[blocks[j], output] ** 2)) for j in others}
    ranked = sorted(others, key=lambda j: -strength[j])
    spent = np.cumsum([len(blocks[j]) for j in ranked])
    return [j for j, total in zip(ranked, spent, strict=True) if total <= budget] or ranked[:1]


def _interaction_p_values(problem: Problem, residuals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `p[cause, effect]`: the least over k of the test that X_cause X_k moves the effect.

    n r^2 is chi-squared with one degree of freedom, r the correlation of residuals and product.
    """
    d, n = problem.n_variables, problem.n_samples
    owner = np.array([j for j, variable in enumerate(problem.variables) for _ in variable.inputs])
    inputs = standardize(problem.columns([c for v in problem.variables for c in v.inputs])).astype(np.float32)
    target = np.array([i for i, variable in enumerate(problem.variables) for _ in variable.outputs])
    outputs = standardize(residuals[:, [c for v in problem.variables for c in v.outputs]]).astype(np.float32)
    strongest = np.zeros((d, d))
    for first in range(inputs.shape[1] - 1):
        partners = owner[first + 1 :]
        products = inputs[:, first, None] * inputs[:, first + 1 :]
        products -= products.mean(axis=0)
        correlations = np.abs(products.T @ outputs) / (n * np.maximum(products.std(axis=0), 1e-6)[:, None])
        correlations[(partners[:, None] == target) | (target == owner[first])] = 0.0
        np.maximum.at(strongest, (owner[first], target), correlations.max(axis=0))
        np.maximum.at(strongest, (partners[:, None], target), correlations)
    p_values: NDArray[np.float64] = chdtrc(1, n * strongest**2)
    return p_values
