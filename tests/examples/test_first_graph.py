import re
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "first_graph.py"


def test_the_first_graph_is_learned_and_drawn(tmp_path):
    done = subprocess.run(
        [sys.executable, EXAMPLE], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    assert "growth -> harvest" in done.stdout
    assert "shd=0" in done.stdout
    assert "</svg>" in (tmp_path / "graph.svg").read_text(encoding="utf-8")


def test_the_graph_of_another_package_is_pruned(tmp_path):
    example = EXAMPLE.with_name("prune_another_graph.py")
    done = subprocess.run(
        [sys.executable, example], cwd=tmp_path, capture_output=True, encoding="utf-8", check=True
    )
    before, after = (int(shd) for shd in re.findall(r"shd=(\d+)", done.stdout))
    assert after < before
    assert "dropped" in done.stdout
