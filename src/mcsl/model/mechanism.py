"""The contract of a mechanism, and how its weights start."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Float, Integer
from numpy.typing import NDArray

from mcsl.model.layout import Layout
from mcsl.problem import Problem


class Mechanism(eqx.Module):
    """The functions h_1, ..., h_d of all variables, evaluated as one batched computation.

    Every array that trains has the predicted variable as its leading axis, and slice i of it serves
    variable i alone. Nothing else is asked of an implementation, so any architecture plugs in.
    """

    @abstractmethod
    def predict(
        self, inputs: Float[Array, "column sample"], soft_mask: Float[Array, "cause effect"]
    ) -> Float[Array, "output sample"]:
        """Return h_i(M_i * x) for every variable i and sample x, where M_i is column i of the mask.

        Inputs are all columns of the table, of which a variable may own several; `Layout` says which, picks
        those that a variable's mechanism reads, and spreads the mask over them. Outputs are the columns that
        variable 1 predicts, then those of 2, ....
        """

    @property
    def is_divisible(self) -> bool:
        """Whether `for_effects` gives a mechanism that predicts these variables alone; False by default.

        If it does, many variables are trained some at a time, and their activations stay in the cache.
        """
        return False

    def for_effects(self, effects: Integer[Array, " effect"]) -> Mechanism:
        """Return the same mechanism with slices of what trains, for as many columns of the mask.

        Layouts follow; whatever else a mechanism keeps for each variable, it must slice itself.
        """

        def of_effects(part: Any) -> Any:
            if isinstance(part, Layout):
                return part.for_effects(effects)
            return part[effects] if eqx.is_inexact_array(part) else part

        some: Mechanism = jax.tree.map(of_effects, self, is_leaf=lambda part: isinstance(part, Layout))
        return some


MechanismInit: TypeAlias = Callable[[np.random.Generator, Problem], Mechanism]
"""How a recipe names a mechanism: a function that starts one for a problem, such as `MLP.init`.

It draws from a NumPy generator: JAX would spend seconds compiling code that runs once."""


def xavier_uniform(rng: np.random.Generator, shape: tuple[int, int, int]) -> Float[Array, "effect out in"]:
    """Draw one weight matrix a variable from U(-a, a) with a = sqrt(6 / (fan_in + fan_out))."""
    limit = (6.0 / (shape[1] + shape[2])) ** 0.5
    return _put(rng.uniform(-limit, limit, shape))


def zeros(*shape: int) -> Float[Array, ...]:
    """Return float32 zeros, made by NumPy for the same reason."""
    return _put(np.zeros(shape))


def _put(values: NDArray[np.float64]) -> Array:
    # Unlike jnp.asarray, this compiles nothing.
    array: Array = jax.device_put(values.astype(np.float32))
    return array
