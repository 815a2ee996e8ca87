"""Kernels that are learned: which inputs they listen to, and whether there was anything to hear."""

import numpy as np
import pytest

from mcsl.pruning.gaussian_process import Array, learn_kernel


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
