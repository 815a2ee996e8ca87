"""Does a graph survive other units? Learn again from rescaled columns and compare."""

from __future__ import annotations

import sys

import numpy as np

from mcsl.data import Dataset
from mcsl.errors import DataError
from mcsl.evaluation import shd
from mcsl.learning import learn
from mcsl.recipe import Recipe
from mcsl.result import Result
from mcsl.settings import whole_number
from mcsl.trust import Finding

_DECADES = 3.0


def check_rescaling(result: Result, *, seed: int = 0) -> Finding:
    """Multiply every column by a number between 10^-3 and 10^3, learn again, and say what has changed.

    It takes as long as learning did. The result must hold its table, so one that was read from a file
    cannot be checked, nor one of series, whose windows are the table, nor one of more rows than were held.
    """
    seed = whole_number("seed", seed)
    if result.problem is None or not isinstance(result.recipe, Recipe):
        raise DataError("The result was read from a file, without its table; check it where it is learned.")
    if result.series.lags:
        raise DataError("A graph with lags is not checked by rescaling; rescale its series and learn again.")
    if result.n_drawn:
        raise DataError(
            f"Only {result.n_drawn} of {result.n_samples} rows are held, which would give another graph in "
            "any units; learn with more `memory`, or rescale the table and learn again."
        )
    table = result.problem.dataset
    units = 10.0 ** np.random.default_rng(seed).uniform(-_DECADES, _DECADES, table.n_variables)
    # What was only drawn for causes is drawn again, as it was the first time.
    measured = np.where(result.problem.observed, table.values * units, np.nan)
    again = learn(
        Dataset(measured, table.names),
        result.recipe,
        groups=dict(result.groups),
        knowledge=result.knowledge,
        missing="refuse" if result.problem.observed.all() else "mask",
        seed=result.seed,
        # All rows were held the first time.
        memory=sys.maxsize,
    )
    changed = shd(again.graph, result.graph)
    if not changed:
        return Finding("rescaling", "good", "The same graph is learned in other units.", "", {"shd": 0.0})
    return Finding(
        "rescaling",
        "bad" if 2 * changed > result.graph.n_edges else "caution",
        f"In other units {changed} edges come out otherwise, of {result.graph.n_edges}.",
        "Learn from standardised columns, unless all of them share a unit.",
        {"shd": float(changed)},
    )
