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
    predicted = predict_held_out(problem, graph, unseen, interactions=True)
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
