from dataclasses import replace

import numpy as np
import pytest

import mcsl
from mcsl.missing import complete, impute
from mcsl.problem import Problem


def table(seed=1, *, share=0.15, n_variables=5, n_samples=400):
    simulation = mcsl.simulate("gp-add", n_variables=n_variables, degree=1, n_samples=n_samples, seed=seed)
    values = simulation.dataset.values.copy()
    values[np.random.default_rng(seed).random(values.shape) < share] = np.nan
    return simulation, mcsl.Dataset(values, simulation.dataset.names)


def test_missing_values_are_refused_with_their_counts():
    values = np.random.default_rng(0).standard_normal((30, 3))
    values[[3, 4, 5], [0, 0, 2]] = np.nan
    with pytest.raises(mcsl.DataError) as refusal:
        mcsl.learn(values)
    for words in ("3 missing values in 3 of 30 rows", "by column 'x1' (2), 'x3' (1)", 'missing="drop"'):
        assert words in str(refusal.value)


def test_drop_learns_from_complete_rows_alone():
    _, gappy = table()
    whole = gappy.values[~np.isnan(gappy.values).any(axis=1)]
    dropped = mcsl.learn(gappy, mcsl.Recipe.additive(), missing="drop")
    assert dropped.graph == mcsl.learn(mcsl.Dataset(whole, gappy.names), mcsl.Recipe.additive()).graph
    assert dropped.n_samples == len(whole)
    assert dropped.missing.n_rows_dropped == len(gappy.values) - len(whole)
    assert dropped.fingerprint == gappy.fingerprint()


@pytest.mark.parametrize(
    ("name", "rule"),
    [("additive", "drop"), ("additive", "impute"), ("additive", "mask"), ("default", "mask")],
)
def test_without_gaps_every_rule_is_the_same(name, rule):
    simulation = table(2, n_samples=200)[0]
    recipe = mcsl.Recipe.named(name, 5)
    plain, ruled = (
        mcsl.learn(simulation.dataset, recipe),
        mcsl.learn(simulation.dataset, recipe, missing=rule),
    )
    assert plain.graph == ruled.graph
    assert np.array_equal(plain.edge_probabilities, ruled.edge_probabilities)
    assert ruled.missing.sentence == ""


def test_draws_are_values_of_their_columns_and_repeat_with_the_seed():
    _, gappy = table()
    missing = np.isnan(gappy.values)
    one, two, other = (complete(gappy, "impute", seed).dataset.values for seed in (0, 0, 1))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)
    assert np.array_equal(one[~missing], gappy.values[~missing])
    for column, gaps, drawn in zip(gappy.values.T, missing.T, one.T, strict=True):
        assert np.isin(drawn[gaps], column[~gaps]).all()


def test_draws_keep_two_modes_and_the_relation():
    # Given y = x^2 + noise, x has two modes, and its mean, 0, is what it never is.
    rng = np.random.default_rng(0)
    x = rng.choice([-1.0, 1.0], 2000) * rng.uniform(1, 2, 2000)
    values = np.column_stack([x, x**2 + 0.1 * rng.standard_normal(2000)])
    gaps = rng.random(2000) < 0.3
    holed = values.copy()
    holed[gaps, 0] = np.nan
    drawn = impute(holed, np.random.default_rng(1))[gaps, 0]
    assert np.abs(drawn).min() >= 1
    assert abs(np.mean(drawn > 0) - 0.5) < 0.1
    assert np.corrcoef(drawn**2, values[gaps, 1])[0, 1] > 0.8


@pytest.mark.parametrize(("unit", "offset"), [(1e-9, 0.0), (1.0, 1e9), (1e300, 0.0)])
def test_draws_are_the_same_rows_in_any_units(unit, offset):
    _, gappy = table()
    drawn = impute(gappy.values, np.random.default_rng(1))
    moved = impute(gappy.values * unit + offset, np.random.default_rng(1))
    assert np.mean(np.isclose(moved, drawn * unit + offset, rtol=1e-12)) > 0.99


@pytest.mark.parametrize("name", ["default", "additive"])
def test_masked_effects_are_not_fitted(name):
    # Whatever was drawn for the gaps of a variable that causes nothing must not matter to it.
    simulation, gappy = table(3, share=0.0)
    graph = simulation.graph
    leaf = next(i for i, name in enumerate(graph.names) if not graph.children(name) and graph.parents(name))
    observed = np.ones(gappy.values.shape, bool)
    observed[:120, leaf] = False
    recipe = mcsl.Recipe.named(name, 5)
    causes = np.flatnonzero(graph.adjacency[:, leaf]).tolist()
    parts, scores = [], []
    for seed in (0, 1):
        values = gappy.values.copy()
        values[:120, leaf] = np.random.default_rng(seed).permutation(values[120:240, leaf])
        problem = Problem(
            mcsl.Dataset(values, gappy.names),
            Problem.from_dataset(gappy).variables,
            graph.adjacency,
            observed=observed,
        )
        part = problem.of_effect(leaf, causes)
        parts.append([test.value for test in recipe.pruner.prune(_into(graph, leaf), part).tests])
        scores.append(recipe.order.find(problem).scores[leaf])
    assert parts[0] == pytest.approx(parts[1])
    assert scores[0] == pytest.approx(scores[1])


