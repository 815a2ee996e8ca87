import logging
import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mcsl
from mcsl.graph import is_acyclic

QUICK = mcsl.Schedule(
    initial_penalty=1e-2, penalty_growth=10.0, learning_rate=3e-2, steps_per_stage=30, max_stages=4
)
RECIPES = {
    "default": mcsl.Recipe.default(),
    "additive": mcsl.Recipe.additive(),
    "masked": replace(mcsl.Recipe.masked(), schedule=QUICK),
    "paper": replace(mcsl.Recipe.paper(5), schedule=QUICK),
}


def table(seed: int, *, n_variables: int = 5, n_samples: int = 150) -> mcsl.Simulation:
    return mcsl.simulate("gp-add", n_variables=n_variables, degree=1, n_samples=n_samples, seed=seed)


@pytest.mark.parametrize("name", RECIPES)
@given(seed=st.integers(0, 1000))
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_learned_graph_is_a_dag_whatever_the_table(name, seed):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((120, 4)) @ rng.standard_normal((4, 4)) ** 3
    result = mcsl.learn(values, RECIPES[name], seed=seed)
    assert is_acyclic(result.graph.adjacency)
    assert ((result.edge_probabilities >= 0) & (result.edge_probabilities <= 1)).all()
    assert (np.diag(result.edge_probabilities) == 0).all()


@pytest.mark.parametrize("name", RECIPES)
def test_the_same_seed_gives_the_same_result(name):
    dataset = table(3).dataset
    one, two = (mcsl.learn(dataset, RECIPES[name], seed=7) for _ in range(2))
    assert one.graph == two.graph
    assert np.array_equal(one.edge_probabilities, two.edge_probabilities)


def assert_units_do_not_matter(simulation, recipe, seed):
    values, d = simulation.dataset.values, simulation.dataset.n_variables
    rng = np.random.default_rng(seed)
    units = 10.0 ** rng.uniform(-6, 6, d) * rng.choice([-1, 1], d)
    rescaled = mcsl.Dataset(values * units + 100 * units, simulation.dataset.names)
    plain, other = (mcsl.learn(table, recipe) for table in (simulation.dataset, rescaled))
    assert plain.graph == other.graph
    assert np.allclose(plain.edge_probabilities, other.edge_probabilities, atol=1e-4)


@pytest.mark.parametrize("name", ["default", "additive"])
@given(model=st.sampled_from(["gp", "gp-add", "pnl", "quadratic"]), seed=st.integers(0, 1000))
@settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
def test_units_do_not_matter(name, model, seed):
    simulation = mcsl.simulate(model, n_variables=5, degree=1, n_samples=300, seed=seed)
    assert_units_do_not_matter(simulation, RECIPES[name], seed)


def test_units_do_not_matter_to_straight_lines():
    simulation = mcsl.simulate("linear", n_variables=6, degree=1.5, n_samples=300, seed=100)
    kilo = mcsl.Dataset(simulation.dataset.values * [1000, 1, 1, 1, 1, 1], simulation.dataset.names)
    assert mcsl.learn(simulation.dataset).graph == mcsl.learn(kilo).graph


def test_units_do_not_matter_to_screening_and_a_second_look():
    simulation = mcsl.simulate("pnl", n_variables=22, degree=1, n_samples=300, seed=0)
    assert_units_do_not_matter(simulation, RECIPES["default"], 0)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_relabelling_the_variables_relabels_the_answer(seed):
    simulation = table(seed, n_samples=400)
    shuffled = np.random.default_rng(seed).permutation(5)
    names = tuple(simulation.dataset.names[i] for i in shuffled)
    moved = mcsl.Dataset(simulation.dataset.values[:, shuffled], names)
    plain, other = (mcsl.learn(d, mcsl.Recipe.additive()) for d in (simulation.dataset, moved))
    assert set(plain.graph.edges) == set(other.graph.edges)


@pytest.mark.parametrize("name", ["default", "additive"])
def test_a_simple_graph_is_recovered(name):
    simulation = table(1, n_variables=6, n_samples=800)
    result = mcsl.learn(simulation.dataset, RECIPES[name])
    assert mcsl.evaluate(result.graph, simulation.graph).shd <= 1
    assert result.stop_reason is mcsl.StopReason.SETTLED


def test_causes_that_act_only_together_are_found_by_the_default_alone():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 1000))
    values = np.column_stack([a * b + 0.5 * rng.standard_normal(1000), a, b])
    data = mcsl.Dataset(values, ("product", "a", "b"))
    assert set(mcsl.learn(data).graph.edges) == {("a", "product"), ("b", "product")}
    assert mcsl.learn(data, mcsl.Recipe.additive()).graph.n_edges < 2


def test_the_result_says_how_it_was_found():
    simulation = table(0)
    result = mcsl.learn(simulation.dataset, RECIPES["paper"], seed=5)
    assert result.seed == 5
    assert result.n_samples == 150
    assert result.fingerprint == simulation.dataset.fingerprint()
    assert len(result.trace) == len({row.stage for row in result.trace}) > 0
    assert set(result.timings) == {"read", "train", "prune"}
    assert result.versions["mcsl"] == mcsl.__version__
    described = result.recipe.describe()
    assert described["score"] == "least-squares"
    assert described["mechanism"] == "MLP.init"
    assert described["schedule"]["steps_per_stage"] == 30


