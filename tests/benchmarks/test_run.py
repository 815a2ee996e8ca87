"""The runner: one line a run, each in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from importlib import import_module

import numpy as np
import pytest
from benchmarks.provenance import ROOT

import mcsl
from benchmarks import lines as benchmark_lines
from benchmarks import methods, run

SCENARIO = "pnl-ER1-10"


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Run the runner on one scenario and return what it wrote."""
    results = tmp_path / "lines.jsonl"

    def call(*arguments):
        command = ["run", "--scenarios", SCENARIO, "--results", str(results), *arguments]
        monkeypatch.setattr(sys, "argv", command)
        run.main()
        return lines(results)

    return call


def test_a_run_is_a_line_and_is_not_repeated(call):
    first = call("--methods", "no edges", "true order", "--seeds", "2", "--data", "raw", "--jobs", "2")
    assert {(row["method"], row["seed"]) for row in first} == {
        (method, seed) for method in ("no edges", "true order") for seed in (1000, 1001)
    }
    assert all(row["status"] == "ok" and row["acyclic"] for row in first)
    empty = next(row for row in first if row["method"] == "no edges")
    assert empty["shd"] == empty["true_edges"]
    assert empty["sortability"]["var"] > 0.9
    assert call("--methods", "no edges", "--seeds", "2", "--data", "raw") == first


@pytest.mark.parametrize("name", ["run", "tables", "figures"])
def test_a_file_starts_as_its_module_does_from_any_folder(name, tmp_path):
    as_module, as_file = ["-m", f"benchmarks.{name}"], [str(ROOT / "benchmarks" / f"{name}.py")]
    said = [
        subprocess.run([sys.executable, *program, "--help"], cwd=cwd, text=True, capture_output=True)
        for program, cwd in ((as_module, ROOT), (as_file, tmp_path))
    ]
    assert [(started.returncode, started.stderr) for started in said] == [(0, "")] * 2
    assert said[0].stdout == said[1].stdout


def test_methods_without_units_run_on_raw_data_alone(call):
    rows = call("--methods", "no edges", "sort by variance", "--seeds", "1")
    assert {(row["method"], row["standardized"]) for row in rows} == {
        ("no edges", False),
        ("sort by variance", False),
        ("sort by variance", True),
    }


@pytest.mark.parametrize(
    ("name", "status", "message"),
    [
        ("endless", "timeout", None),
        ("broken", "failed", "ValueError: no graph today"),
        ("killed", "failed", "exit code -9"),
    ],
)
def test_what_does_not_end_well_is_recorded(name, status, message, call, monkeypatch):
    monkeypatch.setitem(run.METHODS, name, import_module(f"tests.benchmarks.{name}").METHOD)
    rows = call("--methods", name, "--seeds", "2", "--data", "raw", "--limit", "1")
    assert (rows[0]["status"], rows[0].get("message")) == (status, message)
    assert rows[0]["version"]
    # A timeout stands for its cell, while another table may not break a method.
    assert len(rows) == (1 if status == "timeout" else 2)
    assert call("--methods", name, "--seeds", "2", "--data", "raw", "--limit", "1") == rows
    patient = call("--methods", name, "--seeds", "2", "--data", "raw", "--limit", "2")
    assert [row["seed"] for row in patient] == ([1000, 1000] if status == "timeout" else [1000, 1001])


def test_whoever_ends_the_runner_ends_its_runs(call, monkeypatch):
    monkeypatch.setitem(run.METHODS, "endless", import_module("tests.benchmarks.endless").METHOD)
    groups, killpg = [], os.killpg
    monkeypatch.setattr(os, "killpg", lambda group, number: groups.append(group) or killpg(group, number))

    def end_once_it_runs():
        while not run.WORKERS:
            time.sleep(0.1)
        time.sleep(1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end_once_it_runs, daemon=True).start()
    with pytest.raises(SystemExit, match="has what is done"):
        call("--methods", "endless", "--seeds", "1", "--data", "raw", "--limit", "600")
    assert len(groups) == 1
    for _ in range(50):
        try:
            killpg(groups[0], 0)
        except ProcessLookupError:
            break
        time.sleep(0.1)
    else:
        pytest.fail("a run goes on")


