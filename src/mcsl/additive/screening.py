"""Which pairs of variables deserve a second look: candidate edges from spline regressions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from mcsl.problem import Problem
from mcsl.pruning.smoothing import inverse_of
from mcsl.pruning.splines import SplineTable

# Three rows a function are the least that a joint test can live on; ten where one may choose.
_LEAST_ROWS, _AMPLE_ROWS = 3, 10
_MAX_FUNCTIONS = 1000

BlockTest = Callable[[NDArray[np.intp]], float]


def spline_table(problem: Problem) -> SplineTable:
    """Build spline functions of every column: nine each, fewer below 270 rows but at least two."""
    return SplineTable.of(problem.dataset.values, n_basis=1 + int(np.clip(problem.n_samples // 30, 2, 9)))


def screen(
    problem: Problem, table: SplineTable | None = None, *, false_candidates: float = 1.0
) -> NDArray[np.bool_]:
    """Return the candidate edges that regressions of each variable on all others support.

    Variable i is regressed on the spline functions of all others, and j is a candidate neighbour of i
    if the F-test of its functions rejects in either direction. The level is such that a variable gains
    `false_candidates` unrelated ones on average. What `problem` forbids stays forbidden.
    """
    table = spline_table(problem) if table is None else table
    level = false_candidates / max(2 * (problem.n_variables - 1), 2)
    related = screening_p_values(problem, table) < level
    return problem.candidates & (related | related.T)


def screening_p_values(problem: Problem, table: SplineTable) -> NDArray[np.float64]:
    """Return `p[cause, effect]` of the F-test that the effect's regression on all others needs the cause.

    Where all functions together are too many for the rows, a regression takes the variables that are
    most strongly associated with the effect on their own, and the others have p = 1.
    """
    blocks = [table.functions(variable.inputs) for variable in problem.variables]
    n_functions = len(table.penalties)
    together = n_functions <= min(problem.n_samples // _LEAST_ROWS, _MAX_FUNCTIONS)
    precision = inverse_of(table.gram, np.zeros(n_functions)) if together else None
    p_values = np.ones((problem.n_variables, problem.n_variables))
    for effect, variable in enumerate(problem.variables):
        others = [j for j in range(problem.n_variables) if j != effect and len(blocks[j])]
        for output in variable.outputs:
            if precision is not None:
                test = _test_given_all(table, precision, output, table.functions(variable.outputs))
            else:
                past = table.functions(variable.own_past)
                others = _strongest(
                    table, blocks, others, output, problem.n_samples // _AMPLE_ROWS - len(past)
                )
                test = _test_given(table, output, np.concatenate([past, *(blocks[j] for j in others)]))
            for cause in others:
                p_values[cause, effect] = min(p_values[cause, effect], test(blocks[cause]))
    return p_values


def _test_given_all(
    table: SplineTable, precision: NDArray[np.float64], output: int, own: NDArray[np.intp]
) -> BlockTest:
    """Return the F-test of any block in the regression of a column on all functions but its `own`.

    The column is y = Z_o a, so that with K = (Z'Z)^-1 the coefficients are -K_ro K_oo^-1 a, their
    covariance K_rr - K_ro K_oo^-1 K_or and the residual sum of squares a' K_oo^-1 a: one inverse
    serves every column.
    """
    weights = np.zeros(len(own))
    line = table.functions([output])
    weights[np.isin(own, line)] = table.moments[line, output]
    within = np.linalg.pinv(precision[np.ix_(own, own)], hermitian=True)
    across = precision[:, own] @ within
    freedom = table.n_samples - 1 - len(table.penalties) + len(own)
    variance = max(float(weights @ within @ weights), _floor(table)) / freedom

    def test(block: NDArray[np.intp]) -> float:
        covariance = precision[np.ix_(block, block)] - across[block] @ precision[np.ix_(own, block)]
        return _f_test(across[block] @ weights, covariance, variance, freedom)

    return test


def _test_given(table: SplineTable, output: int, chosen: NDArray[np.intp]) -> BlockTest:
    """Return the F-test of any block in the regression of a column on the `chosen` functions."""
    inverse = inverse_of(table.gram[np.ix_(chosen, chosen)], np.zeros(len(chosen)))
    coefficients = inverse @ table.moments[chosen, output]
    freedom = max(table.n_samples - 1 - len(chosen), 1)
    square = float(table.scatter[output, output] - coefficients @ table.moments[chosen, output])
    variance = max(square, _floor(table)) / freedom
    place = np.zeros(len(table.penalties), dtype=np.intp)
    place[chosen] = np.arange(len(chosen))

    def test(block: NDArray[np.intp]) -> float:
        at = place[block]
        return _f_test(coefficients[at], inverse[np.ix_(at, at)], variance, freedom)

    return test


def _f_test(
    coefficients: NDArray[np.float64], covariance: NDArray[np.float64], variance: float, freedom: int
) -> float:
    explained = float(coefficients @ np.linalg.solve(covariance, coefficients))
    return float(fdtrc(len(coefficients), freedom, max(explained, 0.0) / len(coefficients) / variance))


def _floor(table: SplineTable) -> float:
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
