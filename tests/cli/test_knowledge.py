"""`--knowledge`, `--require` and `--forbid`."""

import json

import numpy as np
import pytest

from mcsl.cli.knowledge import parse_edge, parse_names
from mcsl.errors import KnowledgeError, SettingsError
from mcsl.problem import Knowledge


def test_file_and_options_add_up(mcsl, fake_learn, table, tmp_path):
    (tmp_path / "known.json").write_text(json.dumps({"required": [["a", "b"]], "roots": ["a"]}))
    options = ["--knowledge", tmp_path / "known.json", "--require", "b,c", "--forbid", "a -> c"]
    outcome = mcsl("learn", table, "--out", tmp_path / "out", *options)
    assert outcome.exit_code == 0, outcome.err
    expected = Knowledge(required=[("a", "b"), ("b", "c")], forbidden=[("a", "c")], roots=["a"])
    assert fake_learn.options["knowledge"] == expected


def test_knowledge_holds_and_is_recorded(mcsl, table, tmp_path):
    outcome = mcsl("learn", table, "--out", tmp_path / "out", "--recipe", "additive", "--require", "c,a")
    assert outcome.exit_code == 0, outcome.err
    assert "c      →  a" in outcome.out
    record = json.loads((tmp_path / "out" / "result.json").read_text())
    assert record["knowledge"] == {"required": [["c", "a"]]}
    edges = (tmp_path / "out" / "edges.csv").read_text()
    assert "c,a,1,1.0,1.0,required," in edges


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--require", "a,z"], "The required edge a -> z names 'z', which is not among the variables."),
        (["--require", "a,b", "--forbid", "a,b"], "The edge a -> b is required, but it is forbidden too"),
        (["--require", "a,b", "--require", "b,a"], "The required edges close the cycle"),
        (["--forbid", "ab"], "'ab' is no edge; write CAUSE,EFFECT with the names of two columns"),
        (["--knowledge", "absent.json"], "There is no file absent.json."),
    ],
)
def test_contradictions_exit_with_2_before_anything_is_learned(mcsl, table, tmp_path, options, message):
    outcome = mcsl("learn", table, "--out", tmp_path / "out", *options)
    assert outcome.exit_code == 2
    assert message in outcome.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "edge"),
    [
        ("a,b", ("a", "b")),
        ("a -> b", ("a", "b")),
        ("x, y,a", ("x, y", "a")),
        ("a,x, y", ("a", "x, y")),
        ("p->q->a", ("p->q", "a")),
        ("unknown,a", ("unknown", "a")),
    ],
)
def test_names_may_hold_commas_and_arrows(text, edge):
    assert parse_edge(text, ["a", "b", "x, y", "p->q"]) == edge


def test_an_edge_that_can_be_read_in_two_ways_is_refused():
    with pytest.raises(KnowledgeError, match="Got 2 ways to read it"):
        parse_edge("a,b,c", ["a", "b,c", "a,b", "c"])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", []),
        ("a", ["a"]),
        ("a, b", ["a", "b"]),
        ("x, y", ["x, y"]),
        ("a,x, y ,b", ["a", "x, y", "b"]),
        ("a,,b,", ["a", "b"]),
        ("a,unknown", ["a", "unknown"]),
    ],
)
def test_lists_of_names_that_hold_commas(text, names):
    assert parse_names(text, ["a", "b", "x, y", "p->q"]) == names


def test_a_list_that_can_be_read_in_two_ways_is_refused():
    with pytest.raises(SettingsError, match=r"'a,b' can be read as \['a,b'\] and \['a', 'b'\]; rename"):
        parse_names("a,b", ["a", "b", "a,b"])


def test_prune_keeps_required_and_removes_forbidden_edges(mcsl, table, tmp_path):
    np.savetxt(tmp_path / "graph.csv", np.triu(np.ones((3, 3)), 1), fmt="%d", delimiter=",")
    prune = ["prune", table, tmp_path / "graph.csv", "--prune", "cam"]
    outcome = mcsl(*prune, "--out", tmp_path / "out", "--require", "a,b", "--forbid", "b,c")
    assert outcome.exit_code == 0, outcome.err
    edges = (tmp_path / "out" / "edges.csv").read_text()
    assert "a,b,1,,,required," in edges
    assert "b,c" not in edges
    outcome = mcsl(*prune, "--out", tmp_path / "other", "--require", "c,a")
    assert outcome.exit_code == 2
    assert "The required edge c -> a is not in" in outcome.err