def test_the_result_says_what_each_step_cost_and_changed():
    result = mcsl.learn(table(0).dataset)
    assert set(result.timings) == {"read", "screen", "order", "prune"}
    counts = result.edge_counts
    assert list(counts) == ["screened", "learned", "completed", "pruned"]
    assert counts["screened"] >= counts["completed"] >= max(counts["learned"], counts["pruned"])
    assert counts["pruned"] == result.graph.n_edges
    masked = mcsl.learn(table(0).dataset, RECIPES["masked"])
    assert masked.stop_reason is mcsl.StopReason.NOTHING_TO_ADD
    assert list(masked.edge_counts) == list(counts)


def test_observers_see_every_stage():
    seen = []
    result = mcsl.learn(table(0).dataset, RECIPES["paper"], observers=[seen.append])
    assert tuple(seen) == result.trace


def test_the_papers_numbers():
    # Appendix: rho0 = 10^-ceil(0.3 d), beta 5 / 15 / 300 / 8000 at 10 / 20 / 50 / 100 variables.
    # Whether Adam goes on from stage to stage is left open.
    for d, growth, penalty, steps, fresh_optimizer in [
        (10, 5, 1e-3, 1000, False),
        (20, 15, 1e-6, 1000, False),
        (50, 300, 1e-15, 1000, True),
        (100, 8000, 1e-30, 2500, True),
    ]:
        recipe = mcsl.Recipe.paper(d)
        assert recipe.schedule.penalty_growth == pytest.approx(growth)
        assert recipe.schedule.initial_penalty == pytest.approx(penalty)
        assert recipe.schedule.steps_per_stage == steps
        assert recipe.schedule.fresh_optimizer == fresh_optimizer
        assert recipe.schedule.learning_rate == 3e-2
        assert recipe.schedule.required_decrease == 0.25
        assert recipe.schedule.tolerance == 1e-10
        assert (recipe.sparsity_weight, recipe.temperature) == (2e-3, 0.2)
        assert recipe.score is mcsl.least_squares
        assert not recipe.standardize
    between = mcsl.Recipe.paper(30).schedule.penalty_growth
    assert 15 < between < 300
    assert mcsl.Recipe.paper(200).schedule.penalty_growth > 8000
    # 10 to the power of -330 is no number of double precision.
    assert mcsl.Recipe.paper(1100).schedule.initial_penalty > 0
    assert mcsl.Recipe.paper(5).schedule.penalty_growth == pytest.approx(5)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"sparsity_weight": -1}, "`sparsity_weight` must be a number >= 0. Got -1 instead"),
        ({"temperature": 0}, "`temperature` must be a number > 0. Got 0 instead"),
        ({"restarts": 0}, "`restarts` must be a whole number >= 1. Got 0 instead"),
        ({"schedule": None}, "needs an `order` search, a `schedule`"),
    ],
)
def test_recipes_out_of_range_are_refused(part, message):
    with pytest.raises(mcsl.SettingsError, match=message):
        replace(mcsl.Recipe.paper(4), **part)


@pytest.mark.parametrize(
    "part",
    [
        {"mechanism": mcsl.Quadratic.init},
        {"score": mcsl.least_squares},
        {"sparsity_weight": 0.1},
        {"temperature": 0.5},
        {"restarts": 2},
    ],
    ids=lambda part: next(iter(part)),
)
def test_settings_of_networks_are_refused_where_there_are_none(part):
    with pytest.raises(mcsl.SettingsError, match="is a setting of networks, which this recipe does without"):
        replace(mcsl.Recipe.default(), **part)
    replace(mcsl.Recipe.masked(), **part)


def test_recipes_are_known_by_name():
    data = table(0).dataset
    assert mcsl.learn(data, "additive").recipe == mcsl.Recipe.additive()
    assert mcsl.learn(data).recipe == mcsl.learn(data, "default").recipe == mcsl.Recipe.default()
    for wrong in ("fast", mcsl.Recipe.additive):
        with pytest.raises(mcsl.SettingsError, match="must be a Recipe or one of default"):
            mcsl.learn(data, wrong)


def test_a_recipe_describes_partial_mechanisms():
    recipe = replace(mcsl.Recipe.masked(), mechanism=partial(mcsl.MLP.init, width=8))
    assert recipe.describe()["mechanism"] == {"kind": "MLP.init", "width": 8}


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_can_be_sent_to_other_processes(name):
    assert pickle.loads(pickle.dumps(RECIPES[name])) == RECIPES[name]


def test_nothing_is_logged_unless_asked_for(caplog, capsys):
    with caplog.at_level(logging.WARNING):
        mcsl.learn(table(0).dataset, mcsl.Recipe.additive())
    assert not caplog.records
    assert capsys.readouterr() == ("", "")
