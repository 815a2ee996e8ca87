import numpy as np

from mcsl.data import Dataset, SeriesTable
from mcsl.graph import CausalGraph
from mcsl.problem import Problem, cut_windows
from mcsl.pruning import lag_tests


def lagged(values: np.ndarray, names: str, lags: int) -> Problem:
    return cut_windows(SeriesTable.of(Dataset(values, tuple(names))), lags=lags)[0]


def test_without_lags_there_is_nothing_to_test():
    values = np.random.default_rng(0).normal(size=(50, 2))
    graph = CausalGraph.from_edges([("a", "b")], ("a", "b"))
    assert lag_tests(graph, Problem.from_dataset(Dataset(values, ("a", "b")))) == ()


def test_one_lag_is_found_although_its_neighbours_are_correlated_with_it():
    rng = np.random.default_rng(1)
    cause = rng.normal(size=800)
    for t in range(1, 800):
        cause[t] += 0.8 * cause[t - 1]
    effect = rng.normal(size=800)
    effect[2:] += np.sin(2 * cause[:-2])
    graph = CausalGraph.from_edges([("a", "b")], ("a", "b"))
    tests = lag_tests(graph, lagged(np.column_stack([cause, effect]), "ab", 3))
    assert [(test.lag, test.matters) for test in tests] == [(0, False), (1, False), (2, True), (3, False)]


def test_lags_that_do_nothing_are_rejected_at_their_level():
    rng = np.random.default_rng(2)
    graph = CausalGraph.from_edges([("a", "b")], ("a", "b"))
    p_values = []
    for _ in range(80):
        cause = rng.normal(size=150)
        effect = rng.normal(size=150)
        effect[1:] += cause[:-1]
        p_values.append(lag_tests(graph, lagged(np.column_stack([cause, effect]), "ab", 1))[0].p_value)
    rejected = np.mean(np.array(p_values) < 0.1)
    assert 0.03 < rejected < 0.2
