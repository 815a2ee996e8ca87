"""Quadratic mechanisms: every first- and second-order term of the causes."""

from __future__ import annotations

import numpy as np
from jaxtyping import Array, Float

from mcsl.model.layout import Layout
from mcsl.model.mechanism import Mechanism, xavier_uniform, zeros
from mcsl.model.sums import spread
from mcsl.problem import Problem


class Quadratic(Mechanism):
    """b + sum_j w_j x_j + sum_{j<=k} q_jk x_j x_k over the masked causes, for every variable."""

    linear: Float[Array, "effect out input"]
    second_order: Float[Array, "effect out pair"]
    bias: Float[Array, "effect out 1"]
    layout: Layout

    @classmethod
    def init(cls, rng: np.random.Generator, problem: Problem) -> Quadratic:
        """Start with Xavier-uniform weights, counting every term as an input, and a zero constant."""
        layout = Layout.of(problem)
        d, width, n_inputs = layout.n_variables, layout.width, layout.n_inputs
        n_pairs = n_inputs * (n_inputs + 1) // 2
        weights = xavier_uniform(rng, (d, width, n_inputs + n_pairs))
        return cls(weights[..., :n_inputs], weights[..., n_inputs:], zeros(d, width, 1), layout)

    def predict(
        self, inputs: Float[Array, "column sample"], soft_mask: Float[Array, "cause effect"]
    ) -> Float[Array, "output sample"]:
        """Return the polynomials' values; a product carries the product of its causes' masks."""
        seen, mask = self.layout.read(inputs), self.layout.input_mask(soft_mask)
        width = self.layout.width
        left, right = np.triu_indices(self.layout.n_inputs)
        first = (self.linear * spread(mask[:, None, :], width, axis=1)) @ seen
        pair_mask = spread((mask[:, left] * mask[:, right])[:, None, :], width, axis=1)
        second = (self.second_order * pair_mask) @ (seen[:, left] * seen[:, right])
        return self.layout.select(first + second + spread(self.bias, inputs.shape[1]))
