"""CAM pruning: drop the causes whose smooth term an additive regression does not need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mcsl.graph import CausalGraph
from mcsl.problem import Problem
from mcsl.pruning.long_splines import summed_splines
from mcsl.pruning.pruner import EffectwisePruner, Pruned, PruningObserver
from mcsl.pruning.regressions import (
    Finding,
    Findings,
    Regression,
    check_significance,
    level,
    prune_by_regressions,
)
from mcsl.pruning.significance import wilks_test, wood_test
from mcsl.pruning.smoothing import fit_smooth, inverse_of
from mcsl.pruning.splines import SplineTable
from mcsl.settings import check_choice, whole_number

TOO_FEW_ROWS, COLLINEAR, CONSTANT = NEVER_TESTED = ("too few rows", "collinear", "constant")
Mode = Literal["wood", "f", "auto"]
# With less, an unpenalised fit has lost much of its power.
_ROWS_A_FUNCTION = 8
# A column that others explain up to this share of its variance is a copy of them.
_UNEXPLAINED = 1e-8
# Responses that vary by a smaller share of the largest spread are combinations of others.
_ROUNDING = 1e-8


@dataclass(frozen=True)
class AdditivePruner(EffectwisePruner):
    """Regress each variable on smooth functions of its causes and keep the significant ones.

    `mode="wood"` is CAM pruning, what R's mgcv reports: penalised thin-plate splines, smoothing by
    generalised cross-validation, the p-values of Wood (2013), each read once. `mode="f"` is faster:
    unpenalised splines and a drop-one F-test, which needs many rows. `mode="auto"` takes it where an effect
    has eight rows or more for each spline function, and Wood's where it has less; of causes that resemble
    each other and all fail, both test the best again without the others. Variables with several columns are
    tested jointly, by Wilks' lambda over all their unpenalised terms and all responses, in every mode.
    """

    significance: float | None = 0.001
    """Level of the test; None for one that lets half a false edge pass among all pairs, at most 0.001."""
    mode: Mode = "wood"
    n_basis: int = 10
    """Basis size of one column; it shrinks to n / (3 columns) where the rows do not suffice."""
    n_jobs: int | None = None
    """Effects side by side; None leaves it to `joblib.parallel_config`, and -1 takes all there is."""

    def __post_init__(self) -> None:
        check_significance(self.significance)
        check_choice("mode", self.mode, Mode)
        whole_number("n_basis", self.n_basis, 2)

    def prune_effects(self, graph: CausalGraph, problem: Problem, observer: PruningObserver) -> Pruned:
        """Return the graph of the edges with p-value below `significance`, and every p-value."""
        prepare = AdditiveTest(problem, self.mode, self.n_basis).prepare
        limit = level(self.significance, problem.n_variables)
        return prune_by_regressions(
            graph,
            problem,
            prepare,
            lambda value: value < limit,
            once=self.mode == "wood",
            n_jobs=self.n_jobs,
            observer=observer,
        )


class AdditiveTest:
    """The additive test of all causes of one regression, on spline tables shared by all regressions.

    It reads all rows, also where the problem holds some of them alone.
    """

    def __init__(self, problem: Problem, mode: Mode = "wood", n_basis: int = 10) -> None:
        self.problem = problem
        self.mode = mode
        self.n_basis = n_basis
        self._tables = {n_basis: summed_splines(problem, n_basis=n_basis)}

    def prepare(self, regression: Regression) -> PreparedTest:
        """Return the test of one regression."""
        table = self._tables[self.n_basis]
        weak = _weakest(regression, table)
        copies = _copies(regression.without(weak), table)
        left = regression.without(weak + copies)
        findings = dict.fromkeys(weak, Finding(TOO_FEW_ROWS, 1.0))
        findings |= dict.fromkeys(copies, Finding(COLLINEAR, 1.0))
        n_basis = -(-table.n_samples // (3 * max(len(left.columns), 1)))
        table = self._table(min(self.n_basis, max(n_basis, 2)))
        used = table.functions(left.columns)
        ends = np.cumsum([0, *(table.functions([column]).size for column in left.columns)])
        terms = {c: slice(int(a), int(b)) for c, (a, b) in zip(left.columns, pairwise(ends), strict=True)}
        products = table.inner_products(used, left.responses)
        return PreparedTest(
            left, findings, self.mode, *products, table.penalties[used], terms, table.n_samples
        )

    def _table(self, n_basis: int) -> SplineTable:
        if n_basis not in self._tables:
            self._tables[n_basis] = summed_splines(self.problem, n_basis=n_basis)
        return self._tables[n_basis]


@dataclass(frozen=True, eq=False)
class PreparedTest:
    """The additive test of one regression with all that it needs of the data, small enough to travel."""

    regression: Regression
    findings: Findings
    """Of the causes that are not tested."""
    mode: Mode
    gram: NDArray[np.float64]
    moments: NDArray[np.float64]
    scatter: NDArray[np.float64]
    penalties: NDArray[np.float64]
    terms: Mapping[int, slice]
    """Where the functions of each column lie."""
    n_samples: int

    def __call__(self) -> Findings:
        """Return the p-value of every cause."""
        groups = dict(zip(self.regression.causes, self.regression.groups, strict=True))
        if not np.diag(self.scatter).all():
            return self.findings | dict.fromkeys(groups, Finding(CONSTANT, 1.0))
        scalar = len(self.scatter) == 1 and all(len(group) == 1 for group in groups.values())
        return self.findings | (self._wood(groups) if self._penalised and scalar else self._wilks(groups))

    @property
    def _penalised(self) -> bool:
        few_rows = self.n_samples < _ROWS_A_FUNCTION * len(self.gram)
        return self.mode == "wood" or (self.mode == "auto" and few_rows)

    def _wood(self, groups: Mapping[int, tuple[int, ...]]) -> Findings:
        terms, moments, square = [*self.terms.values()], self.moments[:, 0], self.scatter[0, 0]
        fit = fit_smooth(self.gram, moments, square, self.penalties, terms, self.n_samples)
        return {c: Finding("additive", wood_test(fit, self.terms[column])) for c, (column,) in groups.items()}

    def _wilks(self, groups: Mapping[int, tuple[int, ...]]) -> Findings:
        n_functions = len(self.gram)
        freedom = self.n_samples - 1 - n_functions
        independent = _independent(self.scatter)
        scatter, moments = independent.T @ self.scatter @ independent, self.moments @ independent
        if freedom <= len(scatter):
            # Residuals of so many responses fill all directions that are left: their scatter is singular.
            return dict.fromkeys(groups, Finding(TOO_FEW_ROWS, 1.0))
        inverse = inverse_of(self.gram, np.zeros(n_functions))
        coefficients = inverse @ moments
        residual = scatter - moments.T @ coefficients
        residual[np.diag_indices_from(residual)] += 1e-14 * np.diag(scatter)
        findings = {}
        for cause, group in groups.items():
            own = np.concatenate([np.arange(n_functions)[self.terms[column]] for column in group])
            block = inverse[np.ix_(own, own)]
            value = wilks_test(coefficients[own], block, residual, freedom)
            findings[cause] = Finding("additive F", value)
        return findings


def _independent(scatter: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return directions of the responses, one a column, without those along which nothing varies.

    Shares that sum to 1 have one less than columns. Along the last one there is rounding alone, which a
    determinant takes for data.
    """
    deviations = np.sqrt(np.diag(scatter))
    spread, axes = np.linalg.eigh(scatter / np.outer(deviations, deviations))
    varying: NDArray[np.float64] = axes[:, spread > _ROUNDING * spread[-1]] / deviations[:, None]
    return varying


