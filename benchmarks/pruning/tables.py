"""Write the tables of docs/pruning.md from results/: `python -m benchmarks.pruning.tables`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from benchmarks.pruning.accuracy import CELLS
from benchmarks.pruning.cases import Log
from benchmarks.pruning.size import NOISES
from benchmarks.readme import markdown_table, put_table

PAGE = Path(__file__).parents[2] / "docs" / "pruning.md"
PRUNERS = {
    "additive": "`AdditivePruner()`",
    "additive-f": '`AdditivePruner(mode="f")`',
    "pairwise": "pairwise",
    "quadratic": "`QuadraticPruner()`",
    "interactions": "`InteractionPruner()`",
}


def main() -> None:
    for name, table in (("accuracy", accuracy), ("mgcv", mgcv), ("size", size), ("scale", scale)):
        put_table(PAGE, name, table(Log(name).rows))


def accuracy(rows: list[dict]) -> str:
    cells = grouped(rows, "model", "degree", "n_variables", "pruner")
    lines = [
        [f"{model} ER{degree}, d = {d}", *(spread(cells[model, degree, d, pruner]) for pruner in PRUNERS)]
        for model, d, degree in CELLS
    ]
    return markdown_table(["data", *PRUNERS.values()], lines)


def spread(rows: list[dict]) -> str:
    distances = [row["missing"] + row["extra"] for row in rows]
    return f"{np.mean(distances):.1f} ± {np.std(distances):.1f} ({len(rows)})" if rows else ""


def mgcv(rows: list[dict]) -> str:
    lines = [
        [f"{model} ER{degree}, d = {d}", *comparison(group)]
        for (d, degree, model), group in grouped(rows, "n_variables", "degree", "model").items()
    ]
    header = ["data", "edges", "equal, Wood", "equal, F", "mgcv, s", "Wood, s", "F, s", "times faster, Wood"]
    return markdown_table(header, [*lines, ["all", *comparison(rows)]])


def comparison(rows: list[dict]) -> list[str]:
    def total(name: str) -> float:
        return sum(row[name] for row in rows)

    shares = [f"{total(f'{mode}_equal') / total('edges'):.1%}" for mode in ("wood", "f")]
    seconds = [total(f"{program}_cpu_seconds") for program in ("mgcv", "wood", "f")]
    faster = f"{seconds[0] / seconds[1]:.0f}"
    return [str(total("edges")), *shares, *(f"{value:.1f}" for value in seconds), faster]


def size(rows: list[dict]) -> str:
    cells = grouped(rows, "noise", "pruner")
    lines = []
    for noise in NOISES:
        for pruner, name in {**PRUNERS, "additive-f-scores": '`mode="f"` on normal scores'}.items():
            if group := cells[noise, pruner]:
                nulls, at_05, at_001 = (
                    sum(row[k] for row in group) for k in ("nulls", "below_05", "below_001")
                )
                lines.append([noise, name, f"{nulls:,}", f"{at_05 / nulls:.3f}", f"{at_001 / nulls:.4f}"])
    return markdown_table(["noise", "pruner", "nulls", "at 0.05", "at 0.001"], lines)


def scale(rows: list[dict]) -> str:
    header = ["mode", "edges", "CPU seconds", "seconds", "peak memory, GiB"]
    names = ["mode", "edges", "cpu_seconds", "seconds", "peak_memory_gib"]
    return markdown_table(header, [[row[name] for name in names] for row in rows])


def grouped(rows: Iterable[dict], *names: str) -> defaultdict[tuple, list[dict]]:
    groups = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in names)].append(row)
    return groups


if __name__ == "__main__":
    main()
