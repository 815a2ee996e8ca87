import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_incident_is_explained_as_the_page_says(tmp_path):
    script = ROOT / "examples" / "root_cause.py"
    run = subprocess.run(
        [sys.executable, script, tmp_path], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert "1. catalogue: " in run.stdout
    assert "with the call graph: catalogue -> search -> site" in run.stdout
    page = (ROOT / "docs" / "root-cause.md").read_text(encoding="utf-8")
    for line in run.stdout.splitlines():
        assert line.partition(":")[0] in page, "the page is out of date: run `python docs/root_cause.py`"
    assert (tmp_path / "graph.png").stat().st_size > 1000
