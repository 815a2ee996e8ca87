"""Write the tables of docs/stability.md from results/: `python -m benchmarks.stability.tables`."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
from benchmarks.readme import markdown_table, put_table
from benchmarks.stability.run import RESULTS

from benchmarks import lines

PAGE = Path(__file__).parents[2] / "docs" / "stability.md"
LEVELS = (1.0, 0.9, 0.75, 0.5, 0.25, 0.0)


def main() -> None:
    for name, table in (("calibration", calibration), ("graphs", graphs), ("cost", cost)):
        stored = RESULTS / ("cost.jsonl" if name == "cost" else "calibration.jsonl")
        put_table(PAGE, name, table(lines.read(stored)))


def calibration(rows: list[dict]) -> str:
    cells = []
    for recipe, runs in by_recipe(rows):
        edges = [edge for run in runs for edge in run["edges"]]
        for high, low in pairwise((2.0, *LEVELS)):
            inside = [edge for edge in edges if low <= edge["frequency"] < high]
            label = "1" if low == 1 else f"{low:g} to {min(high, 1):g}"
            cells.append([recipe, label, len(inside), share(inside, "true"), share(inside, "turned")])
        frequent = [edge for edge in edges if edge["frequency"] >= 0.9]
        shares = share(frequent, "true"), share(frequent, "turned")
        cells.append([recipe, "**0.9 or more**", len(frequent), *(f"**{value}**" for value in shares)])
    return markdown_table(["recipe", "frequency", "edges", "true", "turned around"], cells)


def share(edges: list[dict], what: str) -> str:
    return f"{np.mean([edge[what] for edge in edges]):.1%}" if edges else ""


def graphs(rows: list[dict]) -> str:
    cells = []
    for recipe, runs in by_recipe(rows):
        false = [sum(e["frequency"] >= 0.9 and not e["true"] for e in run["edges"]) for run in runs]
        figures = [
            np.mean([run[name] for run in runs]) for name in ("true_edges", "shd", "consensus_shd", "bound")
        ]
        cells.append([recipe, len(runs), *(f"{figure:.1f}" for figure in figures), f"{np.mean(false):.2f}"])
    header = ["recipe", "graphs", "true edges", "SHD, one fit", "SHD, consensus"]
    return markdown_table([*header, "bound on false edges at 0.9", "false edges at 0.9"], cells)


def cost(rows: list[dict]) -> str:
    cells = []
    for row in rows:
        cell = [row[name] for name in ("recipe", "n_variables", "n_samples", "n_halves")]
        for clock in ("seconds", "cpu_seconds"):
            fit, halves = row[f"fit_{clock}"], row[f"halves_{clock}"]
            cell += [fit, halves, f"{halves / fit:.1f}"]
        cells.append(cell)
    clocks = ["one fit, s", "all of them, s", "ratio", "one fit, CPU s", "all of them, CPU s", "CPU ratio"]
    return markdown_table(["recipe", "d", "n", "half-samples", *clocks], cells)


def by_recipe(rows: list[dict]) -> list[tuple[str, list[dict]]]:
    recipes = dict.fromkeys(row["recipe"] for row in rows)
    return [(recipe, [row for row in rows if row["recipe"] == recipe]) for recipe in recipes]


if __name__ == "__main__":
    main()
