import logging

import numpy as np
import polars as pl
import pytest

import mcsl
from mcsl.graph import CausalGraph
from mcsl.scales import Logarithm, LogOdds
from mcsl.sem import fit_sem


@pytest.fixture(scope="module")
def positive():
    """a -> x -> y -> w, where x and y are always positive and on logarithms."""
    rng = np.random.default_rng(0)
    a, e, u, v = rng.standard_normal((4, 600))
    x = np.exp(0.6 * a + 0.8 * e)
    y = np.exp(np.sin(1.5 * np.log(x)) + 0.3 * u)
    frame = pl.DataFrame({"a": a, "x": x, "y": y, "w": np.log(y) + v})
    sem = fit_sem(CausalGraph.from_edges([("a", "x"), ("x", "y"), ("y", "w")], frame.columns), frame)
    assert [type(scale.curve) for scale in sem.scales] == [type(None), Logarithm, Logarithm, type(None)]
    return sem


@pytest.fixture(scope="module")
def percentage():
    rng = np.random.default_rng(3)
    x, noise = rng.standard_normal((2, 1500))
    frame = pl.DataFrame({"x": x, "p": 100 / (1 + np.exp(-2 * (0.7 * x + 0.5 * noise)))})
    sem = fit_sem(CausalGraph.from_edges([("x", "p")], frame.columns), frame)
    assert isinstance(sem.scales[1].curve, LogOdds)
    return sem


ROW = {"a": 0.0, "x": 1.0, "y": 1.0, "w": 0.0}


@pytest.mark.parametrize(
    ("call", "error", "column"),
    [
        (lambda m: m.do({"x": -5}), mcsl.SettingsError, "x"),
        (lambda m: m.do({"x": lambda x: x - 5}).sample(9), mcsl.SettingsError, "x"),
        (lambda m: m.do({"x": lambda x: x - 5}).effect("y", "w", 1.0, 2.0), mcsl.SettingsError, "x"),
        (lambda m: m.effect("x", "y", 1.0, -5), mcsl.SettingsError, "x"),
        (lambda m: m.effect_curve("x", "y", [1.0, -5]), mcsl.SettingsError, "x"),
        (lambda m: m.counterfactual(ROW, {"x": -5}), mcsl.SettingsError, "x"),
        (lambda m: m.counterfactual({**ROW, "y": -5}, {"x": 2.0}), mcsl.DataError, "y"),
        (lambda m: m.counterfactual({**ROW, "x": -5}, {"x": 2.0}), mcsl.DataError, "x"),
    ],
)
def test_what_no_logarithm_can_be_is_refused_in_one_sentence(positive, call, error, column):
    bound = positive.scales[positive.column(column)].curve.origin
    with pytest.raises(error) as refusal:
        call(positive)
    said = str(refusal.value)
    assert f"{column!r} " in said
    assert f"its scale (logarithm) ends at {bound:g}; " in said
    assert said.endswith("or fit the model to rows that reach further.")
    assert said.count(". ") == 0


def test_the_refusal_names_the_value(positive):
    with pytest.raises(mcsl.SettingsError, match=r"on 'x' is -1, but .* choose values above that"):
        positive.do({"x": -1})
    with pytest.raises(mcsl.DataError, match=r"'y' holds -1, but .* leave such rows out"):
        positive.counterfactual({**ROW, "y": -1}, {"x": 2.0})


def test_percentages_end_on_both_sides(percentage):
    for value, side in ((-60, "above"), (160, "below")):
        with pytest.raises(
            mcsl.SettingsError, match=f"is {value}, but .*log-odds.* choose values {side} that"
        ):
            percentage.do({"p": value})
    drawn = percentage.do({"x": lambda x: 30 * x}).sample(500)["p"]
    lower, upper = percentage.scales[1].bounds
    assert lower <= drawn.min() < drawn.max() <= upper


def test_rows_that_a_query_does_not_read_may_hold_anything(positive):
    row = {**ROW, "x": -5.0}
    assert positive.counterfactual(row, {"w": 3.0}) == pytest.approx({**row, "w": 3.0})


@pytest.mark.parametrize("method", ["predict", "residuals"])
def test_new_rows_are_taken_for_the_bound_with_a_warning(positive, caplog, method):
    bound = positive.scales[1].curve.origin
    found = []
    for x in (-5.0, bound):
        caplog.clear()
        with caplog.at_level(logging.WARNING, "mcsl"):
            found.append(getattr(positive, method)({**ROW, "x": x})["y"].item())
        told = [f"The column 'x' holds -5, but its scale (logarithm) ends at {bound:g}; "]
        assert [record.getMessage().split("what")[0] for record in caplog.records] == told[: x < bound]
    assert found[0] == found[1]


def test_values_that_are_slightly_beyond_are_taken_for_the_bound_with_a_warning(positive, caplog):
    bound = positive.scales[1].curve.origin
    with caplog.at_level(logging.WARNING, "mcsl"):
        slightly = positive.do({"x": bound - 0.1}).sample(300)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "'x'" in caplog.text
    at = positive.do({"x": bound}).sample(300)
    assert slightly["y"].equals(at["y"])
    assert (slightly["x"] == bound - 0.1).all()
    assert len(caplog.records) == 1


def test_neither_samples_nor_counterfactuals_nor_effects_lie_beyond(positive):
    bounds = [positive.scales[column].curve.origin for column in (1, 2)]
    shifted = positive.do({"a": lambda a: a - 20})
    drawn = shifted.sample(500)
    assert drawn["x"].min() >= bounds[0]
    assert drawn["y"].min() >= bounds[1]
    assert positive.counterfactual({**ROW, "y": 0.2}, {"a": -50.0})["x"] >= bounds[0]
    # With x at its bound, y is what it is there, along both ways of asking.
    far = positive.effect("a", "y", 0.0, -20.0, n_bootstrap=5).estimate
    assert far == pytest.approx(positive.effect("a", "y", 0.0, -40.0, n_bootstrap=5).estimate)


def test_zero_may_be_set_where_a_column_is_positive():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        x, noise = rng.standard_normal((2, 200))
        table = mcsl.Dataset(np.column_stack([x, np.exp(0.3 * x + 0.3 * noise)]), ("x", "y"))
        sem = fit_sem(CausalGraph.from_edges([("x", "y")], table.names), table)
        assert (sem.do({"y": 0.0}).sample(5)["y"] == 0).all()


def test_the_rows_of_the_table_and_samples_raise_no_warning(positive, percentage, caplog):
    with caplog.at_level(logging.WARNING, "mcsl"):
        for sem in (positive, percentage):
            sem.residuals(sem.values)
            sem.residuals(sem.sample(500))
            sem.effect_curve(*sem.graph.edges[-1], n_bootstrap=2)
    assert not caplog.records
