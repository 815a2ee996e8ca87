"""What every pruner promises, and what each of them finds."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsl.data.dataset import Dataset
from mcsl.errors import GraphError, SettingsError
from mcsl.graph import CausalGraph
from mcsl.problem import Problem, Variable
from mcsl.pruning import AdditivePruner, InteractionPruner, KeepAll, QuadraticPruner
from mcsl.simulation import simulate

PRUNERS = [KeepAll(), AdditivePruner(), AdditivePruner(mode="f"), InteractionPruner(), QuadraticPruner()]
TESTING = PRUNERS[1:]


def names(count):
    return tuple(f"x{k}" for k in range(count))


def problem_of(values):
    return Problem.from_dataset(Dataset(values, names(values.shape[1])))


def complete(count):
    return CausalGraph(np.triu(np.ones((count, count)), 1), names(count))


def check_contract(pruner, graph, problem):
    """Prune, and check what the protocol promises: edges are only removed, and each test says which."""
    pruned = pruner.prune(graph, problem)
    assert not np.any(pruned.graph.adjacency & ~graph.adjacency)
    assert pruned.graph.names == graph.names
    if pruned.tests:
        assert {(t.cause, t.effect) for t in pruned.tests} == set(graph.edges)
        assert {(t.cause, t.effect) for t in pruned.tests if t.kept} == set(pruned.graph.edges)
        assert all(np.isfinite(t.value) and t.test for t in pruned.tests)
        assert all(0 <= t.value <= 1 for t in pruned.tests if t.statistic == "p_value")
    return pruned


def kept(pruned):
    return set(pruned.graph.edges)


def additive_table(n_samples=600, seed=0):
    """x2 = sin(2 x0) + x1^2 / 2 + noise, and x3, which follows x0 but does not act on x4 = x2 + noise."""
    rng = np.random.default_rng(seed)
    x0, x1 = rng.standard_normal((2, n_samples))
    x2 = np.sin(2 * x0) + x1**2 / 2 + 0.5 * rng.standard_normal(n_samples)
    x3 = x0 + rng.standard_normal(n_samples)
    x4 = np.tanh(x2) + 0.5 * rng.standard_normal(n_samples)
    return np.column_stack([x0, x1, x2, x3, x4])


ADDITIVE_EDGES = {("x0", "x2"), ("x1", "x2"), ("x0", "x3"), ("x2", "x4")}


@pytest.mark.parametrize("pruner", PRUNERS, ids=repr)
@settings(max_examples=8, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_samples=st.integers(20, 150),
    count=st.integers(2, 5),
)
def test_pruners_only_remove(pruner, seed, n_samples, count):
    rng = np.random.default_rng(seed)
    graph = CausalGraph(np.triu(rng.random((count, count)) < 0.7, 1), names(count))
    check_contract(pruner, graph, problem_of(rng.standard_normal((n_samples, count))))


@pytest.mark.parametrize("pruner", TESTING[:3], ids=repr)
def test_spurious_edges_of_an_additive_model_go_and_true_ones_stay(pruner):
    assert kept(check_contract(pruner, complete(5), problem_of(additive_table()))) == ADDITIVE_EDGES


@pytest.mark.parametrize("pruner", TESTING, ids=repr)
def test_relabelling_the_variables_relabels_the_answer(pruner):
    values, order = additive_table(), [3, 0, 4, 1, 2]
    straight = pruner.prune(complete(5), problem_of(values))
    table = Dataset(values[:, order], tuple(names(5)[k] for k in order))
    graph = CausalGraph(complete(5).adjacency[np.ix_(order, order)], table.names)
    assert kept(pruner.prune(graph, Problem.from_dataset(table))) == kept(straight)


@pytest.mark.parametrize("pruner", TESTING[:3], ids=repr)
def test_units_do_not_matter(pruner):
    values = additive_table(300)
    other = values * np.array([1e-6, 1e8, -3.0, 1.0, 1e3]) + np.array([0, 1e9, 5, -1, 0])
    first, second = (pruner.prune(complete(5), problem_of(v)) for v in (values, other))
    assert kept(first) == kept(second)


def test_only_the_joint_test_sees_a_product():
    rng = np.random.default_rng(1)
    values = rng.standard_normal((800, 4))
    values[:, 3] = values[:, 0] * values[:, 1] + 0.5 * values[:, 3]
    edges = {("x0", "x3"), ("x1", "x3")}
    assert kept(AdditivePruner().prune(complete(4), problem_of(values))) == set()
    pruned = InteractionPruner().prune(complete(4), problem_of(values))
    assert kept(pruned) == edges
    assert {t.test for t in pruned.tests if t.kept} == {"joint"}
    assert kept(QuadraticPruner().prune(complete(4), problem_of(values))) == edges


def test_the_interaction_test_is_repeatable_and_parallel_runs_agree():
    problem = problem_of(additive_table(300))
    once, again = (InteractionPruner(n_jobs=n).prune(complete(5), problem) for n in (1, 2))
    np.testing.assert_allclose([t.value for t in once.tests], [t.value for t in again.tests], rtol=1e-6)


@pytest.mark.parametrize("pruner", TESTING, ids=repr)
def test_a_task_holds_what_it_reads_and_no_more(pruner, monkeypatch):
    sizes = []

    def measure(tasks, n_jobs, **options):
        for task in tasks:
            sizes.append(len(pickle.dumps(task)))
            yield task()

    monkeypatch.setattr("mcsl.pruning.regressions.side_by_side", measure)
    strangers = np.random.default_rng(0).standard_normal((600, 20))
    for values in (additive_table(), np.column_stack([additive_table(), strangers])):
        pruner.prune(CausalGraph.from_edges(ADDITIVE_EDGES, names(values.shape[1])), problem_of(values))
    few, many = np.split(np.array(sizes), 2)
    assert (many <= few + 100).all()


@pytest.mark.parametrize(("n_rows", "mode"), [(140, "wood"), (150, "f")])
def test_few_rows_for_each_function_are_left_to_penalties(n_rows, mode):
    # Two causes with nine functions each: eight rows for each of them are 144.
    simulation = simulate("gp-add", n_variables=3, degree=1, seed=0, n_samples=n_rows)
    graph = CausalGraph.from_edges([("x1", "x3"), ("x2", "x3")], simulation.graph.names)
    problem = Problem.from_dataset(simulation.dataset)
    auto, named = (AdditivePruner(mode=name).prune(graph, problem) for name in ("auto", mode))
    assert auto.tests == named.tests


def test_quadratic_coefficients_are_those_of_the_table():
    rng = np.random.default_rng(2)
    values = rng.standard_normal((2000, 3))
    values[:, 2] = 0.3 * values[:, 0] + 0.5 * values[:, 0] * values[:, 1] + 0.01 * values[:, 2]
    graph = CausalGraph.from_edges([("x0", "x2"), ("x1", "x2")], names(3))
    tests = QuadraticPruner().prune(graph, problem_of(values)).tests
    assert [t.value for t in tests] == pytest.approx([0.5, 0.5], abs=2e-3)
    assert {t.statistic for t in tests} == {"coefficient"}


def vector_problem(values, n_dimensions):
    """Variables v0, v1, ... that own `n_dimensions` columns each."""
    count = values.shape[1] // n_dimensions
    owned = [tuple(range(k * n_dimensions, (k + 1) * n_dimensions)) for k in range(count)]
    variables = tuple(Variable(f"v{k}", columns, columns) for k, columns in enumerate(owned))
    return Problem(Dataset(values, names(values.shape[1])), variables, np.ones((count, count), bool))


@pytest.mark.parametrize("pruner", TESTING, ids=repr)
def test_vectors_are_tested_jointly(pruner):
    rng = np.random.default_rng(3)
    values = rng.standard_normal((800, 6))
    values[:, 5] = values[:, 0] ** 2 + values[:, 1] + 0.5 * values[:, 5]
    graph = CausalGraph(np.triu(np.ones((3, 3)), 1), ("v0", "v1", "v2"))
    assert kept(check_contract(pruner, graph, vector_problem(values, 2))) == {("v0", "v2")}


@pytest.mark.parametrize("pruner", TESTING, ids=repr)
def test_the_own_past_explains_before_others_may(pruner):
    rng = np.random.default_rng(4)
    noise = rng.standard_normal((1200, 2))
    series = np.zeros((1200, 2))
    for t in range(1, 1200):
        series[t, 0] = 0.9 * series[t - 1, 0] + noise[t, 0]
        series[t, 1] = 0.9 * series[t - 1, 1] + np.tanh(series[t - 1, 0]) + noise[t, 1]
    table = Dataset(np.column_stack([series[1:], series[:-1]]), ("a", "b", "a-1", "b-1"))
    variables = (Variable("a", (0, 2), (0,)), Variable("b", (1, 3), (1,)))
    problem = Problem(table, variables, np.ones((2, 2), bool))
    forward = CausalGraph.from_edges([("a", "b")], ("a", "b"))
    assert kept(check_contract(pruner, forward, problem)) == {("a", "b")}


def test_a_graph_over_other_variables_is_refused():
    with pytest.raises(GraphError, match="same variables in the same order"):
        AdditivePruner().prune(complete(3), problem_of(additive_table()))


@pytest.mark.parametrize(
    "make",
    [
        lambda: AdditivePruner(significance=0),
        lambda: AdditivePruner(mode="reml"),
        lambda: AdditivePruner(n_basis=1),
        lambda: InteractionPruner(significance=1.5),
        lambda: InteractionPruner(max_rows=10),
        lambda: QuadraticPruner(threshold=-1),
    ],
)
def test_settings_out_of_range_are_refused_with_their_value(make):
    with pytest.raises(SettingsError, match=r"must .* Got .* instead\."):
        make()
