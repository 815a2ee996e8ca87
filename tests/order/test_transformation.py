import numpy as np
import pytest

from mcsl.data import Dataset
from mcsl.logarithms import logarithms_of
from mcsl.order import spline_table
from mcsl.order.transformation import straighten
from mcsl.problem import Problem


def straightened(values):
    problem = Problem.from_dataset(Dataset(values, tuple(f"x{i}" for i in range(values.shape[1]))))
    return problem, straighten(problem, spline_table(problem), problem.candidates)


def multiplicative(rng):
    cause = np.exp(rng.standard_normal(1000))
    return np.column_stack([cause, cause * np.exp(rng.standard_normal(1000))])


def test_multiplicative_noise_becomes_additive():
    values = multiplicative(np.random.default_rng(0))
    _, straight = straightened(values)
    for k in range(2):
        assert abs(np.corrcoef(straight.dataset.values[:, k], np.log(values[:, k]))[0, 1]) > 0.97


def test_a_long_tail_on_the_left_and_other_units_make_no_difference():
    values = multiplicative(np.random.default_rng(1))
    _, plain = straightened(values)
    _, mirrored = straightened(-1e3 * values + 7)
    np.testing.assert_allclose(mirrored.dataset.values, -plain.dataset.values, atol=1e-6)


def test_additive_noise_and_columns_with_few_values_stay_as_they_are():
    rng = np.random.default_rng(2)
    cause = rng.standard_normal(500)
    values = np.column_stack(
        [cause, np.sin(cause) + rng.standard_normal(500), rng.integers(0, 2, 500), np.zeros(500)]
    )
    problem, straight = straightened(values)
    assert straight is problem


@pytest.mark.parametrize("sign", [1, -1])
def test_a_point_mass_at_the_edge_is_no_reason_for_a_logarithm(sign):
    rng = np.random.default_rng(4)
    cause = rng.standard_normal(600)
    censored = sign * np.maximum(0, cause + rng.standard_normal(600) + 0.5)
    problem, straight = straightened(np.column_stack([cause, censored]))
    assert np.mean(censored == 0) > 0.3
    assert straight is problem


def test_counts_have_no_origin_nearer_than_one():
    counts = np.random.default_rng(5).poisson(np.exp(0.5 * np.random.default_rng(6).standard_normal(600)))
    for values in (counts, -3.0 * counts):
        _, height, offsets = logarithms_of((values - values.mean()) / values.std())
        step = np.unique(height)[1]
        assert len(offsets)
        assert offsets.min() >= step
