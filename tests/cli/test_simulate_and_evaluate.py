"""`mcsl simulate` and `mcsl evaluate`."""

import json
from typing import get_args

import numpy as np
import pytest

from mcsl.cli.choices import ModelName
from mcsl.data import read_table
from mcsl.graph import CausalGraph
from mcsl.outputs import read_adjacency, write_adjacency
from mcsl.simulation import MODELS, simulate


def test_every_model_of_the_library_has_its_word():
    assert set(get_args(ModelName)) == set(MODELS)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_simulate_writes_what_the_library_simulates(mcsl, tmp_path, model):
    options = ["--variables", 4, "--degree", 1, "--graph", "sf", "--samples", 40, "--seed", 5]
    outcome = mcsl("simulate", model, *options, "--noise", "unequal", "--out", tmp_path / "out")
    assert (outcome.exit_code, outcome.err) == (0, "")
    expected = simulate(model, n_variables=4, degree=1, graph="sf", n_samples=40, noise="unequal", seed=5)
    assert read_table(tmp_path / "out" / "data.csv").fingerprint() == expected.dataset.fingerprint()
    assert CausalGraph(*read_adjacency(tmp_path / "out" / "truth.csv")) == expected.graph
    assert f"40 rows, {expected.dataset.n_variables} columns" in outcome.out


def test_simulate_replaces_only_with_force(mcsl, tmp_path):
    options = ["--variables", 3, "--degree", 1, "--samples", 20]
    command = ["simulate", "linear", *options, "--out", tmp_path / "out"]
    assert mcsl(*command, "--seed", 1).exit_code == 0
    before = (tmp_path / "out" / "data.csv").read_bytes()
    outcome = mcsl(*command, "--seed", 2)
    assert outcome.exit_code == 2
    assert "--force" in outcome.err
    assert (tmp_path / "out" / "data.csv").read_bytes() == before
    assert mcsl(*command, "--seed", 2, "--force").exit_code == 0
    assert (tmp_path / "out" / "data.csv").read_bytes() != before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bogus", "--variables", 4, "--degree", 1, "--seed", 1], ["'bogus'", "'gp-add'"]),
        (["gp", "--variables", 1, "--degree", 1, "--seed", 1], ["--variables"]),
        (["gp", "--variables", 4, "--degree", 9, "--seed", 1], ["degree"]),
        (["gp", "--variables", 4, "--degree", -1, "--seed", 1], ["--degree"]),
        (["gp", "--variables", 4, "--degree", 1, "--seed", -1], ["--seed"]),
        (["gp", "--variables", 4, "--degree", 1, "--seed", 1, "--samples", 0], ["--samples"]),
        (["gp", "--variables", 4, "--degree", 1, "--seed", 1, "--graph", "x"], ["--graph", "'sf'"]),
        (["gp", "--variables", 4, "--degree", 1, "--seed", 1, "--noise", "x"], ["--noise", "'unequal'"]),
        (["gp", "--variables", 4, "--degree", 1], ["Missing option '--seed'"]),
    ],
)
def test_simulate_refuses(mcsl, tmp_path, arguments, words):
    outcome = mcsl("simulate", *arguments, "--out", tmp_path / "out")
    assert outcome.exit_code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("mcsl: ")
    assert outcome.err.count("\n") == 1
    for word in words:
        assert word in outcome.err
    assert list(tmp_path.iterdir()) == []


CHAIN = np.eye(3, k=1)


def test_evaluate_matches_by_name_and_prints_every_figure(mcsl, tmp_path):
    truth = write_adjacency(CHAIN, ["a", "b", "c"], tmp_path / "truth.csv")
    # a -> b found, b -> c reversed, a -> c extra; columns in another order.
    estimate = np.array([[0, 0, 1], [1, 0, 1], [0, 0, 0]])
    guess = write_adjacency(estimate, ["c", "a", "b"], tmp_path / "estimate.csv")
    outcome = mcsl("evaluate", guess, truth, "--json")
    assert outcome.exit_code == 0
    figures = json.loads(outcome.out)
    assert figures == {
        "shd": 2,
        "tpr": 0.5,
        "fdr": pytest.approx(2 / 3),
        "f1": pytest.approx(0.4),
        "sid": figures["sid"],
        "n_edges": 3,
    }
    plain = dict(line.split()[:2] for line in mcsl("evaluate", guess, truth).out.splitlines())
    assert list(plain) == ["shd", "tpr", "fdr", "f1", "sid", "n_edges"]
    assert (plain["shd"], plain["tpr"], plain["fdr"]) == ("2", "0.5", "0.667")


def test_evaluate_takes_the_position_where_one_file_has_no_names(mcsl, tmp_path):
    truth = write_adjacency(CHAIN, ["a", "b", "c"], tmp_path / "truth.csv")
    np.savetxt(tmp_path / "bare.txt", CHAIN)
    for pair in ([tmp_path / "bare.txt", truth], [truth, tmp_path / "bare.txt"]):
        assert json.loads(mcsl("evaluate", *pair, "--json").out)["shd"] == 0


def test_evaluate_has_no_sid_for_a_cycle(mcsl, tmp_path):
    truth = write_adjacency(CHAIN, ["a", "b", "c"], tmp_path / "truth.csv")
    cyclic = write_adjacency(CHAIN + CHAIN.T, ["a", "b", "c"], tmp_path / "cyclic.csv")
    assert json.loads(mcsl("evaluate", cyclic, truth, "--json").out)["sid"] is None
    assert "sid      -" in mcsl("evaluate", cyclic, truth).out


@pytest.mark.parametrize(
    ("estimate", "words"),
    [
        ("cause,a,b,d\na,0,1,0\nb,0,0,1\nd,0,0,0", ["only the truth has 'c'", "only the estimate has 'd'"]),
        ("a,b\n0,1\n0,0", ["The estimate has no 'c', which the truth has; add it as a node."]),
        ("a,b,c\n1,1,0\n0,0,0\n0,0,0", ["itself"]),
        ("a,b,c\n0,1,0", ["not an adjacency matrix"]),
        ("a,b,c\n0,x,0\n0,0,0\n0,0,0", ["Line 2", "'x'"]),
        ("", ["is empty"]),
        (None, ["There is no file"]),
    ],
)
def test_evaluate_refuses(mcsl, tmp_path, estimate, words):
    truth = write_adjacency(CHAIN, ["a", "b", "c"], tmp_path / "truth.csv")
    if estimate is not None:
        (tmp_path / "estimate.csv").write_text(estimate)
    outcome = mcsl("evaluate", tmp_path / "estimate.csv", truth)
    assert outcome.exit_code == 2
    assert outcome.out == ""
    assert outcome.err.count("\n") == 1
    for word in words:
        assert word in outcome.err
