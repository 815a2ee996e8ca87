"""The real commands, in processes of their own."""

import json
import os
import subprocess
import sys

import pytest

from mcsl.data import read_table
from mcsl.graph import CausalGraph
from mcsl.outputs import read_adjacency
from mcsl.outputs.saving import load_result


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    return tmp_path_factory.mktemp("commands")


def run(workplace, *arguments):
    # JAX keeps only what took a second to compile, unless it is told otherwise.
    keep_all = {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
    environment = {**os.environ, "XDG_CACHE_HOME": str(workplace / "cache"), **keep_all}
    environment.pop("JAX_COMPILATION_CACHE_DIR", None)
    return subprocess.run(
        [sys.executable, "-m", "mcsl", *map(str, arguments)],
        cwd=workplace,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def compiled(workplace):
    return {path.name for path in (workplace / "cache" / "mcsl" / "jax").glob("*-cache")}


def test_demo(workplace):
    demo = run(workplace, "demo", "--out", "demo")
    assert (demo.returncode, demo.stderr) == (0, "")
    for word in ("verdict", "found", "shd", "sid", "What to try next", "mcsl learn"):
        assert word in demo.stdout
    names = (
        "adjacency.csv",
        "data.csv",
        "edges.csv",
        "probabilities.csv",
        "result.json",
        "result.mcsl",
        "trace.csv",
        "truth.csv",
    )
    assert {path.name for path in (workplace / "demo").iterdir()} == set(names)
    figures = json.loads(run(workplace, "evaluate", "demo/adjacency.csv", "demo/truth.csv", "--json").stdout)
    assert figures["f1"] > 0.7


@pytest.fixture(scope="module")
def learned(workplace):
    simulate = "simulate linear --variables 4 --degree 1 --samples 200 --seed 3 --out sim"
    simulated = run(workplace, *simulate.split())
    assert (simulated.returncode, simulated.stderr) == (0, "")
    learned = run(workplace, "learn", "sim/data.csv", "--out", "new/linear", "--mechanism", "linear")
    assert (learned.returncode, learned.stderr) == (0, "")
    return learned


def test_simulate_learn_evaluate(learned, workplace):
    graph = CausalGraph(*read_adjacency(workplace / "new" / "linear" / "adjacency.csv"))
    assert graph.names == ("x1", "x2", "x3", "x4")
    for cause, effect in graph.edges:
        assert f"{cause}     →  {effect}" in learned.stdout
    record = json.loads((workplace / "new" / "linear" / "result.json").read_text())
    assert record["fingerprint"] == read_table(workplace / "sim" / "data.csv").fingerprint()
    printed = [line.split() for line in learned.stdout.splitlines()]
    for finding in record["trust"]:
        assert f"{finding['verdict']} {finding['sentence']} {finding['advice']}".split() in printed
    assert load_result(workplace / "new" / "linear" / "result.mcsl").sem.graph == graph
    evaluated = run(workplace, "evaluate", "new/linear/adjacency.csv", "sim/truth.csv")
    assert (evaluated.returncode, evaluated.stderr) == (0, "")
    assert f"n_edges  {graph.n_edges}" in evaluated.stdout


def test_a_second_run_repeats_the_first_and_reuses_its_compilations(learned, workplace):
    before = compiled(workplace)
    assert before
    again = run(workplace, "learn", "sim/data.csv", "--out", "again", "--mechanism", "linear")
    assert (again.returncode, again.stderr) == (0, "")
    for name in ("adjacency.csv", "edges.csv", "probabilities.csv"):
        first, second = workplace / "new" / "linear" / name, workplace / "again" / name
        assert second.read_bytes() == first.read_bytes()
    assert compiled(workplace) == before


def test_bad_input_is_one_sentence_without_a_traceback(workplace):
    (workplace / "bad.csv").write_text("a,b\n1,x\n")
    failed = run(workplace, "learn", "bad.csv", "--out", "never")
    assert failed.returncode == 2
    assert failed.stdout == ""
    assert failed.stderr.startswith("mcsl: Column 'b' of bad.csv holds text, for example 'x' in line 2;")
    assert failed.stderr.count("\n") == 1
    assert not (workplace / "never").exists()
