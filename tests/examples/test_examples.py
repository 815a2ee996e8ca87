import subprocess
import sys
from pathlib import Path
from runpy import run_path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "own_mechanism.py"


def test_an_own_mechanism_keeps_the_contract():
    check_mechanism = run_path(str(ROOT / "tests" / "model" / "mechanism_contract.py"))["check_mechanism"]
    check_mechanism(run_path(str(EXAMPLE))["Additive"].init)


def test_an_own_mechanism_learns_a_graph(tmp_path):
    run = subprocess.run([sys.executable, EXAMPLE], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert " -> " in run.stdout
    assert "Training converged" in run.stdout
    assert "shd=0" in run.stdout
