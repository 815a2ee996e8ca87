"""Write the table of docs/scaling.md on many variables: `python -m benchmarks.scale.tables`."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path

import numpy as np
from benchmarks.readme import markdown_table, put_table
from benchmarks.scale.variables import RESULTS

from benchmarks import lines

PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"


def main() -> None:
    cells = defaultdict(list)
    for row in lines.read(RESULTS):
        cells[row["recipe"], row["n_variables"]].append(row)
    rows = []
    for (recipe, size), runs in sorted(cells.items()):
        columns = (
            mean(runs, "shd"),
            mean(runs, "true_edges"),
            mean(runs, "cpu_seconds"),
            mean(runs, "peak_mib"),
        )
        growth = exponent(cells, recipe, size)
        rows.append([recipe, size, len(runs), *columns, growth])
    header = [
        "recipe",
        "d",
        "seeds",
        "SHD",
        "true edges",
        "CPU seconds",
        "peak MiB",
        "growth of time from d = 50",
    ]
    put_table(PAGE, "variables", markdown_table(header, rows))


def mean(runs, name: str) -> str:
    return f"{np.mean([run[name] for run in runs]):,.4g}"


def exponent(cells, recipe: str, size: int) -> str:
    """Return b of time ~ d^b between 50 variables and this size."""
    if size == 50 or (recipe, 50) not in cells:
        return ""
    small, large = (np.mean([run["cpu_seconds"] for run in cells[recipe, d]]) for d in (50, size))
    return f"d^{math.log(large / small) / math.log(size / 50):.2f}"


if __name__ == "__main__":
    main()
