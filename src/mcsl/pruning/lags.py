"""Which lags of a cause matter: the same time, the recent past, or both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from mcsl.graph import CausalGraph
from mcsl.problem import Problem, in_time
from mcsl.pruning.additive import AdditiveTest
from mcsl.pruning.regressions import Regression

SIGNIFICANCE = 0.001
"""A lag whose p-value is below it is said to matter."""


@dataclass(frozen=True)
class LagTest:
    """Whether an edge needs the cause at one lag, given all other inputs of the effect."""

    cause: str
    effect: str
    lag: int
    """Steps between cause and effect; 0 for the same time."""
    p_value: float

    @property
    def matters(self) -> bool:
        """Whether the test rejects that this lag may be left out."""
        return self.p_value < SIGNIFICANCE


def lag_tests(graph: CausalGraph, problem: Problem) -> tuple[LagTest, ...]:
    """Test every lag of every edge of a summary graph; without lags there is nothing to test.

    The effect is regressed on splines of its own past and of all its causes at all lags, and the
    columns of one cause at one lag are dropped together (an F-test, or Wilks' for several columns). What a
    cause does only together with others escapes it.
    """
    if not in_time(problem.variables):
        return ()
    test = AdditiveTest(problem, "f")
    tests = []
    with threadpool_limits(1):
        for effect in np.flatnonzero(graph.adjacency.any(axis=0)).tolist():
            causes = np.flatnonzero(graph.adjacency[:, effect]).tolist()
            terms = [
                (cause, lag, columns)
                for cause in causes
                for lag, columns in enumerate(problem.variables[cause].by_lag)
            ]
            variable = problem.variables[effect]
            judge = test.prepare(
                Regression(
                    effect,
                    variable.outputs,
                    variable.own_past,
                    tuple(range(len(terms))),
                    tuple(columns for _, _, columns in terms),
                )
            )
            findings = judge()
            tests += [
                LagTest(graph.names[cause], graph.names[effect], lag, findings[k].value)
                for k, (cause, lag, _) in enumerate(terms)
            ]
    return tuple(tests)
