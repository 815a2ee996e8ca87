"""`mcsl learn`: its options, what it prints, and what it refuses."""

import io
import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from mcsl.model import MLP, Linear, Quadratic
from mcsl.objective import gaussian_likelihood, least_squares
from mcsl.pruning import AdditivePruner, KeepAll
from mcsl.recipe import Recipe

EQUAL_VARIANCES = replace(Recipe.default().order, equal_variances=True)

FILES = {"adjacency.csv", "edges.csv", "probabilities.csv", "trace.csv", "result.json", "result.mcsl"}


def test_prints_edges_stop_reason_and_place(mcsl, fake_learn, table, tmp_path):
    outcome = mcsl("learn", table, "--out", tmp_path / "out")
    assert outcome.exit_code == 0
    assert outcome.err == ""
    lines = [line.split() for line in outcome.out.splitlines()]
    assert lines[0] == ["cause", "effect", "probability", "p-value"]
    assert lines[1] == ["a", "→", "b", "0.750", "1.5e-09"]
    assert "1 edge among 3 variables, from 30 samples; a test removed 1 more" in outcome.out
    assert "Cut to break cycles, weakest first: b → a." in outcome.out
    assert "Training used up its stages" in outcome.out
    assert outcome.out.endswith(f"Results are in {tmp_path / 'out'}.\n")
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES
    record = json.loads((tmp_path / "out" / "result.json").read_text())
    assert record["command"] == f"mcsl learn {table} --out {tmp_path / 'out'}"


def test_quiet_prints_nothing(mcsl, fake_learn, table, tmp_path):
    outcome = mcsl("learn", table, "--out", tmp_path / "out", "--quiet")
    assert (outcome.exit_code, outcome.out, outcome.err) == (0, "", "")


def test_a_table_without_a_header_is_said_to_have_none(mcsl, fake_learn, tmp_path):
    path = tmp_path / "bare.csv"
    np.savetxt(path, np.random.default_rng(0).normal(size=(30, 3)), delimiter=",")
    options = ["--out", tmp_path / "out", "--force"]
    assert mcsl("learn", path, *options).err == f"{path} has no header: its columns are named x1 to x3.\n"
    assert mcsl("learn", path, *options, "--quiet").err == ""


def test_verbose_logs_and_leaves_no_handler(mcsl, fake_learn, tmp_path):
    np.savetxt(tmp_path / "bare.csv", np.random.default_rng(0).normal(size=(30, 3)), delimiter=",")
    for _ in range(2):
        outcome = mcsl("learn", tmp_path / "bare.csv", "--out", tmp_path / "out", "--verbose", "--force")
        assert outcome.err.count("has no header") == 1


@pytest.mark.parametrize(
    ("options", "field", "value"),
    [
        ([], "name", "default"),
        (["--recipe", "paper"], "schedule", Recipe.paper(3).schedule),
        (["--mechanism", "mlp"], "mechanism", MLP.init),
        (["--mechanism", "quadratic"], "mechanism", Quadratic.init),
        (["--mechanism", "linear"], "mechanism", Linear.init),
        (["--recipe", "paper", "--score", "likelihood"], "score", gaussian_likelihood),
        (["--score", "likelihood"], "order", Recipe.default().order),
        (["--score", "least-squares", "--no-standardize"], "order", EQUAL_VARIANCES),
        (["--score", "least-squares", "--no-standardize"], "name", "default"),
        (["--recipe", "paper", "--score", "least-squares"], "score", least_squares),
        (["--sparsity", "0.25"], "sparsity_weight", 0.25),
        (["--sparsity", "0"], "sparsity_weight", 0),
        (["--restarts", "3"], "restarts", 3),
        (["--restarts", "3"], "name", "masked"),
        (["--recipe", "paper", "--standardize"], "standardize", True),
        (["--recipe", "paper"], "standardize", False),
        (["--no-standardize"], "standardize", False),
        (["--prune", "cam"], "pruner", AdditivePruner()),
        (["--prune", "none"], "pruner", KeepAll()),
    ],
)
def test_options_change_the_recipe(mcsl, fake_learn, table, tmp_path, options, field, value):
    assert mcsl("learn", table, "--out", tmp_path / "out", *options).exit_code == 0
    assert getattr(fake_learn.recipe, field) == value


