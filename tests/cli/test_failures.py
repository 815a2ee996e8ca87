"""Full disks, folders that may not be written, files that vanish, and interrupts of the real command."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from mcsl.checkpoint import Checkpoint

LEARN = [sys.executable, "-m", "mcsl", "learn"]


@pytest.fixture
def wide(tmp_path):
    """A table with enough variables that pruning takes a while."""
    path = tmp_path / "wide.csv"
    rng = np.random.default_rng(0)
    values = rng.normal(size=(1000, 10))
    for effect in range(1, 10):
        values[:, effect] += np.sin(2 * values[:, effect - 1]) + 0.5 * values[:, (effect * 5) % effect]
    np.savetxt(path, values, delimiter=",", header=",".join(f"v{k}" for k in range(10)), comments="")
    return path


def content(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.name != "checkpoint"}


def test_a_full_disk_costs_no_earlier_result(mcsl, table, tmp_path):
    out = tmp_path / "out"
    assert mcsl("learn", table, "--out", out, "--recipe", "additive").exit_code == 0
    before = content(out)
    command = [*LEARN, str(table), "--out", str(out), "--recipe", "additive", "--force", "--seed", "1"]
    # A shell sets the limit, since Python would have to fork for it, which JAX warns of where it is loaded.
    in_one_block = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", *command]
    process = subprocess.run(in_one_block, capture_output=True, text=True, check=False)
    assert process.returncode == 2
    assert process.stderr.startswith("mcsl: ")
    assert process.stderr.endswith("could not be written: File too large.\n")
    assert content(out) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(mcsl, table, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    outcome = mcsl("learn", table, "--out", tmp_path / "locked" / "out")
    assert outcome.exit_code == 2
    assert "is no directory one may write to" in outcome.err


def test_a_folder_that_turns_out_to_be_read_only(mcsl, fake_learn, table, tmp_path, monkeypatch):
    def refuse(path, content):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("mcsl.writing._write_through", refuse)
    outcome = mcsl("learn", table, "--out", tmp_path / "out")
    assert outcome.exit_code == 2
    assert outcome.err == f"mcsl: {tmp_path / 'out'} could not be written: Read-only file system.\n"
    assert not (tmp_path / "out").exists()


def test_an_input_that_vanished_and_an_output_that_is_a_file(mcsl, table, tmp_path):
    outcome = mcsl("learn", tmp_path / "gone.csv", "--out", tmp_path / "out")
    assert (outcome.exit_code, outcome.err) == (2, f"mcsl: There is no file {tmp_path / 'gone.csv'}.\n")
    outcome = mcsl("learn", table, "--out", table)
    assert outcome.exit_code == 2
    assert "is a file, not a directory" in outcome.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_the_best_graph_and_says_how_to_go_on(wide, tmp_path, number):
    # On a busy machine a signal may come too late, or before the order's graph is taken over.
    for attempt in range(5):
        out = tmp_path / f"out{attempt}"
        command = [*LEARN, str(wide), "--out", str(out)]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        while process.poll() is None and not (out / "checkpoint" / "order.step").exists():
            time.sleep(0.02)
        process.send_signal(number)
        said = process.communicate()[1]
        if process.returncode != 0 and "before there was a graph" not in said:
            break
    assert process.returncode == 130
    assert said == (
        f"mcsl: Interrupted; the best graph so far is in {out}; go on with "
        f"`mcsl learn {wide} --out {out} --resume`.\n"
    )
    record = json.loads((out / "result.json").read_text())
    assert record["stop_reason"] == "interrupted"
    assert record["n_edges"] > 0
    resumed = subprocess.run([*command, "--resume"], capture_output=True, text=True, check=True)
    assert resumed.stderr == ""
    record = json.loads((out / "result.json").read_text())
    assert record["stop_reason"] == "settled"
    assert not (out / "checkpoint").exists()


def test_nothing_to_resume_is_said(mcsl, fake_learn, table, tmp_path):
    outcome = mcsl("learn", table, "--out", tmp_path / "out", "--resume")
    assert outcome.exit_code == 0
    said = f"There is nothing to resume in {tmp_path / 'out'}; starting from the beginning.\n"
    assert outcome.err == said
    finished = mcsl("learn", table, "--out", tmp_path / "out", "--resume")
    assert finished.exit_code == 2
    assert "is not empty" in finished.err
    assert "starting from the beginning" not in finished.err


def test_what_is_advised_about_steps_of_another_run_works(mcsl, tmp_path):
    table, out = tmp_path / "table.csv", tmp_path / "out"
    rows = np.random.default_rng(0).standard_normal((60, 2))
    np.savetxt(table, rows, delimiter=",", header="a,b", comments="")
    steps = Checkpoint(out / "checkpoint")
    steps.begin("another run")
    steps.keep("order", {}, {})
    (out / "result.json").write_text("{}")
    command = ["learn", table, "--out", out, "--recipe", "additive"]
    refused = mcsl(*command, "--resume")
    assert refused.exit_code == 2
    assert "start anew with --force in place of --resume, or choose another directory." in refused.err
    assert mcsl(*command).exit_code == 2
    assert mcsl(*command, "--force").exit_code == 0
    assert not (out / "checkpoint").exists()


def test_too_little_memory_is_said(mcsl, fake_learn, table, tmp_path):
    fake_learn.raises = MemoryError()
    outcome = mcsl("learn", table, "--out", tmp_path / "out")
    assert outcome.exit_code == 2
    assert outcome.err == "mcsl: The memory does not suffice; use fewer rows or columns.\n"


def test_a_full_disk_for_what_is_printed():
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "mcsl", "--version"]
        process = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert process.returncode == 2
    assert process.stderr == "mcsl: The output cannot be printed: No space left on device.\n"


@pytest.mark.slow
def test_killed_three_times(tmp_path):
    from benchmarks.kill_resume import RUNS, Run

    run = Run(RUNS[0], tmp_path)
    assert all(run.kill((0, k))["identical"] for k in range(3))
