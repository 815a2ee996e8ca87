import itertools
import re
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import mcsl
from mcsl.graph import CausalGraph, is_acyclic

AWKWARD = ("a b", 'say "x"', "<script>&amp;", "l1\nl2", "ünï–✓", "back\\", "", "1", "tab\t", "\r")
ALL = CausalGraph(np.triu(np.ones((len(AWKWARD), len(AWKWARD))), 1), AWKWARD)


ANY = st.characters(exclude_categories=["Cs"])
XML = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")


@st.composite
def graphs(draw, alphabet=ANY):
    names = draw(st.lists(st.text(alphabet, max_size=8), min_size=1, max_size=6, unique=True))
    order = draw(st.permutations(range(len(names))))
    d = len(names)
    edges = draw(st.lists(st.booleans(), min_size=d * d, max_size=d * d))
    adjacency = np.triu(np.array(edges).reshape(d, d), 1)
    return CausalGraph(adjacency[np.ix_(order, order)], tuple(names))


@given(graphs())
@example(ALL)
@settings(deadline=None)
def test_json_gml_and_networkx_bring_any_graph_back(graph):
    assert CausalGraph.from_json(graph.to_json()) == graph
    assert CausalGraph.from_gml(graph.to_gml()) == graph
    assert CausalGraph.from_networkx(graph.to_networkx()) == graph


@given(graphs(XML))
@example(ALL)
@settings(deadline=None)
def test_graphml_brings_back_any_graph_that_xml_can_hold(graph):
    assert CausalGraph.from_graphml(graph.to_graphml()) == graph


@given(graphs())
@example(ALL)
@settings(deadline=None)
def test_dot_quotes_every_name(graph):
    token = r'"((?:[^"\\]|\\.)*)"'
    plain = [re.sub(r"\\(.)", r"\1", name, flags=re.S) for name in re.findall(token, graph.to_dot(), re.S)]
    assert plain == [*graph.names, *itertools.chain.from_iterable(graph.edges)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CausalGraph.from_json("[1]"), "A graph in JSON looks like"),
        (lambda: CausalGraph.from_json('{"variables": ["a"], "edges": [["a", "b"]]}'), "not a variable"),
        (lambda: CausalGraph.from_gml("nonsense"), "not GML"),
        (lambda: CausalGraph.from_gml("graph [ directed 0 ]"), "directed networkx graph"),
        (lambda: CausalGraph.from_graphml("<graphml"), "not GraphML"),
        (lambda: CausalGraph.from_graphml('<!DOCTYPE x [<!ENTITY e "x">]><graphml/>'), "document type"),
        (lambda: CausalGraph.from_networkx(nx.Graph()), "directed networkx graph"),
        (lambda: CausalGraph.from_networkx(nx.DiGraph([("a", "b"), ("b", "a")])), "cycle"),
        (lambda: CausalGraph.from_edges([], ["\x00"]).to_graphml(), "XML cannot hold"),
    ],
)
def test_what_is_no_graph_is_refused_in_one_sentence(call, message):
    with pytest.raises(mcsl.GraphError, match=message):
        call()


@pytest.mark.parametrize(
    ("edges", "both_ways"),
    [
        ([("a", "b"), ("b", "c")], {("a", "b"), ("b", "c")}),
        ([("a", "c"), ("b", "c")], set()),
        ([("a", "c"), ("b", "c"), ("c", "d")], set()),
        ([("a", "b"), ("a", "c"), ("b", "c")], {("a", "b"), ("a", "c"), ("b", "c")}),
        ([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")], {("a", "b"), ("a", "c")}),
    ],
)
def test_the_cpdag_keeps_what_independences_direct(edges, both_ways):
    graph = CausalGraph.from_edges(edges, "abcd")
    cpdag = graph.to_cpdag()
    undirected = {(graph.names[i], graph.names[j]) for i, j in np.argwhere(cpdag & cpdag.T)}
    assert undirected == both_ways | {(b, a) for a, b in both_ways}
    assert np.array_equal(cpdag | cpdag.T, graph.adjacency | graph.adjacency.T)


def _v_structures(adjacency):
    joined = adjacency | adjacency.T
    triples = itertools.permutations(range(len(adjacency)), 3)
    return {(a, b, c) for a, b, c in triples if adjacency[a, c] and adjacency[b, c] and not joined[a, b]}


def test_the_cpdag_is_the_union_of_all_equivalent_dags():
    pairs = list(itertools.combinations(range(4), 2))
    for present in itertools.product([False, True], repeat=6):
        skeleton = [pair for pair, there in zip(pairs, present, strict=True) if there]
        classes: dict = {}
        for turned in itertools.product([False, True], repeat=len(skeleton)):
            adjacency = np.zeros((4, 4), bool)
            for (a, b), turn in zip(skeleton, turned, strict=True):
                adjacency[(b, a) if turn else (a, b)] = True
            if is_acyclic(adjacency):
                classes.setdefault(frozenset(_v_structures(adjacency)), []).append(adjacency)
        for members in classes.values():
            for member in members:
                graph = CausalGraph(member, tuple("abcd"))
                assert np.array_equal(graph.to_cpdag(), np.any(members, axis=0))


def test_lingam_reads_columns_as_causes():
    graph = CausalGraph.from_edges([("a", "b")], ["a", "b"])
    assert graph.to_lingam().tolist() == [[0, 0], [1, 0]]


def test_a_package_that_is_absent_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "causallearn.graph.GraphNode", None)
    monkeypatch.setitem(sys.modules, "pgmpy.base", None)
    with pytest.raises(mcsl.GraphError, match="pip install causal-learn"):
        ALL.to_causal_learn()
    with pytest.raises(mcsl.GraphError, match="pip install pgmpy"):
        ALL.to_pgmpy()


def test_causal_learn_gets_the_same_arrows():
    pytest.importorskip("causallearn", reason="causal-learn is not installed; it is in the extra `interop`")
    made = ALL.to_causal_learn()
    assert [node.get_name() for node in made.get_nodes()] == list(ALL.names)
    # causal-learn writes i -> j as graph[j, i] = 1 and graph[i, j] = -1.
    assert np.array_equal((made.graph == 1).T & (made.graph == -1), ALL.adjacency)


def test_pgmpy_gets_the_same_arrows():
    pytest.importorskip("pgmpy", reason="pgmpy is not installed; it is in the extra `interop`")
    made = ALL.to_pgmpy()
    assert set(made.nodes()) == set(ALL.names)
    assert set(made.edges()) == set(ALL.edges)
