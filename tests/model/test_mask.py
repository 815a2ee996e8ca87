from dataclasses import replace

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import logistic

from mcsl.model import EdgeMask


def mask_of(d: int, logit: float = 0.0, temperature: float = 0.2) -> EdgeMask:
    started = EdgeMask.init(np.ones((d, d)), temperature)
    return replace(started, logits=started.logits + logit)


def test_every_draw_is_fresh():
    mask = mask_of(6)
    draws = [np.asarray(mask.sample(key)) for key in jax.random.split(jax.random.key(0), 50)]
    off_diagonal = ~np.eye(6, dtype=bool)
    spread = np.std([draw[off_diagonal] for draw in draws], axis=0)
    assert (spread > 0.2).all()


def test_the_same_key_gives_the_same_draw():
    mask = mask_of(5)
    assert np.array_equal(mask.sample(jax.random.key(3)), mask.sample(jax.random.key(3)))


def test_the_diagonal_and_what_is_no_candidate_stay_zero():
    candidates = np.random.default_rng(0).random((7, 7)) < 0.5
    mask = EdgeMask.init(candidates, 0.2)
    draw = np.asarray(mask.sample(jax.random.key(1)))
    allowed = candidates & ~np.eye(7, dtype=bool)
    assert (draw[~allowed] == 0).all()
    assert (draw[allowed] > 0).all()
    assert np.allclose(np.asarray(mask.probabilities())[allowed], 0.5)


@pytest.mark.parametrize("logit", [-2.0, 0.0, 1.5])
@pytest.mark.parametrize("temperature", [0.2, 0.5])
def test_draws_follow_the_gumbel_sigmoid_distribution(logit, temperature):
    # Figure 1 of the paper: Pr(y <= delta) = sigma(tau * logit(delta) - u).
    mask = mask_of(100, logit, temperature)
    draw = np.asarray(mask.sample(jax.random.key(2)))[~np.eye(100, dtype=bool)]
    for delta in (0.05, 0.5, 0.95):
        expected = logistic.cdf(temperature * np.log(delta / (1 - delta)) - logit)
        assert (
            abs((draw <= delta).mean() - expected) < 4 * np.sqrt(expected * (1 - expected) / draw.size) + 1e-3
        )


@given(st.floats(-30, 30), st.floats(0.05, 2))
@settings(deadline=None, max_examples=30)
def test_probabilities_are_the_noise_free_sigmoid(logit, temperature):
    probability = float(mask_of(2, logit, temperature).probabilities()[0, 1])
    assert probability == pytest.approx(logistic.cdf(logit / temperature), rel=1e-4, abs=1e-30)
