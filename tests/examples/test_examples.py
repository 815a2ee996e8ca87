import subprocess
import sys
from pathlib import Path
from runpy import run_path

import numpy as np

import mcsl

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "own_mechanism.py"
OWN_SCORE_AND_PRUNER = ROOT / "examples" / "own_score_and_pruner.py"


def test_an_own_mechanism_keeps_the_contract():
    check_mechanism = run_path(str(ROOT / "tests" / "model" / "mechanism_contract.py"))["check_mechanism"]
    check_mechanism(run_path(str(EXAMPLE))["Additive"].init)


def test_an_own_mechanism_learns_a_graph(tmp_path):
    run = subprocess.run([sys.executable, EXAMPLE], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert " -> " in run.stdout
    assert "Training converged" in run.stdout
    assert "shd=0" in run.stdout


def test_an_own_score_and_pruner_learn_a_graph(tmp_path):
    command = [sys.executable, OWN_SCORE_AND_PRUNER]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ", kept" in run.stdout
    assert "Training converged" in run.stdout
    assert "shd=0" in run.stdout


def test_an_own_pruner_drops_strangers_and_keeps_what_is_required():
    pruner = run_path(str(OWN_SCORE_AND_PRUNER))["HeldOutPruner"]()
    x, noise, stranger = np.random.default_rng(0).standard_normal((3, 300))
    dataset = mcsl.Dataset(np.column_stack([x, np.sin(2 * x) + 0.3 * noise, stranger]), ("x", "y", "z"))
    graph = mcsl.CausalGraph.from_edges([("x", "y"), ("z", "y"), ("z", "x")], dataset.names)
    known = mcsl.Knowledge(required=[("z", "x")])
    pruned = pruner.prune(graph, mcsl.Problem.from_dataset(dataset).with_knowledge(known))
    assert pruned.graph.edges == (("x", "y"), ("z", "x"))
    assert len(pruned.tests) == 3
