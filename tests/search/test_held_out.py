from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import mcsl
from mcsl.graph import CausalGraph
from mcsl.order.held_out import predict_held_out
from mcsl.problem import Problem
from mcsl.search import held_out
from mcsl.search.held_out import held_out_score, score_of_predictions

SCHEDULE = mcsl.Schedule(learning_rate=1e-2, steps_per_stage=200)
NAMES = ("effect", "a", "b", "c")
TRUTH = CausalGraph.from_edges([("a", "effect"), ("b", "effect"), ("c", "effect")], NAMES)
EMPTY = CausalGraph.from_edges([], NAMES)


def halves(function, n: int = 1000) -> tuple[Problem, np.ndarray]:
    rng = np.random.default_rng(0)
    a, b, c = rng.uniform(-1.5, 1.5, (3, n))
    values = np.column_stack([function(a, b, c) + 0.1 * rng.standard_normal(n), a, b, c])
    return Problem.from_dataset(mcsl.Dataset(values, NAMES).standardized()), rng.random(n) < 0.3


def networks(problem: Problem, unseen: np.ndarray, graph: CausalGraph) -> float:
    recipe = mcsl.Recipe.masked()
    parts = {"mechanism": recipe.mechanism, "score": recipe.score, "acyclicity": recipe.acyclicity}
    seen, judged = problem.of_rows(~unseen), problem.of_rows(unseen)
    return held_out_score(seen, judged, graph, 0, temperature=0.2, schedule=SCHEDULE, **parts)


def splines(problem: Problem, unseen: np.ndarray, graph: CausalGraph) -> float:
    predicted, _ = predict_held_out(problem, graph, unseen, interactions=True)
    return score_of_predictions(problem.of_rows(unseen), predicted, mcsl.gaussian_likelihood)


def test_splines_win_where_causes_add_up_and_networks_where_three_act_together():
    additive, unseen = halves(lambda a, b, c: np.sin(2 * a) + b**2 + c)
    assert splines(additive, unseen, TRUTH) < networks(additive, unseen, TRUTH)
    together, unseen = halves(lambda a, b, c: np.sign(a * b * c) * np.minimum(abs(a), abs(b)))
    assert networks(together, unseen, TRUTH) < splines(together, unseen, TRUTH)


def test_a_graph_without_the_causes_scores_the_variance_of_unseen_rows():
    problem, unseen = halves(lambda a, b, c: a + b + c)
    variances = problem.dataset.values[unseen].var(axis=0)
    assert splines(problem, unseen, EMPTY) == pytest.approx(0.5 * np.log(variances).sum(), abs=0.01)
    assert splines(problem, unseen, TRUTH) < splines(problem, unseen, EMPTY) - 1


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        ([1e9], mcsl.StopReason.NOTHING_TO_ADD),
        ([-1e8, -1e7], mcsl.StopReason.START_KEPT),
        ([-1e8, -1e9], mcsl.StopReason.STAGE_LIMIT),
    ],
)
def test_the_better_graph_is_kept_and_the_result_says_which(monkeypatch, scores, reason):
    given = iter(scores)
    monkeypatch.setattr(held_out, "held_out_score", lambda *_, **__: next(given))
    table = mcsl.simulate("gp-add", n_variables=5, degree=1, n_samples=150, seed=0).dataset
    short = mcsl.Schedule(initial_penalty=1e-9, penalty_growth=2.0, steps_per_stage=3, max_stages=1)
    masked = mcsl.Recipe.masked()
    recipe = mcsl.Recipe("masked", True, masked.order, short, mcsl.KeepAll())
    result = mcsl.learn(table, recipe)
    assert result.stop_reason is reason
    assert ("trained" in result.edge_counts) == (len(scores) > 1)
    started = mcsl.learn(table, mcsl.Recipe("default", True, masked.order, None, mcsl.KeepAll()))
    same = np.array_equal(result.edge_probabilities, started.edge_probabilities)
    assert same == (reason is not mcsl.StopReason.STAGE_LIMIT)
    assert next(given, None) is None


