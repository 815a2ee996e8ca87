"""From tests of the causes of one effect to a pruned graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from threadpoolctl import threadpool_limits

from mcsl.errors import GraphError
from mcsl.graph import CausalGraph
from mcsl.parallel import side_by_side
from mcsl.problem import Problem, alike
from mcsl.pruning.pruner import EdgeTest, Pruned, PruningObserver, ignore
from mcsl.settings import check_number


@dataclass(frozen=True)
class Regression:
    """The columns in the regression of one effect on all its causes.

    Scalars, vectors and lags differ only here: a cause enters with all columns that it offers to read,
    and its edge is tested by dropping all of them at once.
    """

    effect: int
    responses: tuple[int, ...]
    always: tuple[int, ...]
    """Columns that are never tested: the effect's own past."""
    causes: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    """The columns of each cause."""

    @property
    def columns(self) -> tuple[int, ...]:
        """Every column the regression reads."""
        return self.always + tuple(column for group in self.groups for column in group)

    def without(self, causes: Sequence[int]) -> Regression:
        """Return the regression on fewer causes."""
        left = [k for k, cause in enumerate(self.causes) if cause not in causes]
        return Regression(
            self.effect,
            self.responses,
            self.always,
            tuple(self.causes[k] for k in left),
            tuple(self.groups[k] for k in left),
        )


@dataclass(frozen=True)
class Finding:
    """The outcome of one test of one cause."""

    test: str
    value: float


Findings = dict[int, Finding]
"""What was found for each cause of a regression."""


def prune_by_regressions(
    graph: CausalGraph,
    problem: Problem,
    prepare: Callable[[Regression], Callable[[], Findings]],
    keep: Callable[[float], bool],
    *,
    statistic: Literal["p_value", "coefficient"] = "p_value",
    once: bool = False,
    n_jobs: int | None = None,
    observer: PruningObserver = ignore,
) -> Pruned:
    """Judge the causes of every effect and keep the edges whose value passes, or that are required.

    What `prepare` returns judges one effect; see `side_by_side` for what it may hold. Of causes that
    resemble each other and all have too large a p-value, the best is judged again without the others,
    unless all are to be judged `once`.
    """
    if graph.names != problem.names:
        raise GraphError(
            f"The graph and the table must name the same variables in the same order. "
            f"Got {', '.join(graph.names)} and {', '.join(problem.names)} instead."
        )
    regressions = [_regression(graph, problem, int(k)) for k in np.flatnonzero(graph.adjacency.any(axis=0))]
    # The longest first: at the end, no worker waits for another's last one.
    regressions.sort(key=lambda regression: -len(regression.columns))
    adjacency = np.zeros_like(graph.adjacency)
    tests: dict[int, tuple[EdgeTest, ...]] = {}

    def verdict(cause: int, effect: int, finding: Finding) -> EdgeTest:
        required = bool(problem.required[cause, effect])
        adjacency[cause, effect] = kept = required or keep(finding.value)
        test = "required" if required else finding.test
        return EdgeTest(graph.names[cause], graph.names[effect], kept, test, statistic, finding.value)

    # One thread a regression and none inside it: the matrices are too small to share.
    with threadpool_limits(1):
        found = side_by_side(map(prepare, regressions), n_jobs, prefer="threads")
        for regression, findings in zip(regressions, found, strict=True):
            effect = regression.effect
            copies = [] if once else _copies_of_better_ones(regression, findings, problem, keep)
            if copies:
                findings = findings | prepare(regression.without(copies))()
            tests[effect] = tuple(verdict(c, effect, findings[c]) for c in regression.causes)
            observer(tests[effect])
    in_order = tuple(test for effect in sorted(tests) for test in tests[effect])
    return Pruned(CausalGraph(adjacency, graph.names), in_order)


def _copies_of_better_ones(
    regression: Regression, findings: Findings, problem: Problem, keep: Callable[[float], bool]
) -> list[int]:
    """Return the causes that fail beside another that they resemble and that fails, too, with less p.

    Of several measurements of one cause none is needed beside the others, and all would go at once.
    """
    failed = [
        cause
        for cause in regression.causes
        if not (keep(findings[cause].value) or problem.required[cause, regression.effect])
    ]
    if len(failed) < 2:
        return []
    best: dict[int, int] = {}
    for number, cause in sorted(
        zip(alike(problem, failed).tolist(), failed, strict=True), key=lambda pair: findings[pair[1]].value
    ):
        best.setdefault(number, cause)
    return [cause for cause in failed if cause not in best.values()]


def check_significance(significance: float | None) -> None:
    """Refuse a level that is not a probability."""
    if significance is not None:
        check_number("significance", significance, above=0, below=1)


def level(significance: float | None, n_variables: int) -> float:
    """Return a level as it is, or for None one that lets half a false edge pass among all pairs.

    A search has looked at every pair before a pruner sees the best of them, so all of them count. The
    paper's 0.001 is the most that is allowed.
    """
    return significance or min(0.001, 1 / max(n_variables * (n_variables - 1), 1))


def _regression(graph: CausalGraph, problem: Problem, effect: int) -> Regression:
    causes = np.flatnonzero(graph.adjacency[:, effect])
    # Of causes that are copies of each other, the first counts: the one that is required.
    causes = causes[np.argsort(~problem.required[causes, effect], kind="stable")]
    variable = problem.variables[effect]
    groups = tuple(problem.variables[cause].inputs for cause in causes)
    return Regression(effect, variable.outputs, variable.own_past, tuple(causes.tolist()), groups)
