"""Groups and lags through the whole walk."""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import mcsl
from mcsl.errors import SettingsError
from mcsl.graph.causal_graph import topological_order
from mcsl.pruning import AdditivePruner
from mcsl.simulation import simulate_series

ADDITIVE = mcsl.Recipe.additive()
MASKED = replace(
    mcsl.Recipe.masked(),
    order=ADDITIVE.order,
    mechanism=partial(mcsl.MLP.init, depth=2),
    schedule=mcsl.Schedule(steps_per_stage=100, learning_rate=2e-2, max_stages=40, batch_size=200),
    pruner=AdditivePruner(mode="f"),
)


@pytest.fixture(scope="module")
def vectors():
    """a -> b -> c and d, of two, one, three columns and one."""
    rng = np.random.default_rng(1)
    a, noise = rng.normal(size=(600, 2)), 0.5 * rng.normal(size=(600, 4))
    b = np.sin(2 * a[:, :1]) + a[:, 1:] ** 2 / 2 + noise[:, :1]
    c = np.hstack([np.tanh(2 * b), np.cos(2 * b), b**2 / 2]) + noise[:, 1:]
    columns = ("a.1", "b", "a.2", "c.1", "c.2", "c.3", "d")
    values = np.column_stack([a[:, 0], b, a[:, 1], c, rng.normal(size=600)])
    groups = {"a": ("a.1", "a.2"), "b": ("b",), "c": ("c.1", "c.2", "c.3"), "d": ("d",)}
    graph = mcsl.CausalGraph.from_edges([("a", "b"), ("b", "c")], tuple(groups))
    return SimpleNamespace(dataset=mcsl.Dataset(values, columns), groups=groups, graph=graph)


@pytest.fixture(scope="module")
def series():
    return simulate_series(n_variables=5, degree=1, seed=2, n_samples=800, lags=2)


def test_groups_are_learned_as_one_variable_each(vectors):
    result = mcsl.learn(vectors.dataset, ADDITIVE, groups=vectors.groups)
    assert result.graph.names == vectors.graph.names
    assert result.groups == vectors.groups
    assert result.graph == vectors.graph
    assert {(test.cause, test.effect) for test in result.tests} >= set(result.graph.edges)


def test_the_order_of_columns_in_a_group_does_not_matter(vectors):
    turned = {name: columns[::-1] for name, columns in vectors.groups.items()}
    graphs = [
        mcsl.learn(vectors.dataset, ADDITIVE, groups=groups).graph for groups in (vectors.groups, turned)
    ]
    assert graphs[0] == graphs[1]


def test_lags_are_learned_as_a_summary_graph(series):
    result = mcsl.learn(series.dataset, ADDITIVE, lags=2)
    assert mcsl.evaluate(result.graph, series.graph).shd <= 1
    assert len(topological_order(result.graph.adjacency)) == 5
    assert (result.n_samples, result.series.lags) == (798, 2)


def test_contemporaneous_and_lagged_influence_are_told_apart(series):
    result = mcsl.learn(series.dataset, ADDITIVE, lags=2)
    assert [(t.cause, t.effect, t.lag) for t in result.lag_tests] == sorted(
        ((cause, effect, lag) for cause, effect in result.graph.edges for lag in range(3)),
        key=lambda t: (series.graph.names.index(t[1]), series.graph.names.index(t[0]), t[2]),
    )
    found = {(t.cause, t.effect, t.lag) for t in result.lag_tests if t.matters}
    true = {(*edge, lag) for edge, at in series.lags.items() for lag in at if edge in result.graph.edges}
    assert found == true


def test_a_variables_own_past_is_no_edge_but_explains_it():
    # Two persistent series that never meet look related without their past.
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(500, 2))
    values = noise.copy()
    for t in range(1, 500):
        values[t] += 0.97 * values[t - 1]
    assert mcsl.learn(values, ADDITIVE).graph.n_edges == 1
    assert mcsl.learn(values, ADDITIVE, lags=1).graph.n_edges == 0


def test_groups_and_lags_compose():
    rng = np.random.default_rng(0)
    cause = rng.normal(size=(600, 2))
    effect = np.zeros(600)
    effect[1:] = np.abs(cause[:-1, 0]) + np.tanh(2 * cause[:-1, 1]) + 0.3 * rng.normal(size=599)
    frame = pd.DataFrame({"c.1": cause[:, 0], "e": effect, "c.2": cause[:, 1]})
    result = mcsl.learn(frame, ADDITIVE, groups={"c": ["c.1", "c.2"]}, lags=1)
    assert result.graph.edges == (("c", "e"),)
    assert [test.matters for test in result.lag_tests] == [False, True]


def test_series_with_gaps_and_different_lengths():
    runs = [
        simulate_series(n_variables=4, degree=1, seed=5, n_samples=n, lags=1).dataset.values
        for n in (200, 500)
    ]
    frame = pd.concat(
        [
            pd.DataFrame(run, columns=["a", "b", "c", "d"]).assign(
                machine=name, when=pd.date_range("2024-01-01", periods=len(run), freq="min")
            )
            for name, run in zip("xy", runs, strict=True)
        ]
    )
    frame.iloc[50:52, 0] = np.nan
    frame.iloc[100:110, 1] = np.nan
    result = mcsl.learn(frame.sample(frac=1, random_state=0), ADDITIVE, lags=1, series="machine")
    assert (result.series.n_series, result.series.n_filled, result.series.n_left_out) == (2, 2, 11)
    assert result.n_samples == 200 + 500 - 2 - 11
    assert result.graph.names == ("a", "b", "c", "d")
    assert result.series.sentence == (
        "Samples are from 2 series, with 1 lag; 2 missing values were filled by straight lines and "
        "11 windows were left out for longer gaps."
    )


def test_masked_networks_learn_groups(vectors):
    result = mcsl.learn(vectors.dataset, MASKED, groups=vectors.groups)
    assert result.graph == vectors.graph
    again = mcsl.learn(vectors.dataset, MASKED, groups=vectors.groups)
    assert np.array_equal(result.edge_probabilities, again.edge_probabilities)


def test_masked_networks_learn_windows(series):
    result = mcsl.learn(series.dataset, MASKED, lags=2)
    assert result.edge_probabilities.shape == (5, 5)
    assert mcsl.evaluate(result.graph, series.graph).shd <= 1


def test_tables_still_refuse_what_is_missing(vectors):
    values = vectors.dataset.values.copy()
    values[3, 1] = np.nan
    with pytest.raises(mcsl.DataError, match="1 missing value"):
        mcsl.learn(values, ADDITIVE)
    with pytest.raises(SettingsError, match="`missing` is a rule for tables"):
        mcsl.learn(values, ADDITIVE, lags=1, missing="drop")
