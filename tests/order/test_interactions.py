import numpy as np
import pytest

import mcsl
from mcsl.order import OrderSearch, spline_table
from mcsl.order import interactions as room
from mcsl.order.interactions import InteractionTable, with_products
from mcsl.problem import Problem


def problem_of(values: np.ndarray) -> Problem:
    return Problem.from_dataset(mcsl.Dataset(values, tuple(f"x{i}" for i in range(values.shape[1]))))


def random_problem(d: int = 4, n: int = 200) -> Problem:
    return problem_of(np.random.default_rng(0).standard_normal((n, d)))


def test_the_inner_products_are_those_of_the_functions():
    problem = random_problem()
    table = with_products(spline_table(problem), problem, problem.candidates)
    values = problem.dataset.standardized().values
    assert np.allclose(table.gram, table.design.T @ table.design, atol=1e-10)
    assert np.allclose(table.moments, table.design.T @ values, atol=1e-8)
    assert np.allclose(table.design.mean(axis=0), 0, atol=1e-10)
    assert len(table.products) == 6


def test_functions_hold_the_products_of_all_pairs_and_no_others():
    problem = random_problem()
    table = with_products(spline_table(problem), problem, problem.candidates)
    plain = spline_table(problem)
    assert np.array_equal(table.functions([1]), plain.functions([1]))
    three = table.functions([0, 2, 3])
    assert len(three) == len(plain.functions([0, 2, 3])) + 3 * 4
    assert len(set(three.tolist())) == len(three)
    assert set(table.functions([3, 2, 0]).tolist()) == set(three.tolist())


def test_only_pairs_with_a_common_effect_get_products():
    problem = random_problem()
    candidates = np.zeros((4, 4), bool)
    candidates[[0, 1], 2] = True
    table = with_products(spline_table(problem), problem, candidates)
    assert isinstance(table, InteractionTable)
    assert list(table.products) == [(0, 1)]
    nothing = np.zeros((4, 4), bool)
    assert not isinstance(with_products(spline_table(problem), problem, nothing), InteractionTable)


@pytest.mark.parametrize(("limit", "expected"), [(36 + 24, 4), (36 + 6, 1), (36 + 5, 0)])
def test_products_stay_within_their_limit(monkeypatch, limit, expected):
    problem = random_problem(n=1000)
    table = spline_table(problem)
    monkeypatch.setattr(room, "_MAX_FUNCTIONS", limit - 36 + table.design.shape[1])
    extended = with_products(table, problem, problem.candidates)
    assert extended.design.shape[1] == table.design.shape[1] + 6 * expected


def test_a_product_gives_away_its_direction():
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 800))
    values = np.column_stack([a * b + 0.5 * rng.standard_normal(800), a, b])
    fit = OrderSearch().find(problem_of(values))
    assert fit.order[-1] == 0
    assert fit.edge_probabilities[1, 0] > 0.99
    assert fit.edge_probabilities[2, 0] > 0.99


def test_interactions_bring_dense_joint_mechanisms_into_order():
    violations = {True: 0, False: 0}
    for seed in (2, 3):
        simulation = mcsl.simulate("gp", n_variables=10, degree=4, n_samples=2000, seed=seed)
        for interactions in violations:
            problem = Problem.from_dataset(simulation.dataset)
            place = np.argsort(OrderSearch(interactions=interactions).find(problem).order)
            violations[interactions] += int((simulation.graph.adjacency & (place[:, None] > place)).sum())
    assert violations[True] <= 4 < violations[False]
