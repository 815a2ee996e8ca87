"""Columns whose values repeat, as counts, switches and defaults do."""

import numpy as np
import pytest
from benchmarks.measurement import draw
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

import mcsl
from mcsl.order.discrete import _MOST_LEVELS, _joined_levels, form_of, ordinal_gain

RNG = np.random.default_rng(0)
NORMAL = RNG.standard_normal(600)


@pytest.mark.parametrize(
    ("column", "form"),
    [
        (NORMAL, "dense"),
        (NORMAL.round(1), "dense"),
        (np.round(3 * NORMAL), "dense"),
        (RNG.poisson(30, 600), "dense"),
        (np.where(RNG.random(600) < 0.03, 0, NORMAL), "dense"),
        (np.where(RNG.random(600) < 0.1, 0, NORMAL), "massed"),
        (RNG.poisson(2, 600), "ordinal"),
        (np.clip(np.round(NORMAL), -2, 2), "ordinal"),
        (np.where(RNG.random(600) < 0.2, 0, NORMAL), "lumped"),
        (np.maximum(NORMAL, -0.5), "lumped"),
        (np.clip(50 + 60 * NORMAL, 0, 100).round(), "lumped"),
        (np.clip(np.round(NORMAL), -1, 1), "ordinal"),
        (NORMAL > 1, "ordinal"),
        (np.concatenate([np.repeat([0, 1], 150), 2 + RNG.random(300)]), "lumped"),
        (np.where(np.arange(40) < 16, 0, NORMAL[:40]), "lumped"),
        (np.round(3 * NORMAL[:60]), "dense"),
    ],
    ids=[
        "normal",
        "one decimal",
        "whole numbers",
        "large counts",
        "few zeros",
        "more zeros",
        "small counts",
        "five levels",
        "zeros in the middle",
        "cut off",
        "percentages",
        "three levels",
        "yes and no",
        "two masses side by side",
        "zeros in few rows",
        "few whole numbers",
    ],
)
def test_the_form_of_a_column(column, form):
    assert form_of(column.astype(float)) == form
    assert form_of(-1e6 * column.astype(float) + 7) == form


@pytest.mark.parametrize("kind", ["counts (Poisson)", "percentages with masses at both ends", "five grades"])
def test_lumps_are_not_taken_for_densities_of_noise(kind):
    tables = [draw(kind, seed) for seed in range(12)]
    mistakes = [mcsl.evaluate(mcsl.learn(values, "additive").graph, truth).shd for values, truth in tables]
    assert np.mean(mistakes) < 0.7


def test_the_gain_of_a_logistic_regression_is_that_of_its_likelihood():
    x = np.random.default_rng(1).standard_normal(2000)
    outcomes = np.random.default_rng(2).random(2000) < 1 / (1 + np.exp(-2 * x))
    design = (x / np.linalg.norm(x))[:, None]
    chances = 1 / (1 + np.exp(-2 * x))
    true = np.log(np.where(outcomes, chances, 1 - chances)).sum()
    share = outcomes.mean()
    alone = 2000 * (share * np.log(share) + (1 - share) * np.log(1 - share))
    assert ordinal_gain(outcomes.astype(float), design) == pytest.approx(true - alone, abs=3)
    noise = np.random.default_rng(3).standard_normal((2000, 1))
    assert 0 <= ordinal_gain(outcomes.astype(float), noise / np.linalg.norm(noise)) < 5
    assert ordinal_gain(outcomes.astype(float), np.empty((2000, 0))) == 0


def test_the_gain_of_grades_is_that_of_their_cumulative_odds():
    rng = np.random.default_rng(4)
    x = rng.standard_normal(2000)
    bounds = np.array([-np.inf, -2, -0.5, 0.5, 3, np.inf])
    grades = np.digitize(2 * x + rng.logistic(size=2000), bounds[1:-1])
    true = np.log(expit(bounds[grades + 1] - 2 * x) - expit(bounds[grades] - 2 * x)).sum()
    shares = np.bincount(grades) / 2000
    design = (x / np.linalg.norm(x))[:, None]
    gain = ordinal_gain(3.0 * grades - 7, design)
    assert gain == pytest.approx(true - 2000 * shares @ np.log(shares), abs=6)
    assert ordinal_gain(-1.0 * grades, design) == pytest.approx(gain, abs=0.02)


