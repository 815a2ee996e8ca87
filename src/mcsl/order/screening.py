"""Which pairs of variables deserve a second look: candidate edges from spline regressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, fdtrc

from mcsl.graph.causal_graph import closure
from mcsl.order.regressors import N_SMOOTH
from mcsl.problem import Problem, alike
from mcsl.pruning.smoothing import inverse_of
from mcsl.pruning.splines import SplineTable, standardize

# A joint test needs at least three rows for each function, and more for good power.
_ROWS_PER_FUNCTION, _PLENTY_OF_ROWS = 3, 5
# One inverse for all regressions may be this large, one for each regression only that large.
_MAX_TOGETHER, _MAX_SEPARATE = 1000, 300
_MAX_PARTNERS = 128
_OUTPUTS_AT_ONCE = 100


def spline_table(problem: Problem) -> SplineTable:
    """Build spline functions of every column: nine each, or n^(1/3), rounded, where that is less."""
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

    Variable i is regressed on all spline functions of all others, up to 333 variables on the smoothest three
    of each too, and j is a candidate neighbour of i if the F-test of its functions rejects in either
    direction: all see more, and three see what is weak and smooth. Of variables that resemble each other
    (see `alike`) one takes part a second time, without the others, and speaks for all of them: beside each
    other none is needed. With `interactions`, j and k are too
    if the residuals of i correlate with the product X_j X_k. The levels are such that a variable gains
    `false_candidates` unrelated ones on average by each kind of test. What `problem` forbids stays
    forbidden, and what it requires stays a candidate.

    Interactions of many variables escape these tests, and up to `stand_aside` variables cost little: so
    few are not screened at all, if there are five rows for each of their functions. With less, tests that
    count every variable in would have no power.
    """
    table = spline_table(problem) if table is None else table
    if problem.n_variables <= stand_aside and _PLENTY_OF_ROWS * len(table.penalties) <= problem.n_samples:
        return problem.candidates
    n_others = max(problem.n_variables - 1, 1)
    found, residuals = _regress_all(problem, table)
    p_values = [found]
    n_smooth = sum(min(place.stop - place.start, N_SMOOTH) for place in table.slices)
    if n_smooth < len(table.penalties) and _one_inverse_serves(problem, n_smooth):
        p_values.append(_regress_all(problem, table.smoothest(N_SMOOTH))[0])
    first = _first_alike(problem)
    if len(np.unique(first)) < problem.n_variables:
        p_values.append(_without_copies(problem, table, first))
    n_tests = 2 * len(p_values)  # of a pair: one in each direction
    related = np.min(p_values, axis=0) < false_candidates / (n_tests * n_others)
    if interactions and n_others > 1:
        n_pairs = n_others * (n_others - 1) / 2
        # A false pair makes two candidates, each of them in both directions.
        related |= _interaction_p_values(problem, residuals) < false_candidates / (4 * n_pairs)
    candidates: NDArray[np.bool_] = problem.candidates & (related | related.T | problem.required)
    return candidates


def missed_relations(
    problem: Problem,
    table: SplineTable,
    adjacency: NDArray[np.bool_],
    candidates: NDArray[np.bool_],
    *,
    false_candidates: float = 0.01,
) -> NDArray[np.bool_]:
    """Return further candidates: pairs that are related in a way that a graph does not account for.

    A cause and its effect that act on a third variable together may look unrelated given all others, which
    is what `screen` asks. Given its causes, a variable is unrelated to all that are none of its effects: so
    what its causes leave of it is compared with the functions of each of these. Beside gaps, where every
    effect has rows of its own, there is no such look.
    """
    outside = problem.candidates & ~candidates
    if not outside.any() or not problem.observed.all():
        return np.zeros_like(candidates)
    owner, columns = np.array([(j, c) for j, v in enumerate(problem.variables) for c in v.inputs]).T
    target, outputs = np.array([(i, c) for i, v in enumerate(problem.variables) for c in v.outputs]).T
    p_values = np.ones(adjacency.shape)
    for start in range(0, len(outputs), _OUTPUTS_AT_ONCE):
        some = range(start, min(start + _OUTPUTS_AT_ONCE, len(outputs)))
        residuals, freedoms = np.empty((table.n_samples, len(some))), np.empty(len(some))
        for place, k in enumerate(some):
            own_past = problem.variables[target[k]].own_past
            chosen = table.functions([*own_past, *columns[adjacency[owner, target[k]]].tolist()])
            fit = _regress(table, int(outputs[k]), chosen)
            residuals[:, place] = table.values[:, outputs[k]] - table.design[:, chosen] @ fit.coefficients
            freedoms[place] = fit.freedom
        found = _alone(table, residuals, freedoms)[columns]
        np.minimum.at(p_values, (owner[:, None], target[list(some)]), found)
    level = false_candidates / max(2 * (len(columns) - 1), 1)
    missed = ~candidates & ~closure(adjacency).T & (p_values < level)
    return outside & (missed | missed.T)


