from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from mcsl.data import Dataset
from mcsl.model import MLP, Linear, LocationScale
from mcsl.objective import RowBlocks, gaussian_likelihood, location_scale_likelihood, mean_losses
from mcsl.problem import Problem

OBSERVED, LOCATION = np.random.default_rng(0).standard_normal((2, 3, 50)).astype(np.float32)


def value(score, predicted):
    return float(score.of_mean_losses(jnp.mean(score.row_loss(OBSERVED, jnp.asarray(predicted)), axis=1)))


def test_one_scale_that_fits_gives_the_likelihood_of_constant_noise_and_any_other_is_worse():
    log_deviation = np.log(np.mean((OBSERVED - LOCATION) ** 2, axis=1, keepdims=True)) / 2
    best, wide, narrow = (
        value(location_scale_likelihood, [LOCATION, np.broadcast_to(log_deviation + by, LOCATION.shape)])
        for by in (0.0, 0.1, -0.1)
    )
    assert best == pytest.approx(value(gaussian_likelihood, LOCATION), rel=1e-5)
    assert best < min(wide, narrow)


@pytest.mark.parametrize("log_scale", [-1e4, 1e4])
def test_no_scale_leaves_the_finite_numbers(log_scale):
    losses, gradient = jax.value_and_grad(
        lambda g: jnp.sum(location_scale_likelihood.row_loss(OBSERVED, jnp.stack([LOCATION, g])))
    )(jnp.full(LOCATION.shape, log_scale))
    assert np.isfinite(losses)
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("part", [Linear.init, partial(MLP.init, width=4, depth=1)], ids=["linear", "mlp"])
def test_blocks_of_rows_give_the_plain_gradient_of_locations_and_scales(part):
    problem = Problem.from_dataset(Dataset(OBSERVED.T.astype(float), tuple("abc")))
    mechanism = LocationScale.init(np.random.default_rng(1), problem, part=part)
    soft_mask = jnp.asarray(problem.candidates * 0.7, jnp.float32)

    def plain(mechanism):
        predicted = mechanism.predict(jnp.asarray(OBSERVED), soft_mask)
        return jnp.mean(location_scale_likelihood.row_loss(OBSERVED, predicted), axis=1)

    def blocked(mechanism):
        rows = RowBlocks.of(OBSERVED.T, 20)
        return mean_losses(mechanism, soft_mask, rows, location_scale_likelihood.row_loss)

    gradients = [
        eqx.filter_grad(lambda m, f=f: location_scale_likelihood.of_mean_losses(f(m)))(mechanism)
        for f in (plain, blocked)
    ]
    for expected, found in zip(*map(jax.tree.leaves, gradients), strict=True):
        assert np.abs(expected).max() > 0
        assert np.allclose(expected, found, atol=1e-5)
