"""The paper's own figures beside ours, and what other readings of it change."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
from benchmarks.ambiguities import AMBIGUITIES, RESULTS, Reading
from benchmarks.cells import Cells, figure, n_reversed
from benchmarks.readme import markdown_table

from benchmarks import lines

PAPER = Path(__file__).with_name("paper_tables.csv")
# Data models that one cell of the paper may stand for: it does not say how causes of one effect combine.
READINGS = {"gp": ("gp", "gp-add")}


def reproduction(cells: Cells) -> str:
    """Return the paper's figures beside ours, and whether ours are within two of its deviations."""
    rows = []
    for line in papers_lines():
        here = [
            _verdict(cells.get((scenario_of(line, model), False, line["method"]), []), line)
            for model in models_of(line)
        ]
        theirs = ", ".join(filter(None, (_told(line), line["tpr"])))
        rows.append([line["method"], scenario_of(line, line["sem"]), theirs, *here, *[""] * (2 - len(here))])
    return markdown_table(["method", "data", "paper", "here", "here, additive effects"], rows)


def papers_lines() -> list[dict]:
    """Return its figures, a line each."""
    with PAPER.open(encoding="utf-8") as file:
        return [line for line in csv.DictReader(file) if line["shd"] != "N/A"]


def models_of(line: dict) -> tuple[str, ...]:
    return READINGS.get(line["sem"], (line["sem"],))


def _told(line: dict) -> str:
    return f"{line['shd']} ± {line['shd_sd']}" if line["shd_sd"] else line["shd"]


def _verdict(runs: list[dict], line: dict) -> str:
    """Return the mean SHD and TPR of the runs that ended, and how far they are from the paper's SHD."""
    ended = [run for run in runs if run["status"] == "ok"]
    if not ended:
        return "timeout" if runs else "not run"
    shd, tpr = (float(np.mean([run[name] for run in ended])) for name in ("shd", "tpr"))
    told = [f"{shd:.1f}, {tpr:.2f}"]
    if line["shd_sd"]:
        theirs, spread = float(line["shd"]), float(line["shd_sd"])
        far = "worse" if shd > theirs else "better"
        # Means of whole numbers may lie exactly at the bound, and rounding must not decide.
        told.append(far if round(abs(shd - theirs) - 2 * spread, 9) > 0 else "within")
    if len(ended) < len(runs):
        told.append(f"{len(ended)} of {len(runs)} ended")
    return ", ".join(told)


def scenario_of(line: dict, model: str) -> str:
    return model if model == "sachs" else f"{model}-{line['graph']}-{line['n_variables']}"


def ambiguities(cells: Cells) -> str:
    """Return what other readings of the paper change, beside its own figures."""
    told = {
        (scenario_of(line, model), line["method"]): _told(line)
        for line in papers_lines()
        for model in models_of(line)
    }
    runs = defaultdict(list)
    for row in lines.read(RESULTS):
        runs[row["ambiguity"], row["scenario"], row["method"], row["reading"]].append(row)
    rows = []
    for name, (scenarios, methods, readings, _) in AMBIGUITIES.items():
        for scenario in scenarios:
            for method in methods:
                read = {reading: runs[name, scenario, method, reading] for reading in readings}
                seeds = {row["seed"] for rows_of in read.values() for row in rows_of}
                compared = [run for run in cells.get((scenario, False, method), []) if run["seed"] in seeds]
                figures = {
                    reading: figure(_with(compared, rows_of) if readings[reading] == Reading() else rows_of)
                    for reading, rows_of in read.items()
                }
                if any(figures.values()):
                    paper = told.get((scenario, method), "")
                    rows.append([name, scenario, method, paper, *_in_words(figures)])
    for name, here, otherwise, methods, change in (
        ("CAM pruning", "at 0.001", "none", ["MCSL-MLP"], lambda run: run["before_pruning"]),
        ("reversed edges", "once", "twice", ["MCSL-MLP", "CAM", "GES", "PC"], _reversed_twice),
    ):
        for scenario in ("gp-ER1-10", "gp-ER4-10", "gp-add-ER4-10"):
            for method in methods:
                ended = [run for run in cells[scenario, False, method] if run["status"] == "ok"]
                figures = {here: figure(ended), otherwise: figure([run | change(run) for run in ended])}
                rows.append([name, scenario, method, told[scenario, method], *_in_words(figures)])
    return markdown_table(["what is open", "data", "method", "paper", "as here", "otherwise"], rows)


def _with(compared: list[dict], rows: list[dict]) -> list[dict]:
    """Return the runs of the comparison, and others on tables that it does not have."""
    return list({row["seed"]: row for row in [*rows, *compared]}.values())


def _reversed_twice(run: dict) -> dict:
    return {"shd": run["shd"] + n_reversed(run)}


def _in_words(figures: dict[str, str]) -> list[str]:
    """Return the first reading with its figure, and the others that have run."""
    here, *others = [f"{reading}: {shown}" for reading, shown in figures.items() if shown]
    return [here, "; ".join(others)]
