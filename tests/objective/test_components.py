import itertools
import math
from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsl.graph.causal_graph import find_cycle
from mcsl.objective import (
    Componentwise,
    log_determinant,
    log_polynomial,
    log_trace_exponential,
    on_candidates,
)
from mcsl.objective.acyclicity import LogDeterminant


def two_cycles(soft_mask):
    """A measure of one's own, for candidates without longer cycles."""
    return jnp.log(jnp.sum(soft_mask * soft_mask.T) + 1e-37)


def random_candidates(rng, d: int, per_variable: float) -> np.ndarray:
    return (rng.random((d, d)) < per_variable / d) & ~np.eye(d, dtype=bool)


def random_mask(rng, candidates: np.ndarray) -> jnp.ndarray:
    return jnp.asarray(candidates * rng.random(candidates.shape), jnp.float32)


def components(sizes: Sequence[int], d: int) -> np.ndarray:
    """Rings of such sizes in both directions, and all edges from earlier to later variables besides."""
    candidates = np.triu(np.ones((d, d), bool), 1)
    for start, size in zip(itertools.accumulate(sizes, initial=0), sizes, strict=False):
        own = slice(start, start + size)
        candidates[own, own] = ring(size)
    order = np.random.default_rng(0).permutation(d)
    return candidates[np.ix_(order, order)]


@partial(jax.jit, static_argnums=0)
def exponential_and_gradient(measure, mask):
    return jax.value_and_grad(lambda mask: jnp.exp(measure(mask)))(mask)


def ring(d: int) -> np.ndarray:
    """Neighbours in a circle, in both directions: one component with a spectral radius of 2."""
    forward = np.roll(np.eye(d, dtype=bool), 1, axis=1)
    return forward | forward.T


# Every draw of candidates compiles anew, so there are few of them and many masks.
@pytest.mark.parametrize("candidates", [components((2, 3), 5), components((2, 2, 7), 20)])
@given(seed=st.integers(0, 10_000), density=st.floats(0, 1))
@settings(deadline=None, max_examples=50)
def test_the_trace_and_its_gradient_are_those_of_the_whole_mask(candidates, seed, density):
    rng = np.random.default_rng(seed)
    mask = random_mask(rng, candidates & (rng.random(candidates.shape) < density))
    split = Componentwise.of(log_trace_exponential, candidates)
    (value, gradient), (expected, expected_gradient) = (
        exponential_and_gradient(measure, mask) for measure in (split, log_trace_exponential)
    )
    assert float(value) == pytest.approx(float(expected), rel=1e-5, abs=1e-30)
    assert np.allclose(gradient[candidates], expected_gradient[candidates], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("measure", [log_determinant, log_polynomial])
def test_other_measures_are_added_up_over_components_of_their_own_sizes(measure):
    rng = np.random.default_rng(0)
    rings = np.zeros((6, 6), bool)
    rings[:2, :2], rings[2:, 2:] = ring(2), ring(4)
    mask = random_mask(rng, rings)
    between = jnp.zeros((6, 6)).at[:2, 2:].set(1.0)
    value = math.exp(Componentwise.of(measure, rings | (between > 0))(mask + between))
    expected = sum(math.exp(measure(mask[own, own])) for own in (slice(2), slice(2, 6)))
    assert value == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("measure", [log_trace_exponential, log_determinant, log_polynomial])
@given(seed=st.integers(0, 10_000))
@settings(deadline=None, max_examples=50)
def test_it_vanishes_for_dags_and_only_for_dags(measure, seed):
    candidates = components((2, 2, 4), 10)
    chosen = candidates & (np.random.default_rng(seed).random(candidates.shape) < 0.5)
    value, _ = exponential_and_gradient(Componentwise.of(measure, candidates), chosen.astype(np.float32))
    assert value > 1e-4 if find_cycle(chosen) else value < 1e-35


def test_without_a_cycle_of_candidates_there_is_nothing_to_lower():
    candidates = np.triu(np.ones((5, 5), bool), 1)
    value, gradient = jax.value_and_grad(Componentwise.of(log_trace_exponential, candidates))(
        jnp.ones((5, 5))
    )
    assert math.exp(value) < 1e-36
    assert not np.asarray(gradient).any()


def test_up_to_a_hundred_variables_the_measure_is_the_one_that_was_named():
    assert on_candidates(log_trace_exponential, ring(100)) is log_trace_exponential
    assert on_candidates(log_trace_exponential, ring(101)) is not log_trace_exponential


def test_a_large_component_has_a_determinant_for_its_trace():
    rng = np.random.default_rng(0)
    candidates = np.zeros((123, 123), bool)
    candidates[:120, :120] = ring(120) | random_candidates(rng, 120, 0.5)
    candidates[121, 122] = candidates[122, 121] = True
    split = on_candidates(log_trace_exponential, candidates)
    (determinant, _), (trace, _) = split.parts
    assert isinstance(determinant, LogDeterminant)
    assert determinant.s > max(abs(np.linalg.eigvals(candidates))) > determinant.s - 1.1
    assert trace is log_trace_exponential
    mask = random_mask(rng, candidates)
    large = np.asarray(mask, np.float64)[:120, :120] / determinant.s
    expected = -np.linalg.slogdet(np.eye(120) - large)[1] + math.exp(log_trace_exponential(mask[121:, 121:]))
    assert math.exp(split(mask)) == pytest.approx(expected, rel=1e-4)
    # Even a mask that holds all candidates is finite.
    assert np.isfinite(float(split(jnp.asarray(candidates, jnp.float32))))


@pytest.mark.parametrize(
    ("measure", "candidates"),
    [(two_cycles, ring(120)), (log_trace_exponential, ~np.eye(120, dtype=bool))],
    ids=["an own measure", "too many candidates"],
)
def test_otherwise_a_large_component_keeps_its_measure(measure, candidates):
    ((kept, _),) = on_candidates(measure, candidates).parts
    assert kept is measure


def test_equal_candidates_give_equal_measures_so_that_nothing_is_compiled_twice():
    one, other = (on_candidates(log_trace_exponential, ring(120)) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
