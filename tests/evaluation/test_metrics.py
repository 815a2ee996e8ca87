import itertools
import json
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsl.errors import GraphError
from mcsl.evaluation import Metrics, evaluate, shd, sid
from mcsl.graph import CausalGraph

REFERENCE = json.loads(Path(__file__).parents[1].joinpath("reference/metrics_reference.json").read_text())


def matrix(n_variables, edges):
    adjacency = np.zeros((n_variables, n_variables), dtype=int)
    for cause, effect in edges:
        adjacency[cause, effect] = 1
    return adjacency


@st.composite
def digraphs(draw, n_variables):
    """Any directed graph, cycles and two-way edges included."""
    bits = draw(st.lists(st.booleans(), min_size=n_variables**2, max_size=n_variables**2))
    return np.array(bits).reshape(n_variables, n_variables) & ~np.eye(n_variables, dtype=bool)


@st.composite
def dags(draw, n_variables):
    place = np.array(draw(st.permutations(range(n_variables))))
    return np.triu(draw(digraphs(n_variables)), 1)[np.ix_(place, place)]


def several(graphs, how_many, max_variables):
    return st.integers(2, max_variables).flatmap(lambda d: st.tuples(*[graphs(d)] * how_many))


CHAIN = matrix(3, [(0, 1), (1, 2)])

BY_HAND = {
    "perfect": ([(0, 1), (1, 2)], Metrics(shd=0, tpr=1.0, fdr=0.0, f1=1.0, sid=0, n_edges=2)),
    "nothing": ([], Metrics(shd=2, tpr=0.0, fdr=0.0, f1=0.0, sid=3, n_edges=0)),
    "missing": ([(0, 1)], Metrics(shd=1, tpr=0.5, fdr=0.0, f1=2 / 3, sid=2, n_edges=1)),
    "extra": ([(0, 1), (1, 2), (0, 2)], Metrics(shd=1, tpr=1.0, fdr=1 / 3, f1=0.8, sid=0, n_edges=3)),
    "one reversed": ([(1, 0), (1, 2)], Metrics(shd=1, tpr=0.5, fdr=0.5, f1=0.5, sid=3, n_edges=2)),
    "all reversed": ([(1, 0), (2, 1)], Metrics(shd=2, tpr=0.0, fdr=1.0, f1=0.0, sid=6, n_edges=2)),
}
"""Against 0 -> 1 -> 2. `missing` says that nothing causes 2, wrong for do(0) and do(1)."""


@pytest.mark.parametrize("case", BY_HAND)
def test_small_cases_by_hand(case):
    edges, expected = BY_HAND[case]
    assert evaluate(matrix(3, edges), CHAIN).as_dict() == pytest.approx(expected.as_dict())


@pytest.mark.parametrize("case", REFERENCE["cases"], ids=range(len(REFERENCE["cases"])))
def test_another_package_agrees(case):
    estimate, truth = (matrix(case["n_variables"], case[which]) for which in ("estimate", "truth"))
    ours = evaluate(estimate, truth)
    assert ours.shd == case["shd"]
    assert (ours.tpr, ours.fdr, ours.f1) == pytest.approx((case["tpr"], case["fdr"], case["f1"]), abs=6e-5)


def test_empty_graphs():
    empty = np.zeros((3, 3))
    assert evaluate(empty, empty) == Metrics(shd=0, tpr=1.0, fdr=0.0, f1=1.0, sid=0, n_edges=0)
    assert evaluate(CHAIN, empty) == Metrics(shd=2, tpr=1.0, fdr=1.0, f1=0.0, sid=0, n_edges=2)


def test_two_way_edges_count_one_pair_and_never_more_than_they_find(capfd):
    two_way = CHAIN + CHAIN.T
    # A package that counts both directions as found reports a TPR of 2 and an SHD of 0 here.
    assert evaluate(two_way, CHAIN) == Metrics(shd=2, tpr=1.0, fdr=0.5, f1=2 / 3, sid=None, n_edges=4)
    assert shd(two_way, np.zeros((3, 3))) == 2
    assert capfd.readouterr().err == ""


