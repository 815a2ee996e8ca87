"""The subproblem of one stage: Adam on the augmented Lagrangian, as one compiled loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Integer, PRNGKeyArray
from numpy.typing import NDArray

from mcsl.model import MaskedSEM
from mcsl.model.mesh import by_variable, everywhere
from mcsl.objective import Acyclicity, RowBlocks, Score, Terms, lagrangian

# No Lagrangian rises by this many standard errors.
_ALL_STEPS = np.float32(-np.inf)


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


# The state, the number of steps so far, and the Lagrangian of each.
_Steps: TypeAlias = tuple[TrainingState, Integer[Array, ""], Float[Array, " step"]]


class StageEnd(NamedTuple):
    """One noisy draw at the end of a stage, on all rows, and the noise-free acyclicity."""

    n_steps: Integer[Array, ""]
    terms: Terms
    lagrangian: Float[Array, ""]
    edge_probabilities: Float[Array, "cause effect"]
    log_acyclicity_of_probabilities: Float[Array, ""]


def key_of(seed: int) -> PRNGKeyArray:
    """Return the key of a seed; JAX reads 32 bits of it, so that longer ones are mixed first."""
    return jax.random.key(seed if seed < 2**32 else int(np.random.SeedSequence(seed).generate_state(1)[0]))


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
    required_fall: np.float32 = _ALL_STEPS,
) -> tuple[TrainingState, StageEnd]:
    """Take Adam steps, each on a freshly drawn mask, until they settle, then look at one more draw.

    Steps settle where the mean Lagrangian of a fifth of `n_steps` is not `required_fall` standard errors of
    the difference below that of the fifth before; otherwise all `n_steps` are taken.
    """
    optimizer = _optimizer(settings)
    fifth = max(settings.n_steps // 5, 1)
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

    def step(carry: _Steps) -> _Steps:
        (model, optimizer_state), n, values = carry
        seen = rows.block(n % rows.n_blocks) if settings.mini_batches else rows
        (value, _), gradients = eqx.filter_value_and_grad(objective, has_aux=True)(model, seen, keys[n])
        updates, optimizer_state = optimizer.update(gradients, optimizer_state)
        state = by_variable(TrainingState(eqx.apply_updates(model, updates), optimizer_state))
        return state, n + 1, values.at[n].set(value)

    def goes_on(carry: _Steps) -> Array:
        _, n, values = carry
        before, now = (jax.lax.dynamic_slice(values, (n - k * fifth,), (fifth,)) for k in (2, 1))
        error = jnp.sqrt((before.var() + now.var()) / fifth)
        settled = before.mean() - now.mean() < required_fall * error
        judged = (n % fifth == 0) & (n >= 2 * fifth)
        return (n < settings.n_steps) & ~(judged & settled)

    first = (by_variable(state), jnp.zeros((), int), jnp.zeros(settings.n_steps))
    state, n_steps, _ = jax.lax.while_loop(goes_on, step, first)
    value, terms = objective(state.model, rows, keys[-1])
    probabilities = everywhere(state.model.mask.probabilities())
    # Whoever looks at a fit between stages finds all of it on every device.
    return everywhere(
        (state, StageEnd(n_steps, terms, value, probabilities, settings.acyclicity(probabilities)))
    )
