"""Rows in blocks: one pass over the table whose working set stays in the processor's cache."""

from __future__ import annotations

from typing import Any, TypeAlias

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Integer
from numpy.typing import NDArray

from mcsl.model import Mechanism
from mcsl.model.mesh import everywhere, is_spread
from mcsl.model.sums import pairwise_sum, rounded
from mcsl.objective.scores import RowLoss

# What a step keeps of so many networks of 16 units stays in the second-level cache, for a block of rows.
_CACHE_VARIABLES = 5
# So few are trained together all the same, for bits that do not depend on the number of devices.
_MOST_TOGETHER = 25

# None for all of them.
_Effects: TypeAlias = Integer[Array, " effect"] | None


class RowBlocks(eqx.Module):
    """A table cut into equal blocks of rows, columns first; padding rows weigh 0, and gaps too."""

    values: Float[Array, "block column sample"]
    weights: Float[Array, "block _ sample"]
    outputs: tuple[int, ...] | None = eqx.field(static=True, default=None)
    """The columns that are predicted, in the order of the predictions; None for all."""

    @classmethod
    def of(
        cls,
        table: NDArray[np.floating],
        rows_per_block: int,
        outputs: tuple[int, ...] | None = None,
        observed: NDArray[np.bool_] | None = None,
    ) -> RowBlocks:
        """Cut a (sample, column) table into the fewest blocks of at most `rows_per_block` rows.

        Entries that were not `observed` are read as causes and weigh nothing as effects.
        """
        n, d = table.shape
        n_blocks = -(-n // rows_per_block)
        size = -(-n // n_blocks)
        padded = np.zeros((n_blocks * size, d), np.float32)
        padded[:n] = table
        all_in_order = outputs is None or outputs == tuple(range(d))
        # Where every entry was observed, one weight a row serves all outputs.
        counted = np.ones((n, 1)) if observed is None else observed if all_in_order else observed[:, outputs]
        weights = np.zeros((n_blocks * size, counted.shape[1]), np.float32)
        weights[:n] = counted
        values, weights = (part.reshape(n_blocks, size, -1).transpose(0, 2, 1) for part in (padded, weights))
        return cls(jax.device_put(values), jax.device_put(weights), None if all_in_order else outputs)

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.values)

    def block(self, index: Array) -> RowBlocks:
        """Return one block as a table of its own, for a mini-batch."""
        return RowBlocks(self.values[index][None], self.weights[index][None], self.outputs)


def mean_losses(
    mechanism: Mechanism, soft_mask: Float[Array, "cause effect"], rows: RowBlocks, row_loss: RowLoss
) -> Float[Array, " output"]:
    """Return every predicted column's loss averaged over all rows where it was observed.

    The loss of variable i depends on slice i of the parameters and column i of the mask alone, so the
    gradients of all d losses are gathered in the same pass and scaled by their cotangents afterwards.
    Where a variable has several columns, their losses share a slice, and a second pass is needed.
    """
    parameters, static = eqx.partition(mechanism, eqx.is_inexact_array)
    # A small block may hold nothing but gaps of a column.
    share = 1 / jnp.maximum(jnp.sum(rows.weights, axis=(0, 2)), 1.0)
    n_outputs = rows.values.shape[1] if rows.outputs is None else len(rows.outputs)

    shared = n_outputs != soft_mask.shape[1]

    def block_losses(mechanism: Mechanism, soft_mask: Array, block: RowBlocks, effects: _Effects) -> Array:
        values = everywhere(block.values)
        predicted = mechanism.predict(values, soft_mask)
        observed = values if rows.outputs is None else values[np.array(rows.outputs)]
        losses = row_loss(_of(observed, effects), predicted) * _of(block.weights, effects)
        return pairwise_sum(losses, 1)[:, 0] * _of(share, effects)

    def total(parameters: Any, soft_mask: Array) -> Array:
        def of_block(parameters: Any, soft_mask: Array, block: RowBlocks) -> Array:
            return block_losses(eqx.combine(parameters, static), soft_mask, block, None)

        again = jax.checkpoint(of_block) if shared else of_block

        def add(losses: Array, block: RowBlocks) -> tuple[Array, None]:
            return losses + again(parameters, soft_mask, block), None

        return jax.lax.scan(add, jnp.zeros(n_outputs), rows)[0]

    if shared:
        return total(parameters, soft_mask)

    def of_effects(mechanism: Mechanism, soft_mask: Array, effects: _Effects = None) -> tuple[Array, Any]:
        parameters, static = eqx.partition(mechanism, eqx.is_inexact_array)

        def summed(parameters: Any, soft_mask: Array, block: RowBlocks) -> tuple[Array, Array]:
            losses = block_losses(eqx.combine(parameters, static), soft_mask, block, effects)
            return jnp.sum(losses), losses

        def add(sums: Any, block: RowBlocks) -> tuple[Any, None]:
            gradients, losses = jax.grad(summed, argnums=(0, 1), has_aux=True)(parameters, soft_mask, block)
            return jax.tree.map(jnp.add, sums, (losses, gradients)), None

        zeros = (jnp.zeros(soft_mask.shape[1]), jax.tree.map(jnp.zeros_like, (parameters, soft_mask)))
        return jax.lax.scan(add, zeros, rows)[0]

    def total_and_gradients(parameters: Any, soft_mask: Array) -> tuple[Array, Any]:
        mechanism = eqx.combine(parameters, static)
        if not _falls_into_groups(mechanism, n_outputs):
            return of_effects(mechanism, soft_mask)

        def of_group(effects: Array) -> tuple[Array, Any]:
            some = mechanism.for_effects(effects)
            losses, (of_parameters, of_mask) = of_effects(some, soft_mask[:, effects], effects)
            return losses, (jax.tree.leaves(of_parameters), of_mask.T)

        groups = jax.lax.map(of_group, _groups(n_outputs))
        losses, (of_parameters, of_mask) = jax.tree.map(
            lambda leaf: leaf.reshape(-1, *leaf.shape[2:])[:n_outputs], groups
        )
        # A part of a mechanism is another tree, with the same leaves that train.
        return losses, (jax.tree.unflatten(jax.tree.structure(parameters), of_parameters), of_mask.T)

    def scale(gradients: Any, cotangent: Array) -> Any:
        of_parameters, of_mask = gradients
        by_effect = jax.tree.map(lambda g: g * cotangent.reshape(-1, *(1,) * (g.ndim - 1)), of_parameters)
        return by_effect, of_mask * cotangent

    losses = jax.custom_vjp(total)
    losses.defvjp(total_and_gradients, scale)
    return everywhere(rounded(losses(parameters, soft_mask)))


def _of(rows: Array, effects: _Effects) -> Array:
    """Return the rows of some effects, of which there is one for all or one each."""
    return rows if effects is None or len(rows) == 1 else rows[effects]


def _falls_into_groups(mechanism: Mechanism, n_variables: int) -> bool:
    """Whether a pass takes some variables at a time, for the cache of one processor."""
    on_one_processor = jax.default_backend() == "cpu" and not is_spread()
    return n_variables > _MOST_TOGETHER and mechanism.is_divisible and on_one_processor


def _groups(n_variables: int) -> Integer[Array, "group variable"]:
    """Number the variables in the fewest equal groups; the last one fills up the last group."""
    n_groups = -(-n_variables // _CACHE_VARIABLES)
    size = -(-n_variables // n_groups)
    return jnp.minimum(jnp.arange(n_groups * size), n_variables - 1).reshape(n_groups, size)
