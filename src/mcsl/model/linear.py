"""Linear mechanisms."""

from __future__ import annotations

import numpy as np
from jaxtyping import Array, Float

from mcsl.model.mechanism import Mechanism, xavier_uniform, zeros
from mcsl.problem import Problem


class Linear(Mechanism):
    """A weighted sum of the causes and a constant for every variable."""

    weights: Float[Array, "effect cause"]
    bias: Float[Array, "effect 1"]

    @classmethod
    def init(cls, rng: np.random.Generator, problem: Problem) -> Linear:
        """Start with Xavier-uniform weights and a zero constant."""
        d = problem.n_variables
        return cls(xavier_uniform(rng, (d, 1, d))[:, 0], zeros(d, 1))

    def predict(
        self, inputs: Float[Array, "cause sample"], soft_mask: Float[Array, "cause effect"]
    ) -> Float[Array, "effect sample"]:
        """Return (W * M') x + b."""
        return (self.weights * soft_mask.T) @ inputs + self.bias
