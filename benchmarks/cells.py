"""The runs of each cell of the comparison: a scenario, whether it is standardised, and a method."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from benchmarks.run import METHODS, RESULTS, is_unit_free, read_recipes, read_runs, run_of

ORACLES = {name for name, method in METHODS.items() if method.is_oracle}
OURS = ("default", "masked", "additive", "MCSL-MLP", "MCSL-quad")

Cells = dict[tuple[str, bool, str], list[dict]]


def read() -> Cells:
    """Return the runs of each cell: a scenario, whether it is standardised, and a method."""
    return by_cell(read_runs(RESULTS) + read_recipes())


def by_cell(rows: list[dict]) -> Cells:
    """Sort last lines of runs into cells; methods that do not depend on units stand in those of both."""
    cells: Cells = defaultdict(list)
    for row in {run_of(row): row for row in rows}.values():
        both = is_unit_free(METHODS[row["method"]], row["scenario"])
        for standardized in (False, True) if both else (row["standardized"],):
            cells[row["scenario"], standardized, row["method"]].append(row)
    return dict(cells)


def figure(runs: list[dict]) -> str:
    """Write `SHD ± deviation, TPR (number of runs)`, and what did not end."""
    ended = [run for run in runs if run["status"] == "ok"]
    lost = [f"{status} ({n})" for status in ("timeout", "failed") if (n := count(runs, status))]
    if not ended:
        return ", ".join(lost)
    shd, tpr = ([run[name] for run in ended] for name in ("shd", "tpr"))
    cyclic = sum(not run.get("acyclic", True) for run in ended)
    remarks = [f"{len(ended)}", *([f"{cyclic} cyclic"] if cyclic else []), *lost]
    return f"{np.mean(shd):.1f} ± {np.std(shd):.1f}, {np.mean(tpr):.2f} ({', '.join(remarks)})"


def count(runs: list[dict], status: str) -> int:
    return sum(run["status"] == status for run in runs)


def mean_shd(runs: list[dict]) -> float | None:
    ended = [run["shd"] for run in runs if run["status"] == "ok"]
    return float(np.mean(ended)) if ended else None


def runs_of_size(cells: Cells, method: str, n_variables: int) -> list[dict]:
    """Return the runs of a method on scalar tables of one width and 3000 rows."""
    return [
        run
        for (scenario, _, name), runs in cells.items()
        for run in runs
        if name == method and scenario.endswith(f"-{n_variables}") and "vec" not in scenario
    ]


def median_seconds(runs: list[dict]) -> float | None:
    """Return the median CPU seconds, which is infinite where half of the runs or more did not end."""
    used = [run["cpu_seconds"] for run in runs if run.get("cpu_seconds") is not None]
    used += [np.inf] * count(runs, "timeout")
    return float(np.median(used)) if used else None


def n_reversed(run: dict) -> int:
    """Return how many edges are reversed, which are missing and false but count once in the SHD."""
    hits = round(run["tpr"] * run["true_edges"])
    return run["n_edges"] + run["true_edges"] - 2 * hits - run["shd"]
