import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import mcsl

ROOT = Path(__file__).resolve().parents[2]
PAGES = [page for folder in (".", "docs", "benchmarks") for page in sorted((ROOT / folder).glob("*.md"))] + [
    ROOT / "docs" / "results" / "index.md"
]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_example_has_ten_lines_and_runs(tmp_path):
    source = runpy.run_path(str(ROOT / "docs" / "refresh.py"))["python_example"](README)
    assert len([line for line in source.splitlines() if line]) <= 10
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Metrics(shd=" in done.stdout
    assert (tmp_path / "graph.png").stat().st_size > 10_000


def test_outputs_are_rewritten_in_place(tmp_path):
    refresh = runpy.run_path(str(ROOT / "docs" / "refresh.py"))["refresh"]
    page = "before\n<!-- run: mcsl --version -->\n```text\nold\n```\nafter\n"
    refreshed = refresh(page, tmp_path)
    assert refreshed.startswith("before\n<!-- run: mcsl --version -->\n```text\n$ mcsl --version\nmcsl ")
    assert refreshed.endswith("\n```\nafter\n")
    assert refresh(refreshed, tmp_path) == refreshed


def test_the_reference_is_that_of_the_code_and_leaves_no_name_out():
    script = runpy.run_path(str(ROOT / "docs" / "reference.py"))
    assert script["PAGE"].read_text(encoding="utf-8") == script["reference"]()
    listed = [name for names in script["SECTIONS"].values() for name in names if "." not in name]
    assert sorted(listed) == sorted(mcsl.__all__)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for place, heading in re.findall(
        r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", page.read_text(encoding="utf-8")
    ):
        target = page.parent / place if place else page
        assert target.exists(), place
        if heading:
            assert heading in headings(target), f"{place}#{heading}"


def headings(page: Path) -> list[str]:
    """Return what links call the headings of a page."""
    found = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found]


def test_readme_comes_in_the_promised_order():
    headings = re.findall(r"^## (.*)", README, re.MULTILINE)
    assert headings[:6] == [
        "Two commands",
        "What it does",
        "From Python",
        "From the command line",
        "How to read the result",
        "What it assumes, and when not to trust it",
    ]
