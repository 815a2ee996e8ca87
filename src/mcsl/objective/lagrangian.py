"""The augmented Lagrangian of one draw of the mask."""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from mcsl.model import Mechanism
from mcsl.model.sums import rounded
from mcsl.objective.acyclicity import Acyclicity
from mcsl.objective.row_blocks import RowBlocks, mean_losses
from mcsl.objective.scores import Score


class Terms(NamedTuple):
    """The parts of the Lagrangian, for the trace."""

    score: Float[Array, ""]
    sparsity: Float[Array, ""]
    log_acyclicity: Float[Array, ""]


def lagrangian(
    mechanism: Mechanism,
    soft_mask: Float[Array, "cause effect"],
    rows: RowBlocks,
    *,
    score: Score,
    sparsity_weight: Float[Array, ""] | np.float32,
    acyclicity: Acyclicity,
    log_multiplier: Float[Array, ""] | np.float32,
    log_penalty: Float[Array, ""] | np.float32,
) -> tuple[Float[Array, ""], Terms]:
    """Return score + lambda ||M||_1 + alpha s + rho s^2 / 2 and its parts.

    alpha, rho and s come as logarithms: s^2 alone leaves float32 near d = 90, alpha s never does.
    """
    # Rounded twice, so that each of the two gradients is rounded before they are added.
    fit = score.of_mean_losses(mean_losses(mechanism, rounded(soft_mask), rows, score.row_loss))
    sparsity = sparsity_weight * jnp.sum(soft_mask)
    log_s = acyclicity(rounded(soft_mask))
    constraint = jnp.exp(log_multiplier + log_s) + 0.5 * jnp.exp(log_penalty + 2 * log_s)
    return fit + sparsity + constraint, Terms(fit, sparsity, log_s)
