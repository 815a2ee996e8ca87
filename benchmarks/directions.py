"""Arrows that say how sure they are to point as they do: how often are they right?

    python -m benchmarks.directions [--seeds 1000-1019]      # run what is missing, and write the table
    python -m benchmarks.directions --seeds none             # write the table alone

Eight variables with 1.5 edges each; noise variances from 1 to 2. Arrows between two variables that no true
edge joins have no right direction and are left out; there are few.
"""

import argparse
from collections import defaultdict
from itertools import pairwise, product
from pathlib import Path

import numpy as np
from benchmarks.options import seeds
from benchmarks.provenance import now
from benchmarks.readme import markdown_table, put_table

import mcsl
from benchmarks import lines

RESULTS = Path(__file__).parent / "results" / "directions.jsonl"
PAGE = Path(__file__).parents[1] / "docs" / "using-the-model.md"
RECIPES = ("default", "additive")
KINDS = {
    "straight lines": {"straight": 1.0},
    "straight lines, 300 rows": {"straight": 1.0, "n_samples": 300},
    "straight lines, exponential noise": {"straight": 1.0, "noise_distribution": "exponential"},
    "half straight lines": {"straight": 0.5},
    "curves": {},
    "curves, 300 rows": {"n_samples": 300},
}
STEPS = (0.5, 0.6, 0.75, 0.9, 0.99, 1.0)


def judge(kind: str, recipe: str, seed: int) -> dict[str, list[float]]:
    """Return how sure the arrows that were found are of their directions: those right, wrong and beside."""
    settings = {"n_samples": 1000, **KINDS[kind]}
    simulation = mcsl.simulate("gp-add", n_variables=8, degree=1.5, noise="unequal", seed=seed, **settings)
    result, truth = mcsl.learn(simulation.dataset, recipe), simulation.graph.adjacency
    found = result.graph.adjacency
    places = {"right": found & truth, "wrong": found & truth.T, "beside": found & ~truth & ~truth.T}
    return {verdict: result.directions[place].round(4).tolist() for verdict, place in places.items()}


def table(rows: list[dict]) -> str:
    """Write for each step of surety and each kind how many arrows there were and how many were right."""
    said = defaultdict(lambda: ([], []))
    for row, (place, verdict) in product(rows, enumerate(("wrong", "right"))):
        for name in (row["kind"], "all"):
            said[name][place].extend(row[verdict])
    names = [*KINDS, "all"]
    cells = []
    for low, high in pairwise(STEPS):
        line = [f"{low:.2f} to {high:.2f}"]
        for name in names:
            wrong, right = (np.array(said[name][place]) for place in (0, 1))
            n_wrong, n_right = (
                int(((sure >= low) & ((sure < high) | (high == 1))).sum()) for sure in (wrong, right)
            )
            n = n_wrong + n_right
            line.append(f"{n_right / n:.0%} of {n}" if n else "")
        cells.append(line)
    return markdown_table(["direction", *names], cells)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=seeds, default="1000-1019", help="first-last, or none")
    chosen = parser.parse_args().seeds
    done = {(row["kind"], row["recipe"], row["seed"]) for row in lines.read(RESULTS)}
    for seed, kind, recipe in product(chosen, KINDS, RECIPES):
        if (kind, recipe, seed) not in done:
            row = {"kind": kind, "recipe": recipe, "seed": seed} | judge(kind, recipe, seed)
            lines.append(RESULTS, row | {"version": mcsl.__version__, "date": now()})
    put_table(PAGE, "directions", table(lines.read(RESULTS)))


if __name__ == "__main__":
    main()
