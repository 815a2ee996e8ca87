"""How well the splines of the order search predict rows that they were not fitted to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mcsl.graph import CausalGraph
from mcsl.order.regressors import Family, Regressors
from mcsl.order.screening import spline_table
from mcsl.problem import Problem


def predict_held_out(
    problem: Problem, graph: CausalGraph, held_out: NDArray[np.bool_], *, interactions: bool
) -> NDArray[np.float64]:
    """Predict the held-out rows of every output from its causes by splines fitted to the other rows.

    The outputs come variable after variable, shape (n_outputs, n_held_out).
    """
    table = spline_table(problem)
    predicted = []
    for variable, parents in zip(problem.variables, graph.adjacency.T, strict=True):
        causes = [problem.variables[j] for j in np.flatnonzero(parents)]
        columns = [*variable.own_past, *(column for cause in causes for column in cause.inputs)]
        regressors = Regressors.of(table, [Family(variable.outputs, columns)], interactions=interactions)
        design = regressors.design(np.arange(len(regressors)))
        for output in variable.outputs:
            seen = ~held_out & problem.observed[:, output]
            z, y = design[seen], problem.dataset.values[seen, output]
            centre, mean = z.mean(axis=0), y.mean()
            coefficients = np.linalg.lstsq(z - centre, y - mean, rcond=1e-10)[0]
            predicted.append(mean + (design[held_out] - centre) @ coefficients)
    return np.array(predicted)
