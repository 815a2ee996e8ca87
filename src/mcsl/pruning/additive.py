"""CAM pruning: drop the causes whose smooth term an additive regression does not need."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from mcsl.errors import SettingsError
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

TOO_FEW_ROWS, COLLINEAR, CONSTANT = NEVER_TESTED = ("too few rows", "collinear", "constant")
# A column that others explain up to this share of its variance is a copy of them.
_UNEXPLAINED = 1e-8


@dataclass(frozen=True)
class AdditivePruner(EffectwisePruner):
    """Regress each variable on smooth functions of its causes and keep the significant ones.

    `mode="wood"` is what R's mgcv reports: penalised thin-plate splines, smoothing by generalised
    cross-validation, the p-values of Wood (2013). `mode="f"` is faster: unpenalised splines and a
    drop-one F-test. Variables with several columns are tested jointly, by Wilks' lambda over all their
    unpenalised terms and all responses, in either mode.
    """

    significance: float | None = 0.001
    """Level of the test; None for half a false edge on average (see `level`)."""
    mode: Literal["wood", "f"] = "wood"
    n_basis: int = 10
    """Basis size of one column; it shrinks to n / (3 columns) where the rows do not suffice."""
    n_jobs: int = 1

    def __post_init__(self) -> None:
        check_significance(self.significance)
        if self.mode not in ("wood", "f"):
            raise SettingsError(f'`mode` must be "wood" or "f". Got {self.mode!r} instead.')
        if self.n_basis < 2:
            raise SettingsError(f"`n_basis` must be at least 2. Got {self.n_basis} instead.")

    def prune_effects(self, graph: CausalGraph, problem: Problem, observer: PruningObserver) -> Pruned:
        """Return the graph of the edges with p-value below `significance`, and every p-value."""
        test = AdditiveTest(problem, self.mode, self.n_basis)
        limit = level(self.significance, problem.n_variables)
        return prune_by_regressions(
            graph, problem, test, lambda value: value < limit, n_jobs=self.n_jobs, observer=observer
        )


class AdditiveTest:
    """The additive test of all causes of one regression, on spline tables shared by all regressions.

    It reads all rows, also where the problem holds some of them alone.
    """

    def __init__(self, problem: Problem, mode: Literal["wood", "f"] = "wood", n_basis: int = 10) -> None:
        self.problem = problem
        self.mode = mode
        self.n_basis = n_basis
        self._tables = {n_basis: summed_splines(problem, n_basis=n_basis)}

    def __call__(self, regression: Regression) -> Findings:
        """Return the p-value of every cause."""
        table = self._tables[self.n_basis]
        weak = _weakest(regression, table)
        copies = _copies(regression.without(weak), table)
        left = regression.without(weak + copies)
        findings = dict.fromkeys(weak, Finding(TOO_FEW_ROWS, 1.0))
        findings |= dict.fromkeys(copies, Finding(COLLINEAR, 1.0))
        n_basis = -(-table.n_samples // (3 * max(len(left.columns), 1)))
        return findings | self._fit(left, self._table(min(self.n_basis, max(n_basis, 2))))

    def _table(self, n_basis: int) -> SplineTable:
        if n_basis not in self._tables:
            self._tables[n_basis] = summed_splines(self.problem, n_basis=n_basis)
        return self._tables[n_basis]

    def _fit(self, regression: Regression, table: SplineTable) -> Findings:
        used = table.functions(regression.columns)
        gram, moments, square = table.inner_products(used, regression.responses)
        if not np.diag(square).all():
            return dict.fromkeys(regression.causes, Finding(CONSTANT, 1.0))
        ends = np.cumsum([0, *(table.functions([column]).size for column in regression.columns)])
        position = {column: k for k, column in enumerate(regression.columns)}
        terms = [slice(int(a), int(b)) for a, b in pairwise(ends)]
        scalar = len(square) == 1 and all(len(group) == 1 for group in regression.groups)
        if self.mode == "wood" and scalar:
            fit = fit_smooth(gram, moments[:, 0], square[0, 0], table.penalties[used], terms, table.n_samples)
            return {
                cause: Finding("additive", wood_test(fit, terms[position[group[0]]]))
                for cause, group in zip(regression.causes, regression.groups, strict=True)
            }
        inverse = inverse_of(gram, np.zeros(len(used)))
        coefficients = inverse @ moments
        residual = square - moments.T @ coefficients
        residual[np.diag_indices_from(residual)] += 1e-14 * np.diag(square)
        findings = {}
        for cause, group in zip(regression.causes, regression.groups, strict=True):
            own = np.concatenate([np.arange(len(used))[terms[position[column]]] for column in group])
            block = inverse[np.ix_(own, own)]
            value = wilks_test(coefficients[own], block, residual, table.n_samples - 1 - len(used))
            findings[cause] = Finding("additive F", value)
        return findings


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
    for k in np.argsort(strength)[::-1]:
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
