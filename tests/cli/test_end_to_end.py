"""The real commands, in processes of their own."""

import json
import os
import subprocess
import sys

import pytest

from mcsl.data import read_table
from mcsl.graph import CausalGraph
from mcsl.outputs import read_adjacency


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    return tmp_path_factory.mktemp("commands")


def run(workplace, *arguments):
    environment = {**os.environ, "XDG_CACHE_HOME": str(workplace / "cache")}
    environment.pop("JAX_COMPILATION_CACHE_DIR", None)
    return subprocess.run(
        [sys.executable, "-m", "mcsl", *map(str, arguments)],
        cwd=workplace,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def demo(workplace):
    return run(workplace, "demo", "--out", "demo")


def test_demo(demo, workplace):
    assert (demo.returncode, demo.stderr) == (0, "")
    for word in ("verdict", "found", "shd", "sid", "What to try next", "mcsl learn"):
        assert word in demo.stdout
    files = {path.name for path in (workplace / "demo").iterdir()}
    assert files == {
        "adjacency.csv",
        "data.csv",
        "edges.csv",
        "probabilities.csv",
        "result.json",
        "trace.csv",
        "truth.csv",
    }
    figures = json.loads(run(workplace, "evaluate", "demo/adjacency.csv", "demo/truth.csv", "--json").stdout)
    assert figures["f1"] > 0.7


def test_learn_repeats_the_demo_and_reuses_its_compilations(demo, workplace):
    compiled = {path.name for path in (workplace / "cache" / "mcsl" / "jax").glob("*-cache")}
    assert compiled
    learned = run(workplace, "learn", "demo/data.csv", "--out", "learned")
    assert (learned.returncode, learned.stderr) == (0, "")
    for name in ("adjacency.csv", "edges.csv", "probabilities.csv"):
        assert (workplace / "learned" / name).read_bytes() == (workplace / "demo" / name).read_bytes()
    record = json.loads((workplace / "learned" / "result.json").read_text())
    assert record["fingerprint"] == read_table(workplace / "demo" / "data.csv").fingerprint()
    assert {path.name for path in (workplace / "cache" / "mcsl" / "jax").glob("*-cache")} == compiled


def test_simulate_learn_evaluate(workplace):
    simulated = run(
        workplace,
        "simulate",
        "linear",
        "--variables",
        4,
        "--degree",
        1,
        "--samples",
        200,
        "--seed",
        3,
        "--out",
        "sim",
    )
    assert (simulated.returncode, simulated.stderr) == (0, "")
    learned = run(
        workplace, "learn", "sim/data.csv", "--out", "new/linear", "--mechanism", "linear", "--seed", 1
    )
    assert (learned.returncode, learned.stderr) == (0, "")
    graph = CausalGraph(*read_adjacency(workplace / "new" / "linear" / "adjacency.csv"))
    assert graph.names == ("x1", "x2", "x3", "x4")
    for cause, effect in graph.edges:
        assert f"{cause}     →  {effect}" in learned.stdout
    evaluated = run(workplace, "evaluate", "new/linear/adjacency.csv", "sim/truth.csv")
    assert (evaluated.returncode, evaluated.stderr) == (0, "")
    assert f"n_edges  {graph.n_edges}" in evaluated.stdout


def test_bad_input_is_one_sentence_without_a_traceback(workplace):
    (workplace / "bad.csv").write_text("a,b\n1,x\n")
    failed = run(workplace, "learn", "bad.csv", "--out", "never")
    assert failed.returncode == 2
    assert failed.stdout == ""
    assert failed.stderr.startswith("mcsl: Column 'b' of bad.csv holds text, for example 'x' in line 2;")
    assert failed.stderr.count("\n") == 1
    assert not (workplace / "never").exists()
