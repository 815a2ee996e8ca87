"""Training from several seeds: the best is taken, whatever engine runs them."""

import pickle
import time
from dataclasses import replace
from functools import partial
from itertools import pairwise
from types import SimpleNamespace

import joblib
import numpy as np
import pytest

import mcsl
from mcsl import training
from mcsl.problem import Problem
from mcsl.search import augmented_lagrangian, held_out
from mcsl.search.inner_loop import key_of
from mcsl.search.trace import StopReason

QUICK = mcsl.Schedule(initial_penalty=1e-2, penalty_growth=10.0, steps_per_stage=30, max_stages=3)
SINGLE = replace(mcsl.Recipe.paper(4), schedule=QUICK, pruner=mcsl.KeepAll())
THREE = replace(SINGLE, restarts=3)
TABLE = mcsl.simulate("gp-add", n_variables=4, degree=1, n_samples=120, seed=0).dataset


def timeless(trace):
    return [replace(row, elapsed=0) for row in trace]


@pytest.fixture(scope="module")
def best_of_three():
    with joblib.parallel_config("sequential"):
        return mcsl.learn(TABLE, THREE, seed=7)


def test_the_best_of_several_fits_is_the_fit_of_its_seed(best_of_three):
    restarts = best_of_three.restarts
    assert len({restart.seed for restart in restarts}) == 3
    assert restarts[0].seed == 7
    (chosen,) = (restart for restart in restarts if restart.chosen)
    assert chosen.score == min(restart.score for restart in restarts)
    alone = mcsl.learn(TABLE, SINGLE, seed=chosen.seed)
    assert alone.restarts == (chosen,)
    assert np.array_equal(alone.edge_probabilities, best_of_three.edge_probabilities)
    assert timeless(alone.trace) == timeless(best_of_three.trace)
    assert alone.graph == best_of_three.graph


def test_more_restarts_add_to_those_there_were(best_of_three):
    two = mcsl.learn(TABLE, replace(SINGLE, restarts=2), seed=7).restarts
    assert [r.score for r in two] == [r.score for r in best_of_three.restarts[:2]]


def test_threads_find_what_one_thread_finds(best_of_three):
    with joblib.parallel_config("threading", n_jobs=2):
        found = mcsl.learn(TABLE, THREE, seed=7)
    assert found.restarts == best_of_three.restarts
    assert timeless(found.trace) == timeless(best_of_three.trace)


def test_observers_see_a_row_a_stage_of_the_restart_with_the_most_left():
    seen = []
    mcsl.learn(TABLE, THREE, observers=[seen.append])
    assert [row.stage for row in seen] == [1, 2, 3]
    assert all(a.progress <= b.progress for a, b in pairwise(seen))


@pytest.mark.parametrize(
    ("reasons", "objectives", "best"),
    [
        ("converged converged", [2.0, 1.0], 1),
        ("converged converged", [1.0, 1.0], 0),
        ("converged stage-limit", [2.0, 1.0], 0),
        ("penalty-limit not-finite", [2.0, 1.0], 1),
    ],
)
def test_fits_without_cycles_come_first_and_then_the_score(monkeypatch, reasons, objectives, best):
    def fits(problem, seeds, **_):
        for k, (reason, objective) in enumerate(zip(reasons.split(), objectives, strict=True)):
            yield SimpleNamespace(
                seed=seeds[k],
                edge_probabilities=np.eye(4, k=k + 1),
                stop_reason=StopReason(reason.replace("-", " ")),
                objective=objective,
                trace=(),
            )

    monkeypatch.setattr(augmented_lagrangian, "search", lambda *a, **b: list(fits(*a, **b)))
    result = mcsl.learn(TABLE, replace(SINGLE, restarts=2))
    assert [restart.chosen for restart in result.restarts] == [k == best for k in range(2)]
    assert result.stop_reason is result.restarts[best].stop_reason
    assert result.graph.n_edges == 3 - best


def test_masks_that_start_from_an_order_are_chosen_by_unseen_rows(monkeypatch):
    scores = iter([-1e8, -1e9, -1e10, -1e7])
    monkeypatch.setattr(held_out, "held_out_score", lambda *_, **__: next(scores))
    recipe = replace(mcsl.Recipe.masked(), schedule=QUICK, pruner=mcsl.KeepAll(), restarts=3)
    with joblib.parallel_config("sequential"):
        result = mcsl.learn(TABLE, recipe)
    assert [(restart.score, restart.chosen) for restart in result.restarts] == [
        (-1e9, False), (-1e10, True), (-1e7, False)
    ]  # fmt: skip
    assert result.stop_reason is StopReason.STAGE_LIMIT


def test_an_interrupt_carries_the_best_restart_so_far():
    def impatient(row):
        if row.stage == 2:
            raise KeyboardInterrupt

    with pytest.raises(mcsl.Interrupted) as interrupt:
        mcsl.learn(TABLE, THREE, observers=[impatient])
    best = interrupt.value.result
    assert {restart.stop_reason for restart in best.restarts} == {StopReason.INTERRUPTED}
    assert [row.stage for row in best.trace] == [1, 2]


def test_recipes_without_networks_have_none():
    assert mcsl.learn(TABLE, mcsl.Recipe.additive()).restarts == ()
    with pytest.raises(mcsl.SettingsError, match="`restarts` is a setting of networks"):
        replace(mcsl.Recipe.additive(), restarts=2)


def test_the_scores_are_told(best_of_three):
    assert best_of_three.restarts_sentence.startswith("Scores of 3 restarts: ")
    assert best_of_three.restarts_sentence.count("(best)") == 1
    assert mcsl.learn(TABLE, SINGLE).restarts_sentence == ""


def test_an_interrupt_waits_for_what_runs():
    started, finished = [], []

    def work(k):
        started.append(k)
        time.sleep(0.05)
        if k == 1:
            raise KeyboardInterrupt
        finished.append(k)

    with pytest.raises(KeyboardInterrupt):
        list(augmented_lagrangian.at_once([partial(work, k) for k in range(100)]))
    assert 1 < len(started) < 100
    assert set(started) == {1, *finished}


def test_a_recipe_from_another_process_learns_as_the_original_does():
    noise, problem = "location-scale", Problem.from_dataset(TABLE)
    masked = mcsl.Recipe.masked()
    squares = replace(masked, standardize=False, score=mcsl.least_squares)
    copies = [pickle.loads(pickle.dumps(recipe)) for recipe in (masked, squares)]
    assert len(training._kinds_of_networks(copies[0], noise)) == 2
    prices = [training._price_of_an_edge(recipe, problem, 10.0) for recipe in (squares, copies[1])]
    assert prices[0] == prices[1] != training._price_of_an_edge(masked, problem, 10.0)


@pytest.mark.parametrize("seed", [2**32, 2**63, 2**70])
def test_long_seeds_have_noise_of_their_own(seed):
    probabilities = [mcsl.learn(TABLE, SINGLE, seed=s).edge_probabilities for s in (seed, seed % 2**32)]
    assert not np.array_equal(*probabilities)
    assert key_of(seed) != key_of(seed % 2**32)
