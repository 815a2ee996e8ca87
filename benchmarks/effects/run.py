"""Do intervals of effects hold the truth when the graph is right? One JSON line per simulated effect.

    python -m benchmarks.effects.run [--models gp-add gp ...] [--seeds 1000-1024] [--out FILE]
    python -m benchmarks.effects.tables

Each seed draws a graph of eight variables, a table of 1000 rows along it (500 for gp), and one pair of a
cause and a descendant. The effect of moving the cause from its 20% to its 80% quantile is estimated on the
true graph and compared with the same rows, and as many more, simulated under do().
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
from benchmarks.options import seeds
from benchmarks.provenance import machine, now, versions

import mcsl
from mcsl.graph.causal_graph import closure
from mcsl.problem import Problem
from mcsl.sem import fit_sem
from mcsl.simulation import simulate_from

RESULTS = Path(__file__).parent / "results" / "effects.jsonl"
MODELS = ("gp-add", "gp", "quadratic", "mlp", "linear")


def run(model: str, seed: int, *, n_variables: int = 8, degree: float = 1.5) -> dict:
    # Exact draws of a Gaussian process of three or more causes take the cube of the rows.
    n_samples = 500 if model == "gp" else 1000
    rng = np.random.default_rng([seed, MODELS.index(model)])
    while True:
        plain = mcsl.simulate(
            model, n_variables=n_variables, degree=degree, n_samples=20, seed=int(rng.integers(2**31))
        )
        reached = closure(plain.graph.adjacency) & ~np.eye(n_variables, dtype=bool)
        if reached.any():
            break
    pairs = np.argwhere(reached)
    cause, effect = (plain.graph.names[i] for i in pairs[rng.integers(len(pairs))])
    worlds = [{cause: lambda x, q=q: np.quantile(x, q)} for q in (0.2, 0.8)]
    simulation = simulate_from(
        plain.graph, model, rng=rng, n_samples=2 * n_samples, noise="unequal", interventions=worlds
    )
    names = simulation.dataset.names
    low, high = (table.values for table in simulation.interventional)
    truth = float(np.mean((high - low)[:, names.index(effect)]))
    table = mcsl.Dataset(simulation.dataset.values[:n_samples], names)
    began = time.perf_counter()
    model_fit = fit_sem(simulation.graph, Problem.from_dataset(table))
    fitted = time.perf_counter()
    at = names.index(cause)
    found = model_fit.effect(cause, effect, float(low[0, at]), float(high[0, at]))
    return {
        "model": model,
        "seed": seed,
        "truth": truth,
        "estimate": found.estimate,
        "low": found.low,
        "high": found.high,
        "level": found.level,
        "covered": bool(found.low <= truth <= found.high),
        "deviation": float(table.values[:, names.index(effect)].std()),
        "direct": (cause, effect) in simulation.graph.edges,
        "seconds_fit": fitted - began,
        "seconds_effect": time.perf_counter() - fitted,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--seeds", type=seeds, default="1000-1024", help="first-last, or none")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    where = {"when": now(), "machine": machine(), "versions": versions(["mcsl", "numpy", "scipy"])}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    rows = []
    with options.out.open("w", encoding="utf-8") as out:
        out.write(json.dumps(where) + "\n")
        for model in options.models:
            mine = [run(model, seed) for seed in options.seeds]
            out.writelines(json.dumps(row) + "\n" for row in mine)
            out.flush()
            rows += mine
            print(f"{model:<10} {summary(mine)}")
    print(f"{'all':<10} {summary(rows)}")


def summary(rows: list[dict]) -> str:
    covered = np.mean([row["covered"] for row in rows])
    error = np.median([abs(row["estimate"] - row["truth"]) / row["deviation"] for row in rows])
    width = np.median([(row["high"] - row["low"]) / row["deviation"] for row in rows])
    seconds = [np.median([row[key] for row in rows]) for key in ("seconds_fit", "seconds_effect")]
    return (
        f"{len(rows)} effects, {covered:.0%} covered; of the effect's deviation: error {error:.3f}, "
        f"width {width:.3f}; {seconds[0]:.2f} s to fit, {seconds[1]:.2f} s an effect"
    )


if __name__ == "__main__":
    main()
