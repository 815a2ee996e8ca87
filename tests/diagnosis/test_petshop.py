"""The files of PetShop as they are, where they lie beside the repository."""

import json
import re
from pathlib import Path

import pytest

from mcsl.cli import main

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT.parent / "shared" / "data" / "petshop" / "low_traffic"

pytestmark = pytest.mark.skipif(not PLACE.exists(), reason="needs ../shared/data/petshop")


def test_the_command_reads_petshop_as_it_is(tmp_path):
    options = ["--target", "PetSite", "--metric", "latency", "--statistic", "Average", "--graph-of", "calls"]
    files = [PLACE / "train/issue_0/metrics.csv", "--baseline", PLACE / "noissue/metrics.csv"]
    files += ["--known-graph", PLACE / "graph.csv", "--out", tmp_path / "out"]
    assert main(["root-cause", *map(str, files), *options]) == 0
    told = json.loads((tmp_path / "out" / "ranking.json").read_text())
    assert (told["n_baseline"], told["n_incident"]) == (589, 5)
    assert told["n_missing"] > 0
    assert "STS_AWS::STS" in told["left_out"]
    assert told["root_cause"] == "PetSearch_AWS::ECS::Fargate"


def test_the_page_says_the_same_in_python(monkeypatch):
    page = (ROOT / "docs" / "root-cause.md").read_text(encoding="utf-8")
    said = {}
    monkeypatch.chdir(PLACE)
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(code, said)
    assert said["result"].root_cause == "PetSearch_AWS::ECS::Fargate"
