"""Arithmetic in one order: left to itself, a compiler chooses it by how many variables a device has."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


def pairwise_sum(values: Float[Array, ...], axis: int) -> Float[Array, ...]:
    """Add the halves of an axis until one entry is left of it."""

    @jax.custom_vjp
    def add_up(values: Array) -> Array:
        return _add_halves(values, axis)

    size = values.shape[axis]
    add_up.defvjp(lambda values: (add_up(values), None), lambda _, g: (jnp.repeat(g, size, axis),))
    return add_up(values)


def _add_halves(values: Array, axis: int) -> Array:
    size = values.shape[axis]
    if size == 1:
        return values
    left, right, odd = jnp.split(values, [size // 2, size - size % 2], axis)
    total = _add_halves(left + right, axis)
    return total + odd if size % 2 else total


def spread(values: Float[Array, ...], size: int, axis: int = -1) -> Float[Array, ...]:
    """Repeat the one entry of an axis; its gradient is a `pairwise_sum`."""

    @jax.custom_vjp
    def repeat(values: Array) -> Array:
        return jnp.repeat(values, size, axis)

    repeat.defvjp(lambda values: (repeat(values), None), lambda _, g: (_add_halves(g, axis),))
    return repeat(values)


def rounded(values: Float[Array, ...]) -> Float[Array, ...]:
    """Round values and their gradient to 23 bits: a product that is rounded enters no fused multiply-add."""
    return jax.lax.reduce_precision(values, exponent_bits=8, mantissa_bits=22)
