import numpy as np
import pytest

import mcsl
from mcsl.order import OrderSearch, spline_table
from mcsl.order.regressors import Family, Regressors, gather_regressors
from mcsl.order.scores import GaussianScore
from mcsl.problem import Problem


def problem_of(values: np.ndarray) -> Problem:
    return Problem.from_dataset(mcsl.Dataset(values, tuple(f"x{i}" for i in range(values.shape[1]))))


def random_problem(d: int = 4, n: int = 200) -> Problem:
    return problem_of(np.random.default_rng(0).standard_normal((n, d)))


def all_pairs(problem: Problem) -> list[Family]:
    """Let every column read all others."""
    columns = range(problem.n_variables)
    return [Family([effect], [c for c in columns if c != effect]) for effect in columns]


def test_the_inner_products_are_those_of_the_functions():
    problem = random_problem()
    regressors = Regressors.of(spline_table(problem), all_pairs(problem), interactions=True)
    design = regressors.design(np.arange(len(regressors)))
    values = problem.dataset.standardized().values
    assert np.allclose(regressors.gram, design.T @ design, atol=1e-10)
    assert np.allclose(np.diag(regressors.gram), 1)
    assert np.allclose(np.stack(list(regressors.moments.values())), values.T @ design, atol=1e-8)
    assert np.allclose(design.mean(axis=0), 0, atol=1e-10)
    assert len(regressors.products) == 6


def test_models_grow_by_rougher_functions_and_by_products_of_all_pairs_and_no_others():
    problem = random_problem()
    table = spline_table(problem)
    regressors = Regressors.of(table, all_pairs(problem), interactions=True)
    few, many = regressors.models([0, 2, 3])
    n_own = len(table.functions([0, 2, 3]))
    assert few.ends == (9, 9 + 3, 9 + 3 * 4, 9 + 3 * 9, n_own + 3 * 9)
    assert many.ends == (n_own, n_own + 3, n_own + 3 * 4)
    assert set(many.functions[:n_own].tolist()) == set(table.functions([0, 2, 3]).tolist())
    assert regressors.is_smooth[few.functions[:9]].all()
    products = {k for pair in ((0, 2), (0, 3), (2, 3)) for k in places(regressors, pair)}
    assert set(few.functions[9 : 9 + 27].tolist()) == products
    assert regressors.ranks[few.functions[9 : 9 + 27]].tolist() == [0] * 3 + [1] * 9 + [2] * 15
    assert np.array_equal(few.functions[9 : 9 + 12], many.functions[n_own:])
    assert set(few.functions.tolist()) == products | set(many.functions.tolist())


def places(regressors: Regressors, pair: tuple[int, int]) -> range:
    return range(len(regressors))[regressors.products[pair]]


def test_models_without_products_are_those_of_few_functions_and_of_all():
    regressors = Regressors.of(
        spline_table(random_problem(n=1000)), [Family([0], [1, 2])], interactions=False
    )
    assert [models.ends for models in regressors.models([1, 2])] == [(6, 18)]
    assert [models.ends for models in regressors.models([])] == [(0,)]


def test_a_column_of_three_values_has_one_model_alone():
    values = np.column_stack([np.arange(300) % 3, np.random.default_rng(0).standard_normal(300)])
    regressors = Regressors.of(spline_table(problem_of(values)), [Family([1], [0])], interactions=True)
    assert [models.ends for models in regressors.models([0])] == [(2,)]


def test_only_pairs_of_one_family_get_products():
    table = spline_table(random_problem())
    families = [Family([2], [0, 1]), Family([0], [3])]
    assert list(Regressors.of(table, families, interactions=True).products) == [(0, 1)]
    assert not Regressors.of(table, families, interactions=False).products


@pytest.mark.parametrize(("limit", "expected"), [(36 + 54, 9), (36 + 24, 4), (36 + 6, 1), (36 + 5, 0)])
def test_products_stay_within_their_limit(limit, expected):
    problem = random_problem(n=1000)
    regressors = Regressors.of(spline_table(problem), all_pairs(problem), interactions=True, limit=limit)
    assert len(regressors) == 36 + 6 * expected


def test_effects_with_few_causes_are_gathered_apart_and_score_the_same():
    problem = random_problem(d=30)
    table = spline_table(problem)
    families = [Family([effect], [(effect + 1) % 30, (effect + 2) % 30]) for effect in range(30)]
    apart = gather_regressors(table, families, interactions=True)
    assert len(apart) == 30
    shared = GaussianScore(problem, Regressors.of(table, families, interactions=True))
    for effect, regressors in enumerate(apart):
        parents = frozenset(families[effect].columns)
        assert GaussianScore(problem, regressors)(effect, parents) == pytest.approx(shared(effect, parents))
    assert len(gather_regressors(table, all_pairs(problem), interactions=True)) == 1


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
    for seed in (0, 5):
        simulation = mcsl.simulate("gp", n_variables=10, degree=4, n_samples=2000, seed=seed)
        for interactions in violations:
            problem = Problem.from_dataset(simulation.dataset)
            place = np.argsort(OrderSearch(interactions=interactions).find(problem).order)
            violations[interactions] += int((simulation.graph.adjacency & (place[:, None] > place)).sum())
    assert violations[True] <= 2 < 10 <= violations[False]
