"""Multi-layer perceptrons, one a variable."""

from __future__ import annotations

from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from mcsl.model.layout import Layout
from mcsl.model.mechanism import Mechanism, xavier_uniform, zeros
from mcsl.model.sums import spread
from mcsl.problem import Problem

# The slope of leaky ReLUs below zero.
_LEAK = 0.01


class MLP(Mechanism):
    """A perceptron with leaky-ReLU hidden layers for every variable.

    The mask goes into the weights, since W (M_i * x) = (W * M_i) x: the first layer of all d networks
    is then one matrix product if all read all columns, with samples on the last axis so that no layer needs
    a transpose.
    """

    weights: tuple[Float[Array, "effect out in"], ...]
    biases: tuple[Float[Array, "effect out 1"], ...]
    layout: Layout

    @classmethod
    def init(cls, rng: np.random.Generator, problem: Problem, *, width: int = 16, depth: int = 4) -> MLP:
        """Start `depth` hidden layers of `width` units with Xavier-uniform weights and zero biases."""
        layout = Layout.of(problem)
        d = layout.n_variables
        sizes = [layout.n_inputs, *[width] * depth, layout.width]
        shapes = [(d, out, into) for into, out in pairwise(sizes)]
        weights = tuple(xavier_uniform(rng, shape) for shape in shapes)
        return cls(weights, tuple(zeros(d, out, 1) for _, out, _ in shapes), layout)

    def predict(
        self, inputs: Float[Array, "column sample"], soft_mask: Float[Array, "cause effect"]
    ) -> Float[Array, "output sample"]:
        """Return the networks' outputs on masked inputs."""
        width, n = self.weights[0].shape[1], inputs.shape[1]
        first = self.weights[0] * spread(self.layout.input_mask(soft_mask)[:, None, :], width, axis=1)
        hidden = first @ self.layout.read(inputs) + spread(self.biases[0], n)
        for weight, bias in zip(self.weights[1:], self.biases[1:], strict=True):
            hidden = weight @ _leaky_relu(hidden) + spread(bias, n)
        return self.layout.select(hidden)

    @property
    def is_divisible(self) -> bool:
        """Whether all networks predict one column each; a subclass with another `predict` says so itself."""
        return type(self).predict is MLP.predict and self.layout.is_divisible


@jax.custom_vjp
def _leaky_relu(values: Float[Array, ...]) -> Float[Array, ...]:
    """Scale down what is negative; the gradient reads the output's sign, so that inputs need not be kept."""
    return _leak(values, values)


def _leak(values: Array, sign: Array) -> Array:
    return jnp.where(sign >= 0, values, _LEAK * values)


def _leaky_relu_forward(values: Array) -> tuple[Array, Array]:
    output = _leak(values, values)
    return output, output


_leaky_relu.defvjp(_leaky_relu_forward, lambda output, cotangent: (_leak(cotangent, output),))
