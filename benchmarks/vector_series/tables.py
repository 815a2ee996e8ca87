"""Write the tables of docs/groups-and-lags.md: `python -m benchmarks.vector_series.tables`."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
from benchmarks.readme import markdown_table, put_table
from benchmarks.vector_series.run import RESULTS, SERIES, VECTORS, methods

from benchmarks import lines

LIMIT = RESULTS.with_name("limit.jsonl")
PAGE = Path(__file__).parents[2] / "docs" / "groups-and-lags.md"


def main() -> None:
    cells = defaultdict(list)
    for row in lines.read(RESULTS):
        cells[row["scenario"], row["method"]].append(row)
    for name, scenarios in (("vectors", VECTORS), ("series", SERIES)):
        shown = [m for m in methods("") if any((scenario, m) in cells for scenario in scenarios)]
        rows = [
            [
                scenario,
                _edges(cells, scenario, shown),
                *(_figure(cells.get((scenario, m), ())) for m in shown),
            ]
            for scenario in scenarios
            if any((scenario, m) in cells for m in shown)
        ]
        put_table(PAGE, name, markdown_table(["data", "true edges", *shown], rows))
    limits = [row for row in lines.read(LIMIT) if row["n_parents"] <= 6]
    header = ["parents", *(str(row["n_parents"]) for row in limits)]
    shares = ["predictable", *(f"{max(row['r_squared'], 0):.1%}" for row in limits)]
    put_table(PAGE, "limit", markdown_table(header, [shares]))


def _edges(cells, scenario, shown) -> str:
    by_seed = {run["seed"]: run["true_edges"] for m in shown for run in cells.get((scenario, m), ())}
    return f"{np.mean(list(by_seed.values())):.0f}"


def _figure(runs) -> str:
    if not runs:
        return ""
    shd = [run["shd"] for run in runs]
    count = "" if len(shd) == 5 else f" ({len(shd)})"
    return f"{np.mean(shd):.1f} ± {np.std(shd):.1f}{count}"


if __name__ == "__main__":
    main()
