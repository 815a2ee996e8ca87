"""`mcsl learn --stability B`: what it prints and writes, and how it goes on after an interruption."""

import csv
import json

import numpy as np
import pytest

import mcsl as package
from mcsl.graph import Stability


@pytest.fixture
def counted(monkeypatch):
    """Replace the refits: keeps what it was called with, returns fixed frequencies or raises."""

    class FakeHalves:
        raises = None

        def of(self, table, recipe, n_halves, *, directory, **settings):
            self.names, self.n_halves = table.names, n_halves
            self.directory, self.settings = directory, settings
            return self

        def count(self, *, n_jobs, observers):
            self.n_jobs = n_jobs
            observers[0](1, self.n_halves)
            if self.raises:
                self.directory.mkdir(exist_ok=True)
                (self.directory / "halves.jsonl").touch()
                raise self.raises
            frequencies = np.zeros((3, 3))
            frequencies[0, 1], frequencies[1, 0], frequencies[2, 1] = 0.9, 0.1, 0.25
            return Stability(self.names, frequencies, self.n_halves, ~np.eye(3, dtype=bool))

    fake = FakeHalves()
    monkeypatch.setattr("mcsl.stability.HalfSamples", fake)
    return fake


def test_frequencies_are_printed_and_written(mcsl, fake_learn, counted, table, tmp_path):
    out = tmp_path / "out"
    outcome = mcsl("learn", table, "--out", out, "--stability", 20, "--seed", 5)
    assert (outcome.exit_code, outcome.err) == (0, "")
    lines = [line.split() for line in outcome.out.splitlines()]
    assert lines[0] == ["cause", "effect", "probability", "p-value", "frequency"]
    assert lines[1] == ["a", "→", "b", "0.750", "1.5e-09", "0.90"]
    # q = 1.25 of p = 6 candidates: 1.25^2 / (0.8 * 6).
    assert (
        "1 of 1 edges return in at least 90% of 20 half-samples; chance gives at most 0.33 such edges"
        in outcome.out
    )
    assert (counted.n_halves, counted.settings["seed"], counted.n_jobs) == (20, 5, -1)
    with (out / "stability.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["cause"], row["effect"], row["frequency"]) for row in rows] == [
        ("a", "b", "0.9"),
        ("c", "b", "0.25"),
        ("b", "a", "0.1"),
    ]
    assert [row["either_direction"] for row in rows] == ["1.0", "0.25", "1.0"]
    assert [row["consensus"] for row in rows] == ["1", "0", "0"]
    assert (out / "consensus.csv").read_text().splitlines()[1] == "a,0,1,0"
    with (out / "edges.csv").open() as file:
        assert [row["frequency"] for row in csv.DictReader(file)] == ["0.9", "0.0", "0.1"]
    record = json.loads((out / "result.json").read_text())["stability"]
    assert (record["n_halves"], record["consensus_edges"]) == (20, 1)


def test_without_it_nothing_is_counted(mcsl, fake_learn, counted, table, tmp_path):
    outcome = mcsl("learn", table, "--out", tmp_path / "out")
    assert "frequency" not in outcome.out
    assert not hasattr(counted, "n_halves")
    assert not (tmp_path / "out" / "stability.csv").exists()
    assert json.loads((tmp_path / "out" / "result.json").read_text())["stability"] is None


def test_resume_goes_on_after_an_interruption(mcsl, fake_learn, counted, table, tmp_path):
    out = tmp_path / "out"
    counted.raises = KeyboardInterrupt()
    assert mcsl("learn", table, "--out", out, "--stability", 4).exit_code == 130
    assert (out / "halves.jsonl").exists()
    assert not (out / "stability.csv").exists()
    counted.raises = None
    assert mcsl("learn", table, "--out", out, "--stability", 4).exit_code == 2
    assert mcsl("learn", table, "--out", out, "--stability", 4, "--resume").exit_code == 0
    assert (out / "stability.csv").exists()


