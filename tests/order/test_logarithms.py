"""Logarithms whose origin each set of causes chooses."""

import numpy as np
import pytest

import mcsl
from mcsl.data import Dataset
from mcsl.order import OrderSearch, spline_table
from mcsl.order.logarithms import Logarithms, finer_logarithms
from mcsl.order.regressors import Family, Regressors
from mcsl.order.scores import LocationScaleScore, ShapedScore
from mcsl.order.transformation import straighten
from mcsl.problem import Problem
from mcsl.scales import logarithms_of


def with_a_sharp_edge():
    """Draw a cause, and an effect that is the cause times the exponential of half-normal noise."""
    rng = np.random.default_rng(0)
    cause = np.exp(1.66 * np.abs(rng.standard_normal(2000)))
    return np.column_stack([cause, cause * np.exp(1.66 * np.abs(rng.standard_normal(2000)))])


def scores_of(values, kind=ShapedScore, **settings):
    """Return scores without and with a choice of origins, having begun with origins far too near."""
    problem = Problem.from_dataset(Dataset(values, ("cause", "effect")))
    nearest = {
        k: logarithms_of(column)[0] for k, column in enumerate(problem.dataset.standardized().values.T)
    }
    straight = straighten(problem, nearest)
    families = [Family.of(straight, effect, straight.candidates[:, effect]) for effect in range(2)]
    regressors = Regressors.of(spline_table(straight), families, interactions=True)
    finer = finer_logarithms(problem, nearest)
    return kind(straight, regressors, **settings), kind(straight, regressors, logarithms=finer, **settings)


def test_a_set_of_causes_finds_the_origin_where_noise_adds():
    values = with_a_sharp_edge()
    fixed, free = scores_of(values)
    assert free(1, frozenset({0})) > fixed(1, frozenset({0})) + 50
    curve = free.curves(1, frozenset({0}))[1]
    effect = values[:, 1]
    origin = effect.mean() + effect.std() * curve.origin
    to_the_median = np.median(effect) - effect.min()
    assert abs(origin) < 0.1 * to_the_median


def test_the_true_direction_gains_from_the_origin_and_the_wrong_one_less():
    fixed, free = scores_of(with_a_sharp_edge())
    edges = [(frozenset(), frozenset({0})), (frozenset({1}), frozenset())]
    gains = [sum(free(k, parents[k]) - fixed(k, parents[k]) for k in range(2)) for parents in edges]
    assert gains[0] > gains[1] + 50


def test_columns_of_one_scale_choose_the_same_origin_where_others_have_noise_of_any_scale():
    values = with_a_sharp_edge()
    _, shaped = scores_of(values)
    _, scaled = scores_of(values, LocationScaleScore, steady=frozenset({0, 1}))
    assert scaled(1, frozenset({0})) == shaped(1, frozenset({0}))


@pytest.mark.parametrize("sign", [1, -1])
def test_other_scales_count_beside_the_one_that_the_search_began_with(sign):
    column = sign * with_a_sharp_edge()[:, 1]
    column = (column - column.mean()) / column.std()
    begun = logarithms_of(column)[2]
    scales = Logarithms.around(column, begun)
    assert scales.curves[scales.begun] == begun
    assert scales.log_slopes[scales.begun] == 0
    assert all(scales.column(place).std() == pytest.approx(1) for place in range(len(scales.curves)))


def test_counts_keep_the_logarithm_that_they_have():
    counts = np.random.default_rng(1).poisson(np.exp(np.random.default_rng(2).standard_normal((600, 1))))
    problem = Problem.from_dataset(Dataset(counts.astype(float), ("counts",)))
    standardized = problem.dataset.standardized().values[:, 0]
    assert finer_logarithms(problem, {0: logarithms_of(standardized)[-1]}) == {}


def test_a_column_without_causes_is_no_less_likely_for_having_a_choice():
    rng = np.random.default_rng(0)
    right = 0
    for k in range(8):
        x, noise = rng.standard_normal((2, 1500))
        effect = np.tanh(0.7 * x) if k % 2 else x + 0.15 * x**2
        right += mcsl.learn(np.column_stack([np.exp(x), effect + noise])).graph.adjacency[0, 1]
    assert right >= 7
    fixed, free = scores_of(np.exp(rng.standard_normal((1000, 2))))
    assert free(0, frozenset()) >= fixed(0, frozenset())


def test_the_tests_see_the_origin_that_suits_the_causes_found():
    values = with_a_sharp_edge()
    found = OrderSearch().find(Problem.from_dataset(Dataset(values, ("cause", "effect")).standardized()))
    assert found.learned.adjacency[0, 1]
    assert np.corrcoef(found.problem.dataset.values[:, 1], np.log(values[:, 1]))[0, 1] > 0.999


@pytest.mark.parametrize("seed", [3, 7])
def test_post_nonlinear_arrows_are_not_turned_around(seed):
    simulation = mcsl.simulate("pnl", n_variables=10, degree=1, n_samples=3000, seed=seed)
    problem = Problem.from_dataset(simulation.dataset.standardized())
    learned = OrderSearch().find(problem).learned.adjacency
    assert not (learned & simulation.graph.adjacency.T).any()
