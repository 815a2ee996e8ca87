"""Linear mechanisms."""

from __future__ import annotations

import numpy as np
from jaxtyping import Array, Float

from mcsl.model.layout import Layout
from mcsl.model.mechanism import Mechanism, xavier_uniform, zeros
from mcsl.model.sums import spread
from mcsl.problem import Problem


class Linear(Mechanism):
    """A weighted sum of the causes and a constant for every variable."""

    weights: Float[Array, "effect out input"]
    bias: Float[Array, "effect out 1"]
    layout: Layout

    @classmethod
    def init(cls, rng: np.random.Generator, problem: Problem) -> Linear:
        """Start with Xavier-uniform weights and a zero constant."""
        layout = Layout.of(problem)
        shape = (layout.n_variables, layout.width, layout.n_inputs)
        return cls(xavier_uniform(rng, shape), zeros(*shape[:2], 1), layout)

    def predict(
        self, inputs: Float[Array, "column sample"], soft_mask: Float[Array, "cause effect"]
    ) -> Float[Array, "output sample"]:
        """Return (W * M') x + b."""
        mask = spread(self.layout.input_mask(soft_mask)[:, None, :], self.layout.width, axis=1)
        predicted = (self.weights * mask) @ self.layout.read(inputs) + spread(self.bias, inputs.shape[1])
        return self.layout.select(predicted)
