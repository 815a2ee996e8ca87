"""Causes that act only together with many others: which variables a Gaussian process listens to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from mcsl.parallel import side_by_side
from mcsl.problem import Problem
from mcsl.pruning.gaussian_process import learn_kernel
from mcsl.pruning.joint import FEWEST_ROWS, tamed

_LEAST_RELEVANCE = 0.1
# Thousands of rows cannot tell a function of more variables than this from noise.
_MOST_CAUSES = 15
_MAX_ROWS = 3000


def relevant_predecessors(
    problem: Problem, order: Sequence[int], candidates: NDArray[np.bool_], *, n_jobs: int = 1
) -> NDArray[np.bool_]:
    """Return the edges along the order whose cause moves a Gaussian process over all that comes earlier.

    Regressions on single variables and on pairs are blind to a cause that acts only together with many
    others. The kernel of a Gaussian process weighs all inputs at once, and the `candidates` tell it where to
    start. At most fifteen causes of an effect are returned, those with the largest weights.
    """
    relevant = np.zeros_like(candidates)
    if problem.n_samples < FEWEST_ROWS:
        return relevant
    rows = np.random.default_rng(0).permutation(problem.n_samples)[:_MAX_ROWS]
    values = tamed(problem.dataset.values[rows]).astype(np.float32)

    def causes_at(place: int) -> NDArray[np.intp]:
        effect, variable = order[place], problem.variables[order[place]]
        earlier = np.array([j for j in order[:place] if problem.candidates[j, effect]], dtype=np.intp)
        if candidates[earlier, effect].all():
            return earlier
        owner = np.repeat(np.arange(len(earlier)), [len(problem.variables[j].inputs) for j in earlier])
        columns = [*variable.own_past, *(c for j in earlier for c in problem.variables[j].inputs)]
        n_past = len(variable.own_past)
        likely = np.append(np.ones(n_past, dtype=bool), candidates[earlier[owner], effect])
        kernel = learn_kernel(values[:, columns], values[:, list(variable.outputs)], likely=likely)
        relevance = np.zeros(len(earlier))
        np.maximum.at(relevance, owner, kernel.relevance[n_past:])
        strongest = np.argsort(-relevance)[:_MOST_CAUSES]
        return earlier[strongest[relevance[strongest] >= _LEAST_RELEVANCE]]

    places = range(1, len(order))
    found = side_by_side((delayed(causes_at)(place) for place in places), n_jobs, prefer="threads")
    for place, causes in zip(places, found, strict=True):
        relevant[causes, order[place]] = True
    return relevant