@pytest.mark.parametrize(("n", "unit"), [(300, 1.0), (1200, 1.0), (1200, 10.0)])
def test_an_edge_costs_five_functions_in_nats_or_in_variances_of_the_noise(monkeypatch, n, unit):
    """The first masks are the same whatever the price, so that it can be read off what they cost."""
    monkeypatch.setattr(held_out, "held_out_score", lambda *_, **__: -1e9)
    table = mcsl.simulate("linear", n_variables=4, degree=1, n_samples=n, seed=0).dataset
    short = mcsl.Schedule(initial_penalty=1e-9, penalty_growth=2.0, steps_per_stage=1, max_stages=1)
    recipe = mcsl.Recipe("masked", True, mcsl.Recipe.masked().order, short, mcsl.KeepAll())
    in_units = replace(
        recipe,
        standardize=False,
        order=replace(recipe.order, equal_variances=True),
        score=mcsl.least_squares,
    )
    for units, variance in ((recipe, 1.0), (in_units, unit**2)):
        scaled = mcsl.Dataset(unit * table.values, table.names)
        asked, one = (
            mcsl.learn(scaled, replace(units, sparsity_weight=price)).trace[0].sparsity
            for price in (None, 1.0)
        )
        assert asked / one == pytest.approx(5 / (0.8 * n) * variance, rel=0.15)


def pair(varying: float, n: int = 400) -> mcsl.Dataset:
    """Return a cause that moves the scale of the noise of its effect, or does not."""
    rng = np.random.default_rng(0)
    cause, other = rng.standard_normal((2, n))
    effect = np.sin(2 * cause) + (0.2 + varying * cause**2) * rng.standard_normal(n)
    return mcsl.Dataset(np.column_stack([other, effect, cause]), ("other", "effect", "cause"))


def split(varying: float) -> tuple[Problem, CausalGraph, np.ndarray]:
    problem = Problem.from_dataset(pair(varying).standardized())
    truth = CausalGraph.from_edges([("cause", "effect")], problem.names)
    return problem, truth, np.arange(problem.n_samples) % 4 == 0


@pytest.mark.parametrize("varying", [0.0, 0.4])
def test_scales_of_splines_predict_better_where_the_noise_varies_and_only_there(varying):
    problem, truth, unseen = split(varying)
    predicted = predict_held_out(problem, truth, unseen, interactions=True)
    judged = problem.of_rows(unseen)
    constant = score_of_predictions(judged, predicted[0], mcsl.gaussian_likelihood)
    scaled = score_of_predictions(judged, predicted, mcsl.location_scale_likelihood)
    assert scaled < constant - 0.2 if varying else constant < scaled < constant + 0.2


def test_networks_with_scales_predict_better_where_the_noise_varies():
    problem, truth, unseen = split(0.4)
    small = partial(mcsl.MLP.init, width=8, depth=1)
    with_scales = partial(mcsl.LocationScale.init, part=small)
    kinds = [(small, mcsl.gaussian_likelihood), (with_scales, mcsl.location_scale_likelihood)]
    halves, acyclicity = (problem.of_rows(~unseen), problem.of_rows(unseen)), mcsl.Recipe.masked().acyclicity
    others = {"temperature": 0.2, "acyclicity": acyclicity, "schedule": SCHEDULE}
    constant, scaled = (
        held_out_score(*halves, truth, 0, mechanism=mechanism, score=score, **others)
        for mechanism, score in kinds
    )
    assert scaled < constant - 0.2


@pytest.mark.parametrize(
    ("varying", "scores", "judges"),
    [
        (0.0, [-1e8, -1e9], ["likelihood"] * 2),
        (0.4, [-1e8, -1e9, -1e10], ["likelihood", "location-scale", "location-scale"]),
        (0.4, [-1e9, -1e8, -1e10], ["likelihood", "location-scale", "likelihood"]),
    ],
)
def test_scales_are_tried_where_the_order_search_found_some(monkeypatch, varying, scores, judges):
    given, asked = iter(scores), []

    def judge(*_, score, **__):
        asked.append(score.name)
        return next(given)

    monkeypatch.setattr(held_out, "held_out_score", judge)
    short = mcsl.Schedule(initial_penalty=1e-9, penalty_growth=2.0, steps_per_stage=3, max_stages=1)
    small = partial(mcsl.MLP.init, width=4, depth=1)
    recipe = mcsl.Recipe("masked", True, mcsl.OrderSearch(), short, mcsl.KeepAll(), mechanism=small)
    assert mcsl.learn(pair(varying), recipe).stop_reason is mcsl.StopReason.STAGE_LIMIT
    assert asked == judges
