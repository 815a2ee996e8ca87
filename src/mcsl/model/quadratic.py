"""Quadratic mechanisms: every first- and second-order term of the causes."""

from __future__ import annotations

import numpy as np
from jaxtyping import Array, Float

from mcsl.model.mechanism import Mechanism, xavier_uniform, zeros
from mcsl.problem import Problem


class Quadratic(Mechanism):
    """b + sum_j w_j x_j + sum_{j<=k} q_jk x_j x_k over the masked causes, for every variable."""

    linear: Float[Array, "effect cause"]
    second_order: Float[Array, "effect pair"]
    bias: Float[Array, "effect 1"]

    @classmethod
    def init(cls, rng: np.random.Generator, problem: Problem) -> Quadratic:
        """Start with Xavier-uniform weights, counting every term as an input, and a zero constant."""
        d = problem.n_variables
        n_pairs = d * (d + 1) // 2
        weights = xavier_uniform(rng, (d, 1, d + n_pairs))[:, 0]
        return cls(weights[:, :d], weights[:, d:], zeros(d, 1))

    def predict(
        self, inputs: Float[Array, "cause sample"], soft_mask: Float[Array, "cause effect"]
    ) -> Float[Array, "effect sample"]:
        """Return the polynomials' values; a product carries the product of its causes' masks."""
        left, right = np.triu_indices(len(inputs))
        products = inputs[left] * inputs[right]
        pair_mask = soft_mask[left] * soft_mask[right]
        first = (self.linear * soft_mask.T) @ inputs
        return first + (self.second_order * pair_mask.T) @ products + self.bias