def _into(graph, effect):
    adjacency = np.zeros_like(graph.adjacency)
    adjacency[:, effect] = graph.adjacency[:, effect]
    return mcsl.CausalGraph(adjacency, graph.names)


@pytest.mark.parametrize(("share", "most"), [(0.1, 1), (0.3, 3)])
def test_masking_recovers_a_graph_that_complete_data_give(share, most):
    simulation, gappy = table(4, share=share, n_variables=6, n_samples=800)
    assert mcsl.evaluate(mcsl.learn(simulation.dataset).graph, simulation.graph).shd == 0
    result = mcsl.learn(gappy, missing="mask")
    assert mcsl.evaluate(result.graph, simulation.graph).shd <= most
    assert result.n_samples == 800
    assert f"{np.isnan(gappy.values).sum()} missing values" in result.missing.sentence


def test_required_edges_hold_under_every_rule():
    _, gappy = table(5)
    knowledge = mcsl.Knowledge(required=[("x5", "x1")], roots=["x5"])
    for rule in ("drop", "impute", "mask"):
        graph = mcsl.learn(gappy, mcsl.Recipe.additive(), knowledge=knowledge, missing=rule).graph
        assert ("x5", "x1") in graph.edges
        assert graph.parents("x5") == ()


def test_vectors_count_where_all_of_their_columns_were_measured():
    _, gappy = table(6)
    groups = {"pair": ["x1", "x2"]}
    result = mcsl.learn(gappy, mcsl.Recipe.additive(), groups=groups, missing="mask")
    pair = result.problem.names.index("pair")
    whole = ~np.isnan(gappy.values[:, :2]).any(axis=1)
    assert result.problem.of_effect(pair, []).n_samples == whole.sum()


def test_a_vector_that_was_never_measured_whole_is_refused():
    _, gappy = table(6, n_samples=60)
    values = gappy.values.copy()
    values[::2, 0] = values[1::2, 1] = np.nan
    with pytest.raises(mcsl.DataError, match="The variable 'pair' was measured in 0 rows"):
        mcsl.learn(values, mcsl.Recipe.additive(), groups={"pair": ["x1", "x2"]}, missing="mask")


@pytest.mark.parametrize(
    ("change", "rule", "message"),
    [
        (lambda v: v[np.arange(30), np.arange(30) % 3], "drop", "Only 0 of 30 rows have no missing values"),
        (lambda v: v[:15, 1], "mask", "Column 'x2' has only 15 values that are not missing"),
        (lambda v: v[:, 1], "impute", "Column 'x2' of the table has no values"),
    ],
)
def test_too_many_gaps_are_refused(change, rule, message):
    values = np.random.default_rng(0).standard_normal((30, 3))
    index = change(np.arange(90).reshape(30, 3))
    values.ravel()[index.ravel()] = np.nan
    with pytest.raises(mcsl.DataError, match=message):
        mcsl.learn(values, missing=rule)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (lambda v: np.isnan(v[:, 0]), "Column 'x4' .* has the same value in every row, which says nothing"),
        (lambda v: np.where(np.isnan(v[:, 0]), 9.0, v[:, 1]), "Columns 'x2' and 'x4' .* are identical; "),
    ],
)
def test_columns_that_are_useless_without_the_rows_of_gaps_are_refused(column, message):
    values = np.random.default_rng(0).standard_normal((40, 3))
    values[:5, 0] = np.nan
    with pytest.raises(mcsl.DataError, match=message) as caught:
        mcsl.learn(np.column_stack([values, column(values)]), "additive", missing="drop")
    assert " of the rows without missing values " in str(caught.value)
    assert str(caught.value).endswith(" out, or use the rule impute or mask.")


def test_rules_that_are_none_and_series_are_refused():
    _, gappy = table()
    with pytest.raises(mcsl.SettingsError, match="`missing` must be one of refuse, drop, impute, mask"):
        mcsl.learn(gappy, missing="mean")
    with pytest.raises(mcsl.SettingsError, match="rule for tables"):
        mcsl.learn(gappy, missing="mask", lags=1)


def test_half_samples_follow_the_rule_too():
    _, gappy = table(8, n_samples=800)
    stability = mcsl.assess_stability(gappy, mcsl.Recipe.additive(), n_halves=2, missing="mask")
    assert stability.frequencies.max() == 1.0


def test_masked_networks_learn_from_measured_outputs():
    _, gappy = table(7, n_samples=150)
    quick = mcsl.Schedule(steps_per_stage=20, max_stages=2, batch_size=64)
    recipe = replace(mcsl.Recipe.masked(), order=None, schedule=quick, mechanism=mcsl.Linear.init)
    result = mcsl.learn(gappy, recipe, missing="mask")
    assert len(result.trace) == 2
    assert np.isfinite(result.trace[-1].score)
