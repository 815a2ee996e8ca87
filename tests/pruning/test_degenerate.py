"""Tables that break regressions: ties, copies, constants, heavy tails, too few rows."""

import numpy as np
import pytest

from mcsl.data import SeriesTable
from mcsl.data.dataset import Dataset
from mcsl.graph import CausalGraph
from mcsl.problem import Knowledge, Problem, cut_windows
from mcsl.pruning import AdditivePruner, InteractionPruner, QuadraticPruner, SplineTable

P_VALUES = [*(AdditivePruner(mode=mode) for mode in ("wood", "f", "auto")), InteractionPruner()]
TESTING = [*P_VALUES, QuadraticPruner()]


def prune_all_causes_of_the_last(pruner, values):
    """Prune the graph in which every column causes the last; return the tests by cause."""
    names = tuple(f"x{k}" for k in range(values.shape[1]))
    graph = CausalGraph.from_edges([(name, names[-1]) for name in names[:-1]], names)
    pruned = pruner.prune(graph, Problem.from_dataset(Dataset(values, names)))
    assert all(np.isfinite(test.value) for test in pruned.tests)
    return {int(test.cause[1:]): test for test in pruned.tests}


def kept(tests):
    return {cause for cause, test in tests.items() if test.kept}


def normal(n_samples, n_variables, seed=0):
    return np.random.default_rng(seed).standard_normal((n_samples, n_variables))


@pytest.mark.parametrize("levels", [2, 3, 5, 9])
@pytest.mark.parametrize("pruner", TESTING, ids=repr)
def test_columns_with_few_values(pruner, levels):
    values = normal(500, 4)
    values[:, :2] = np.random.default_rng(1).integers(0, levels, (500, 2))
    values[:, 3] = values[:, 0] + 0.3 * values[:, 3]
    assert kept(prune_all_causes_of_the_last(pruner, values)) == {0}


@pytest.mark.parametrize("pruner", P_VALUES, ids=repr)
def test_of_two_copies_the_later_goes_and_is_named(pruner):
    values = normal(400, 4)
    values[:, 1] = 5 - 2 * values[:, 0]
    values[:, 3] = np.sin(values[:, 0]) + 0.3 * values[:, 3]
    tests = prune_all_causes_of_the_last(pruner, values)
    assert kept(tests) == {0}
    assert tests[1].test == "collinear"


@pytest.mark.parametrize("pruner", P_VALUES, ids=repr)
def test_of_two_copies_the_required_one_stays_alone(pruner):
    values = normal(400, 3)
    values[:, 1] = 2 * values[:, 0]
    values[:, 2] = np.sin(values[:, 0]) + 0.3 * values[:, 2]
    names = ("x0", "x1", "x2")
    problem = Problem.from_dataset(Dataset(values, names))
    problem = problem.with_knowledge(Knowledge(required=[("x1", "x2")]))
    pruned = pruner.prune(CausalGraph.from_edges([("x0", "x2"), ("x1", "x2")], names), problem)
    assert pruned.graph.edges == (("x1", "x2"),)
    assert {test.cause: test.test for test in pruned.tests} == {"x0": "collinear", "x1": "required"}


@pytest.mark.parametrize("n_columns", [60, 72, 74, 80, 120])
def test_effects_with_more_columns_than_residuals_have_directions_are_not_judged(n_columns):
    values = normal(100, 3 + n_columns)
    names = tuple(f"x{k}" for k in range(values.shape[1]))
    groups = {"wide": names[3:]}
    problem = cut_windows(SeriesTable.of(Dataset(values, names)), groups=groups)[0]
    graph = CausalGraph.from_edges([(name, "wide") for name in names[:3]], problem.names)
    tests = AdditivePruner().prune(graph, problem).tests
    assert not any(test.kept for test in tests)
    assert all(0 < test.value <= 1 for test in tests)
    assert {test.test for test in tests} == ({"additive F"} if n_columns == 60 else {"too few rows"})


@pytest.mark.parametrize("n_causes", [1, 3, 5])
def test_events_so_rare_that_a_draw_of_rows_has_none(n_causes):
    values = normal(4000, n_causes + 1)
    values[:, -1] = 0.0
    left_out = np.random.default_rng(InteractionPruner().seed).permutation(4000)[3000:]
    values[left_out[:5], -1] = 1.0
    assert kept(prune_all_causes_of_the_last(InteractionPruner(), values)) == set()


def test_a_quadratic_cause_in_a_small_unit_is_seen():
    values = normal(500, 3)
    values[:, 2] = 2 * values[:, 1] + values[:, 0] + 0.1 * values[:, 2]
    values[:, 0] *= 1e5
    tests = prune_all_causes_of_the_last(QuadraticPruner(), values)
    assert tests[1].value == pytest.approx(2, abs=0.05)
    assert tests[0].value == pytest.approx(1e-5, abs=1e-6)


@pytest.mark.parametrize("pruner", TESTING, ids=repr)
def test_constant_causes_and_effects(pruner):
    values = normal(300, 4)
    values[:, 1] = 7.0
    values[:, 3] = 2 * values[:, 0] + values[:, 3]
    assert kept(prune_all_causes_of_the_last(pruner, values)) == {0}
    values[:, 3] = -1.0
    assert kept(prune_all_causes_of_the_last(pruner, values)) == set()


