import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsl.errors import CyclicGraphError, GraphError
from mcsl.graph import CausalGraph, find_cycle, is_acyclic, threshold
from mcsl.graph.causal_graph import closure


def random_matrix(seed: int, d: int, density: float) -> np.ndarray:
    matrix = np.random.default_rng(seed).random((d, d)) < density
    np.fill_diagonal(matrix, False)
    return matrix


matrices = st.builds(random_matrix, st.integers(0, 10_000), st.integers(2, 12), st.floats(0.02, 0.6))


def test_rows_cause_columns():
    graph = CausalGraph.from_edges([("rain", "wet"), ("sprinkler", "wet")], ("wet", "rain", "sprinkler"))
    assert graph.adjacency[1, 0]
    assert graph.adjacency[2, 0]
    assert graph.n_edges == 2
    assert graph.parents("wet") == ("rain", "sprinkler")
    assert graph.children("rain") == ("wet",)
    assert graph.order == ("rain", "sprinkler", "wet")
    assert set(graph.to_networkx().edges) == set(graph.edges)


def test_a_cycle_is_refused_and_named():
    with pytest.raises(CyclicGraphError, match=r"a -> b -> c -> a|b -> c -> a -> b|c -> a -> b -> c"):
        CausalGraph.from_edges([("a", "b"), ("b", "c"), ("c", "a")], ("a", "b", "c"))


@pytest.mark.parametrize(
    ("adjacency", "names", "message"),
    [
        (np.zeros((2, 3)), ("a", "b"), "square"),
        ([[0, np.nan], [0, 0]], ("a", "b"), "numbers only"),
        (np.zeros((2, 2)), ("a",), "as many names"),
        (np.zeros((2, 2)), ("a", "a"), "'a' is used for more than one"),
    ],
)
def test_malformed_matrices_are_refused(adjacency, names, message):
    with pytest.raises(GraphError, match=message):
        CausalGraph(adjacency, names)


def test_unknown_names_are_refused():
    with pytest.raises(GraphError, match="'z', which is not a variable"):
        CausalGraph.from_edges([("a", "z")], ("a", "b"))
    with pytest.raises(GraphError, match="no variable 'z'"):
        CausalGraph(np.zeros((2, 2)), ("a", "b")).parents("z")


def test_a_graph_cannot_be_changed():
    graph = CausalGraph(np.zeros((2, 2)), ("a", "b"))
    with pytest.raises(ValueError, match="read-only"):
        graph.adjacency[0, 1] = True


def test_equal_graphs_are_equal():
    one, same = (CausalGraph(np.eye(3, k=1), ("a", "b", "c")) for _ in range(2))
    assert one == same
    assert hash(one) == hash(same)
    assert one != CausalGraph(np.zeros((3, 3)), ("a", "b", "c"))


@given(matrices)
@settings(deadline=None)
def test_cycle_detection_agrees_with_matrix_powers(matrix):
    reach = np.linalg.matrix_power(np.eye(len(matrix)) + matrix, len(matrix)) > 0
    has_cycle = bool((reach @ matrix.astype(int))[np.diag_indices(len(matrix))].any())
    assert is_acyclic(matrix) is not has_cycle
    cycle = find_cycle(matrix)
    assert bool(cycle) is has_cycle
    for cause, effect in zip(cycle, cycle[1:] + cycle[:1], strict=True):
        assert matrix[cause, effect]


@given(matrices)
@settings(deadline=None)
def test_the_order_puts_causes_first(matrix):
    dag = np.triu(matrix)
    graph = CausalGraph(dag, tuple(map(str, range(len(dag)))))
    place = {name: k for k, name in enumerate(graph.order)}
    assert all(place[cause] < place[effect] for cause, effect in graph.edges)


def test_closure_follows_every_path():
    chain = np.eye(6, k=1, dtype=bool)
    assert np.array_equal(closure(chain), np.triu(np.ones((6, 6), bool)))


@given(st.integers(0, 10_000), st.integers(2, 12))
@settings(deadline=None)
def test_threshold_always_gives_a_dag_and_cuts_only_what_closes_a_cycle(seed, d):
    probabilities = np.random.default_rng(seed).random((d, d))
    names = tuple(map(str, range(d)))
    result = threshold(probabilities, names, at=0.4)
    confident = probabilities > 0.4
    np.fill_diagonal(confident, False)
    cut = np.zeros((d, d), bool)
    for cause, effect in result.cut_edges:
        cut[int(cause), int(effect)] = True
    assert (result.graph.adjacency | cut == confident).all()
    assert is_acyclic(result.graph.adjacency)


def test_threshold_cuts_the_weakest_edge_of_a_cycle():
    probabilities = np.array([[0, 0.9, 0.6], [0, 0, 0.8], [0.7, 0, 0]])
    result = threshold(probabilities, ("a", "b", "c"))
    assert result.cut_edges == (("a", "c"), ("c", "a"))
    assert result.graph.edges == (("a", "b"), ("b", "c"))


def test_threshold_never_cuts_a_required_edge():
    probabilities = np.array([[0, 0.1], [0.9, 0]])
    required = np.array([[False, True], [False, False]])
    result = threshold(probabilities, ("a", "b"), required=required)
    assert result.graph.edges == (("a", "b"),)


def test_a_labelled_frame_is_read_by_its_labels():
    frame = pd.DataFrame([[0, 1, 0], [0, 0, 0], [0, 0, 0]], index=list("bac"), columns=list("bac"))
    assert CausalGraph(frame, ("a", "b", "c")).edges == (("b", "a"),)
    assert CausalGraph(frame, ("b", "a", "c")).edges == (("b", "a"),)
    assert CausalGraph(frame, ("x", "y", "z")).edges == (("x", "y"),)
