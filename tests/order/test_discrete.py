"""Columns whose values repeat, as counts, switches and defaults do."""

import numpy as np
import pytest
from benchmarks.measurement import draw

import mcsl
from mcsl.order.discrete import form_of, logistic_gain

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
        (RNG.poisson(2, 600), "lumped"),
        (np.clip(np.round(NORMAL), -2, 2), "lumped"),
        (np.where(RNG.random(600) < 0.2, 0, NORMAL), "lumped"),
        (np.maximum(NORMAL, -0.5), "lumped"),
        (np.clip(50 + 60 * NORMAL, 0, 100).round(), "lumped"),
        (np.clip(np.round(NORMAL), -1, 1), "lumped"),
        (NORMAL > 1, "binary"),
    ],
    ids=[
        "normal",
        "one decimal",
        "whole numbers",
        "large counts",
        "few zeros",
        "small counts",
        "five levels",
        "zeros in the middle",
        "cut off",
        "percentages",
        "three levels",
        "yes and no",
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
    assert logistic_gain(outcomes, design) == pytest.approx(true - alone, abs=3)
    noise = np.random.default_rng(3).standard_normal((2000, 1))
    assert 0 <= logistic_gain(outcomes, noise / np.linalg.norm(noise)) < 5
    assert logistic_gain(outcomes, np.empty((2000, 0))) == 0


def test_outcomes_that_are_told_apart_without_exception_have_a_finite_gain():
    x = np.linspace(-1, 1, 400)
    gain = logistic_gain(x > 0, (x / np.linalg.norm(x))[:, None])
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
