"""`mcsl learn` on groups and series."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from mcsl.simulation import simulate_series


@pytest.fixture
def series(tmp_path):
    """Two machines, one of them with gaps, and dates."""
    values = simulate_series(n_variables=3, degree=1, seed=1, n_samples=260, lags=1).dataset.values
    frame = pd.DataFrame(values, columns=["load", "heat", "delay"])
    frame.insert(0, "when", [*pd.date_range("2024-01-01", periods=200, freq="5min")][:200] + [None] * 60)
    frame.loc[200:, "when"] = pd.date_range("2024-01-01", periods=60, freq="5min")
    frame["machine"] = ["m1"] * 200 + ["m2"] * 60
    path = tmp_path / "series.csv"
    frame.to_csv(path, index=False)
    return path


def test_a_simulated_group_file_is_accepted(mcsl, tmp_path):
    simulated, out = tmp_path / "simulated", tmp_path / "out"
    options = ["--variables", 3, "--degree", 1, "--seed", 1, "--samples", 200]
    assert mcsl("simulate", "gp-vec", *options, "--out", simulated).exit_code == 0
    groups = json.loads((simulated / "groups.json").read_text())
    assert groups["x1"] == ["x1.1", "x1.2", "x1.3"]
    data = simulated / "data.csv"
    learned = mcsl("learn", data, "--groups", simulated / "groups.json", "--recipe", "additive", "--out", out)
    assert learned.exit_code == 0, learned.err
    assert "among 3 variables" in learned.out
    assert mcsl("evaluate", out / "adjacency.csv", simulated / "truth.csv").exit_code == 0
    by_prefix = mcsl(
        "learn", data, "--group-by-prefix", ".", "--recipe", "additive", "--out", tmp_path / "too"
    )
    assert by_prefix.exit_code == 0
    assert (out / "edges.csv").read_text() == (tmp_path / "too" / "edges.csv").read_text()
    assert json.loads((out / "result.json").read_text())["groups"] == groups


@pytest.mark.parametrize("lags", [0, 1])
def test_gaps_of_series_are_counted_also_without_lags_or_edges(mcsl, tmp_path, lags):
    values = np.random.default_rng(0).normal(size=(60, 2))
    values[10:13, 0] = values[20:25, 1] = np.nan
    frame = pd.DataFrame(values, columns=["load", "heat"])
    frame["when"] = pd.date_range("2024-01-01", periods=60, freq="5min")
    frame.to_csv(tmp_path / "series.csv", index=False)
    options = ["--lags", lags, "--time-column", "when", "--recipe", "additive", "--report"]
    learned = mcsl("learn", tmp_path / "series.csv", *options, "--out", tmp_path / "out")
    assert "No edges were found." in learned.out
    said = (
        f"Samples are from one series, with {['no lags', '1 lag'][lags]}; 3 missing values were filled by "
        f"straight lines and {5 + lags} windows were left out for longer gaps."
    )
    assert said in learned.out.replace("\n", " ")
    assert said in (tmp_path / "out" / "report.html").read_text()


def test_a_scalar_simulation_has_no_groups(mcsl, tmp_path):
    options = ["--variables", 3, "--degree", 1, "--seed", 1, "--samples", 30]
    assert mcsl("simulate", "gp-add", *options, "--out", tmp_path / "s").exit_code == 0
    assert not (tmp_path / "s" / "groups.json").exists()


def test_series_are_learned_and_their_lags_listed(mcsl, series, tmp_path):
    out = tmp_path / "out"
    options = ["--lags", 1, "--series-column", "machine", "--recipe", "additive", "--out", out]
    outcome = mcsl("learn", series, *options)
    assert outcome.exit_code == 0, outcome.err
    assert "among 3 variables, from 258 samples" in outcome.out
    assert "Samples are from 2 series, with 1 lag. Lags that matter are listed" in outcome.out
    lags = pl.read_csv(out / "lags.csv")
    assert set(lags["lag"]) == {0, 1}
    heading = outcome.out.splitlines()[0].split()
    assert heading == ["cause", "effect", "lags", "probability", "direction", "p-value"]
    record = json.loads((out / "result.json").read_text())
    assert record["series"] == {"n_series": 2, "lags": 1, "n_filled": 0, "n_left_out": 0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--lags", 1], "Column 'machine' of"),
        (["--lags", 1, "--series-column", "nobody"], "There is no series column 'nobody'"),
        (["--lags", 1, "--series-column", "machine", "--time-column", "no"], "There is no time column 'no'"),
        (["--lags", 60, "--series-column", "machine"], "The series 'm2' has 60 samples, and with 60 lags"),
        (["--lags", 1, "--series-column", "machine", "--resample", "soon"], "`resample` must be a step"),
        (["--lags", 1, "--series-column", "machine", "--missing", "drop"], "--missing is for tables"),
        (["--lags", -1], "Invalid value for '--lags'"),
        (["--series-column", "machine", "--group-by-prefix", "/"], "No column has '/' in its name"),
        (["--series-column", "machine", "--group-by-prefix", ""], "No sign was given"),
        (["--series-column", "machine", "--groups", "GROUPS", "--group-by-prefix", "."], "give one"),
        (["--series-column", "machine", "--groups", "GROUPS"], "names the column 'cold'"),
        (["--series-column", "machine", "--groups", "BROKEN"], "cannot be read as JSON"),
        (["--series-column", "machine", "--groups", "TWICE"], "'load' is in the groups 'g' and 'h'"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(mcsl, series, tmp_path, options, message):
    files = {
        "GROUPS": '{"g": ["load", "cold"]}',
        "BROKEN": '{"g": ["load"',
        "TWICE": '{"g": ["load"], "h": ["load"]}',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    options = [tmp_path / option if option in files else option for option in options]
    outcome = mcsl("learn", series, *options, "--out", tmp_path / "out")
    assert outcome.exit_code == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_the_remedy_for_a_gap_works(mcsl, series, tmp_path):
    lines = series.read_text().splitlines(keepends=True)
    series.write_text("".join(lines[:21] + lines[22:]))
    options = ["--lags", 1, "--series-column", "machine", "--recipe", "additive", "--out", tmp_path / "out"]
    outcome = mcsl("learn", series, *options)
    assert outcome.exit_code == 2
    assert outcome.err.rstrip().endswith("by --resample 5min.")
    assert "line 22 comes 10min after line 21" in outcome.err
    outcome = mcsl("learn", series, *options, "--resample", "5min")
    assert outcome.exit_code == 0
    assert "3 missing values were filled by straight lines" in outcome.out


def test_numbers_come_back_the_same_whatever_the_layout(mcsl, series, tmp_path):
    shuffled = tmp_path / "shuffled.csv"
    lines = series.read_text().splitlines(keepends=True)
    order = np.random.default_rng(0).permutation(len(lines) - 1) + 1
    shuffled.write_text(lines[0] + "".join(lines[i] for i in order))
    for name, path in (("first", series), ("second", shuffled)):
        options = ["--lags", 1, "--series-column", "machine", "--recipe", "additive"]
        assert mcsl("learn", path, *options, "--out", tmp_path / name).exit_code == 0
    assert (tmp_path / "first" / "lags.csv").read_text() == (tmp_path / "second" / "lags.csv").read_text()
