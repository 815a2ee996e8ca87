"""Smooth measures of how far a non-negative matrix is from a DAG.

Each takes a soft mask M and returns log h(M), where h is 0 for a DAG and positive otherwise. The
logarithm is the point: h must be told from 0 down to 1e-10, and it starts near e^(d/2), beyond
float32 from d = 180 on. All three only ever add non-negative numbers, so nothing cancels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from mcsl.model.sums import pairwise_sum

Mask: TypeAlias = Float[Array, "cause effect"]
_Exponential: TypeAlias = tuple[Mask, Float[Array, ""], Float[Array, ""]]
Acyclicity: TypeAlias = Callable[[Mask], Float[Array, ""]]

# Keeps log h and its gradient finite where h underflows to 0.
TINY = 1e-37

# Variables that are eliminated by one product; the speed hardly depends on it.
_BLOCK = 64


def log_trace_exponential(soft_mask: Mask) -> Float[Array, ""]:
    """Return log(tr(e^M) - d), the paper's s(U), by scaling and squaring e^M - I.

    With E = e^A - I, doubling A is E <- 2E + EE. The gradient of tr(e^M) is the transpose of e^M itself,
    which saves two thirds of the products.
    """
    # JAX's own functions cannot be sent to other processes.
    return _log_trace(soft_mask)


@jax.custom_vjp
def _log_trace(soft_mask: Mask) -> Float[Array, ""]:
    return _log_trace_exponential(soft_mask)[0]


def _log_trace_exponential(soft_mask: Mask) -> tuple[Float[Array, ""], _Exponential]:
    """Return log(tr(e^M) - d), and e^M - I with its trace and the logarithm of its scale."""
    d = len(soft_mask)
    n_squarings = math.ceil(math.log2(max(d, 2))) + 1
    a = soft_mask / 2.0**n_squarings
    a2 = a @ a
    a3 = a2 @ a
    excess = a + a2 / 2 + a3 / 6 + a3 @ (a / 24 + a2 / 120 + a3 / 720)
    log_scale = jnp.zeros(())
    for _ in range(n_squarings):
        excess, log_scale = _rescale(2 * jnp.exp(-log_scale) * excess + excess @ excess, 2 * log_scale)
    trace = pairwise_sum(jnp.diagonal(excess), 0)[0] + TINY
    return log_scale + jnp.log(trace), (excess, trace, log_scale)


def _log_trace_exponential_backward(exponential: _Exponential, cotangent: Float[Array, ""]) -> tuple[Mask]:
    excess, trace, log_scale = exponential
    whole = excess + jnp.exp(-log_scale) * jnp.eye(len(excess))
    return (cotangent / trace * whole.T,)


_log_trace.defvjp(_log_trace_exponential, _log_trace_exponential_backward)


def log_polynomial(soft_mask: Mask) -> Float[Array, ""]:
    """Return log(tr((I + M/d)^d) - d), by repeated squaring of (I + M/d)^k - I.

    With E and F short of the identity, (I + E)(I + F) - I = E + F + EF.
    """
    d = len(soft_mask)
    base = soft_mask / d
    excess, log_scale = base, jnp.zeros(())
    for bit in bin(d)[3:]:
        excess, log_scale = _rescale(2 * jnp.exp(-log_scale) * excess + excess @ excess, 2 * log_scale)
        if bit == "1":
            step = excess + jnp.exp(-log_scale) * base + excess @ base
            excess, log_scale = _rescale(step, log_scale)
    return log_scale + jnp.log(jnp.trace(excess) + TINY)


def log_determinant(soft_mask: Mask) -> Float[Array, ""]:
    """Return log(-log det(I - M/d)), DAGMA's measure with s = d, which bounds any mask's spectrum."""
    return LogDeterminant(len(soft_mask))(soft_mask)


@dataclass(frozen=True)
class LogDeterminant:
    """log(-log det(I - M/s)) = log sum_k tr(M^k) / (k s^k), for masks with a spectral radius below s."""

    s: float

    def __call__(self, soft_mask: Mask) -> Float[Array, ""]:
        """Return the measure of a mask."""
        return jnp.log(_minus_log_det(soft_mask / self.s) + TINY)


@jax.custom_vjp
def _minus_log_det(b: Mask) -> Float[Array, ""]:
    """-log det(I - B) for B >= 0, whose gradient is the transpose of (I - B)^-1."""
    return _eliminate(b)[0]


def _minus_log_det_backward(walks: Mask, cotangent: Float[Array, ""]) -> tuple[Mask]:
    return (cotangent * (walks + jnp.eye(len(walks))).T,)


def _eliminate(b: Mask) -> tuple[Float[Array, ""], Mask]:
    """Return -log det(I - B) and (I - B)^-1 - I for B >= 0, by Kleene's elimination of blocks of variables.

    Walks through a block K join all others, B <- B + B_.K (I - B_KK)^-1 B_K., and those that return to it
    give its share -log det(I - B_KK).
    """
    d, block = len(b), _BLOCK if len(b) > _BLOCK else 1

    def through(b: Mask, start: Array) -> tuple[Mask, Float[Array, ""]]:
        leaving = jax.lax.dynamic_slice_in_dim(b, start, block)
        entering = jax.lax.dynamic_slice_in_dim(b, start, block, axis=1)
        inside = jax.lax.dynamic_slice_in_dim(leaving, start, block, axis=1)
        if block == 1:
            share, walks = -jnp.log1p(-inside[0, 0]), inside / (1 - inside)
        else:
            share, walks = _eliminate(inside)
        return b + (entering + entering @ walks) @ leaving, share

    starts = jnp.arange(0, d, block)
    padded = jnp.pad(b, (0, len(starts) * block - d))
    walks, shares = jax.lax.scan(through, padded, starts)
    return jnp.sum(shares), walks[:d, :d]


_minus_log_det.defvjp(_eliminate, _minus_log_det_backward)


def _rescale(matrix: Mask, log_scale: Float[Array, ""]) -> tuple[Mask, Float[Array, ""]]:
    """Move what exceeds 1 into the scale; small matrices stay, so that they keep their digits."""
    largest = jax.lax.stop_gradient(jnp.maximum(jnp.max(matrix), 1.0))
    return matrix / largest, log_scale + jnp.log(largest)
