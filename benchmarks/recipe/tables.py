"""Write the tables of docs/recipe.md from results/recipe.jsonl: `python -m benchmarks.recipe.tables`."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
from benchmarks.readme import markdown_table, put_table
from benchmarks.recipe.run import METHODS, RESULTS, SCENARIOS

PAGE = Path(__file__).parents[2] / "docs" / "recipe.md"
# Best mean SHD of any method in the paper's tables (arXiv:1910.08527), on its own draws of these models.
PAPERS_BEST = {
    **{
        f"{model}-ER1-{d}": best
        for model in ("gp", "gp-add")
        for d, best in zip((10, 20, 50, 100), (1.4, 0.8, 3.8, 6.4), strict=True)
    },
    **{
        f"{model}-ER4-{d}": best
        for model in ("gp", "gp-add")
        for d, best in zip((10, 20, 50, 100), (8.2, 15.8, 49.6, 77.2), strict=True)
    },
    **{f"quadratic-ER1-{d}": best for d, best in zip((10, 20, 50), (3.4, 4.4, 19.2), strict=True)},
    **{f"pnl-ER1-{d}": best for d, best in zip((10, 20, 50), (9.4, 13.2, 70.0), strict=True)},
    "gp-SF1-50": 12.6,
    "gp-SF4-50": 78.4,
}


def main() -> None:
    cells = defaultdict(list)
    for row in map(json.loads, RESULTS.read_text().splitlines()):
        cells[row["scenario"], row["method"]].append(row)
    methods = [method for method in METHODS if any(key[1] == method for key in cells)]
    rows = []
    for scenario in SCENARIOS:
        if not any((scenario, method) in cells for method in methods):
            continue
        figures = [_figure(cells.get((scenario, method), ())) for method in methods]
        seconds = [row["seconds"] for row in cells.get((scenario, "default"), ())]
        median = f"{np.median(seconds):.0f}" if seconds else ""
        rows.append([scenario, PAPERS_BEST.get(scenario, ""), *figures, median])
    header = ["data", "best in the paper", *methods, "seconds, default"]
    put_table(PAGE, "recipes", markdown_table(header, rows))


def _figure(runs) -> str:
    if not runs:
        return ""
    shd = [run["shd"] for run in runs]
    return f"{np.mean(shd):.1f} ± {np.std(shd):.1f} ({len(shd)})"


if __name__ == "__main__":
    main()
