from functools import partial

import numpy as np
import pytest

import mcsl.order
from mcsl.data import Dataset
from mcsl.problem import Problem
from mcsl.simulation import simulate

screen = partial(mcsl.order.screen, stand_aside=0)


def problem_of(values, candidates=None):
    values = np.asarray(values, dtype=float)
    return Problem.from_dataset(Dataset(values, tuple(f"x{i}" for i in range(values.shape[1]))), candidates)


@pytest.mark.parametrize(("n_samples", "left_alone"), [(400, True), (200, False)])
def test_small_graphs_are_left_alone_if_rows_suffice(n_samples, left_alone):
    simulation = simulate("gp-add", n_variables=10, degree=1, seed=3, n_samples=n_samples)
    allowed = np.random.default_rng(0).random((10, 10)) < 0.5
    problem = Problem.from_dataset(simulation.dataset, allowed)
    assert np.array_equal(mcsl.order.screen(problem), problem.candidates) == left_alone


def test_a_pure_interaction_is_found():
    rng = np.random.default_rng(4)
    values = rng.standard_normal((1000, 6))
    values[:, 2] = values[:, 0] * values[:, 1] + rng.standard_normal(1000)
    strict = partial(screen, problem_of(values), false_candidates=0.01)
    assert strict()[[0, 1], 2].all()
    assert not strict(interactions=False)[[0, 1], 2].any()


@pytest.mark.parametrize("n_variables", [10, 50])
def test_additive_edges_survive_and_few_others_do(n_variables):
    simulation = simulate("gp-add", n_variables=n_variables, degree=1, seed=3, n_samples=1000)
    candidates = screen(Problem.from_dataset(simulation.dataset))
    assert candidates[simulation.graph.adjacency].mean() > 0.95
    assert candidates.sum(axis=0).mean() < 6


def test_weak_smooth_causes_are_found_more_often_than_by_all_functions(monkeypatch):
    def n_found() -> int:
        count = 0
        for seed in range(8):
            rng = np.random.default_rng(seed)
            values = rng.standard_normal((1500, 25))
            values[:, 24] += 0.09 * values[:, :12].sum(axis=1)
            count += screen(problem_of(values), interactions=False)[:12, 24].sum()
        return int(count)

    both = n_found()
    monkeypatch.setattr("mcsl.order.screening.N_SMOOTH", 9)
    assert both > 1.1 * n_found()


def test_what_is_forbidden_stays_forbidden():
    simulation = simulate("gp-add", n_variables=10, degree=2, seed=0, n_samples=500)
    allowed = np.random.default_rng(0).random((10, 10)) < 0.5
    free = screen(Problem.from_dataset(simulation.dataset))
    assert np.array_equal(free, free.T)
    candidates = screen(Problem.from_dataset(simulation.dataset, allowed))
    np.fill_diagonal(allowed, False)
    assert np.array_equal(candidates, free & allowed)


def test_unrelated_variables_gain_about_the_stated_number_of_candidates():
    values = np.random.default_rng(1).standard_normal((1000, 40))
    assert 0.5 < screen(problem_of(values), interactions=False).sum(axis=0).mean() < 1.5
    assert screen(problem_of(values)).sum(axis=0).mean() < 3
    assert screen(problem_of(values), false_candidates=0.1).sum(axis=0).mean() < 0.5


@pytest.mark.parametrize(("n_samples", "n_variables"), [(50, 10), (50, 80), (300, 60)])
def test_few_rows_for_many_columns(n_samples, n_variables):
    rng = np.random.default_rng(2)
    values = rng.standard_normal((n_samples, n_variables))
    values[:, 1] = values[:, 0] ** 2 + 0.3 * rng.standard_normal(n_samples)
    candidates = screen(problem_of(values))
    assert candidates[0, 1]
    assert candidates[1, 0]
    assert candidates.sum(axis=0).mean() < 4


def test_ties_constants_and_copies():
    rng = np.random.default_rng(3)
    coin = rng.integers(0, 2, 400).astype(float)
    values = np.column_stack([coin, coin, np.ones(400), coin + rng.standard_normal(400), rng.poisson(1, 400)])
    candidates = screen(problem_of(values))
    assert candidates[0, 1]
    assert not candidates[2].any()


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_near_copies_do_not_hide_what_they_share(noise):
    rng = np.random.default_rng(0)
    shared = rng.standard_normal(500)
    copies = shared[:, None] * [1, -2, 3] + noise * rng.standard_normal((500, 3))
    values = np.column_stack([copies, np.sin(shared) + 0.5 * rng.standard_normal(500)])
    problem = Problem.from_dataset(Dataset(values, ("a", "b", "c", "effect")))
    found = mcsl.order.screen(problem, interactions=False, stand_aside=0)
    assert found[:3, 3].all()
