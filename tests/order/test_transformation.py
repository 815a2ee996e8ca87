import numpy as np
import pytest

from mcsl.data import Dataset
from mcsl.order import spline_table
from mcsl.order.transformation import bent_columns, rarer_scale, straighten
from mcsl.problem import Problem
from mcsl.scales import logarithms_of


def straightened(values):
    problem = Problem.from_dataset(Dataset(values, tuple(f"x{i}" for i in range(values.shape[1]))))
    return problem, straighten(problem, bent_columns(problem, spline_table(problem), problem.candidates))


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
        standardized = (values - values.mean()) / values.std()
        step = np.diff(np.unique(standardized)).min()
        curves = logarithms_of(standardized)
        assert curves
        assert min(curve.nearest for curve in curves) >= step * (1 - 1e-9)


def bent(curve, rng, n=1000):
    """Return three columns along a chain, bent, and as they were."""
    first, *noises = rng.standard_normal((3, n))
    second = np.sin(1.5 * first) + 0.6 * noises[0]
    third = np.cos(1.5 * second) + 0.6 * noises[1]
    plain = np.column_stack([first, second, third])
    plain = (plain - plain.mean(axis=0)) / plain.std(axis=0)
    return curve(plain), plain


BENT = {
    "percentages": lambda z: 100 / (1 + np.exp(-1.5 * z)),
    "saturated": lambda z: np.arctan(2 * z),
    "cubes": lambda z: z**3,
}


@pytest.mark.parametrize("kind", BENT)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_bent_on_both_sides_is_straightened(kind, seed):
    values, plain = bent(BENT[kind], np.random.default_rng(seed))
    _, straight = straightened(values)
    for k in (1, 2):
        assert abs(np.corrcoef(straight.dataset.values[:, k], plain[:, k])[0, 1]) > 0.97
        assert abs(np.corrcoef(values[:, k], plain[:, k])[0, 1]) < 0.995


@pytest.mark.parametrize("kind", BENT)
def test_units_of_bent_columns_make_no_difference(kind):
    values, _ = bent(BENT[kind], np.random.default_rng(3))
    _, straight = straightened(values)
    _, mirrored = straightened(-1e-3 * values + 7)
    np.testing.assert_allclose(mirrored.dataset.values, -straight.dataset.values, atol=1e-6)


NOISES = {
    "short tails": lambda rng, n: rng.uniform(-1.7, 1.7, n),
    "long tails": lambda rng, n: rng.standard_t(4, n) / np.sqrt(2),
    "two humps": lambda rng, n: rng.choice([-1, 1], n) + 0.4 * rng.standard_normal(n),
}


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("depends", [False, True])
def test_noise_of_any_density_or_scale_is_no_reason_to_bend_a_column(kind, depends):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        cause = rng.standard_normal(1000)
        scale = np.exp(0.5 * np.tanh(cause)) if depends else 1.0
        values = np.column_stack([cause, np.sin(2 * cause) + 0.8 * scale * NOISES[kind](rng, 1000)])
        problem, straight = straightened(values)
        assert straight is problem


def test_a_scale_needs_causes_and_several_rows_for_each_function():
    values, _ = bent(BENT["saturated"], np.random.default_rng(4), n=200)
    column, causes = values[:, 1], values[:, :1] ** np.arange(1, 60)
    column = (column - column.mean()) / column.std()
    for n_functions, found in ((0, False), (5, True), (50, True), (51, False)):
        design = causes[:, :n_functions] - causes[:, :n_functions].mean(axis=0)
        assert (rarer_scale(column, design, design.T @ design) is not None) is found


def test_few_levels_of_column_and_causes_bend_nothing():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        cause = rng.integers(0, 5, 600).astype(float)
        column = np.round(4 * cause + 4 * rng.standard_normal(600))
        column = (column - column.mean()) / column.std()
        design = np.column_stack([cause, cause**2, cause**3])
        design -= design.mean(axis=0)
        assert rarer_scale(column, design, design.T @ design) is None
