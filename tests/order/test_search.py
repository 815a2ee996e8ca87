import numpy as np
import pytest

from mcsl.data import Dataset
from mcsl.order import OrderSearch
from mcsl.problem import Problem, Variable
from mcsl.simulation import simulate

find = OrderSearch(interactions=False).find


def problem_of(values, candidates=None):
    values = np.asarray(values, dtype=float)
    return Problem.from_dataset(Dataset(values, tuple(f"x{i}" for i in range(values.shape[1]))), candidates)


def order_violations(order, graph):
    place = np.argsort(order)
    return sum(place[cause] > place[effect] for cause, effect in np.argwhere(graph.adjacency))


@pytest.mark.parametrize(
    ("model", "degree", "noise"), [("gp-add", 1, "gaussian"), ("gp-add", 4, "gaussian"), ("pnl", 1, "shaped")]
)
def test_the_order_of_simulated_tables_is_found(model, degree, noise):
    for seed in range(2):
        simulation = simulate(model, n_variables=10, degree=degree, seed=seed, n_samples=1000)
        problem = Problem.from_dataset(simulation.dataset.standardized())
        fit = find(problem)
        assert order_violations(fit.order, simulation.graph) == 0
        assert fit.graph.adjacency[simulation.graph.adjacency].mean() > 0.85
        assert fit.noise == noise
        assert (fit.problem is problem) == (model == "gp-add")


def test_a_scale_that_depends_on_the_cause_gives_the_direction():
    rng = np.random.default_rng(0)
    cause = rng.standard_normal(2000)
    effect = 0.5 * cause + np.exp(0.7 * np.sin(2 * cause)) * rng.standard_normal(2000)
    fit = find(problem_of(np.column_stack([effect, cause])))
    assert fit.noise == "location-scale"
    assert fit.order == (1, 0)


def test_peaked_noise_gives_the_direction_of_a_straight_line():
    rng = np.random.default_rng(1)
    cause = rng.laplace(size=2000)
    effect = cause + rng.laplace(size=2000)
    fit = find(problem_of(np.column_stack([effect, cause])))
    assert fit.noise == "shaped"
    assert fit.order == (1, 0)


@pytest.mark.parametrize("seed", range(3))
def test_equal_variances_give_the_direction_of_straight_lines(seed):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(500)
    b = a + rng.standard_normal(500)
    c = b + rng.standard_normal(500)
    values = np.column_stack([c, b, a])
    equal = OrderSearch(interactions=False, equal_variances=True).find
    assert equal(problem_of(values)).order == (2, 1, 0)
    assert equal(problem_of(100 * values + 7)).order == (2, 1, 0)
    # In other units the assumption is wrong, and so is the order.
    assert equal(problem_of(values * [0.1, 0.3, 1])).order == (0, 1, 2)


def test_equal_variances_are_at_least_as_good_where_they_hold():
    for seed in range(2):
        simulation = simulate("gp", n_variables=10, degree=4, seed=seed, n_samples=1000)
        fit = OrderSearch(equal_variances=True).find(Problem.from_dataset(simulation.dataset))
        assert order_violations(fit.order, simulation.graph) == 0
        assert fit.noise == "gaussian"


def test_causes_do_not_pile_up_where_one_variance_is_wrong():
    values = np.random.default_rng(0).standard_normal((800, 8)) * [1, 1, 1, 1, 1, 1, 1, 1000]
    learned = OrderSearch(equal_variances=True).find(problem_of(values)).learned.adjacency
    # 800 rows are enough for 100 functions: 45 of five causes and 40 products of them.
    assert learned[:, 7].sum() == 5


def test_the_edges_of_the_climb_agree_with_the_order_though_weak_ones_give_way(monkeypatch):
    n_edges = []
    for seed in range(6):
        simulation = simulate("gp", n_variables=10, degree=4, n_samples=300, seed=seed)
        problem = Problem.from_dataset(simulation.dataset.standardized())
        found = OrderSearch().find(problem)
        assert set(found.learned.edges) <= set(found.graph.edges)
        assert found.edge_counts["learned"] == found.learned.n_edges
        with monkeypatch.context() as bound:
            bound.setattr("mcsl.order.search.BINDING_GAIN", 0.0)
            n_edges.append((found.learned.n_edges, OrderSearch().find(problem).learned.n_edges))
    assert any(free < all_bind for free, all_bind in n_edges)


def test_units_do_not_matter():
    rng = np.random.default_rng(2)
    for model in ("gp-add", "pnl"):
        simulation = simulate(model, n_variables=8, degree=2, seed=1, n_samples=500)
        scales, shifts = 10.0 ** rng.uniform(-6, 6, 8), rng.uniform(-5, 5, 8)
        plain = find(problem_of(simulation.dataset.values))
        scaled = find(problem_of(simulation.dataset.values * scales + shifts * scales))
        assert scaled.graph == plain.graph
        assert scaled.order == plain.order
        np.testing.assert_allclose(scaled.scores, plain.scores, rtol=1e-4)


def test_relabelling_the_variables_relabels_the_graph():
    simulation = simulate("gp-add", n_variables=8, degree=2, seed=5, n_samples=500)
    permutation = np.random.default_rng(0).permutation(8)
    plain = find(problem_of(simulation.dataset.values)).graph.adjacency
    moved = (
        OrderSearch(interactions=False)
        .find(problem_of(simulation.dataset.values[:, permutation]))
        .graph.adjacency
    )
    true = simulation.graph.adjacency
    assert np.array_equal(
        (moved & true[np.ix_(permutation, permutation)]), (plain & true)[np.ix_(permutation, permutation)]
    )


def test_forbidden_edges_never_appear():
    simulation = simulate("gp-add", n_variables=10, degree=2, seed=0, n_samples=500)
    allowed = ~simulation.graph.adjacency
    fit = find(Problem.from_dataset(simulation.dataset, allowed))
    assert not (fit.graph.adjacency & simulation.graph.adjacency).any()


@pytest.mark.parametrize(("n_samples", "n_variables"), [(50, 5), (50, 70), (20, 3), (5, 4)])
def test_few_rows(n_samples, n_variables):
    values = np.random.default_rng(3).standard_normal((n_samples, n_variables))
    fit = find(problem_of(values))
    assert sorted(fit.order) == list(range(n_variables))
    assert np.isfinite(fit.scores).all()


def test_ties_constants_and_copies():
    rng = np.random.default_rng(4)
    coin = rng.integers(0, 2, 300).astype(float)
    counts = rng.poisson(coin + 0.5)
    values = np.column_stack(
        [coin, coin, np.ones(300), counts, np.zeros(300), counts + rng.standard_normal(300)]
    )
    fit = find(problem_of(values))
    assert np.isfinite(fit.scores).all()
    assert not fit.graph.adjacency[[2, 4]].any()


def test_vectors_and_lags_are_read_by_their_columns():
    rng = np.random.default_rng(5)
    driver = rng.standard_normal((1000, 2))
    past = rng.standard_normal(1000)
    effect = np.sin(2 * driver[:, 0]) + driver[:, 1] ** 2 + past + 0.5 * rng.standard_normal(1000)
    dataset = Dataset(np.column_stack([effect, past, driver]), ("e", "e-1", "a", "b"))
    problem = Problem(
        dataset, (Variable("e", (0, 1), (0,)), Variable("d", (2, 3), (2, 3))), np.ones((2, 2), bool)
    )
    fit = find(problem)
    assert fit.graph.edges == (("d", "e"),)