@pytest.mark.parametrize("pruner", P_VALUES, ids=repr)
def test_cauchy_tails_neither_break_nor_blind(pruner):
    rng = np.random.default_rng(2)
    values = rng.standard_cauchy((1000, 4))
    values[:, 3] = values[:, 0] + 0.1 * rng.standard_normal(1000)
    assert kept(prune_all_causes_of_the_last(pruner, values)) == {0}


@pytest.mark.parametrize("power", [9, 25])
@pytest.mark.parametrize("pruner", TESTING, ids=repr)
def test_outliers_of_any_size_give_finite_answers(pruner, power):
    values = normal(300, 5) ** power
    prune_all_causes_of_the_last(pruner, values)


@pytest.mark.parametrize("pruner", TESTING, ids=repr)
def test_twenty_rows(pruner):
    values = normal(20, 5)
    values[:, 4] = 3 * values[:, 0] + 0.3 * values[:, 4]
    assert 0 in kept(prune_all_causes_of_the_last(pruner, values))


@pytest.mark.parametrize("pruner", P_VALUES, ids=repr)
def test_more_causes_than_rows_leaves_the_strongest_in_the_regression(pruner):
    values = normal(30, 41)
    values[:, 40] = 3 * values[:, 7] + 0.3 * values[:, 40]
    tests = prune_all_causes_of_the_last(pruner, values)
    assert kept(tests) == {7}
    assert sum(test.test == "too few rows" for test in tests.values()) == 30


def test_an_effect_of_nearly_as_many_columns_as_rows_is_tested_without_warnings():
    values = normal(110, 91)
    values[:, 1:] += 2 * np.sin(2 * values[:, :1])
    table = SeriesTable.of(Dataset(values, tuple(f"x{k}" for k in range(91))))
    problem = cut_windows(table, groups={"wide": table.dataset.names[1:]})[0]
    graph = CausalGraph.from_edges([("x0", "wide")], problem.names)
    assert InteractionPruner().prune(graph, problem).graph == graph


def test_more_basis_functions_than_rows_shrinks_the_basis():
    values = normal(60, 16)
    values[:, 15] = values[:, 3] + 0.3 * values[:, 15]
    assert kept(prune_all_causes_of_the_last(AdditivePruner(), values)) == {3}


@pytest.mark.parametrize(
    ("column", "n_functions"),
    [(np.full(50, 3.0), 0), (np.arange(50) % 2, 1), (np.arange(50) % 4, 3), (np.arange(50), 9)],
)
def test_a_column_has_fewer_functions_than_values(column, n_functions):
    table = SplineTable.of(column[:, None].astype(float))
    assert table.design.shape == (50, n_functions)
    np.testing.assert_allclose(table.gram, np.eye(n_functions), atol=1e-8)


@pytest.mark.parametrize("pruner", [AdditivePruner(), AdditivePruner(mode="f")], ids=repr)
def test_shares_that_sum_to_one_are_tested_as_if_one_were_left_out(pruner):
    rng = np.random.default_rng(0)
    for _ in range(5):
        shares, other = rng.dirichlet([2, 2, 2], 3000), rng.standard_normal(3000)
        shares[:, :2] += 0.05 * np.sin(other[:, None] * [1, -1])
        values = np.column_stack([other, rng.standard_normal(3000), shares])
        p_values = []
        for columns in (("a", "b", "c"), ("a", "b")):
            dataset = Dataset(values[:, : 2 + len(columns)], ("cause", "stranger", *columns))
            problem, _ = cut_windows(SeriesTable.of(dataset), groups={"shares": columns})
            graph = CausalGraph.from_edges([("cause", "shares"), ("stranger", "shares")], problem.names)
            p_values.append([test.value for test in pruner.prune(graph, problem).tests])
        assert np.allclose(*p_values, rtol=1e-4)


@pytest.mark.parametrize("pruner", P_VALUES[1:], ids=repr)
def test_of_several_measurements_of_a_cause_one_stays(pruner):
    rng = np.random.default_rng(2)
    cause = rng.gamma(2, 1, 600)
    copies = cause[:, None] + 0.1 * rng.standard_normal((600, 3))
    values = np.column_stack([cause, copies, rng.standard_normal(600), cause + rng.laplace(size=600)])
    alone = prune_all_causes_of_the_last(pruner, values[:, [1, 5]])
    assert kept(alone) == {0}
    tests = prune_all_causes_of_the_last(pruner, values)
    assert len(kept(tests) & {0, 1, 2, 3}) == 1
    assert 4 not in kept(tests)
    assert len(tests) == 5
    assert not kept(prune_all_causes_of_the_last(AdditivePruner(), values))


@pytest.mark.parametrize("seed", [11, 12, 34, 49])
def test_counts_that_share_an_extreme_row_keep_their_edges(seed):
    """Both columns then have that row's indicator among their functions, whose matrix is singular."""
    rng = np.random.default_rng(seed)
    a, b = rng.poisson(1.0, (2, 300)).astype(float)
    a[7], b[7] = 23, 19
    dataset = Dataset(np.column_stack([a, b, 0.8 * (a + b) + rng.normal(size=300)]), ("a", "b", "y"))
    graph = CausalGraph.from_edges([("a", "y"), ("b", "y")], dataset.names)
    for pruner in (AdditivePruner(mode="auto"), InteractionPruner()):
        assert pruner.prune(graph, Problem.from_dataset(dataset)).graph.n_edges == 2
