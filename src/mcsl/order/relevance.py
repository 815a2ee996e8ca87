"""Causes that act only together with many others: which variables a Gaussian process listens to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mcsl.parallel import side_by_side
from mcsl.problem import Problem
from mcsl.pruning.gaussian_process import learn_kernel
from mcsl.pruning.joint import FEWEST_ROWS, tamed

_LEAST_RELEVANCE = 0.1
# Thousands of rows cannot tell a function of more variables than this from noise.
_MOST_CAUSES = 15
_MAX_ROWS = 3000
# Noise gains nothing within so many steps, and most functions of up to eight causes gain ten and more.
_PATIENCE = 3


def relevant_predecessors(
    problem: Problem, order: Sequence[int], candidates: NDArray[np.bool_], *, n_jobs: int | None = None
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

    def listen(effect: int, earlier: NDArray[np.intp]) -> Callable[[], NDArray[np.intp]]:
        past, inputs = problem.variables[effect].own_past, [problem.variables[j].inputs for j in earlier]
        owner = np.repeat(np.arange(len(earlier)), [len(columns) for columns in inputs])
        likely = np.append(np.ones(len(past), dtype=bool), candidates[earlier[owner], effect])
        read = values[:, [*past, *(column for columns in inputs for column in columns)]]
        return partial(_heard, read, values[:, list(problem.variables[effect].outputs)], likely, owner)

    earlier = {
        effect: np.array([j for j in order[:place] if problem.candidates[j, effect]], dtype=np.intp)
        for place, effect in enumerate(order)
    }
    open_effects = []
    for effect, causes in earlier.items():
        if candidates[causes, effect].all():
            relevant[causes, effect] = True
        else:
            open_effects.append(effect)
    tasks = (listen(effect, earlier[effect]) for effect in open_effects)
    for effect, heard in zip(open_effects, side_by_side(tasks, n_jobs, prefer="threads"), strict=True):
        relevant[earlier[effect][heard], effect] = True
    return relevant


def _heard(
    inputs: NDArray[np.float32],
    responses: NDArray[np.float32],
    likely: NDArray[np.bool_],
    owner: NDArray[np.intp],
) -> NDArray[np.intp]:
    """Return the causes that move a Gaussian process; `owner` says whose the last inputs are."""
    kernel = learn_kernel(inputs, responses, likely=likely, patience=_PATIENCE)
    if kernel.hears_only_noise:
        return np.empty(0, dtype=np.intp)
    relevance = np.zeros(owner[-1] + 1)
    np.maximum.at(relevance, owner, kernel.relevance[-len(owner) :])
    strongest = np.argsort(-relevance, kind="stable")[:_MOST_CAUSES]
    return strongest[relevance[strongest] >= _LEAST_RELEVANCE]
