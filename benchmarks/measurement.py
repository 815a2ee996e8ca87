"""Tables as they are measured: what do bent scales, ties, bounds and switches cost?

    python -m benchmarks.measurement [--seeds 1000-1019]      # run what is missing, and write the table
    python -m benchmarks.measurement --seeds none             # write the table alone

Six variables with 1.5 edges each and 600 rows. Every cause acts by a smooth random function of what was
measured of it, so that a bound or a switch is a part of the mechanism; half of the variables are measured in
a bent or a coarse way, the others as they are.
"""

import argparse
from collections import defaultdict
from itertools import product
from pathlib import Path

import numpy as np
from benchmarks.options import seeds
from benchmarks.provenance import now
from benchmarks.readme import markdown_table, put_table

import mcsl
from benchmarks import lines
from mcsl.graph.causal_graph import topological_order
from mcsl.simulation import simulate_dag
from mcsl.simulation.series import Wave

RESULTS = Path(__file__).parent / "results" / "measurement.jsonl"
PAGE = Path(__file__).parents[1] / "docs" / "your-table.md"
N_VARIABLES, DEGREE, N_SAMPLES, NOISE = 6, 1.5, 600, 0.6
RECIPES = ("default", "additive")
KINDS = {
    "as they are": lambda z, rng: z,
    "multiplied (exp)": lambda z, rng: np.exp(z),
    "percentages (logistic)": lambda z, rng: 100 / (1 + np.exp(-1.5 * z)),
    "saturated (arctan)": lambda z, rng: np.arctan(2 * z),
    "stretched on both sides (cubes)": lambda z, rng: z**3,
    "whole numbers": lambda z, rng: np.round(3 * z),
    "counts (Poisson)": lambda z, rng: rng.poisson(np.exp(0.8 * z)).astype(float),
    "cut off at the 30% quantile": lambda z, rng: np.maximum(z, np.quantile(z, 0.3)),
    "percentages with masses at both ends": lambda z, rng: np.clip(50 + 45 * z, 0, 100),
    "40% of the rows at a default value": lambda z, rng: np.where(rng.random(len(z)) < 0.4, 0.0, z),
    "five grades": lambda z, rng: np.clip(np.round(z), -2, 2),
    "three grades": lambda z, rng: np.clip(np.round(z), -1, 1),
    "yes and no": lambda z, rng: (z > 0).astype(float),
}


def draw(kind: str, seed: int) -> tuple[np.ndarray, mcsl.CausalGraph]:
    """Draw a table and the graph behind it; all kinds have the same graphs, functions and noises."""
    rng, measuring_rng = np.random.default_rng(seed).spawn(2)
    graph = simulate_dag(N_VARIABLES, DEGREE, rng)
    is_changed = rng.permutation(N_VARIABLES) < N_VARIABLES // 2
    values = np.empty((N_SAMPLES, N_VARIABLES))
    for i in topological_order(graph.adjacency):
        signal = NOISE * rng.standard_normal(N_SAMPLES)
        causes = np.flatnonzero(graph.adjacency[:, i])
        for j in causes:
            signal += _standardized(Wave.draw(rng)(_standardized(values[:, j]))) / np.sqrt(len(causes))
        z = _standardized(signal)
        values[:, i] = KINDS[kind](z, measuring_rng) if is_changed[i] else z
    return values, graph


def _standardized(x: np.ndarray) -> np.ndarray:
    return (x - x.mean()) / (x.std() or 1.0)


def table(rows: list[dict]) -> str:
    found = defaultdict(list)
    for row in rows:
        found[row["kind"], row["recipe"]].append(row["shd"])
    cells = [
        [
            kind,
            *(
                f"{np.mean(shd):.1f} ± {np.std(shd):.1f}"
                for recipe in RECIPES
                if (shd := found[kind, recipe])
            ),
        ]
        for kind in KINDS
    ]
    return markdown_table(["half of the variables", *(f"`{recipe}`" for recipe in RECIPES)], cells)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=seeds, default="1000-1019", help="first-last, or none")
    chosen = parser.parse_args().seeds
    done = {(row["kind"], row["recipe"], row["seed"]) for row in lines.read(RESULTS)}
    for seed, kind, recipe in product(chosen, KINDS, RECIPES):
        if (kind, recipe, seed) not in done:
            values, truth = draw(kind, seed)
            metrics = mcsl.evaluate(mcsl.learn(values, recipe).graph, truth)
            row = {"kind": kind, "recipe": recipe, "seed": seed, "true_edges": truth.n_edges}
            lines.append(RESULTS, row | metrics.as_dict() | {"version": mcsl.__version__, "date": now()})
    put_table(PAGE, "measurement", table(lines.read(RESULTS)))


if __name__ == "__main__":
    main()
