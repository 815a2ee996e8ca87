"""`mcsl prune`: the graph of any tool, tested against the data."""

import json

import numpy as np
import polars as pl
import pytest

from mcsl.graph import CausalGraph
from mcsl.outputs import read_adjacency, write_adjacency
from mcsl.outputs.graphs import write_graph

NAMES = ["c", "a, 1", "b"]
TRUE = CausalGraph.from_edges([("a, 1", "b"), ("b", "c")], NAMES)


@pytest.fixture
def table(tmp_path):
    """A chain a -> b -> c with clear effects, columns in another order."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=500)
    b = np.sin(2 * a) + 0.2 * rng.normal(size=500)
    c = b**2 + 0.2 * rng.normal(size=500)
    pl.DataFrame({"c": c, "a, 1": a, "b": b}).write_csv(tmp_path / "table.csv")
    return tmp_path / "table.csv"


def test_needless_edges_go_and_are_listed(mcsl, table, tmp_path):
    full = np.triu(np.ones((3, 3)), 1)
    graph = write_adjacency(full, ["a, 1", "b", "c"], tmp_path / "graph.csv")
    outcome = mcsl("prune", table, graph, "--out", tmp_path / "out")
    assert (outcome.exit_code, outcome.err) == (0, "")
    assert CausalGraph(*read_adjacency(tmp_path / "out" / "adjacency.csv")) == TRUE
    edges = pl.read_csv(tmp_path / "out" / "edges.csv")
    assert edges.select("cause", "effect", "kept").rows() == [
        ("a, 1", "b", 1),
        ("b", "c", 1),
        ("a, 1", "c", 0),
    ]
    assert (edges["p_value"] < 0.001).to_list() == [True, True, False]
    assert "2 edges among 3 variables, from 500 samples; a test removed 1 more" in outcome.out
    record = json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))
    assert (record["variables"], record["pruner"]) == (NAMES, "interactions")


def test_a_graph_without_names_is_matched_by_position(mcsl, table, tmp_path):
    np.savetxt(tmp_path / "graph.txt", TRUE.adjacency)
    assert (
        mcsl("prune", table, tmp_path / "graph.txt", "--out", tmp_path / "out", "--prune", "none").exit_code
        == 0
    )
    assert CausalGraph(*read_adjacency(tmp_path / "out" / "adjacency.csv")) == TRUE


@pytest.mark.parametrize("suffix", ["json", "gml", "graphml"])
def test_a_graph_of_any_format_is_read(mcsl, table, tmp_path, suffix):
    graph = write_graph(TRUE, tmp_path / f"graph.{suffix}")
    assert mcsl("prune", table, graph, "--out", tmp_path / "out", "--prune", "none").exit_code == 0
    outcome = mcsl("evaluate", graph, tmp_path / "out" / "adjacency.csv", "--json")
    assert json.loads(outcome.out)["f1"] == 1


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        ('x,c,"a, 1",b\nc,0,1,0\n"a, 1",0,0,1\nb,1,0,0', ["has the cycle", "a, 1 -> b -> c"]),
        ("x,c,d\nc,0,1\nd,0,0", ["only the graph has 'd'", "only the table has 'a, 1', 'b'"]),
        (
            "c\n0",
            [
                "The graph has no 'a, 1', 'b'; add them as nodes, or leave",
                " out with --drop 'a, 1' --drop b.",
            ],
        ),
        (
            'c,"a, 1",b,pests\n0,1,0,0\n0,0,1,0\n0,0,0,0\n0,0,0,0',
            ["The table has no 'pests'; take it out of the graph, or add it to the table."],
        ),
        ("not a matrix", ["not an adjacency matrix"]),
    ],
)
def test_refused(mcsl, table, tmp_path, graph, words):
    (tmp_path / "graph.csv").write_text(graph)
    outcome = mcsl("prune", table, tmp_path / "graph.csv", "--out", tmp_path / "out")
    assert (outcome.exit_code, outcome.out) == (2, "")
    assert outcome.err.count("\n") == 1
    for word in words:
        assert word in outcome.err
    assert not (tmp_path / "out").exists()
