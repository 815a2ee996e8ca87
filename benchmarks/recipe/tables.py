"""Write the tables and the figure of docs/recipe.md: `python -m benchmarks.recipe.tables`."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
from benchmarks.paper import models_of, papers_lines, scenario_of
from benchmarks.readme import markdown_table, put_table
from benchmarks.recipe.run import ABLATIONS, RESULTS, SCENARIOS
from benchmarks.run import RESULTS as COMPARISON

from benchmarks import lines

PAGE = Path(__file__).parents[2] / "docs" / "recipe.md"
STANDARDIZED = "default, standardised"
COLUMNS = {
    "default": "default, raw",
    STANDARDIZED: STANDARDIZED,
    "additive": "additive",
    "least squares": "least squares, raw",
    "sort by variance": "sorted by variance, raw",
    "true order": "true order, additive tests",
    "true order, all tests": "true order, the default's tests",
}
OTHERS = ("sort by variance", "true order", "true order, all tests")
Cells = dict[tuple[str, str], list[dict]]


def main() -> None:
    cells = read_cells()
    put_table(PAGE, "recipes", recipe_table(cells))
    put_table(PAGE, "ablation", ablation_table(cells))
    draw_ablation(cells, PAGE.with_name("images") / "ablation.png")


def read_cells() -> Cells:
    """Return the runs of every (scenario, method) on raw data, and of the default on standardised data."""
    cells = defaultdict(list)
    for row in lines.read(RESULTS):
        if not row["standardized"]:
            cells[row["scenario"], row["method"]].append(row)
        elif row["method"] == "default":
            cells[row["scenario"], STANDARDIZED].append(row)
    ours = set(cells)
    for row in lines.read(COMPARISON):
        cell = row["scenario"], row["method"]
        others = row["method"] in OTHERS and row["status"] == "ok" and not row["standardized"]
        if others and cell not in ours:
            cells[cell].append(row)
    return cells


def recipe_table(cells: Cells) -> str:
    paper = papers_figures()
    rows = []
    for scenario in SCENARIOS:
        if cells.get((scenario, "default")):
            seconds = np.median([run["seconds"] for run in cells[scenario, "default"]])
            figures = [figure(cells.get((scenario, method), ())) for method in COLUMNS]
            rows.append([scenario, *paper.get(scenario, ("", "")), *figures, f"{seconds:.0f}"])
    header = ["data", "the paper's best", "the paper's MCSL", *COLUMNS.values(), "seconds, default"]
    return markdown_table(header, rows)


def papers_figures() -> dict[str, tuple[str, str]]:
    """Return the mean SHD of the paper's best method and of MCSL-MLP; its `gp` may be read in two ways."""
    shd = defaultdict(dict)
    for line in papers_lines():
        for model in models_of(line):
            shd[scenario_of(line, model)][line["method"]] = float(line["shd"])
    return {
        name: (str(min(by_method.values())), str(by_method.get("MCSL-MLP", "")))
        for name, by_method in shd.items()
    }


def ablated(cells: Cells) -> list[str]:
    """Return the scenarios in which parts were left out."""
    return [s for s in SCENARIOS if any((s, f"default without {part}") in cells for part in ABLATIONS)]


def compared(cells: Cells, scenario: str) -> list[list[dict]]:
    """Return the runs of the default, and of the default without each part, on the same seeds."""
    without = [cells.get((scenario, f"default without {part}"), []) for part in ABLATIONS]
    seeds = {run["seed"] for runs in without for run in runs}
    return [[run for run in cells[scenario, "default"] if run["seed"] in seeds], *without]


def ablation_table(cells: Cells) -> str:
    rows = [[scenario, *map(figure, compared(cells, scenario))] for scenario in ablated(cells)]
    return markdown_table(["data", "default", *(f"without {part}" for part in ABLATIONS)], rows)


def draw_ablation(cells: Cells, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    panels = {scenario: compared(cells, scenario) for scenario in ablated(cells)}
    # Where nothing is ever wrong there is nothing to see.
    panels = {name: runs for name, runs in panels.items() if any(run["shd"] for part in runs for run in part)}
    n_rows = -(-len(panels) // 4)
    chart, grid = plt.subplots(n_rows, 4, figsize=(11, 3.4 * n_rows), sharey=True, squeeze=False)
    axes = grid.ravel()
    labels = ["default", *(f"without {part}" for part in ABLATIONS)]
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    for axis, (scenario, columns) in zip(axes, panels.items(), strict=False):
        for place, runs in enumerate(columns):
            shd = [run["shd"] for run in runs]
            if shd:
                axis.barh(place, np.mean(shd), xerr=np.std(shd), color="#1f6f8b" if place == 0 else "#c9b79c")
        axis.set_title(scenario, fontsize=9)
        axis.set_xlim(left=0)
        axis.set_xlabel("SHD", fontsize=8)
        axis.tick_params(labelsize=8)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_yticks(range(len(labels)), labels)
    axes[0].invert_yaxis()
    chart.tight_layout()
    path.parent.mkdir(exist_ok=True)
    chart.savefig(path, dpi=110)
    plt.close(chart)


def figure(runs) -> str:
    if not runs:
        return ""
    shd = [run["shd"] for run in runs]
    return f"{np.mean(shd):.1f} ± {np.std(shd):.1f} ({len(shd)})"


if __name__ == "__main__":
    main()
