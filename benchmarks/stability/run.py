"""Are frequent edges true, and what do half-samples cost? One JSON line a graph.

    python -m benchmarks.stability.run calibration [--recipe default]
    python -m benchmarks.stability.run cost [--recipe default]

Lines are appended as runs finish, and what is already there is not run again.
"""

from __future__ import annotations

import argparse
import resource
import time
from itertools import product
from pathlib import Path

import numpy as np
from benchmarks.provenance import machine, now
from joblib.externals.loky import get_reusable_executor

import mcsl
from benchmarks import lines

RESULTS = Path(__file__).parent / "results"
N_HALVES = 20
N_JOBS = 2
CALIBRATION = [
    {"model": model, "degree": degree, "n_variables": 10, "n_samples": 1000, "seed": seed}
    for seed, degree, model in product(range(1000, 1005), (1, 2), ("gp-add", "gp", "quadratic"))
]
COST = [
    {"model": "gp-add", "degree": 1, "n_variables": 20, "n_samples": n_samples, "seed": 1000}
    for n_samples in (1000, 3000)
]


def calibration(simulation: mcsl.Simulation, recipe: mcsl.Recipe) -> dict:
    found = mcsl.assess_stability(simulation.dataset, recipe, n_halves=N_HALVES, n_jobs=N_JOBS)
    truth = simulation.graph.adjacency
    edges = [
        {
            "frequency": round(float(found.frequencies[at]), 3),
            "true": bool(truth[at]),
            "turned": bool(truth.T[at]),
        }
        for at in map(tuple, np.argwhere(found.frequencies > 0))
    ]
    return {
        "true_edges": simulation.graph.n_edges,
        "bound": round(found.false_edge_bound(0.9), 3),
        "shd": mcsl.evaluate(mcsl.learn(simulation.dataset, recipe).graph, simulation.graph).shd,
        "consensus_shd": mcsl.evaluate(found.consensus, simulation.graph).shd,
        "edges": edges,
    }


def cost(simulation: mcsl.Simulation, recipe: mcsl.Recipe) -> dict:
    # The first fit also pays for imports.
    mcsl.learn(simulation.dataset.values[:100], recipe)
    seconds, cpu_seconds = zip(
        timed(lambda: mcsl.learn(simulation.dataset, recipe)),
        timed(lambda: mcsl.assess_stability(simulation.dataset, recipe, n_halves=N_HALVES, n_jobs=N_JOBS)),
        strict=True,
    )
    names = "fit_seconds", "halves_seconds", "fit_cpu_seconds", "halves_cpu_seconds"
    return dict(zip(names, seconds + cpu_seconds, strict=True)) | {"machine": machine()}


def timed(run) -> tuple[float, float]:
    """Seconds, and CPU seconds with those of the workers, whose start counts too."""
    start, cpu = time.perf_counter(), cpu_seconds()
    run()
    seconds = time.perf_counter() - start
    # The CPU time of a worker is known once it has ended.
    get_reusable_executor().shutdown(wait=True)
    return round(seconds, 2), round(cpu_seconds() - cpu, 2)


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in used)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["calibration", "cost"])
    parser.add_argument("--recipe", choices=["default", "additive"], default="default")
    options = parser.parse_args()
    path = RESULTS / f"{options.what}.jsonl"
    rows = lines.read(path)
    cells, measure = {"calibration": (CALIBRATION, calibration), "cost": (COST, cost)}[options.what]
    for cell in cells:
        key = {"recipe": options.recipe, **cell}
        if any(key.items() <= row.items() for row in rows):
            continue
        start = time.perf_counter()
        figures = measure(mcsl.simulate(**cell), getattr(mcsl.Recipe, options.recipe)())
        seconds = round(time.perf_counter() - start, 1)
        row = {**key, "n_halves": N_HALVES, "n_jobs": N_JOBS, **figures, "seconds": seconds, "when": now()}
        lines.append(path, row)
        print({name: value for name, value in row.items() if name != "edges"}, flush=True)


if __name__ == "__main__":
    main()