@pytest.mark.parametrize("recipe", ["default", "additive", "masked"])
def test_least_squares_on_standardized_data_is_refused(mcsl, table, tmp_path, recipe):
    outcome = mcsl("learn", table, "--out", tmp_path / "out", "--recipe", recipe, "--score", "least-squares")
    assert outcome.exit_code == 2
    assert "--no-standardize" in outcome.err


def test_seed_and_drop_reach_the_library(mcsl, fake_learn, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["when,a,b b,c,d", *(f"2020,{i},{i * i},{i % 3},{i % 4}" for i in range(30))]))
    outcome = mcsl("learn", path, "--out", tmp_path / "out", "--drop", "when", "--drop", "b b", "--seed", 7)
    assert outcome.exit_code == 0
    assert fake_learn.data.names == ("a", "c", "d")
    assert fake_learn.seed == 7


def test_names_are_printed_as_they_are(mcsl, fake_learn, tmp_path):
    path = tmp_path / "table.csv"
    rows = [f"{i},{i * i},{i % 3}" for i in range(30)]
    path.write_text("\n".join(['"[red]a, [/b]","Größe\n温度",c', *rows]), encoding="utf-8")
    outcome = mcsl("learn", path, "--out", tmp_path / "out")
    assert "[red]a, [/b]" in outcome.out
    assert "Größe 温度" in outcome.out


def test_a_terminal_without_the_arrow_gets_a_question_mark(fake_learn, table, tmp_path, monkeypatch):
    from mcsl.cli import main

    stdout = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stdout)
    assert main(["learn", str(table), "--out", str(tmp_path / "out")]) == 0
    stdout.flush()
    assert b"a ? b" in b" ".join(stdout.buffer.getvalue().split())


def test_results_are_replaced_only_with_force(mcsl, fake_learn, table, tmp_path):
    out = tmp_path / "out"
    assert mcsl("learn", table, "--out", out).exit_code == 0
    fake_learn.recipe = None
    outcome = mcsl("learn", table, "--out", out)
    assert outcome.exit_code == 2
    assert (
        outcome.err == f"mcsl: The directory {out} is not empty; choose another, or replace with --force.\n"
    )
    assert fake_learn.recipe is None
    assert mcsl("learn", table, "--out", out, "--force").exit_code == 0


def test_a_bug_says_sorry_and_writes_nothing(mcsl, fake_learn, table, tmp_path):
    fake_learn.raises = RuntimeError("boom")
    outcome = mcsl("learn", table, "--out", tmp_path / "out")
    assert outcome.exit_code == 1
    assert "This is a bug, sorry: RuntimeError: boom" in outcome.err
    assert "--verbose" in outcome.err
    assert "Traceback" not in outcome.err
    assert "Traceback" in mcsl("learn", table, "--out", tmp_path / "out", "--verbose").err
    assert not (tmp_path / "out").exists()


def test_an_interrupt_exits_with_130_and_writes_nothing(mcsl, fake_learn, table, tmp_path):
    fake_learn.raises = KeyboardInterrupt()
    outcome = mcsl("learn", table, "--out", tmp_path / "out")
    assert outcome.exit_code == 130
    assert outcome.err.strip() == "mcsl: Interrupted before there was a graph."
    assert not (tmp_path / "out").exists()


