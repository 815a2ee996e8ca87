import numpy as np
import pytest

from mcsl.order.noise import entropy, log_scale, tilt_gain


@pytest.mark.parametrize(
    ("draw", "negentropy"),
    [
        (lambda rng: rng.standard_normal(20_000), 0.0),
        (lambda rng: np.abs(rng.standard_normal(20_000)), 0.187),
        (lambda rng: rng.laplace(size=20_000), 0.072),
        (lambda rng: rng.uniform(size=20_000), 0.176),
    ],
    ids=["normal", "half-normal", "laplace", "uniform"],
)
def test_the_tilt_finds_much_of_the_negentropy_and_never_more(draw, negentropy):
    gain = tilt_gain(draw(np.random.default_rng(0)))
    assert 0.35 * negentropy - 1e-9 <= gain < negentropy + 0.005


def test_the_tilt_ignores_location_scale_and_constants():
    sample = np.random.default_rng(1).exponential(size=500)
    assert tilt_gain(1e6 * sample - 3e7) == pytest.approx(tilt_gain(sample))
    assert tilt_gain(np.full(10, 3.0)) == 0.0


def test_a_known_log_scale_is_recovered():
    rng = np.random.default_rng(2)
    x = rng.standard_normal(5000)
    design = np.column_stack([x - x.mean(), x**2 - np.mean(x**2)])
    logs = 0.5 * design[:, 0] - 0.2 * design[:, 1]
    fitted = log_scale(3.0 * np.exp(logs) * rng.standard_normal(5000), design, design.T @ design)
    assert np.sqrt(np.mean((fitted - logs) ** 2)) < 0.05


def test_residuals_of_zero_have_some_scale():
    design = np.random.default_rng(3).standard_normal((50, 2))
    assert np.isfinite(log_scale(np.zeros(50), design, design.T @ design)).all()


@pytest.mark.parametrize(
    ("draw", "known"),
    [
        (lambda rng: rng.standard_normal(5000), np.log(2 * np.pi * np.e) / 2),
        (lambda rng: rng.uniform(size=5000), 0.0),
        (lambda rng: rng.exponential(size=5000), 1.0),
        (lambda rng: rng.standard_t(3, size=5000), 1.7735),
    ],
    ids=["normal", "uniform", "exponential", "student"],
)
def test_entropies_are_those_of_known_densities(draw, known):
    sample = draw(np.random.default_rng(4))
    assert entropy(sample) == pytest.approx(known, abs=0.04)
    assert entropy(100 * sample + 7) == pytest.approx(entropy(sample) + np.log(100))


def test_equal_values_have_a_finite_entropy():
    assert np.isfinite(entropy(np.zeros(20)))
    assert np.isfinite(entropy(np.repeat([0.0, 1.0], 10)))
