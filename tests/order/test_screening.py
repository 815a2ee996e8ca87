from functools import partial

import numpy as np
import pytest

import mcsl.order
from mcsl.data import Dataset
from mcsl.order import OrderSearch, screening, spline_table
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


def lines_that_cancel(n_samples=1000):
    """A cause x0 and its effect x1 which act on x2 such that given it they are unrelated; x3 and x4 go on."""
    rng = np.random.default_rng(7)
    values = rng.standard_normal((n_samples, 5))
    for effect, causes in enumerate(([], [0], [0, 1], [1], [3])):
        values[:, effect] += values[:, causes].sum(axis=1)
    graph = np.zeros((5, 5), dtype=bool)
    graph[[0, 0, 1, 1, 3], [1, 2, 2, 3, 4]] = True
    return problem_of(values), graph


def missed_relations(problem, adjacency, candidates):
    return screening.missed_relations(problem, spline_table(problem), adjacency, candidates)


def test_what_a_common_effect_hides_is_seen_given_the_causes():
    problem, graph = lines_that_cancel()
    candidates = screen(problem)
    assert not candidates[0, 1]
    missed = missed_relations(problem, graph & candidates, candidates)
    assert missed[0, 1]
    assert missed[1, 0]


def test_a_second_look_sees_what_only_all_functions_of_one_of_two_show():
    rng = np.random.default_rng(0)
    cause = rng.uniform(-2, 2, 1000)
    problem = problem_of(np.stack([cause, 0.4 * np.sin(6 * cause) + rng.standard_normal(1000)], axis=1))
    nothing = np.zeros((2, 2), dtype=bool)
    # Waves are no function of their effect, and yet the edge may point either way.
    assert missed_relations(problem, nothing, nothing).tolist() == [[False, True], [True, False]]


def test_a_second_look_sees_what_is_weak_and_smooth(monkeypatch):
    nothing = np.zeros((25, 25), dtype=bool)

    def n_found() -> int:
        count = 0
        for seed in range(8):
            values = np.random.default_rng(seed).standard_normal((1500, 25))
            values[:, 24] += 0.09 * values[:, :12].sum(axis=1)
            count += missed_relations(problem_of(values), nothing, nothing)[:12, 24].sum()
        return int(count)

    both = n_found()
    monkeypatch.setattr("mcsl.order.screening.N_SMOOTH", 9)
    assert both > 1.1 * n_found()


def test_a_second_look_leaves_alone_what_the_graph_accounts_for():
    problem, graph = lines_that_cancel()
    assert not missed_relations(problem, graph, graph | graph.T).any()
    # Effects of effects are related, but not beside their causes.
    some = np.zeros_like(graph)
    some[3, 4] = True
    missed = missed_relations(problem, some, some | some.T)
    assert not np.any(missed & (some | some.T))
    assert missed[0, 1]


def test_a_second_look_keeps_to_what_is_allowed():
    problem, graph = lines_that_cancel()
    allowed = graph | graph.T
    allowed[0, 1] = False
    narrower = problem_of(problem.dataset.values, allowed)
    missed = missed_relations(narrower, graph & allowed, allowed & ~np.eye(5, k=-1, dtype=bool))
    assert missed[1, 0]
    assert not missed[0, 1]


def test_a_second_look_at_unrelated_variables_finds_next_to_nothing():
    nothing = np.zeros((40, 40), dtype=bool)
    found = 0
    for seed in range(5):
        problem = problem_of(np.random.default_rng(seed).standard_normal((600, 40)))
        found += missed_relations(problem, nothing, nothing).sum()
    # One in a hundred of 200 variables gains a candidate, which then gains it in turn.
    assert found <= 12


def test_the_search_recovers_what_screening_lost(monkeypatch):
    simulation = simulate("gp-add", n_variables=8, degree=1.5, seed=2, n_samples=1000, noise="unequal")
    problem = Problem.from_dataset(simulation.dataset.standardized())
    found = OrderSearch(interactions=False).find(problem).learned.adjacency
    lost = np.argwhere(found & simulation.graph.adjacency)[0]

    def careless(*arguments, **options):
        candidates = mcsl.order.screen(*arguments, **options).copy()
        candidates[tuple(lost)] = candidates[tuple(lost[::-1])] = False
        return candidates

    monkeypatch.setattr("mcsl.order.search.screen", careless)
    again = OrderSearch(interactions=False).find(problem)
    assert again.learned.adjacency[tuple(lost)]
    assert again.edge_probabilities[tuple(lost)] > 0.99


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
