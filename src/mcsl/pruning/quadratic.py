"""Quadratic-regression pruning: drop the causes whose terms all have small coefficients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mcsl.graph import CausalGraph
from mcsl.problem import Problem
from mcsl.pruning.pruner import EffectwisePruner, Pruned, PruningObserver
from mcsl.pruning.regressions import Finding, Findings, Regression, prune_by_regressions
from mcsl.pruning.splines import standardize
from mcsl.settings import check_number


@dataclass(frozen=True)
class QuadraticPruner(EffectwisePruner):
    """Regress each variable on first- and second-order terms of its causes and threshold the coefficients.

    A cause stays if the coefficient of any term that contains it, x_j, x_j^2 or x_j x_k, exceeds
    `threshold` in size. As in the paper, the coefficients are in the units of the table, of centred columns;
    with `standardized`, variables and terms are brought to deviation 1 first.
    Where the rows do not suffice for three a term, products are left out, and then squares.
    """

    threshold: float = 0.1
    standardized: bool = False
    n_jobs: int | None = None
    """Effects side by side; None leaves it to `joblib.parallel_config`, and -1 takes all there is."""

    def __post_init__(self) -> None:
        check_number("threshold", self.threshold, least=0)

    def prune_effects(self, graph: CausalGraph, problem: Problem, observer: PruningObserver) -> Pruned:
        """Return the graph of the edges with a coefficient above `threshold`, and every coefficient."""
        values = problem.dataset.values
        table = standardize(values) if self.standardized else values - values.mean(axis=0)

        def prepare(regression: Regression) -> Callable[[], Findings]:
            columns = {column: table[:, column] for column in (*regression.columns, *regression.responses)}
            return partial(_largest_coefficients, regression, columns, self.standardized)

        def keep(value: float) -> bool:
            return value > self.threshold

        return prune_by_regressions(
            graph,
            problem,
            prepare,
            keep,
            statistic="coefficient",
            once=True,
            n_jobs=self.n_jobs,
            observer=observer,
        )


def _largest_coefficients(
    regression: Regression, table: Mapping[int, NDArray[np.float64]], standardized: bool
) -> Findings:
    columns, responses = regression.columns, np.column_stack([table[c] for c in regression.responses])
    terms: list[tuple[int, ...]] = [(column,) for column in columns]
    squares: list[tuple[int, ...]] = [(column, column) for column in columns]
    products: list[tuple[int, ...]] = list(combinations(columns, 2))
    for more in (squares, products):
        if 3 * (len(terms) + len(more)) <= len(responses):
            terms += more
    design = np.column_stack([np.prod([table[column] for column in term], axis=0) for term in terms])
    design = standardize(design) if standardized else design - design.mean(axis=0)
    # Measured in deviations of their columns, terms in small units are not taken for nothing.
    units = np.array([np.prod([table[column].std() or 1.0 for column in term]) for term in terms])
    # The shortest solution: terms that cannot be told apart share their coefficient.
    solution = np.linalg.lstsq(design / units, responses, rcond=1e-9)[0] / units[:, None]
    size = np.abs(solution).max(axis=1)
    return {
        cause: Finding(
            "quadratic", float(max(s for s, term in zip(size, terms, strict=True) if {*term} & {*group}))
        )
        for cause, group in zip(regression.causes, regression.groups, strict=True)
    }
