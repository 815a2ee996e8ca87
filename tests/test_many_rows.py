"""More rows than memory holds, from `learn` and from the command line."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mcsl
from mcsl.cli import main

MEMORY = "27MB"


def draw(n_rows, seed):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(n_rows)
    b = np.tanh(2 * a) + 0.5 * rng.standard_normal(n_rows)
    c = np.cos(b) + 0.3 * rng.standard_normal(n_rows)
    return pl.DataFrame({"a": a, "b": b, "c": c})


@settings(max_examples=5, deadline=None)
@given(n_rows=st.integers(3102, 6000), group=st.integers(500, 4000), seed=st.integers(0, 99))
def test_disk_and_memory_give_the_same_result(tmp_path_factory, n_rows, group, seed):
    frame = draw(n_rows, seed)
    path = tmp_path_factory.mktemp("rows") / "table.parquet"
    frame.write_parquet(path, row_group_size=group)
    recipe = mcsl.Recipe.additive()
    here, there = (mcsl.learn(data, recipe, memory=MEMORY, seed=seed) for data in (frame, path))
    assert here.graph == there.graph
    assert here.tests == there.tests
    np.testing.assert_array_equal(here.edge_probabilities, there.edge_probabilities)
    assert here.fingerprint == there.fingerprint == mcsl.learn(frame, recipe).fingerprint
    assert here.n_samples == there.n_samples == n_rows
    assert here.n_drawn == there.n_drawn == (3102 if n_rows > 3102 else 0)


def test_the_default_recipe_finds_the_graph_in_blocks(monkeypatch):
    monkeypatch.setattr("mcsl.data.long_table._BLOCK_VALUES", 3 * 1000)
    result = mcsl.learn(draw(6000, 0), memory=MEMORY)
    assert set(result.graph.edges) == {("a", "b"), ("b", "c")}
    assert result.problem.n_samples == result.n_drawn == 3102
    assert result.rows_sentence.startswith("Drew 3102 of 6000 rows at random")
    assert result.trust


def test_a_result_that_held_all_rows_says_nothing():
    result = mcsl.learn(draw(500, 0), mcsl.Recipe.additive(), memory=MEMORY)
    assert (result.n_drawn, result.rows_sentence) == (0, "")


def test_windows_of_a_long_series_are_drawn_too():
    result = mcsl.learn(draw(5000, 0), mcsl.Recipe.additive(), lags=1, memory="48MB")
    assert result.n_samples == 4999
    assert 3000 <= result.n_drawn < 4999
    assert result.lag_tests


@pytest.mark.parametrize("rule", ["drop", "mask"])
def test_rows_are_drawn_after_gaps_are_dealt_with(rule):
    frame = draw(5000, 0).with_columns(pl.when(pl.int_range(pl.len()) % 100 > 0).then("a").alias("a"))
    result = mcsl.learn(frame, mcsl.Recipe.additive(), missing=rule, memory=MEMORY)
    assert result.missing.n_missing == 50
    assert result.n_drawn == 3102
    assert ("a", "b") in result.graph.edges


def test_the_command_line_reads_in_blocks_and_says_so(tmp_path, capsys):
    path, out = tmp_path / "table.parquet", tmp_path / "out"
    draw(6000, 0).write_parquet(path)
    arguments = ["learn", str(path), "--out", str(out), "--recipe", "additive", "--memory", MEMORY]
    assert main([*arguments, "--stability", "2", "--report"]) == 0
    assert "Drew 3102 of 6000 rows at random" in capsys.readouterr().out
    about = json.loads((out / "result.json").read_text())
    assert (about["n_samples"], about["n_drawn"]) == (6000, 3102)
    assert mcsl.load_result(out / "result.mcsl").n_drawn == 3102
    assert "Drew 3102 of 6000 rows" in (out / "report.html").read_text()


def test_a_budget_that_is_none_is_refused(tmp_path, capsys):
    path = tmp_path / "table.parquet"
    draw(100, 0).write_parquet(path)
    assert main(["learn", str(path), "--out", str(tmp_path / "out"), "--memory", "lots"]) == 2
    assert "`memory` must be a size such as 500MB or 2GB" in capsys.readouterr().err


@pytest.mark.parametrize("how", [{"lags": 1, "memory": "80MB"}, {"missing": "mask", "memory": "32MB"}])
def test_a_column_that_the_rows_drawn_do_not_show_is_named(how):
    rare = pl.when(pl.int_range(pl.len()) == 12_345).then(1.0).otherwise(0.0).alias("rare")
    frame = draw(20_000, 0).with_columns(rare)
    if "missing" in how:
        frame = frame.with_columns(pl.when(pl.int_range(pl.len()) > 5).then("a").alias("a"))
    with pytest.raises(mcsl.DataError, match=r"'rare.* so rarely that .* rows drawn .* allow more memory"):
        mcsl.learn(frame, "additive", **how)
