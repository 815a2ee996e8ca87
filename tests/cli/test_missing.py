"""`--missing`: refused by default, with the counts, and told in the end."""

import json

import numpy as np
import pytest


@pytest.fixture
def holed(tmp_path):
    values = np.random.default_rng(0).normal(size=(60, 3))
    values[[1, 2, 3], [0, 0, 1]] = np.nan
    path = tmp_path / "holed.csv"
    np.savetxt(path, values, delimiter=",", header="a,b,c", comments="")
    return path


def test_gaps_are_refused_with_their_counts(mcsl, holed, tmp_path):
    outcome = mcsl("learn", holed, "--out", tmp_path / "out")
    assert outcome.exit_code == 2
    assert "3 missing values in 3 of 60 rows, by column 'a' (2), 'b' (1)" in outcome.err
    assert "choose --missing drop, which leaves 57 rows, impute or mask" in outcome.err


@pytest.mark.parametrize(
    ("rule", "words", "n_samples"),
    [
        ("drop", "Because of 3 missing values, 3 rows were left out.", 57),
        ("impute", "Drew 3 missing values given the others; the graph takes them for measured.", 60),
        ("mask", "Drew 3 missing values given the others, to be read as causes", 60),
    ],
)
def test_every_rule_learns_and_says_what_it_did(mcsl, holed, tmp_path, rule, words, n_samples):
    outcome = mcsl("learn", holed, "--out", tmp_path / "out", "--recipe", "additive", "--missing", rule)
    assert outcome.exit_code == 0, outcome.err
    assert words in outcome.out
    record = json.loads((tmp_path / "out" / "result.json").read_text())
    assert record["missing"]["rule"] == rule
    assert record["missing"]["n_missing"] == 3
    assert record["n_samples"] == n_samples


def test_pruning_has_the_same_rules(mcsl, holed, tmp_path):
    np.savetxt(tmp_path / "graph.csv", np.triu(np.ones((3, 3)), 1), fmt="%d", delimiter=",")
    prune = ["prune", holed, tmp_path / "graph.csv", "--prune", "cam", "--out", tmp_path / "out"]
    assert "by column 'a' (2), 'b' (1)" in mcsl(*prune).err
    outcome = mcsl(*prune, "--missing", "mask")
    assert outcome.exit_code == 0, outcome.err
    assert "Drew 3 missing values" in outcome.out
    edges = (tmp_path / "out" / "edges.csv").read_text().splitlines()
    assert len(edges) == 4, "every edge has its test"
