"""Recipes on tables of many variables, each run in a process of its own; one JSON line a run.

    python -m benchmarks.scale.variables [--recipes additive ...] [--sizes 50 100 ...] [--seeds 1000-1000]

Lines are appended as runs finish, and what is already there is not run again. Seconds are those of `learn`.
Memory is the peak of the process, and where others work for it, of the largest one once for each core.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from benchmarks.options import seeds
from benchmarks.provenance import commit, machine, now

import mcsl
from benchmarks import lines

RESULTS = Path(__file__).parents[1] / "results" / "variables.jsonl"
CELL = {"model": "gp-add", "degree": 1, "n_samples": 3000}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--recipes", nargs="+", default=["additive"], choices=["additive", "default"])
    parser.add_argument("--sizes", nargs="+", type=int, default=[50, 100, 200, 400, 1000])
    parser.add_argument("--seeds", type=seeds, default="1000-1000", help="first-last, or none")
    parser.add_argument("--one", nargs=2, metavar=("TABLE", "RECIPE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(learn_one(*options.one)))
        return
    done = {(row["recipe"], row["n_variables"], row["seed"]) for row in lines.read(RESULTS)}
    for n_variables in options.sizes:
        for seed in options.seeds:
            for recipe in options.recipes:
                if (recipe, n_variables, seed) not in done:
                    record(recipe, n_variables, seed)


def record(recipe: str, n_variables: int, seed: int) -> None:
    simulation = mcsl.simulate(**CELL, n_variables=n_variables, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.npz"
        np.savez(table, values=simulation.dataset.values, truth=simulation.graph.adjacency)
        command = [sys.executable, "-m", "benchmarks.scale.variables", "--one", str(table), recipe]
        found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    row = {"recipe": recipe, **CELL, "n_variables": n_variables, "seed": seed, **found}
    lines.append(RESULTS, row)
    print(
        f"{recipe:10} {n_variables:5d} {seed}  SHD {row['shd']:3d}  {row['cpu_seconds']:7.1f} CPU s",
        flush=True,
    )


def learn_one(table: str, recipe: str) -> dict:
    stored = np.load(table)
    names = [f"x{k + 1}" for k in range(len(stored["truth"]))]
    truth = mcsl.CausalGraph(stored["truth"], names)
    dataset = mcsl.Dataset(stored["values"], truth.names)
    load, began, cpu = os.getloadavg()[0], time.perf_counter(), time.process_time()
    result = mcsl.learn(dataset, mcsl.Recipe.named(recipe, len(names)))
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    stop_workers()
    own, workers = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu += workers.ru_utime + workers.ru_stime
    metrics = mcsl.evaluate(result.graph, truth)
    return {
        "shd": metrics.shd,
        "true_edges": truth.n_edges,
        "edge_counts": result.edge_counts,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
        "timings": {step: round(spent, 1) for step, spent in result.timings.items()},
        "peak_mib": round((own.ru_maxrss + (os.cpu_count() or 1) * workers.ru_maxrss) / 1024),
        "load": round(load, 1),
        "commit": commit(),
        "machine": machine(),
        "when": now(),
    }


def stop_workers() -> None:
    """Let joblib's processes end, so that their time and memory are counted."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True)


if __name__ == "__main__":
    main()
