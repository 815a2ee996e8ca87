"""Recipes on the paper's data models, standardised or raw: one JSON line per (scenario, method, seed).

    python benchmarks/recipe/run.py [--scenarios gp-ER4-10 ...] [--methods default ...] [--seeds 1000-1004]

Lines are appended as runs finish, and what is already there is not run again.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import mcsl
from mcsl.graph import CausalGraph
from mcsl.graph.causal_graph import topological_order
from mcsl.problem import Problem

RESULTS = Path(__file__).parent / "results" / "recipe.jsonl"

SCENARIOS = {
    f"{model}-ER{degree}-{d}": {"model": model, "degree": degree, "n_variables": d}
    for model, degrees, sizes in [
        ("gp-add", (1, 4), (10, 20, 50, 100)),
        ("gp", (1, 4), (10, 20, 50)),
        ("gp", (1,), (100,)),
        ("quadratic", (1,), (10, 20, 50)),
        ("pnl", (1,), (10, 20, 50)),
    ]
    for degree in degrees
    for d in sizes
}
SCENARIOS |= {
    f"gp-SF{degree}-50": {"model": "gp", "degree": degree, "n_variables": 50, "graph": "sf"}
    for degree in (1, 4)
}
SCENARIOS |= {
    f"gp-add-ER{degree}-20-n{n}": {"model": "gp-add", "degree": degree, "n_variables": 20, "n_samples": n}
    for degree in (1, 4)
    for n in (300, 1000, 10_000)
}
SCENARIOS |= {
    f"gp-add-ER{degree}-{d}-unequal": {
        "model": "gp-add",
        "degree": degree,
        "n_variables": d,
        "n_samples": 1000,
        "noise": "unequal",
    }
    for degree in (1, 4)
    for d in (10, 20)
}


def by_recipe(recipe: mcsl.Recipe):
    return lambda dataset, truth: mcsl.learn(dataset, recipe).graph


def by_order(order_of):
    """Complete an order and prune it with the default recipe's pruner."""

    def run(dataset, truth):
        problem = Problem.from_dataset(dataset.standardized())
        place = np.argsort(order_of(dataset, truth))
        full = CausalGraph(place[:, None] < place, dataset.names)
        return mcsl.Recipe.default().pruner.prune(full, problem).graph

    return run


METHODS = {
    "default": by_recipe(mcsl.Recipe.default()),
    "additive": by_recipe(mcsl.Recipe.additive()),
    "masked": by_recipe(mcsl.Recipe.masked()),
    "default, additive tests": by_recipe(
        replace(mcsl.Recipe.default(), pruner=mcsl.Recipe.additive().pruner)
    ),
    "default, additive order": by_recipe(replace(mcsl.Recipe.default(), order=mcsl.Recipe.additive().order)),
    "true order": by_order(lambda dataset, truth: topological_order(truth.adjacency)),
    "sort by variance": by_order(lambda dataset, truth: np.argsort(dataset.values.var(axis=0))),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scenarios", nargs="+", default=list(SCENARIOS), choices=SCENARIOS, metavar="NAME")
    parser.add_argument("--methods", nargs="+", default=["default"], choices=METHODS)
    parser.add_argument("--seeds", default="1000-1004", help="first-last")
    parser.add_argument("--standardized", action="store_true", help="hide the units from every method")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split("-"))
    RESULTS.parent.mkdir(exist_ok=True)
    done = set()
    if RESULTS.exists():
        rows = map(json.loads, RESULTS.read_text().splitlines())
        done = {(row["scenario"], row["method"], row["seed"], row["standardized"]) for row in rows}
    for scenario in options.scenarios:
        for seed in range(first, last + 1):
            keys = {method: (scenario, method, seed, options.standardized) for method in options.methods}
            if all(key in done for key in keys.values()):
                continue
            simulation = mcsl.simulate(**SCENARIOS[scenario], seed=seed)
            dataset = simulation.dataset.standardized() if options.standardized else simulation.dataset
            for method, key in keys.items():
                if key not in done:
                    record(METHODS[method], dataset, simulation.graph, key)


def record(method, dataset, truth, key) -> None:
    began, cpu = time.perf_counter(), time.process_time()
    graph = method(dataset, truth)
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu
    scenario, name, seed, standardized = key
    row = {
        "scenario": scenario,
        "method": name,
        "seed": seed,
        "standardized": standardized,
        **mcsl.evaluate(graph, truth).as_dict(),
        "true_edges": truth.n_edges,
        "seconds": round(seconds, 2),
        "cpu_seconds": round(cpu_seconds, 2),
        "load": round(os.getloadavg()[0], 1),
        "version": mcsl.__version__,
    }
    with RESULTS.open("a") as file:
        file.write(json.dumps(row) + "\n")
    print(f"{scenario:24} {name:24} {seed}  SHD {row['shd']:4d}  {seconds:6.1f} s", flush=True)


if __name__ == "__main__":
    main()
