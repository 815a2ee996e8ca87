"""From a graph and a table to mechanisms."""

from __future__ import annotations

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from mcsl.data import Dataset, to_dataset
from mcsl.errors import DataError, GraphError
from mcsl.graph import CausalGraph
from mcsl.graph.causal_graph import topological_order
from mcsl.problem import Problem
from mcsl.sem.features import SplineFeatures
from mcsl.sem.fitted import FittedSEM
from mcsl.sem.mechanism import N_FOLDS, fit_mechanism
from mcsl.sem.scale import Scale, choose_scale, plain_scale
from mcsl.settings import whole_number

FEWEST_ROWS = 2 * N_FOLDS
# With less, the scale of a column would be chosen by how well functions follow its noise.
_ROWS_A_FUNCTION = 4


def fit_sem(graph: CausalGraph, data: Any, *, max_rows: int = 3000, seed: int = 0) -> FittedSEM:
    """Fit the mechanism of every variable given its causes in the graph, to the table as it is given.

    `data` is a Problem, or anything that `learn` takes with a column for each variable of the graph.
    Rows with missing values are left out; of what remains at most `max_rows` are used, drawn at random.
    """
    max_rows, seed = whole_number("max_rows", max_rows, FEWEST_ROWS), whole_number("seed", seed)
    problem = data if isinstance(data, Problem) else _of_table(data, graph)
    if graph.names != problem.names:
        raise GraphError("The graph and the table must name the same variables in the same order.")
    complete = np.flatnonzero(np.isfinite(problem.dataset.values).all(axis=1))
    rows = np.sort(np.random.default_rng(seed).permutation(complete)[:max_rows])
    values, observed = problem.dataset.values[rows], problem.observed[rows]
    _check_rows(len(values))
    folds = np.random.default_rng(seed).permutation(len(values)) % N_FOLDS
    scales: list[Scale] = [plain_scale(column) for column in values.T]
    z = np.column_stack([scale.forward(x) for scale, x in zip(scales, values.T, strict=True)])
    mechanisms = {}
    # Many small regressions: threads inside them would only wait for each other.
    with threadpool_limits(1):
        for index in topological_order(graph.adjacency):
            variable = problem.variables[index]
            causes = [problem.variables[j] for j in np.flatnonzero(graph.adjacency[:, index])]
            inputs = [*variable.own_past, *(column for cause in causes for column in cause.inputs)]
            x = z[:, inputs]
            outputs = list(variable.outputs)
            measured = observed[:, outputs].all(axis=1)
            n_measured = int(measured.sum())
            _check_rows(n_measured)
            most = max(n_measured // (_ROWS_A_FUNCTION * max(len(inputs), 1)), 1)
            splines = [SplineFeatures.of(x, k)(x) for k in range(len(inputs)) if np.ptp(x[:, k]) > 0]
            design = np.column_stack([np.zeros((len(x), 0)), *(spline[:, :most] for spline in splines)])
            for column in outputs:
                scales[column] = choose_scale(values[measured, column], design[measured])
                z[:, column] = scales[column].forward(values[:, column])
            # Numbered among the rows that count, no fold is empty.
            own_folds = folds[measured].argsort(kind="stable").argsort() % N_FOLDS
            mechanisms[index] = fit_mechanism(
                inputs,
                outputs,
                x[measured],
                z[np.ix_(measured, outputs)],
                folds if measured.all() else own_folds,
            )
    return FittedSEM(
        graph=graph,
        variables=problem.variables,
        columns=problem.dataset.names,
        values=values,
        scales=tuple(scales),
        mechanisms=tuple(mechanisms[index] for index in range(len(problem.variables))),
        observed=observed,
    )


def _of_table(data: Any, graph: CausalGraph) -> Problem:
    """Return the columns that the graph names, in its order, as a problem."""
    dataset = to_dataset(data, allow_missing=True)
    absent = [name for name in graph.names if name not in dataset.names]
    if absent:
        raise GraphError(f"The table has no column for {', '.join(absent)}, which the graph names.")
    places = [dataset.names.index(name) for name in graph.names]
    return Problem.from_dataset(Dataset(dataset.values[:, places], graph.names))


def _check_rows(n_rows: int) -> None:
    if n_rows < FEWEST_ROWS:
        raise DataError(f"Mechanisms need at least {FEWEST_ROWS} complete rows. Got {n_rows} instead.")
