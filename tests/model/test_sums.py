"""Sums whose order, and so whose last digits, do not depend on what else an array holds."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from mcsl.model.sums import pairwise_sum, rounded, spread


def table(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("size", [1, 2, 7, 500])
def test_a_sum_is_the_sum(size):
    values = table(3, size, 2)
    expected = values.sum(axis=1, keepdims=True, dtype=float)
    assert np.allclose(pairwise_sum(values, 1), expected, atol=1e-5)


def test_a_share_of_the_rows_has_the_same_sums():
    values = table(20, 500)
    add_up = jax.jit(pairwise_sum, static_argnums=1)
    assert np.array_equal(add_up(values, 1)[:5], add_up(values[:5], 1))


def test_spreading_and_adding_up_are_each_others_gradients():
    values, weights = table(3, 1), table(3, 7)
    spread_back = jax.grad(lambda v: jnp.sum(spread(v, 7) * weights))(values)
    assert np.allclose(spread_back, weights.sum(axis=1, keepdims=True), atol=1e-6)
    added_back = jax.grad(lambda w: jnp.sum(pairwise_sum(w, 1) * values))(weights)
    assert np.array_equal(added_back, np.repeat(values, 7, axis=1))


def test_a_rounded_product_is_no_part_of_a_fused_multiply_add():
    a, b, c = table(3, 1000)
    product = np.asarray(jax.jit(lambda a, b: rounded(a * b))(a, b))
    assert np.array_equal(jax.jit(lambda a, b, c: rounded(a * b) + c)(a, b, c), product + c)
    assert np.allclose(product, a * b, rtol=2e-7)
