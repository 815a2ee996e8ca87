import numpy as np
import pytest

from mcsl.data import Dataset
from mcsl.errors import GraphError
from mcsl.evaluation import r2_sortability, var_sortability
from mcsl.graph import CausalGraph
from mcsl.simulation import simulate

CHAIN = CausalGraph.from_edges([("a", "b"), ("b", "c")], ["a", "b", "c"])


@pytest.fixture(scope="module")
def growing():
    """Unit weights and unit noise along the chain: variances 1, 2 and 3."""
    return Dataset(np.cumsum(np.random.default_rng(1).standard_normal((20_000, 3)), axis=1), ("a", "b", "c"))


def test_variance_sorts_a_chain_and_its_reverse(growing):
    assert var_sortability(growing, CHAIN) == 1
    assert var_sortability(growing, CausalGraph(CHAIN.adjacency.T, CHAIN.names)) == 0


def test_r2_does_not_depend_on_scale_and_equal_variances_count_one_half(growing):
    assert r2_sortability(growing.values * [5, 0.1, 1], CHAIN) == r2_sortability(growing, CHAIN)
    balanced = np.array([[1, 1, 1], [-1, 1, -1], [1, -1, -1], [-1, -1, 1]])
    assert var_sortability(balanced, CHAIN) == 0.5


def test_standardised_columns_cannot_be_sorted_by_what_rounding_leaves():
    simulation = simulate("gp-add", n_variables=10, degree=1, n_samples=200, seed=1)
    assert var_sortability(simulation.dataset.standardized(), simulation.graph) == 0.5


def test_r2_says_nothing_where_rows_are_too_few():
    values = np.random.default_rng(0).standard_normal((3, 3))
    assert np.isnan(r2_sortability(values, CHAIN))


def test_r2_counts_paths_by_hand(growing):
    # The precision matrix has diagonal (2, 2, 1), so R² given the others is 1 - 1/2, 1 - 1/4 and 1 - 1/3.
    # Of the paths a -> b, b -> c and a -> c, only b -> c descends.
    assert r2_sortability(growing, CHAIN) == pytest.approx(2 / 3)


def test_columns_are_matched_by_name(growing):
    shuffled = Dataset(growing.values[:, [2, 0, 1]], ("c", "a", "b"))
    assert var_sortability(shuffled, CHAIN) == var_sortability(growing, CHAIN)


def test_without_edges_there_is_nothing_to_sort(growing):
    empty = CausalGraph(np.zeros((3, 3)), CHAIN.names)
    assert np.isnan(var_sortability(growing, empty))
    assert np.isnan(r2_sortability(growing, empty))


def test_tables_that_do_not_fit_are_refused(growing):
    with pytest.raises(GraphError, match="no column for b, c"):
        var_sortability(Dataset(growing.values[:, :1], ("a",)), CHAIN)
    with pytest.raises(GraphError, match=r"Got shape \(20000, 2\) instead"):
        r2_sortability(growing.values[:, :2], CHAIN)


@pytest.mark.parametrize("seed", range(5))
def test_figures_are_those_of_the_authors_package(seed):
    from CausalDisco import analytics

    simulation = simulate("linear", n_variables=12, degree=2, n_samples=200, seed=seed)
    values, graph = simulation.dataset.values, simulation.graph
    assert var_sortability(values, graph) == pytest.approx(analytics.var_sortability(values, graph.adjacency))
    assert r2_sortability(values, graph) == pytest.approx(analytics.r2_sortability(values, graph.adjacency))
