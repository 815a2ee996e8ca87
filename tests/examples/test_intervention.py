import re
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "intervention.py"


def test_the_example_finds_the_effect_of_an_intervention(tmp_path):
    run = subprocess.run([sys.executable, EXAMPLE], cwd=tmp_path, capture_output=True, text=True, check=True)
    low, high, truth = map(
        float, re.search(r"interval (\S+) to (\S+)\); the truth is (\S+)", run.stdout).groups()
    )
    assert low < truth < high
    assert (tmp_path / "run.mcsl").exists()
    factual, other = map(float, re.search(r"wear (\S+) would have had (\S+) at", run.stdout).groups())
    assert other < factual