def _alone(
    table: SplineTable, residuals: NDArray[np.float64], freedoms: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return `p[column, residual]`: whether functions of a column, all or the smoothest, explain it."""
    squares = np.maximum(np.sum(residuals**2, axis=0), _least_square(table))
    sums = np.zeros((len(table.penalties) + 1, residuals.shape[1]))
    np.cumsum((table.design.T @ residuals) ** 2 / squares, axis=0, out=sums[1:])
    starts, ends = np.array([(place.start, place.stop) for place in table.slices]).T
    p_values = np.ones((len(starts), residuals.shape[1]))
    for last in (np.minimum(starts + N_SMOOTH, ends), ends):
        explained = np.clip(sums[last] - sums[starts], 0.0, 1.0 - 1e-12)
        size = np.maximum(last - starts, 1)[:, None]
        left = np.maximum(freedoms - size, 1.0)
        statistic = explained / size / ((1.0 - explained) / left)
        p_values = np.minimum(p_values, fdtrc(size, left, statistic))
    return p_values


@dataclass(frozen=True, eq=False)
class _Regression:
    """Least squares of one column on some functions, as far as F-tests need it."""

    coefficients: NDArray[np.float64] = field(repr=False)
    covariance: Callable[[NDArray[np.intp]], NDArray[np.float64]]
    """Of the coefficients of each of several blocks of functions, for noise of variance one."""
    residual_square: float
    freedom: int

    def p_values(self, blocks: Sequence[NDArray[np.intp]]) -> NDArray[np.float64]:
        """Test of each block of functions whether it is needed."""
        found, sizes = np.ones(len(blocks)), np.array([len(block) for block in blocks], dtype=int)
        for size in np.unique(sizes).tolist():
            alike = np.flatnonzero(sizes == size)
            stacked = np.stack([blocks[k] for k in alike.tolist()])
            beta = self.coefficients[stacked]
            explained = np.sum(beta * np.linalg.solve(self.covariance(stacked), beta[:, :, None])[..., 0], 1)
            statistic = np.maximum(explained, 0.0) / size / (self.residual_square / self.freedom)
            found[alike] = fdtrc(size, self.freedom, statistic)
        return found


def _regress_all(problem: Problem, table: SplineTable) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return `p[cause, effect]` of the F-tests, and the residuals of every column that is an output."""
    blocks = [table.functions(variable.inputs) for variable in problem.variables]
    if _one_inverse_serves(problem, len(table.penalties)):
        return _regress_together(problem, table, blocks)
    budget = min(problem.n_samples // _ROWS_PER_FUNCTION, _MAX_SEPARATE)
    return _regress_separately(problem, table, blocks, budget)


def _first_alike(problem: Problem) -> NDArray[np.intp]:
    """Return for each variable the first that it resembles, which may be itself."""
    _, first, numbers = np.unique(
        alike(problem, range(problem.n_variables)), return_index=True, return_inverse=True
    )
    return first[numbers]


def _without_copies(problem: Problem, table: SplineTable, first: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return `p[cause, effect]` of the first of those that resemble each other, for all of them."""
    spoken_for = [problem.variables[i] for i in np.flatnonzero(first != np.arange(len(first)))]
    columns = {column for variable in spoken_for for column in (*variable.inputs, *variable.outputs)}
    fewer = table.smoothest(len(table.penalties), without=columns)
    return _regress_all(problem, fewer)[0][np.ix_(first, first)]


def _one_inverse_serves(problem: Problem, n_functions: int) -> bool:
    """Tell whether so many functions can be inverted together, and the rows suffice to regress on them."""
    return 0 < n_functions <= min(problem.n_samples // _ROWS_PER_FUNCTION, _MAX_TOGETHER)


def _regress_together(
    problem: Problem, table: SplineTable, blocks: list[NDArray[np.intp]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Regress every column on the functions of all other variables, by one inverse."""
    precision = inverse_of(table.gram, np.zeros(len(table.penalties)))
    p_values = np.ones((problem.n_variables, problem.n_variables))
    coefficients = np.zeros((len(table.penalties), problem.dataset.n_variables))
    for effect, variable in enumerate(problem.variables):
        others = [j for j, block in enumerate(blocks) if j != effect and len(block)]
        own = table.functions(variable.outputs)
        for output in variable.outputs:
            fit = _regress_on_rest(table, precision, output, own)
            coefficients[:, output] = fit.coefficients
            found = fit.p_values([blocks[j] for j in others])
            p_values[others, effect] = np.minimum(p_values[others, effect], found)
    return p_values, table.values - table.design @ coefficients


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
    weights[np.isin(own, functions)] = table.design[:, functions].T @ table.values[:, output]
    within = np.linalg.pinv(precision[np.ix_(own, own)], hermitian=True)
    across = precision[:, own] @ within
    coefficients = -across @ weights
    coefficients[own] = 0.0

    def covariance(stacked: NDArray[np.intp]) -> NDArray[np.float64]:
        rows, columns = stacked[:, :, None], stacked[:, None, :]
        return precision[rows, columns] - across[stacked] @ precision[own[:, None], columns]

    return _Regression(
        coefficients,
        covariance,
        max(float(weights @ within @ weights), _least_square(table)),
        table.n_samples - 1 - len(table.penalties) + len(own),
    )


def _regress_separately(
    problem: Problem, table: SplineTable, blocks: list[NDArray[np.intp]], budget: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Regress every column on the variables that are most strongly associated with it on their own.

    As many as the budget of functions allows take part; the others have p = 1.
    """
    p_values = np.ones((problem.n_variables, problem.n_variables))
    residuals = table.values.copy()
    sizes = np.array([len(block) for block in blocks])
    outputs = [output for variable in problem.variables for output in variable.outputs]
    strengths = dict(zip(outputs, _strengths(table, blocks, outputs), strict=True))
    for effect, variable in enumerate(problem.variables):
        past = table.functions(variable.own_past)
        for output in variable.outputs:
            others = _strongest(strengths[output], sizes, effect, budget - len(past))
            chosen = np.concatenate([past, *(blocks[j] for j in others)])
            fit = _regress(table, output, chosen)
            residuals[:, output] -= table.design[:, chosen] @ fit.coefficients
            ends = np.cumsum([len(past), *(len(blocks[j]) for j in others)])
            found = fit.p_values([np.arange(a, b) for a, b in pairwise(ends)])
            p_values[others, effect] = np.minimum(p_values[others, effect], found)
    return p_values, residuals


def _regress(table: SplineTable, output: int, chosen: NDArray[np.intp]) -> _Regression:
    """Regress a column on the `chosen` functions."""
    gram, moments, square = table.inner_products(chosen, [output])
    inverse = inverse_of(gram, np.zeros(len(chosen)))
    coefficients = inverse @ moments[:, 0]
    return _Regression(
        coefficients,
        lambda stacked: inverse[stacked[:, :, None], stacked[:, None, :]],
        max(float(square[0, 0] - coefficients @ moments[:, 0]), _least_square(table)),
        max(table.n_samples - 1 - len(chosen), 1),
    )


def _least_square(table: SplineTable) -> float:
    """Residual sum of squares below which a fit is perfect but for rounding."""
    return 1e-12 * table.n_samples


def _strengths(
    table: SplineTable, blocks: list[NDArray[np.intp]], outputs: Sequence[int]
) -> Iterator[NDArray[np.float64]]:
    """Yield for each output how much the functions of every variable explain on their own, on average."""
    for start in range(0, len(outputs), _OUTPUTS_AT_ONCE):
        squares = (table.design.T @ table.values[:, outputs[start : start + _OUTPUTS_AT_ONCE]]) ** 2
        yield from np.stack([squares[block].sum(axis=0) / max(len(block), 1) for block in blocks], axis=1)


def _strongest(
    strengths: NDArray[np.float64], sizes: NDArray[np.intp], effect: int, budget: int
) -> list[int]:
    """Return the variables whose functions explain most on their own, as many as the budget allows."""
    ranked = np.argsort(-strengths, kind="stable")
    ranked = ranked[(ranked != effect) & (sizes[ranked] > 0)]
    affordable = np.cumsum(sizes[ranked]) <= budget
    affordable[:1] = True
    return [int(j) for j in ranked[affordable]]


def _interaction_p_values(problem: Problem, residuals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `p[cause, effect]`: the least over k of the test that X_cause X_k moves the effect.

    n r^2 is chi-squared with one degree of freedom, r the correlation of residuals and product. Of more
    than `_MAX_PARTNERS` columns, one factor is among the so many that most move the effect, or the size of
    its residuals, on their own: the cost is then n d^2 times that number.
    """
    n, values = problem.n_samples, problem.dataset.values
    owner, columns = np.array([(j, c) for j, v in enumerate(problem.variables) for c in v.inputs]).T
    target, outputs = np.array([(i, c) for i, v in enumerate(problem.variables) for c in v.outputs]).T
    inputs, moved = _single(values[:, columns]), _single(residuals[:, outputs])
    squares = inputs**2
    deviations = np.sqrt(np.maximum(squares.T @ squares / n - (inputs.T @ inputs / n) ** 2, 1e-6))
    np.fill_diagonal(deviations, np.inf)
    association = np.abs(
        [
            _single(response).T @ _single(function)
            for response in (values[:, outputs], moved**2)
            for function in (inputs, squares)
        ]
    ).max(axis=0)
    association[target[:, None] == owner] = -1.0
    strongest = np.zeros((problem.n_variables, problem.n_variables))
    for effect, residual, alone in zip(target, moved.T, association, strict=True):
        partners = np.argsort(-alone)[: min(_MAX_PARTNERS, int(np.sum(alone >= 0)))]
        correlations = np.abs((inputs[:, partners] * residual[:, None]).T @ inputs) / deviations[partners]
        correlations[:, alone < 0] = 0.0
        np.maximum.at(strongest[:, effect], owner, correlations.max(axis=0) / n)
        np.maximum.at(strongest[:, effect], owner[partners], correlations.max(axis=1) / n)
    p_values: NDArray[np.float64] = chdtrc(1, n * strongest**2)
    return p_values


def _single(values: NDArray[Any]) -> NDArray[np.float32]:
    """Return the columns standardised, in single precision: correlations need no more."""
    return standardize(np.asarray(values, dtype=float)).astype(np.float32)
