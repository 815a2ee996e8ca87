"""The Gumbel-Sigmoid mask: a differentiable stand-in for the binary adjacency matrix."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, PRNGKeyArray
from numpy.typing import ArrayLike


class EdgeMask(eqx.Module):
    """Relaxed adjacency matrix with one logit per candidate edge.

    A draw is sigma((U + L) / tau), where the logistic noise L is the difference of two Gumbels.
    Entries that are not candidates, the diagonal among them, are exactly 0, and required ones exactly 1.
    """

    logits: Float[Array, "cause effect"]
    candidates: Bool[Array, "cause effect"]
    required: Bool[Array, "cause effect"]
    temperature: float = eqx.field(static=True)

    @classmethod
    def init(
        cls,
        candidates: ArrayLike,
        temperature: float,
        logits: ArrayLike | None = None,
        required: ArrayLike | None = None,
    ) -> EdgeMask:
        """Start at given logits, or at 0: an edge is as likely as not, and its gradient is largest there."""
        allowed = np.array(candidates, dtype=bool)
        np.fill_diagonal(allowed, False)
        start = np.zeros(allowed.shape) if logits is None else np.where(allowed, logits, 0.0)
        fixed = np.zeros(allowed.shape, bool) if required is None else np.array(required, dtype=bool)
        logit, free, one = map(jax.device_put, (start.astype(np.float32), allowed, fixed))
        return cls(logit, free, one, temperature)

    def sample(self, key: PRNGKeyArray) -> Float[Array, "cause effect"]:
        """Draw one soft mask; a fresh key gives fresh noise."""
        return self.squash(self.logits + jax.random.logistic(key, self.logits.shape))

    def probabilities(self) -> Float[Array, "cause effect"]:
        """Return the noise-free sigma(U / tau), which is thresholded at 0.5."""
        return self.squash(self.logits)

    def squash(self, logits: Float[Array, "cause effect"]) -> Float[Array, "cause effect"]:
        """Return sigma(logits / tau) on the candidates, 1 on the required edges and 0 elsewhere."""
        free = jnp.where(self.candidates, jax.nn.sigmoid(logits / self.temperature), 0.0)
        return jnp.where(self.required, 1.0, free)
