"""The subproblem of one stage: Adam on the augmented Lagrangian, as one compiled scan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, PRNGKeyArray
from numpy.typing import NDArray

from mcsl.model import MaskedSEM
from mcsl.model.mesh import by_variable, everywhere
from mcsl.objective import Acyclicity, RowBlocks, Score, Terms, lagrangian


@dataclass(frozen=True)
class StepSettings:
    """What a training step is made of; a new value means a new compilation."""

    score: Score
    acyclicity: Acyclicity
    learning_rate: float
    n_steps: int
    mini_batches: bool
    """Whether a step sees one block of rows, in turn, or all of them."""


class TrainingState(NamedTuple):
    """What a stage hands to the next."""

    model: MaskedSEM
    optimizer: optax.OptState

    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        """Return all arrays, in a fixed order."""
        return tuple(np.asarray(leaf) for leaf in jax.tree.leaves(eqx.filter(self, eqx.is_array)))

    def with_arrays(self, arrays: Sequence[NDArray[np.generic]]) -> TrainingState:
        """Return the state with such arrays in the places of its own."""
        own, rest = eqx.partition(self, eqx.is_array)
        given = jax.tree.unflatten(jax.tree.structure(own), map(jnp.asarray, arrays))
        state: TrainingState = eqx.combine(given, rest)
        return state


class StageEnd(NamedTuple):
    """One noisy draw at the end of a stage, on all rows, and the noise-free acyclicity."""

    terms: Terms
    lagrangian: Float[Array, ""]
    edge_probabilities: Float[Array, "cause effect"]
    log_acyclicity_of_probabilities: Float[Array, ""]


@eqx.filter_jit
def start(model: MaskedSEM, settings: StepSettings) -> TrainingState:
    """Pair a model with a fresh optimiser."""
    return TrainingState(model, _optimizer(settings).init(model.trained()))


def _optimizer(settings: StepSettings) -> optax.GradientTransformation:
    """Return Adam on one matrix with a row a variable: many small arrays cost more, also to compile."""
    adam = optax.adam(settings.learning_rate)

    def update(
        gradients: MaskedSEM, state: optax.OptState, parameters: MaskedSEM | None = None
    ) -> tuple[MaskedSEM, optax.OptState]:
        leaves, structure = jax.tree.flatten(gradients)
        matrix, state = adam.update(_side_by_side(gradients), state)
        parts = jnp.split(matrix, np.cumsum([leaf[0].size for leaf in leaves])[:-1], axis=1)
        shaped = [part.reshape(leaf.shape) for part, leaf in zip(parts, leaves, strict=True)]
        return jax.tree.unflatten(structure, shaped), state

    return optax.GradientTransformation(lambda parameters: adam.init(_side_by_side(parameters)), update)


def _side_by_side(trained: MaskedSEM) -> Float[Array, "variable parameter"]:
    return jnp.concatenate([leaf.reshape(len(leaf), -1) for leaf in jax.tree.leaves(trained)], axis=1)


@eqx.filter_jit
def run_stage(
    state: TrainingState,
    rows: RowBlocks,
    key: PRNGKeyArray,
    sparsity_weight: np.float32,
    log_multiplier: np.float32,
    log_penalty: np.float32,
    settings: StepSettings,
) -> tuple[TrainingState, StageEnd]:
    """Take `n_steps` Adam steps, each on a freshly drawn mask, then look at one more draw."""
    optimizer = _optimizer(settings)
    keys = jax.random.split(key, settings.n_steps + 1)

    def objective(model: MaskedSEM, rows: RowBlocks, key: PRNGKeyArray) -> tuple[Array, Terms]:
        return lagrangian(
            model.mechanism,
            everywhere(model.mask.sample(key)),
            rows,
            score=settings.score,
            sparsity_weight=sparsity_weight,
            acyclicity=settings.acyclicity,
            log_multiplier=log_multiplier,
            log_penalty=log_penalty,
        )

    def step(carry: TrainingState, turn: tuple[Array, PRNGKeyArray]) -> tuple[TrainingState, None]:
        index, key = turn
        seen = rows.block(index % rows.n_blocks) if settings.mini_batches else rows
        gradients, _ = eqx.filter_grad(objective, has_aux=True)(carry.model, seen, key)
        updates, optimizer_state = optimizer.update(gradients, carry.optimizer)
        return by_variable(TrainingState(eqx.apply_updates(carry.model, updates), optimizer_state)), None

    turns = (jnp.arange(settings.n_steps), keys[:-1])
    state, _ = jax.lax.scan(step, by_variable(state), turns)
    value, terms = objective(state.model, rows, keys[-1])
    probabilities = everywhere(state.model.mask.probabilities())
    # Whoever looks at a fit between stages finds all of it on every device.
    return everywhere((state, StageEnd(terms, value, probabilities, settings.acyclicity(probabilities))))