def test_half_samples_that_are_done_are_no_unfinished_run(mcsl, fake_learn, counted, table, tmp_path):
    out = tmp_path / "out"
    assert mcsl("learn", table, "--out", out, "--stability", 4).exit_code == 0
    (out / "halves.jsonl").touch()
    before = (out / "result.json").read_bytes()
    outcome = mcsl("learn", table, "--out", out, "--seed", 1, "--resume")
    assert outcome.exit_code == 2
    assert "is not empty" in outcome.err
    assert (out / "result.json").read_bytes() == before


@pytest.mark.parametrize("number", ["0", "x", "-2"])
def test_bad_numbers_are_refused(mcsl, fake_learn, counted, table, tmp_path, number):
    outcome = mcsl("learn", table, "--out", tmp_path / "out", "--stability", number)
    assert outcome.exit_code == 2
    assert "--stability" in outcome.err


def test_an_odd_number_is_refused_before_anything_is_learned(mcsl, fake_learn, table, tmp_path):
    outcome = mcsl("learn", table, "--out", tmp_path / "out", "--stability", 3)
    assert outcome.exit_code == 2
    assert "3 is odd; half-samples come in pairs" in outcome.err
    assert fake_learn.recipe is None


def test_end_to_end(mcsl, tmp_path):
    simulation = package.simulate("gp-add", n_variables=3, degree=1, n_samples=200, seed=1)
    np.savetxt(tmp_path / "data.csv", simulation.dataset.values, delimiter=",", header="a,b,c", comments="")
    arguments = ["learn", tmp_path / "data.csv", "--recipe", "additive", "--stability", 2]
    outcome = mcsl(*arguments, "--out", tmp_path / "out")
    assert outcome.exit_code == 0
    assert "of 2 half-samples" in outcome.out
    assert len((tmp_path / "out" / "halves.jsonl").read_text().splitlines()) == 2


def test_halves_that_are_too_small_are_refused_before_any_work(mcsl, tmp_path):
    table, out = tmp_path / "table.csv", tmp_path / "out"
    np.savetxt(table, np.random.default_rng(0).normal(size=(30, 2)), delimiter=",", header="a,b", comments="")
    for options, n_rows in (([], 15), (["--lags", 1], 10)):
        refused = mcsl("learn", table, "--out", out, "--recipe", "additive", "--stability", 2, *options)
        assert refused.exit_code == 2
        assert f"Half of the rows are {n_rows}, and learning needs at least 20" in refused.err
        assert not out.exists()


def test_halves_with_too_many_gaps_are_refused_before_any_work(mcsl, fake_learn, tmp_path):
    values = np.random.default_rng(0).normal(size=(60, 2))
    values[:25, 0] = np.nan
    np.savetxt(tmp_path / "table.csv", values, delimiter=",", header="a,b", comments="")
    arguments = ["learn", tmp_path / "table.csv", "--out", tmp_path / "out", "--stability", 2]
    refused = mcsl(*arguments, "--missing", "drop")
    assert refused.exit_code == 2
    assert "A half-sample cannot be learned from: Only " in refused.err
    assert fake_learn.recipe is None
    assert not (tmp_path / "out").exists()


def test_half_samples_of_other_settings_are_refused_before_any_work(mcsl, fake_learn, tmp_path):
    table, out = tmp_path / "table.csv", tmp_path / "out"
    np.savetxt(table, np.random.default_rng(0).normal(size=(60, 2)), delimiter=",", header="a,b", comments="")
    out.mkdir()
    stale = json.dumps({"half": 0, "of": "another run", "edges": []})
    (out / "halves.jsonl").write_text(f"{stale}\n")
    refused = mcsl("learn", table, "--out", out, "--stability", 2, "--resume")
    assert refused.exit_code == 2
    assert "halves.jsonl holds half-samples of other data, settings or seed" in refused.err
    assert fake_learn.recipe is None
    assert (out / "halves.jsonl").read_text() == f"{stale}\n"
