from dataclasses import replace

import numpy as np
import pytest

import mcsl
from mcsl.settings import check_number, whole_number
from mcsl.simulation import simulate_incident

TABLE = np.random.default_rng(0).normal(size=(40, 2))
GRAPH = mcsl.CausalGraph.from_edges([("x1", "x2")], ["x1", "x2"])
SHAPE = {"n_variables": 3, "degree": 1}


@pytest.fixture(scope="module")
def model():
    return mcsl.fit_sem(GRAPH, TABLE)


SEEDED = {
    "learn": lambda model, seed: mcsl.learn(TABLE, "additive", seed=seed),
    "assess_stability": lambda model, seed: mcsl.assess_stability(TABLE, "additive", seed=seed),
    "root_cause": lambda model, seed: mcsl.root_cause(TABLE, known_graph=GRAPH, seed=seed),
    "check_rescaling": lambda model, seed: mcsl.check_rescaling(mcsl.learn(TABLE, "additive"), seed=seed),
    "simulate": lambda model, seed: mcsl.simulate("linear", n_samples=9, seed=seed, **SHAPE),
    "simulate_series": lambda model, seed: mcsl.simulate_series(n_samples=9, seed=seed, **SHAPE),
    "simulate_incident": lambda model, seed: simulate_incident(n_variables=3, seed=seed),
    "fit_sem": lambda model, seed: mcsl.fit_sem(GRAPH, TABLE, seed=seed),
    "sample": lambda model, seed: model.sample(3, seed=seed),
    "effect": lambda model, seed: model.effect("x1", "x2", 0, 1, seed=seed),
    "effect_curve": lambda model, seed: model.effect_curve("x1", "x2", seed=seed),
    "InteractionPruner": lambda model, seed: mcsl.InteractionPruner(seed=seed),
}
LAGGED = {
    "learn": lambda lags: mcsl.learn(TABLE, "additive", lags=lags),
    "assess_stability": lambda lags: mcsl.assess_stability(TABLE, "additive", lags=lags),
    "root_cause": lambda lags: mcsl.root_cause(TABLE, known_graph=GRAPH, lags=lags),
    "simulate_series": lambda lags: mcsl.simulate_series(seed=0, lags=lags, **SHAPE),
    "simulate_incident": lambda lags: simulate_incident(n_variables=3, seed=0, lags=lags),
}


@pytest.mark.parametrize("value", [0, 3, np.int64(3), np.uint8(3), 2**70])
def test_whole_numbers_are_taken_whoever_made_them(value):
    number = whole_number("seed", value)
    assert type(number) is int
    assert number == value


@pytest.mark.parametrize("value", [-1, np.int64(-1), 1.5, 2.0, "1", None, float("nan")])
def test_anything_else_is_refused_in_one_sentence(value):
    with pytest.raises(mcsl.SettingsError) as refused:
        whole_number("seed", value)
    assert str(refused.value) == f"`seed` must be a whole number >= 0. Got {value!r} instead."


@pytest.mark.parametrize(
    ("bounds", "good", "rule"),
    [
        ({"least": 0}, [0, 1.5, np.float32(3)], ">= 0"),
        ({"above": 0, "below": 1}, [0.5, np.float64(1e-9)], "> 0 and < 1"),
        ({"least": 0.5, "below": 1}, [0.5], ">= 0.5 and < 1"),
    ],
)
def test_numbers_keep_their_bounds(bounds, good, rule):
    for value in good:
        check_number("level", value, **bounds)
    for wrong in (-1, float("nan"), "0.5", None, [0.5, 0.6]):
        with pytest.raises(mcsl.SettingsError) as refused:
            check_number("level", wrong, **bounds)
        assert str(refused.value) == f"`level` must be a number {rule}. Got {wrong!r} instead."


@pytest.mark.parametrize(
    "call",
    [
        lambda: mcsl.AdditivePruner(n_basis=2.5),
        lambda: mcsl.InteractionPruner(max_rows="all"),
        lambda: mcsl.fit_sem(GRAPH, TABLE, max_rows="all"),
        lambda: mcsl.assess_stability(TABLE, n_halves="x"),
        lambda: mcsl.simulate("linear", n_samples=2.5, seed=0, **SHAPE),
        lambda: mcsl.Schedule(max_stages=None),
        lambda: replace(mcsl.Recipe.masked(), restarts=2.5),
    ],
)
def test_counts_that_are_no_whole_numbers_are_refused(call):
    with pytest.raises(mcsl.SettingsError, match="must be a whole number >= "):
        call()


@pytest.mark.parametrize("entrance", SEEDED)
def test_every_entrance_checks_its_seed(entrance, model):
    for wrong in (-1, 1.5):
        with pytest.raises(mcsl.SettingsError, match=f"`seed` must be a whole number >= 0. Got {wrong} "):
            SEEDED[entrance](model, wrong)
    SEEDED[entrance](model, np.int64(1))


@pytest.mark.parametrize("entrance", LAGGED)
def test_every_entrance_checks_its_lags(entrance):
    for wrong in (-1, 1.5):
        with pytest.raises(mcsl.SettingsError, match=f"`lags` must be a whole number >= 0. Got {wrong} "):
            LAGGED[entrance](wrong)
