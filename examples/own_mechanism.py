"""A mechanism of one's own: any Equinox module that keeps the contract of `mcsl.Mechanism` plugs in.

Here every variable is a sum of one small network a cause, where mcsl's own MLP lets causes interact.
Run it with `python examples/own_mechanism.py`.
"""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

import mcsl


class Additive(mcsl.Mechanism):
    """h_i(x) = b_i + sum_j f_ij(x_j), where f_ij(z) = sum_k v_ijk tanh(w_ijk z + c_ijk).

    The contract: every trained array has the predicted variable as its leading axis.
    """

    slopes: Float[Array, "effect cause unit"]
    shifts: Float[Array, "effect cause unit"]
    weights: Float[Array, "effect cause unit"]
    bias: Float[Array, "effect 1"]

    @classmethod
    def init(cls, rng: np.random.Generator, problem: mcsl.Problem, *, width: int = 8) -> Additive:
        """Start with `width` random sigmoids for every pair of variables."""
        d = problem.n_variables
        slopes, shifts, weights = rng.standard_normal((3, d, d, width)).astype(np.float32)
        return cls(jnp.asarray(slopes), jnp.asarray(shifts), jnp.asarray(weights / width), jnp.zeros((d, 1)))

    def predict(
        self, inputs: Float[Array, "cause sample"], soft_mask: Float[Array, "cause effect"]
    ) -> Float[Array, "effect sample"]:
        """Return h_i(M_i * x) for every variable i; the mask goes into the slopes."""
        slopes = self.slopes * soft_mask.T[:, :, None]

        def one_variable(slopes: Array, shifts: Array, weights: Array, bias: Array) -> Array:
            units = jnp.tanh(slopes[:, :, None] * inputs[:, None, :] + shifts[:, :, None])
            return jnp.einsum("jk,jkn->n", weights, units) + bias

        return jax.vmap(one_variable)(slopes, self.shifts, self.weights, self.bias)


if __name__ == "__main__":
    simulation = mcsl.simulate("gp-add", n_variables=5, degree=1, n_samples=1000, seed=1)
    recipe = mcsl.Recipe.paper(n_variables=5)
    recipe = replace(recipe, mechanism=Additive.init, schedule=replace(recipe.schedule, steps_per_stage=200))
    result = mcsl.learn(simulation.dataset, recipe)

    for cause, effect in result.graph.edges:
        print(f"{cause} -> {effect}")
    print(result.stop_reason.sentence)
    print(mcsl.evaluate(result.graph, simulation.graph))