def test_a_run_that_nobody_waits_for_ends(tmp_path):
    """A runner that is killed cannot end its workers; they notice."""
    np.savez(tmp_path / "data.npz", values=np.zeros((3, 2)))
    request = {"module": "tests.benchmarks.endless", "imports": "json", "package": "mcsl"}
    (tmp_path / "request.json").write_text(json.dumps(request | {"settings": {}, "seed": 0, "limit": 600}))
    runner = "import subprocess, sys, time; from benchmarks import run\n"
    runner += f"run.worker(sys.executable, 0).stdin.write({str(tmp_path)!r} + chr(10))\n"
    runner += "run.WORKERS[0].stdin.flush(); print(run.WORKERS[0].pid, flush=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", runner], cwd=ROOT, stdout=subprocess.PIPE) as process:
        group = int(process.stdout.readline())
        for _ in range(100):
            if (tmp_path / "answer.json").exists():
                break
            time.sleep(0.1)
        process.kill()
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            break
        time.sleep(0.1)
    else:
        os.killpg(group, signal.SIGKILL)
        pytest.fail("a run goes on")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seeds", "0"], "must be a whole number from 1 up. Got 0 instead"),
        (["--jobs", "-2"], "must be a whole number from 1 up. Got -2 instead"),
        (["--limit", "0"], "must be a whole number from 1 up. Got 0 instead"),
        (["--methods", "PC", "--peers-python", "no/such/python"], "no/such/python does not start"),
        (["--methods", "PC", "--peers-python", "/bin/true"], "/bin/true cannot import causallearn"),
        (["--results", "/proc/no/lines.jsonl"], "No such file or directory: '/proc/no'"),
        (["--results", "."], "Is a directory: '.'"),
        (["--results", "README.md"], "README.md, line 1, is no line of a benchmark"),
        (["--results", "benchmarks/results/rows.jsonl"], "rows.jsonl, line 1, has no 'method'"),
    ],
)
def test_what_cannot_be_run_is_refused_in_words(arguments, message, call, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit, match="2"):
        call("--methods", "no edges", "--seeds", "1", *arguments)
    assert message in capsys.readouterr().err.replace("\n", " ")


def test_a_table_that_cannot_be_had_is_named(call, monkeypatch, capsys):
    def fail(*_):
        raise mcsl.DataError("Sachs' table could not be downloaded; set `MCSL_DATA`.")

    monkeypatch.setattr(run, "draw", fail)
    with pytest.raises(SystemExit, match="2"):
        call("--methods", "no edges", "--seeds", "1")
    assert "could not be downloaded; set `MCSL_DATA`." in capsys.readouterr().err


def test_a_method_that_is_gone_is_refused_by_its_line(tmp_path):
    path = tmp_path / "lines.jsonl"
    row = {"scenario": SCENARIO, "standardized": False, "seed": 1000, "status": "ok"}
    path.write_text("".join(json.dumps(row | {"method": name}) + "\n" for name in ("CAM", "renamed")))
    with pytest.raises(benchmark_lines.LinesError, match="line 2: no method is called 'renamed'"):
        run.read_runs(path)


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system does not say on which cores")
def test_a_run_has_one_core(call, monkeypatch):
    cores = os.sched_getaffinity(0)
    monkeypatch.setitem(run.METHODS, "counting", import_module("tests.benchmarks.counting").METHOD)
    rows = call("--methods", "counting", "--seeds", "2", "--data", "raw", "--jobs", "2")
    assert [row["status"] for row in rows] == ["ok", "ok"]
    assert os.sched_getaffinity(0) == cores


def test_quadratic_methods_run_on_quadratic_data_alone(call):
    assert not run.is_for(run.METHODS["MCSL-quad"], SCENARIO)
    assert run.is_for(run.METHODS["MCSL-quad"], "quadratic-ER1-20")
    assert run.is_for(run.METHODS["CAM"], SCENARIO)
    assert (
        call("--methods", "NOTEARS-quad", "no edges", "--seeds", "1", "--data", "raw")[0]["method"]
        == "no edges"
    )


def test_open_directions_are_scored_as_the_paper_does():
    truth = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]], dtype=bool)
    pattern = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
    decided = run.decided(pattern, truth)
    assert mcsl.evaluate(decided, truth).tpr == 1
    assert mcsl.evaluate(decided, truth).shd == 1
    assert run.decided(pattern, truth.T)[1, 0]


def test_every_method_states_its_source():
    known = methods.load()
    assert len(known) == len(methods.MODULES)
    assert all(method.source and method.package for method in known.values())
