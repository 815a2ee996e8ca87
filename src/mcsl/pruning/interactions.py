"""Pruning that also sees causes which act only together with others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mcsl.errors import SettingsError
from mcsl.graph import CausalGraph
from mcsl.problem import Problem
from mcsl.pruning.additive import NEVER_TESTED, AdditiveTest
from mcsl.pruning.joint import FEWEST_ROWS, joint_test
from mcsl.pruning.pruner import Pruned
from mcsl.pruning.regressions import (
    Finding,
    Findings,
    Regression,
    check_significance,
    prune_by_regressions,
)

_LIKELY = 0.05


@dataclass(frozen=True)
class InteractionPruner:
    """Keep a cause that either an additive or a joint test finds significant.

    The additive test is that of `AdditivePruner`; the joint one, `joint_test`, asks whether a Gaussian
    process over all causes predicts the effect better with this cause than without. The p-value is
    twice the smaller of the two (Bonferroni), and the test that gave it is named. An edge that the
    additive test keeps on its own is not tested jointly. Below 100 rows only the additive test speaks.
    """

    significance: float = 0.001
    n_basis: int = 10
    max_rows: int = 3000
    """The joint test reads at most so many rows, drawn at random: its cost grows with their cube."""
    seed: int = 0
    n_jobs: int = 1

    def __post_init__(self) -> None:
        check_significance(self.significance)
        if self.max_rows < FEWEST_ROWS:
            raise SettingsError(f"`max_rows` must be at least {FEWEST_ROWS}. Got {self.max_rows} instead.")

    def prune(self, graph: CausalGraph, problem: Problem) -> Pruned:
        """Return the graph of the edges with p-value below `significance`, and every p-value."""
        values = problem.dataset.values
        order = np.random.default_rng(self.seed).permutation(len(values))[: self.max_rows]
        additive = AdditiveTest(values, n_basis=self.n_basis)
        judge = partial(_judge, additive=additive, order=order, enough=self.significance / 2)
        return prune_by_regressions(
            graph, problem, judge, lambda value: value < self.significance, n_jobs=self.n_jobs
        )


def _judge(
    regression: Regression, *, additive: AdditiveTest, order: NDArray[np.intp], enough: float
) -> Findings:
    """Combine the two tests of every cause."""
    first = additive(regression)
    alone = {cause: Finding(finding.test, min(1.0, 2 * finding.value)) for cause, finding in first.items()}
    able = regression.without([cause for cause, finding in first.items() if finding.test in NEVER_TESTED])
    columns = np.array(able.columns)
    doubtful = [k for k, cause in enumerate(able.causes) if first[cause].value >= enough]
    if len(order) < FEWEST_ROWS or not doubtful:
        return alone
    likely = {
        column
        for k, group in enumerate(able.groups)
        if first[able.causes[k]].value < _LIKELY
        for column in group
    }
    p_values = joint_test(
        additive.values[:, columns],
        additive.values[:, list(able.responses)],
        [np.flatnonzero(np.isin(columns, able.groups[k])) for k in doubtful],
        np.array([column in likely or column in able.always for column in columns]),
        order,
    )
    for k, value in zip(doubtful, p_values, strict=True):
        if 2 * value < alone[able.causes[k]].value:
            alone[able.causes[k]] = Finding("joint", 2 * float(value))
    return alone
