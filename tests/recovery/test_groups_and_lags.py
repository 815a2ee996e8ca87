"""Groups and lags against what one would do without them."""

import numpy as np
import pytest

import mcsl

pytestmark = pytest.mark.slow
ADDITIVE = mcsl.Recipe.additive()


def shd(graph, truth):
    return mcsl.evaluate(graph.adjacency, truth.adjacency).shd


def test_summary_graphs_of_series_are_recovered():
    simulations = [mcsl.simulate_series(n_variables=10, degree=1.5, seed=seed) for seed in range(3)]
    lagged = [shd(mcsl.learn(s.dataset, ADDITIVE, lags=2).graph, s.graph) for s in simulations]
    plain = [shd(mcsl.learn(s.dataset, ADDITIVE).graph, s.graph) for s in simulations]
    assert np.mean(lagged) <= 0.5
    assert np.mean(plain) >= 4


def test_lags_are_told_apart():
    wrong = 0
    for seed in range(3):
        simulation = mcsl.simulate_series(n_variables=10, degree=1.5, seed=seed)
        result = mcsl.learn(simulation.dataset, ADDITIVE, lags=2)
        true = {(*edge, lag) for edge, at in simulation.lags.items() for lag in at}
        wrong += len({(t.cause, t.effect, t.lag) for t in result.lag_tests if t.matters} ^ true)
    assert wrong <= 3


def test_groups_say_more_than_their_first_columns():
    grouped, first = [], []
    for seed in range(3):
        simulation = mcsl.simulate("gp-vec", n_variables=10, degree=1, seed=seed)
        columns = [simulation.dataset.names.index(names[0]) for names in simulation.groups.values()]
        result = mcsl.learn(simulation.dataset, ADDITIVE, groups=simulation.groups)
        grouped.append(shd(result.graph, simulation.graph))
        alone = mcsl.learn(simulation.dataset.values[:, columns], ADDITIVE)
        first.append(shd(alone.graph, simulation.graph))
    assert np.mean(grouped) <= 3
    assert np.mean(grouped) < np.mean(first)
