"""Graphs judged by rows that no network has seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from numpy.typing import NDArray

from mcsl.graph import CausalGraph
from mcsl.model import EdgeMask, MaskedSEM, MechanismInit
from mcsl.objective import Acyclicity, RowBlocks, Score, mean_losses
from mcsl.problem import Problem
from mcsl.search.augmented_lagrangian import prepare
from mcsl.search.inner_loop import key_of, run_stage, start
from mcsl.search.schedule import Schedule

# A limit for networks that go on improving by less and less.
_MAX_STAGES = 10


def held_out_score(
    seen: Problem,
    unseen: Problem,
    graph: CausalGraph,
    seed: int,
    *,
    mechanism: MechanismInit,
    temperature: float,
    score: Score,
    acyclicity: Acyclicity,
    schedule: Schedule,
    **others: Any,
) -> float:
    """Return the score on unseen rows of networks fitted along a fixed graph, once it stops improving.

    A step is the search's own with a mask that does not train, so that nothing is compiled twice.
    """
    init_rng, shuffle_rng = np.random.default_rng(seed).spawn(2)
    settings, rows = prepare(seen, shuffle_rng, score=score, acyclicity=acyclicity, schedule=schedule)
    model = MaskedSEM.init(init_rng, seen, mechanism, temperature)
    mask = EdgeMask.init(graph.adjacency, temperature, required=graph.adjacency)
    state = start(replace(model, mask=mask), settings)
    key = key_of(seed)
    free = np.float32(-np.inf)
    _, judged = prepare(unseen, shuffle_rng, score=score, acyclicity=acyclicity, schedule=schedule)
    best = np.inf
    for stage in range(_MAX_STAGES):
        state, _ = run_stage(state, rows, jax.random.fold_in(key, stage), np.float32(0), free, free, settings)
        reached = float(_score(state.model, judged, score))
        if not reached < best:
            break
        best = reached
    return best


@eqx.filter_jit
def _score(model: MaskedSEM, rows: RowBlocks, score: Score) -> Float[Array, ""]:
    return score.of_mean_losses(
        mean_losses(model.mechanism, model.mask.probabilities(), rows, score.row_loss)
    )


def score_of_predictions(unseen: Problem, predicted: NDArray[np.floating], score: Score) -> float:
    """Return the score of given predictions, a row for each output."""
    outputs = [column for variable in unseen.variables for column in variable.outputs]
    weights = unseen.observed[:, outputs].T
    losses = np.asarray(score.row_loss(jnp.asarray(unseen.columns(outputs).T), jnp.asarray(predicted)))
    means = np.sum(losses * weights, axis=1) / np.maximum(weights.sum(axis=1), 1)
    return float(score.of_mean_losses(jnp.asarray(means)))
