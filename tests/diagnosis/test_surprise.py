import numpy as np
import pytest

from mcsl.diagnosis.mechanism import RobustMechanism
from mcsl.diagnosis.surprise import Yardstick, quiet_rows, row_weights, surprise

NONE = np.zeros(4, dtype=bool)


def test_a_mechanism_bends_with_the_data_and_runs_straight_beyond():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(500, 2))
    y = np.tanh(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.1 * rng.normal(size=500)
    mechanism = RobustMechanism.fit(x, y)
    residuals = y - mechanism.predict(x)
    assert residuals.std() < 0.2
    far = mechanism.predict(np.column_stack([[5.0, 6.0, 7.0], np.zeros(3)]))
    assert np.diff(far)[0] == pytest.approx(np.diff(far)[1], abs=1e-6)


@pytest.mark.parametrize("top", [0, 1, 2])
def test_a_mechanism_runs_straight_beyond_values_that_repeat(top):
    rng = np.random.default_rng(0)
    x = np.minimum(rng.integers(-2, 3, size=(400, 1)), top).astype(float)
    mechanism = RobustMechanism.fit(x, 2 * x[:, 0] + 0.3 * rng.normal(size=400))
    far = mechanism.predict(np.array([[-30.0], [10.0], [20.0], [30.0]]))
    assert np.diff(far)[1] == pytest.approx(np.diff(far)[2])
    assert far == pytest.approx([-60, 20, 40, 60], rel=0.5)


def test_a_mechanism_does_not_follow_outliers():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 1))
    y = 2 * x[:, 0] + 0.1 * rng.normal(size=300)
    y[:15] += 40
    assert RobustMechanism.fit(x, y).predict(np.array([[1.0]]))[0] == pytest.approx(2, abs=0.3)


def test_without_inputs_the_mechanism_is_the_level():
    y = np.array([1.0, 2.0, np.nan, 3.0])
    assert RobustMechanism.fit(np.zeros((4, 0)), y).predict(np.zeros((1, 0))) == pytest.approx(2)


def test_deviations_are_robust_and_never_zero():
    values = np.append(np.random.default_rng(2).normal(10, 2, 1000), [1e6, np.nan])
    stick = Yardstick.of(values)
    assert stick.centre == pytest.approx(10, abs=0.2)
    assert stick.deviation == pytest.approx(2, rel=0.1)
    assert Yardstick.of(np.full(30, 100.0)).deviation == pytest.approx(0.1)
    assert Yardstick.of(np.zeros(30)).deviation == 1
    mostly = Yardstick.of(np.append(np.full(90, 100.0), np.full(10, 90.0)))
    assert mostly.deviation == pytest.approx(3)


def test_surprise_is_the_logarithm_of_the_excess_over_the_limit():
    z = np.array([4.0, -4.0, np.nan, 0.0])
    assert surprise(z, np.array([1.0, 1.0, 1.0, 0.0]), 2.0, NONE) == pytest.approx(np.log(2))
    assert surprise(np.full(4, np.nan), np.ones(4), 2.0, NONE) < 0


def test_what_happens_before_the_symptom_raises_the_limit():
    z = np.full(4, 30.0)
    quiet = np.array([True, True, False, False])
    assert surprise(z, np.ones(4), 2.5, quiet) == pytest.approx(0)


def test_rows_weigh_as_much_as_the_symptoms_they_may_cause():
    z = np.array([0.0, 0.0, 3.0, 0.0])[:, None]
    np.testing.assert_allclose(row_weights(z, 0), [0.009, 0.009, 9, 0.009])
    np.testing.assert_allclose(row_weights(z, 1), [0.009, 9, 9, 0.009])
    np.testing.assert_allclose(row_weights(np.zeros((3, 0)), 1), 1)


def test_quiet_rows_come_before_the_symptom():
    z = np.array([0.1, -0.5, 9.0, 0.0, 8.0])
    assert quiet_rows(z, 2.5, 0).tolist() == [True, True, False, False, False]
    assert not quiet_rows(z, 2.5, 1).any()
    assert not quiet_rows(z[1:], 2.5, 0).any()
    assert not quiet_rows(np.zeros(5), 2.5, 0).any()
