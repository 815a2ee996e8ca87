"""Kernels that are learned: which inputs they listen to, and whether there was anything to hear."""

import numpy as np
import pytest

from mcsl.pruning.cholesky import Array
from mcsl.pruning.gaussian_process import _blocks, _Posterior, learn_kernel


@pytest.fixture(scope="module")
def inputs() -> Array:
    return np.random.default_rng(0).normal(size=(1500, 12)).astype(np.float32)


@pytest.fixture(scope="module")
def noise() -> Array:
    return np.random.default_rng(1).normal(size=(1500, 1)).astype(np.float32)


def test_a_function_of_six_inputs_is_heard(inputs: Array, noise: Array) -> None:
    x = inputs[:, :6]
    response = np.sin(x[:, :3].sum(axis=1)) * np.cos(x[:, 3:].sum(axis=1)) + 0.1 * noise[:, 0]
    kernel = learn_kernel(inputs, response[:, None] / response.std())
    assert not kernel.hears_only_noise
    assert kernel.relevance[:6].min() > 0.1 > kernel.relevance[6:].max()


@pytest.mark.parametrize("patience", [3, 25])
def test_many_inputs_that_explain_noise_are_told_from_causes(
    inputs: Array, noise: Array, patience: int
) -> None:
    kernel = learn_kernel(inputs, noise, patience=patience)
    assert kernel.hears_only_noise


def test_a_few_inputs_are_left_to_the_test(inputs: Array, noise: Array) -> None:
    kernel = learn_kernel(inputs[:, :2], noise)
    assert not kernel.hears_only_noise


@pytest.mark.parametrize("width", [1, 2])
def test_the_slope_is_that_of_the_posterior(inputs: Array, width: int) -> None:
    x = inputs[:301, :4]
    y = np.stack([np.sin(x[:, k] * x[:, 2]) for k in range(width)], axis=1)
    posterior = _Posterior(_blocks(x, y, 150))
    point = np.array([0.3, 0.5, 1.0, 0.2, np.log(0.5)])
    _, slope = posterior(point)
    # Single precision allows no smaller steps.
    for k, step in enumerate(np.eye(len(point)) * 0.02):
        rise = posterior(point + step)[0] - posterior(point - step)[0]
        assert slope[k] == pytest.approx(rise / 0.04, abs=0.01 * abs(slope).max())
