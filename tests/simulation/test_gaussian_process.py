import numpy as np
import pytest

from mcsl.simulation.gaussian_process import draw_gp


class IdentityNormals:
    """Stands in for a generator and hands out the identity, so that a draw is the factor itself."""

    def standard_normal(self, shape):
        return np.eye(*shape)


def kernel(inputs):
    differences = inputs[:, None, :] - inputs[None, :, :]
    return np.exp(-(differences**2).sum(axis=2) / 2)


@pytest.mark.parametrize("dimension", [1, 2, 3, 8])
@pytest.mark.parametrize("scale", [1e-3, 1.6, 30.0])
def test_the_covariance_is_the_kernel_to_the_stated_tolerance(dimension, scale):
    inputs = scale * np.random.default_rng(dimension).standard_normal((300, dimension)) + 5
    factor = draw_gp(inputs, IdentityNormals(), n_draws=300)
    assert np.abs(factor @ factor.T - kernel(inputs)).max() < 1.01e-8


@pytest.mark.parametrize("dimension", [1, 4])
def test_repeated_inputs_share_their_value(dimension):
    inputs = np.random.default_rng(0).standard_normal((50, dimension))
    draw = draw_gp(np.concatenate([inputs, inputs]), np.random.default_rng(1))[:, 0]
    np.testing.assert_allclose(draw[:50], draw[50:], atol=1e-3)


@pytest.mark.parametrize("dimension", [1, 4])
def test_draws_have_mean_zero_and_the_kernels_covariance(dimension):
    inputs = np.random.default_rng(2).standard_normal((6, dimension))
    draws = draw_gp(inputs, np.random.default_rng(3), n_draws=40_000)
    # Standard errors: 0.005 for the mean and at most 0.0071 for the covariance.
    assert np.abs(draws.mean(axis=1)).max() < 0.025
    assert np.abs(np.cov(draws) - kernel(inputs)).max() < 0.035


def test_a_single_row_can_be_drawn():
    assert draw_gp(np.zeros((1, 1)), np.random.default_rng(0)).shape == (1, 1)
    assert draw_gp(np.zeros((1, 5)), np.random.default_rng(0), n_draws=2).shape == (1, 2)
