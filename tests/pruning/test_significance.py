"""Tail probabilities and tests of terms against independent calculations."""

import numpy as np
import pytest
from scipy.stats import f as f_distribution

from mcsl.pruning.significance import _tail, wilks_test
from mcsl.pruning.smoothing import fit_fixed, fit_smooth
from mcsl.pruning.splines import SplineTable


@pytest.mark.parametrize(("whole", "part"), [(1, 0.3), (2, 0.7), (6, 0.05)])
def test_tail_of_weighted_chi_squares_equals_simulation(whole, part):
    rng = np.random.default_rng(0)
    root = np.sqrt((1 + part) * (1 - part))
    draws = rng.standard_normal((400_000, 2)) ** 2 @ np.array([1 + part + root, 1 + part - root]) / 2
    if whole > 1:
        draws += rng.chisquare(whole - 1, 400_000)
    draws /= rng.chisquare(30, 400_000) / 30
    for statistic in np.quantile(draws, [0.2, 0.9, 0.995]):
        expected = np.mean(draws > statistic)
        error = np.sqrt(expected * (1 - expected) / 400_000)
        assert _tail(statistic, whole, part, 30.0) == pytest.approx(expected, abs=4 * error)


def test_tail_is_the_f_distribution_where_nothing_is_fractional():
    assert _tail(40.0, 4, 0.0, 50.0) == pytest.approx(f_distribution.sf(10.0, 4, 50), rel=1e-4)
    assert _tail(400.0, 4, 0.0, 50.0) == pytest.approx(f_distribution.sf(100.0, 4, 50), rel=1e-4)


def test_wilks_with_one_response_is_the_f_test_of_nested_fits():
    rng = np.random.default_rng(1)
    design = rng.standard_normal((60, 5))
    response = design[:, :2].sum(axis=1, keepdims=True) + rng.standard_normal((60, 1))
    design, response = design - design.mean(axis=0), response - response.mean(axis=0)

    def rss(columns):
        chosen = design[:, columns]
        return np.sum((response - chosen @ np.linalg.lstsq(chosen, response, rcond=None)[0]) ** 2)

    expected = f_distribution.sf((rss([0, 1, 2]) - rss(range(5))) / 2 / (rss(range(5)) / 54), 2, 54)
    inverse = np.linalg.inv(design.T @ design)
    coefficients = inverse @ design.T @ response
    value = wilks_test(coefficients[3:], inverse[3:, 3:], np.array([[rss(range(5))]]), 54)
    assert value == pytest.approx(expected, rel=1e-9)


def test_wilks_with_several_responses_keeps_its_level():
    rng = np.random.default_rng(2)
    p_values = []
    for _ in range(2000):
        design, response = rng.standard_normal((40, 4)), rng.standard_normal((40, 3))
        inverse = np.linalg.inv(design.T @ design)
        coefficients = inverse @ design.T @ response
        residual = response - design @ coefficients
        p_values.append(wilks_test(coefficients[2:], inverse[2:, 2:], residual.T @ residual, 36))
    assert np.mean(np.array(p_values) < 0.05) == pytest.approx(0.05, abs=0.015)


def test_smoothing_is_at_a_minimum_of_the_gcv_score():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((300, 3))
    x[:, 2] = np.sin(2 * x[:, 0]) + x[:, 1] + 0.5 * x[:, 2]
    table = SplineTable.of(x)
    used = table.functions([0, 1])
    gram, moments = table.gram[np.ix_(used, used)], table.moments[used, 2]
    square, penalties = table.scatter[2, 2], table.penalties[used]
    fit = fit_smooth(gram, moments, square, penalties, table.slices[:2], 300)
    for term in table.slices[:2]:
        for factor in (0.8, 1.25):
            shrinkage = fit.shrinkage.copy()
            shrinkage[term] *= factor
            assert fit_fixed(gram, moments, square, shrinkage, 300).gcv >= fit.gcv - 1e-9