def test_longer_cycles_have_no_sid():
    assert sid(matrix(3, [(0, 1), (1, 2), (2, 0)]), CHAIN) is None


def test_sid_of_its_own_papers_example():
    # Figure 1 of Peters and Bühlmann: one wrong edge each, yet 0 and 8 wrong interventions.
    truth = matrix(5, [(0, 1), *itertools.product([0, 1], [2, 3, 4])])
    harmless, harmful = truth + matrix(5, [(2, 3)]), truth - matrix(5, [(0, 1)]) + matrix(5, [(1, 0)])
    assert (shd(harmless, truth), sid(harmless, truth)) == (1, 0)
    assert (shd(harmful, truth), sid(harmful, truth)) == (1, 8)


def adjusts(truth, cause, effect, given_nodes):
    """Whether adjusting for a set identifies the effect: it holds no node on or below a causal path but the
    cause, and blocks every other path (Shpitser et al., 2010)."""
    graph = nx.DiGraph(truth)
    graph.add_nodes_from(range(len(truth)))
    for path in nx.all_simple_paths(graph.to_undirected(), cause, effect):
        if all(graph.has_edge(*step) for step in itertools.pairwise(path)):
            below = set(path[1:]).union(*(nx.descendants(graph, node) for node in path[1:]))
            if below & given_nodes:
                return False
        elif not any(
            is_blocked(graph, *triple, given_nodes) for triple in zip(path, path[1:], path[2:], strict=False)
        ):
            return False
    return True


def is_blocked(graph, before, node, after, given_nodes):
    if graph.has_edge(before, node) and graph.has_edge(after, node):
        return not ({node} | nx.descendants(graph, node)) & given_nodes
    return node in given_nodes


def sid_by_paths(estimate, truth):
    wrong = 0
    for cause, effect in itertools.permutations(range(len(truth)), 2):
        parents = set(np.flatnonzero(estimate[:, cause]).tolist())
        if effect in parents:
            wrong += nx.has_path(nx.DiGraph(truth), cause, effect)
        else:
            wrong += not adjusts(truth, cause, effect, parents)
    return wrong


@settings(deadline=None, max_examples=200)
@given(several(dags, 2, 5))
def test_sid_counts_the_wrong_adjustments(graphs):
    estimate, truth = graphs
    assert sid(estimate, truth) == sid_by_paths(estimate, truth)


@settings(deadline=None)
@given(several(dags, 2, 6), st.randoms(use_true_random=False))
def test_relabelling_both_graphs_changes_nothing(graphs, random):
    place = np.array(random.sample(range(len(graphs[0])), len(graphs[0])))
    relabelled = [graph[np.ix_(place, place)] for graph in graphs]
    assert evaluate(*relabelled) == evaluate(*graphs)


@settings(deadline=None)
@given(several(digraphs, 3, 6))
def test_shd_is_a_distance(graphs):
    first, second, third = graphs
    assert shd(first, second) == shd(second, first)
    assert (shd(first, second) == 0) == np.array_equal(first, second)
    assert shd(first, third) <= shd(first, second) + shd(second, third)


@settings(deadline=None)
@given(several(digraphs, 2, 6))
def test_rates_stay_within_bounds(graphs):
    metrics = evaluate(*graphs)
    assert all(0 <= rate <= 1 for rate in (metrics.tpr, metrics.fdr, metrics.f1))
    assert 0 <= metrics.shd <= len(graphs[0]) * (len(graphs[0]) - 1) / 2


@settings(deadline=None)
@given(several(dags, 2, 6))
def test_sid_is_zero_exactly_for_super_graphs(graphs):
    estimate, truth = graphs
    assert (sid(estimate, truth) == 0) == bool((estimate >= truth).all())
    assert sid(truth, truth & estimate) == 0


