"""How well the splines of the order search predict rows that they were not fitted to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mcsl.graph import CausalGraph
from mcsl.order.noise import log_scale
from mcsl.order.regressors import Family, Models, Regressors
from mcsl.order.scores import best_fit, gaussian_log_likelihood
from mcsl.order.screening import spline_table
from mcsl.problem import Problem


def predict_held_out(
    problem: Problem, graph: CausalGraph, held_out: NDArray[np.bool_], *, interactions: bool
) -> NDArray[np.float64]:
    """Predict the held-out rows of every output from its causes by splines fitted to the other rows.

    Locations come first, then log-scales of the noise, which are sums of the three smoothest functions of
    each cause. The outputs come variable after variable, shape (2, n_outputs, n_held_out).
    """
    table = spline_table(problem)
    locations, log_scales = [], []
    for effect, variable in enumerate(problem.variables):
        family = Family.of(problem, effect, graph.adjacency[:, effect])
        regressors = Regressors.of(table, [family], interactions=interactions)
        design = regressors.design(np.arange(len(regressors)))
        models = regressors.models(family.columns)
        for output in variable.outputs:
            seen = ~held_out & problem.observed[:, output]
            y, z = problem.dataset.values[seen, output], design - design[seen].mean(axis=0)
            chosen = _chosen(models, z[seen], y - y.mean())
            coefficients = np.linalg.lstsq(z[seen][:, chosen], y - y.mean(), rcond=1e-10)[0]
            fitted = y.mean() + z[:, chosen] @ coefficients
            locations.append(fitted[held_out])
            residuals, z = y - fitted[seen], z[:, regressors.is_smooth]
            logs = log_scale(residuals, z[seen], z[seen].T @ z[seen])
            # A perfect fit would have infinite likelihood.
            level = np.log(np.mean((residuals * np.exp(-logs)) ** 2) + 1e-12) / 2
            log_scales.append(level + z[held_out] @ np.linalg.lstsq(z[seen], logs, rcond=1e-10)[0])
    return np.array([locations, log_scales])


def _chosen(models: list[Models], z: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the functions that Akaike's criterion would take on these rows, as the search does on all."""
    gram, moments = z.T @ z, z.T @ y
    return best_fit(
        models,
        float(y @ y),
        len(y),
        lambda functions: (gram[functions[:, None], functions], moments[functions]),
        lambda square, n_functions: gaussian_log_likelihood(square, len(y)) - n_functions,
    ).functions
