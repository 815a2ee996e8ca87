import numpy as np
import pytest

import mcsl
from mcsl.problem import Problem
from mcsl.trust.neighbours import check_neighbours


def neighbours(values, **options):
    return next((f for f in mcsl.learn(values, "additive", **options).trust if f.name == "neighbours"), None)


def of_table(values):
    names = tuple(f"x{i + 1}" for i in range(values.shape[1]))
    return check_neighbours(Problem.from_dataset(mcsl.Dataset(values, names)), None)


def memory(share, n_samples=1000, n_variables=5, seed=4):
    values = np.random.default_rng(seed).standard_normal((n_samples, n_variables))
    for row in range(1, n_samples):
        values[row] += share * values[row - 1]
    return values


@pytest.mark.parametrize("share", [0.8, 0.95])
def test_rows_that_follow_from_the_rows_before_are_told(share):
    found = neighbours(memory(share))
    assert found.verdict == "bad"
    assert found.sentence == (
        f"Rows resemble the rows before them (correlations up to {max(found.figures.values()):.2f} in 5 of 5 "
        "variables), so they are fewer observations than they seem."
    )
    assert max(found.figures.values()) == pytest.approx(share, abs=0.05)
    assert "`lags=1` (--lags 1)" in found.advice


def test_rows_of_a_series_are_known_to_follow_each_other():
    assert neighbours(memory(0.8), lags=1) is None


def test_a_weak_resemblance_is_a_caution():
    assert neighbours(memory(0.3)).verdict == "caution"
    assert neighbours(memory(0.05)) is None


@pytest.mark.parametrize("recipe_sees_edges", [True, False])
def test_repeated_measurements_one_subject_after_another_are_told(recipe_sees_edges):
    rng = np.random.default_rng(0)
    own, of_subject = rng.standard_normal((4, 500)), np.repeat(rng.standard_normal((4, 25)), 20, axis=1)
    x, y, z, u = own + of_subject
    values = np.column_stack([own[0], np.sin(2 * own[0]) + y, z, u] if recipe_sees_edges else [x, y, z, u])
    found = neighbours(values)
    assert found.figures["x2"] > 0.3
    order = rng.permutation(500)
    assert neighbours(values[order]) is None


def test_independent_rows_are_rarely_taken_for_others():
    rng = np.random.default_rng(0)
    draws = (rng.standard_normal, rng.standard_cauchy, lambda size: rng.integers(0, 2, size).astype(float))
    tables = [draw((n, 6)) for draw in draws for n in (20, 100, 400) for _ in range(100)]
    assert not any(of_table(values) for values in tables)


@pytest.mark.parametrize("by", range(4))
def test_a_table_may_be_sorted_by_any_of_its_columns(by):
    x, y, z, u = np.random.default_rng(by).standard_normal((4, 500))
    y += 2 * x
    z += np.sin(2 * y)
    values = np.column_stack([x, y, z, u + np.tanh(x)])
    assert neighbours(values[values[:, by].argsort()]) is None


def test_what_is_set_in_order_needs_no_neighbours():
    rng = np.random.default_rng(0)
    slow, fast = np.repeat(np.arange(20.0), 20), np.tile(np.arange(20.0), 20)
    effect = np.sin(slow / 3) + 0.2 * fast + 0.5 * rng.standard_normal(400)
    assert neighbours(np.column_stack([slow, fast, effect])) is None
    assert of_table(np.column_stack([slow, fast, effect]))


def test_a_column_that_counts_the_rows_does_not_hide_the_others():
    values = np.column_stack([np.arange(1000), memory(0.9, n_variables=3)])
    found = neighbours(values)
    assert found.verdict == "bad"
    assert found.figures["x1"] == 0
    independent = np.random.default_rng(1).standard_normal((1000, 2)) + np.arange(1000)[:, None] / 500
    assert neighbours(np.column_stack([np.arange(1000), independent])) is None


def test_rows_left_out_and_values_drawn_keep_the_order():
    values = memory(0.9)
    values[np.random.default_rng(0).random(values.shape) < 0.05] = np.nan
    for rule in ("drop", "impute", "mask"):
        assert neighbours(values, missing=rule).verdict == "bad"


def test_groups_of_columns_are_judged_as_one():
    values = memory(0.9, n_variables=4)
    found = neighbours(mcsl.Dataset(values, ("a.x", "a.y", "b", "c")), groups={"a": ["a.x", "a.y"]})
    assert set(found.figures) == {"a", "b", "c"}
