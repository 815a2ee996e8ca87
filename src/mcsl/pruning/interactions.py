"""Pruning that also sees causes which act only together with others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mcsl.graph import CausalGraph
from mcsl.problem import Problem
from mcsl.pruning.additive import NEVER_TESTED, AdditiveTest, PreparedTest
from mcsl.pruning.joint import FEWEST_ROWS, joint_test
from mcsl.pruning.pruner import EffectwisePruner, Pruned, PruningObserver
from mcsl.pruning.regressions import (
    Finding,
    Findings,
    Regression,
    check_significance,
    level,
    prune_by_regressions,
)
from mcsl.settings import whole_number

_CLEARLY_BETTER = 3.0


@dataclass(frozen=True)
class InteractionPruner(EffectwisePruner):
    """Keep a cause that either an additive or a joint test finds significant.

    The additive test is that of `AdditivePruner(mode="auto")`, which keeps a level of 0.001 unless tails are
    heavy; the joint one, `joint_test`, asks whether a Gaussian process over all causes predicts better with
    this cause. The p-value is twice the smaller of the two (Bonferroni), and the test that gave it is named.
    Where the Gaussian process predicts clearly better than an additive model, by three standard errors,
    the additive test mistakes what its model cannot fit for effects of the cause, and the joint test
    decides alone. Below 100 rows only the additive test speaks.
    """

    significance: float | None = 0.001
    """Level of the test; None for one that lets half a false edge pass among all pairs, at most 0.001."""
    n_basis: int = 10
    max_rows: int = 3000
    """The joint test reads at most so many rows, drawn at random: its cost grows with their cube."""
    seed: int = 0
    n_jobs: int | None = None
    """Effects side by side; None leaves it to `joblib.parallel_config`, and -1 takes all there is."""

    def __post_init__(self) -> None:
        check_significance(self.significance)
        whole_number("seed", self.seed)
        whole_number("n_basis", self.n_basis, 2)
        whole_number("max_rows", self.max_rows, FEWEST_ROWS)

    def prune_effects(self, graph: CausalGraph, problem: Problem, observer: PruningObserver) -> Pruned:
        """Return the graph of the edges with p-value below `significance`, and every p-value."""
        rows = np.random.default_rng(self.seed).permutation(problem.n_samples)[: self.max_rows]
        additive = AdditiveTest(problem, "auto", self.n_basis)

        def prepare(regression: Regression) -> Callable[[], Findings]:
            inputs, responses = problem.columns(regression.columns), problem.columns(regression.responses)
            return partial(_judge, regression, additive.prepare(regression), inputs[rows], responses[rows])

        limit = level(self.significance, problem.n_variables)
        return prune_by_regressions(
            graph,
            problem,
            prepare,
            lambda value: value < limit,
            n_jobs=self.n_jobs,
            observer=observer,
        )


def _judge(
    regression: Regression,
    additive: PreparedTest,
    inputs: NDArray[np.float64],
    responses: NDArray[np.float64],
) -> Findings:
    """Combine the two tests of every cause."""
    first = additive()
    able = regression.without([cause for cause, finding in first.items() if finding.test in NEVER_TESTED])
    if len(inputs) < FEWEST_ROWS or not able.causes:
        return first
    columns = np.array(able.columns)
    groups = [np.flatnonzero(np.isin(columns, group)) for group in able.groups]
    joint = joint_test(inputs[:, np.isin(regression.columns, columns)], responses, groups)
    findings = dict(first)
    for cause, value in zip(able.causes, joint.p_values.tolist(), strict=True):
        if joint.advantage > _CLEARLY_BETTER:
            findings[cause] = Finding("joint", value)
        else:
            smaller = min(first[cause], Finding("joint", value), key=lambda finding: finding.value)
            findings[cause] = Finding(smaller.test, min(1.0, 2 * smaller.value))
    return findings
