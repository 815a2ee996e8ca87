import numpy as np
import pytest

from mcsl.trust import hsic_test
from mcsl.trust.independence import normality_test


def test_independent_rows_are_rejected_at_about_the_level():
    rng = np.random.default_rng(0)
    values = [hsic_test(rng.standard_normal((80, 1)), rng.laplace(size=(80, 2))) for _ in range(200)]
    assert np.mean(np.array(values) < 0.05) == pytest.approx(0.05, abs=0.045)


def test_dependence_without_correlation_is_seen():
    rng = np.random.default_rng(1)
    x = rng.standard_normal((200, 1))
    assert hsic_test(x, x**2 + 0.5 * rng.standard_normal((200, 1))) < 1e-6
    assert hsic_test(x, np.exp(0.7 * x) * rng.standard_normal((200, 1))) < 1e-3


def test_a_constant_depends_on_nothing():
    x = np.random.default_rng(2).standard_normal((50, 1))
    assert hsic_test(x, np.ones((50, 1))) == 1.0


def test_units_do_not_matter():
    rng = np.random.default_rng(3)
    x, y = rng.standard_normal((2, 100, 1))
    assert hsic_test(x, y) == pytest.approx(hsic_test(1e6 * x, 1e-6 * y))


def test_normality():
    rng = np.random.default_rng(4)
    assert normality_test(rng.standard_normal(500)) > 0.01
    assert normality_test(rng.laplace(size=500)) < 1e-6
