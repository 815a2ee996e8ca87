"""Mechanisms that say how large the noise is, too."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Integer

from mcsl.model.mechanism import Mechanism, MechanismInit
from mcsl.model.mlp import MLP
from mcsl.problem import Problem


class LocationScale(Mechanism):
    """X_i = h_i(M_i * x) + exp(g_i(M_i * x)) eps_i: any mechanism twice, behind one mask.

    It predicts pairs, for a score that reads them: `location_scale_likelihood`.
    """

    location: Mechanism
    log_scale: Mechanism

    @classmethod
    def init(
        cls, rng: np.random.Generator, problem: Problem, *, part: MechanismInit = MLP.init
    ) -> LocationScale:
        """Start both by `part`."""
        return cls(part(rng, problem), part(rng, problem))

    def predict(
        self, inputs: Float[Array, "column sample"], soft_mask: Float[Array, "cause effect"]
    ) -> Float[Array, "2 output sample"]:
        """Return the locations h, then the log-scales g."""
        return jnp.stack([part.predict(inputs, soft_mask) for part in (self.location, self.log_scale)])

    @property
    def is_divisible(self) -> bool:
        """Whether both parts are."""
        return self.location.is_divisible and self.log_scale.is_divisible

    def for_effects(self, effects: Integer[Array, " effect"]) -> LocationScale:
        """Return both parts for these variables."""
        return LocationScale(self.location.for_effects(effects), self.log_scale.for_effects(effects))
