import numpy as np
import pytest

from mcsl.order.density import shape_gain


@pytest.mark.parametrize(
    ("draw", "negentropy"),
    [
        (lambda rng: rng.standard_normal(20_000), 0.0),
        (lambda rng: np.abs(rng.standard_normal(20_000)), 0.187),
        (lambda rng: rng.laplace(size=20_000), 0.072),
        (lambda rng: rng.uniform(size=20_000), 0.176),
        (lambda rng: rng.exponential(size=20_000), 0.419),
        (lambda rng: rng.gumbel(size=20_000), 0.091),
    ],
    ids=["normal", "half-normal", "laplace", "uniform", "exponential", "gumbel"],
)
def test_the_gain_is_nearly_all_of_the_negentropy_and_never_more(draw, negentropy):
    """Negentropies are log(2 pi e variance) / 2 less the densities' entropies, which are known."""
    gain = shape_gain(draw(np.random.default_rng(0)))
    assert 0.93 * negentropy <= gain < negentropy + 0.008


def test_normal_residuals_gain_nothing_whatever_their_number():
    for n in (20, 100, 500, 2000):
        for seed in range(20):
            assert shape_gain(np.random.default_rng(seed).standard_normal(n)) == 0.0


@pytest.mark.parametrize("factor", [1e6, -1e-6])
def test_units_and_signs_do_not_matter(factor):
    sample = np.random.default_rng(1).exponential(size=501)
    assert shape_gain(factor * sample - 30 * factor) == pytest.approx(shape_gain(sample), abs=1e-7)


def test_constants_have_no_shape():
    assert shape_gain(np.full(30, 3.0)) == 0.0


def test_rounding_is_no_shape():
    sample = np.random.default_rng(2).standard_normal(3000)
    for step in (0.01, 0.1, 0.5):
        assert shape_gain(np.round(sample / step) * step) < 0.01


def test_a_rounded_density_keeps_its_shape():
    sample = np.random.default_rng(3).exponential(size=3000)
    assert shape_gain(np.floor(sample * 5)) == pytest.approx(shape_gain(sample), abs=0.03)


@pytest.mark.parametrize("values", [[0.0, 1.0], [0.0, 0.0, 0.0, 5.0], [0.0, 1.0, 1e9]])
def test_few_and_far_values_have_a_finite_gain(values):
    assert 0 <= shape_gain(np.resize(values, 40)) < 40