def _weakest(regression: Regression, table: SplineTable) -> list[int]:
    """Return the causes that must stand aside because the rows do not suffice for all columns.

    At most a third as many columns as rows are used; the causes with the best fit on their own stay.
    """
    room = table.n_samples // 3 - len(regression.always)
    if len(regression.columns) <= table.n_samples // 3:
        return []
    responses = table.values[:, list(regression.responses)]
    strength = [np.sum((table.design[:, table.functions(g)].T @ responses) ** 2) for g in regression.groups]
    stays: set[int] = set()
    for k in np.argsort(strength, kind="stable")[::-1]:
        if len(regression.groups[k]) <= room:
            room -= len(regression.groups[k])
            stays.add(regression.causes[k])
    return [cause for cause in regression.causes if cause not in stays]


def _copies(regression: Regression, table: SplineTable) -> list[int]:
    """Return the causes whose columns are all linear combinations of columns that come before them."""
    columns = list(regression.columns)
    values = table.values[:, columns]
    correlation = values.T @ values / len(values)
    # The squared pivots are the shares of variance that the columns before leave unexplained.
    pivots = np.diag(np.linalg.cholesky(correlation + 1e-10 * np.eye(len(columns)))) ** 2
    combined = {
        c
        for c, pivot, own in zip(columns, pivots, np.diag(correlation), strict=True)
        if pivot < _UNEXPLAINED < own
    }
    return [
        cause
        for cause, group in zip(regression.causes, regression.groups, strict=True)
        if combined.issuperset(group)
    ]
