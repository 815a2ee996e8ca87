import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsl.objective import log_determinant, log_polynomial, log_trace_exponential

MEASURES = [log_trace_exponential, log_polynomial, log_determinant]


def exact(measure, m: np.ndarray) -> float:
    """The plain formula in float64, which cancels below about 1e-13 d."""
    d = len(m)
    if measure is log_trace_exponential:
        return np.trace(scipy.linalg.expm(m)) - d
    if measure is log_polynomial:
        return np.trace(np.linalg.matrix_power(np.eye(d) + m / d, d)) - d
    return -np.linalg.slogdet(np.eye(d) - m / d)[1]


def soft_mask(seed: int, d: int, density: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.random((d, d)) * (rng.random((d, d)) < density) * (1 - np.eye(d))


@pytest.mark.parametrize("measure", MEASURES)
@given(seed=st.integers(0, 10_000), d=st.integers(2, 12), density=st.floats(0.2, 1))
@settings(deadline=None, max_examples=25)
def test_it_equals_the_formula(measure, seed, d, density):
    m = soft_mask(seed, d, density)
    assert math.exp(float(measure(jnp.asarray(m)))) == pytest.approx(exact(measure, m), rel=1e-4, abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
@given(seed=st.integers(0, 10_000), d=st.integers(2, 10))
@settings(deadline=None, max_examples=25)
def test_it_vanishes_for_dags_and_only_for_dags(measure, seed, d):
    rng = np.random.default_rng(seed)
    dag = np.triu(rng.random((d, d)) < 0.5, 1)
    order = rng.permutation(d)
    dag = dag[np.ix_(order, order)]
    assert math.exp(float(measure(jnp.asarray(dag, jnp.float32)))) < 1e-36
    cause, effect = rng.choice(d, 2, replace=False)
    cyclic = dag.copy()
    cyclic[cause, effect] = cyclic[effect, cause] = True
    assert math.exp(float(measure(jnp.asarray(cyclic, jnp.float32)))) > 1e-20


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("epsilon", [1e-4, 1e-10, 1e-20, 1e-30])
def test_no_digits_are_lost_near_a_dag(measure, epsilon):
    # One chain 0 -> 1 -> 2 and a faint edge back: the cycle's weight is epsilon times a known factor.
    m = np.zeros((3, 3), np.float32)
    m[0, 1] = m[1, 2] = 1.0
    m[2, 0] = epsilon
    factor = {log_trace_exponential: 3 / 6, log_polynomial: 3 / 27, log_determinant: 1 / 27}[measure]
    value = math.exp(float(measure(jnp.asarray(m))))
    assert value == pytest.approx(factor * epsilon, rel=1e-3)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("d", [100, 500])
def test_value_and_gradient_are_finite_at_the_start_of_training(measure, d):
    m = np.full((d, d), 0.5, np.float32)
    np.fill_diagonal(m, 0)
    value, gradient = jax.value_and_grad(measure)(jnp.asarray(m))
    assert np.isfinite(float(value))
    assert np.isfinite(np.asarray(gradient)).all()
    if measure is log_trace_exponential:
        # The largest eigenvalue of this matrix is (d - 1) / 2.
        assert float(value) == pytest.approx((d - 1) / 2, rel=1e-3)


@pytest.mark.parametrize("measure", MEASURES)
def test_the_gradient_is_the_derivative(measure):
    m = soft_mask(3, 6)
    gradient = np.asarray(jax.grad(measure)(jnp.asarray(m, jnp.float32)))
    for cause, effect in [(0, 1), (4, 2), (5, 0)]:
        step = np.zeros_like(m)
        step[cause, effect] = 1e-5
        slope = (math.log(exact(measure, m + step)) - math.log(exact(measure, m - step))) / 2e-5
        assert gradient[cause, effect] == pytest.approx(slope, rel=1e-3)


@pytest.mark.parametrize("measure", MEASURES)
def test_an_empty_mask_has_a_finite_gradient(measure):
    value, gradient = jax.value_and_grad(measure)(jnp.zeros((4, 4)))
    assert math.exp(float(value)) < 1e-36
    assert np.isfinite(np.asarray(gradient)).all()