def test_graphs_are_matched_by_name():
    truth = CausalGraph.from_edges([("a", "b"), ("b", "c")], ["a", "b", "c"])
    estimate = CausalGraph.from_edges([("a", "b"), ("b", "c")], ["c", "a", "b"])
    assert evaluate(estimate, truth) == evaluate(truth, truth)
    assert evaluate(estimate.adjacency, truth).shd > 0


def test_different_names_are_refused_and_named():
    truth = CausalGraph.from_edges([("a", "b")], ["a", "b", "c"])
    with pytest.raises(GraphError, match="only the truth has 'b', 'c' and only the estimate has 'z'"):
        evaluate(CausalGraph(np.zeros((2, 2)), ("a", "z")), truth)
    with pytest.raises(
        GraphError, match="The estimate has no 'b', 'c', which the truth has; add them as nodes"
    ):
        evaluate(CausalGraph(np.zeros((1, 1)), ("a",)), truth)
    with pytest.raises(GraphError, match="The truth has no 'z', which the estimate has; add it as a node"):
        evaluate(CausalGraph(np.zeros((4, 4)), ("a", "b", "c", "z")), truth)
    many = CausalGraph(np.zeros((9, 9)), (*"abcdefghi",))
    with pytest.raises(GraphError, match="no 'd', 'e', 'f', 'g', 'h' and 1 more, which the estimate has"):
        evaluate(many, truth)


@pytest.mark.parametrize(
    ("estimate", "message"),
    [
        (np.zeros((2, 2)), "Got 2 in the estimate and 3 in the truth"),
        (np.zeros((3, 2)), r"`estimate` must be a square matrix. Got shape \(3, 2\) instead"),
        (np.eye(3), "`estimate` has an edge from a variable to itself"),
        (np.full((3, 3), np.nan), "`estimate` has entries that are not numbers"),
    ],
)
def test_malformed_arrays_are_refused(estimate, message):
    with pytest.raises(GraphError, match=message):
        evaluate(estimate, CHAIN)


def test_weights_are_edges_and_one_variable_is_a_graph():
    assert evaluate(CHAIN * -0.3, CHAIN).shd == 0
    assert evaluate([[0]], [[0]]) == Metrics(shd=0, tpr=1.0, fdr=0.0, f1=1.0, sid=0, n_edges=0)


def test_figures_come_in_the_stated_order():
    assert list(evaluate(CHAIN, CHAIN).as_dict()) == ["shd", "tpr", "fdr", "f1", "sid", "n_edges"]


def test_labelled_matrices_are_matched_by_name():
    truth = pd.DataFrame([[0, 1, 0], [0, 0, 1], [0, 0, 0]], index=list("abc"), columns=list("abc"))
    for rows, columns in (("abc", "abc"), ("cab", "abc"), ("bca", "cba")):
        shuffled = truth.loc[list(rows), list(columns)]
        assert shd(shuffled, truth) == 0
        assert shd(shuffled, CausalGraph(truth, "abc")) == 0
    assert shd(pl.DataFrame(truth.to_numpy(), schema=["c", "b", "a"], orient="row"), truth) == 2
    # Columns that are only counted have no names.
    assert shd(pd.DataFrame(truth.to_numpy()), truth) == 0
    with pytest.raises(GraphError, match="only the truth has 'c' and only the estimate has 'd'"):
        shd(truth.rename(index={"c": "d"}, columns={"c": "d"}), truth)
    with pytest.raises(GraphError, match="only one of them names 'd'"):
        shd(truth.rename(index={"c": "d"}), truth)


@pytest.mark.parametrize(
    "other", ["graph.csv", nx.DiGraph([("a", "b")]), object()], ids=["path", "nx", "any"]
)
def test_what_is_neither_graph_nor_matrix_is_refused(other):
    graph = CausalGraph.from_edges([("a", "b")], ("a", "b"))
    said = f"must be a CausalGraph, or a square matrix of numbers. Got {type(other).__name__} instead"
    for call in (
        lambda: evaluate(other, graph),
        lambda: evaluate(graph, other),
        lambda: CausalGraph(other, "ab"),
    ):
        with pytest.raises(GraphError, match=said):
            call()