GOOD_ROWS = [f"{i},{i * i % 17},{i % 3}" for i in range(30)]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        pytest.param([], ["is empty"], id="empty file"),
        pytest.param(["a,b,c"], ["no rows"], id="header only"),
        pytest.param(["a", *map(str, range(30))], ["only the column 'a'"], id="one column"),
        pytest.param(
            ["a,city,c", *(f"{i},Oslo,{i}" for i in range(30))],
            ["'city'", "line 2", "--drop city"],
            id="text",
        ),
        pytest.param(
            ["a,day,c", *(f"{i},2020-01-{i % 28 + 1},{i}" for i in range(30))],
            ["dates", "--drop day", "`mcsl learn --lags 1 --time-column day`"],
            id="dates",
        ),
        pytest.param(["a,b,c", *GOOD_ROWS, "1,,3"], ["1 missing value in line 32, column 'b'"], id="missing"),
        pytest.param(
            ["a,b,c", *GOOD_ROWS, "1,inf,3"], ["1 infinite value in line 32, column 'b'"], id="infinity"
        ),
        pytest.param(["a,b,c", *(f"{i},5,{i % 3}" for i in range(30))], ["'b'", "same value"], id="constant"),
        pytest.param(["a,b,b", *GOOD_ROWS], ["Columns 2 and 3", "both named 'b'"], id="duplicate names"),
        pytest.param(
            ["a,b,c", *(f"{i % 9},{i},{i % 9}" for i in range(30))], ["identical"], id="identical columns"
        ),
        pytest.param(["a,b,c", *GOOD_ROWS[:10]], ["10 rows", "at least 20"], id="few rows"),
        pytest.param(["a,b,c", *GOOD_ROWS, "1,2,1e39"], ["'c'", "line 32", "float32"], id="beyond float32"),
        pytest.param(["a,b,c", *GOOD_ROWS, "1,2"], ["Line 32", "2 cells"], id="ragged"),
        pytest.param([",a,b", *GOOD_ROWS], ["numbers the rows", "--drop 'Unnamed: 0'"], id="row index"),
    ],
)
def test_bad_tables(mcsl, tmp_path, lines, words):
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines))
    outcome = mcsl("learn", path, "--out", tmp_path / "out")
    assert outcome.exit_code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("mcsl: ")
    assert outcome.err.count("\n") == 1
    for word in words:
        assert word in outcome.err
    assert [entry.name for entry in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.csv", "--out", "out"], ["There is no file none.csv"]),
        ([".", "--out", "out"], [". is a directory"]),
        (["n" * 300, "--out", "out"], ["File name too long"]),
        (["table.csv", "--out", "n" * 300], ["File name too long"]),
        (["table.csv"], ["Missing option '--out'", "mcsl learn --help"]),
        (["table.csv", "--out", "table.csv"], ["table.csv is a file"]),
        (["table.csv", "--out", "table.csv/below"], ["table.csv"]),
        (["table.csv", "--out", "out", "--drop", "z"], ["no column 'z'", "columns 'a', 'b' and 'c'"]),
        (["table.csv", "--out", "out", "--drop", "a", "--drop", "b"], ["only the column 'c'"]),
        (["table.csv", "--out", "out", "--recipe", "x"], ["--recipe", "'default'"]),
        (["table.csv", "--out", "out", "--mechanism", "x"], ["--mechanism", "'quadratic'"]),
        (["table.csv", "--out", "out", "--score", "x"], ["--score", "'least-squares'"]),
        (["table.csv", "--out", "out", "--prune", "x"], ["--prune", "'none'"]),
        (["table.csv", "--out", "out", "--sparsity", "-1"], ["--sparsity"]),
        (["table.csv", "--out", "out", "--sparsity", "nan"], ["sparsity"]),
        (["table.csv", "--out", "out", "--restarts", "0"], ["--restarts"]),
        (["table.csv", "--out", "out", "--recipe", "additive", "--restarts", "2"], ["--recipe masked"]),
        (["table.csv", "--out", "out", "--seed", "-1"], ["--seed"]),
        (["table.csv", "--out", "out", "--seed", "x"], ["--seed"]),
        (["table.csv", "--out", "out", "--bogus"], ["--bogus"]),
    ],
)
def test_bad_arguments(mcsl, table, monkeypatch, arguments, words):
    monkeypatch.chdir(table.parent)
    outcome = mcsl("learn", *arguments)
    assert outcome.exit_code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("mcsl: ")
    assert outcome.err.count("\n") == 1
    for word in words:
        assert word in outcome.err
    assert [entry.name for entry in table.parent.iterdir()] == ["table.csv"]
