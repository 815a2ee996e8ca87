"""Scores: how badly the model's reconstruction fits the observations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Float

# The least variance: it keeps a variable that another determines exactly from pulling a score to -inf.
_FLOOR = 1e-12

RowLoss = Callable[
    [Float[Array, "output sample"], Float[Array, "*pair output sample"]], Float[Array, "output sample"]
]


@dataclass(frozen=True)
class Score:
    """sum_i phi(l_i), where l_i is the mean over samples of a loss of predicted column i.

    Losses are averaged before phi is applied, so a score sees each column once and can be summed
    over blocks of rows whatever phi is. A variable with several columns has as many terms.
    """

    name: str
    row_loss: RowLoss
    """loss(observed, predicted), entry by entry; of all columns, or of some at a time."""
    of_mean_losses: Callable[[Float[Array, " output"]], Float[Array, ""]]
    """Sum of phi over the columns' mean losses."""

    def describe(self) -> str:
        """Return the score's name, for `result.json`."""
        return self.name


def _squared_error(
    observed: Float[Array, "output sample"], predicted: Float[Array, "output sample"]
) -> Float[Array, "output sample"]:
    return (observed - predicted) ** 2


def _half_sum(mean_losses: Float[Array, " output"]) -> Float[Array, ""]:
    return 0.5 * jnp.sum(mean_losses)


def _half_sum_of_logs(mean_losses: Float[Array, " output"]) -> Float[Array, ""]:
    return 0.5 * jnp.sum(jnp.log(mean_losses + _FLOOR))


def _scaled_error(
    observed: Float[Array, "output sample"], predicted: Float[Array, "2 output sample"]
) -> Float[Array, "output sample"]:
    location, log_scale = predicted
    log_variance = jnp.logaddexp(2 * log_scale, jnp.log(_FLOOR))
    loss: Array = 0.5 * (log_variance + (observed - location) ** 2 * jnp.exp(-log_variance) - 1)
    return loss


least_squares = Score("least-squares", _squared_error, _half_sum)
"""sum_i ||x_i - h_i||^2 / 2n: right when all noises have one variance in the data's units."""

gaussian_likelihood = Score("likelihood", _squared_error, _half_sum_of_logs)
"""sum_i log(||x_i - h_i||^2 / n) / 2: Gaussian noise with a variance per variable, profiled out.

Rescaling a variable shifts it by a constant, so it does not read the order off the units."""

location_scale_likelihood = Score("location-scale", _scaled_error, jnp.sum)
"""sum_i (g_i + (x_i - h_i)^2 e^(-2 g_i) / 2 - 1/2) / n for mechanisms that give locations h and log-scales g.

Where g is the logarithm of the residuals' deviation, it is `gaussian_likelihood`, so that both compare."""
