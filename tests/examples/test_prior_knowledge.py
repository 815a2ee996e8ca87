import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "prior_knowledge.py"


def test_the_order_in_time_gives_directions_back(tmp_path):
    run = subprocess.run(
        [sys.executable, EXAMPLE], cwd=tmp_path, capture_output=True, encoding="utf-8", check=True
    )
    without, known, refused = run.stdout.strip().split("\n\n")
    assert "shd=0" not in without
    assert "shd=0" in known
    assert "schooling -> salary" in known
    assert "Refused: The edge savings -> schooling is required" in refused