@given(seed=st.integers(0, 10_000), n=st.integers(2, 400))
def test_levels_of_few_rows_are_joined_alike_from_both_sides(seed, n):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.exponential(4), n).astype(float)
    counts[0] = counts[1] + 1
    joined = _joined_levels(counts)
    assert np.array_equal(joined, joined.max() - _joined_levels(-counts))
    assert np.array_equal(np.unique(joined), np.arange(joined.max() + 1))
    assert 1 <= joined.max() <= min(_MOST_LEVELS, n // 5 + 3)
    order = np.argsort(counts, kind="stable")
    assert (np.diff(joined[order]) >= 0).all()
    # Levels with a tenth of the rows each stay apart from 200 rows on.
    values, sizes = np.unique(counts, return_counts=True)
    large = values[sizes > n / 10]
    if n >= 200:
        assert len({joined[counts == value][0] for value in large}) == len(large)


def test_the_sign_of_counts_does_not_matter():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = rng.standard_normal(60)
        counts = rng.poisson(np.exp(0.8 * x)).astype(float)
        design = (x / np.linalg.norm(x))[:, None]
        assert ordinal_gain(counts, design) == pytest.approx(ordinal_gain(-counts, design), abs=0.02)


def test_a_long_column_that_hardly_varies_has_few_levels():
    rain = np.maximum(np.random.default_rng(0).standard_normal(100_000), 0.92)
    assert form_of(rain) == "ordinal"
    assert _joined_levels(rain).max() <= _MOST_LEVELS


@pytest.mark.parametrize(
    "draw_pair",
    [
        lambda rng, x: (rng.integers(1, 6, 1000), lambda grade: grade + x),
        lambda rng, x: (rng.integers(1, 4, 1000), lambda grade: grade + x),
        lambda rng, x: (rng.poisson(1, 1000), lambda count: count + x),
        lambda rng, x: (rng.exponential(1, 1000), lambda time: np.clip(np.round(time + 0.7 * x), -2, 2)),
        lambda rng, x: (rng.standard_normal(1000), lambda rate: rng.poisson(np.exp(rate))),
    ],
    ids=["five grades", "three grades", "counts", "grades of a time", "counts of a rate"],
)
def test_levels_are_causes_and_effects(draw_pair):
    right = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        cause, effect_of = draw_pair(rng, rng.standard_normal(1000))
        learned = mcsl.learn(np.column_stack([cause, effect_of(cause)]).astype(float), "additive")
        right += learned.graph.adjacency[0, 1]
    assert right >= 5


def test_a_rare_yes_is_explained_too():
    x = np.linspace(-1, 1, 3000)
    rare = (x > 0.98) * 1.0
    assert rare.sum() == 30
    assert ordinal_gain(rare, (x / np.linalg.norm(x))[:, None]) > 80


@pytest.mark.parametrize("n_yes", [1, 3, 9])
def test_few_outcomes_of_few_rows_are_explained_too(n_yes):
    x = np.linspace(-1, 1, 30)
    assert ordinal_gain((np.arange(30) >= 30 - n_yes) * 1.0, (x / np.linalg.norm(x))[:, None]) > 2


def test_outcomes_that_are_told_apart_without_exception_have_a_finite_gain():
    x = np.linspace(-1, 1, 400)
    gain = ordinal_gain((x > 0) * 1.0, (x / np.linalg.norm(x))[:, None])
    assert 0.8 * 400 * np.log(2) < gain <= 400 * np.log(2)


@pytest.mark.parametrize("recipe", ["additive", "default"])
@pytest.mark.parametrize("kind", ["default value", "binary effect"])
def test_lumps_and_switches_do_not_turn_arrows_around(kind, recipe):
    distances = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        a, b = rng.standard_normal((2, 600))
        if kind == "default value":
            a = np.where(rng.random(600) < 0.4, 0.0, a)
        c = np.sin(2 * a) + b**2 / 2 + 0.5 * rng.standard_normal(600)
        c = np.where(rng.random(600) < 0.4, 0.0, c) if kind == "default value" else (c > 0.5) * 1.0
        learned = mcsl.learn(np.column_stack([c, a, b]), recipe).graph
        distances.append(mcsl.evaluate(learned, [[0, 0, 0], [1, 0, 0], [1, 0, 0]]).shd)
    assert np.mean(distances) <= 0.4
