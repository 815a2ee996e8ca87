"""Hundreds of random small problems in one process: does memory grow, is every graph acyclic, does it warn?

    python -m benchmarks.soak [--problems 500] [--first-seed 1000]

Problem k is drawn by the seed `first_seed + k`: a data model, 2 to 8 variables, 50 to 300 rows, the recipe
`additive` or `default`, and now and then groups, lags or missing values. Warnings are errors. Memory is the
resident set after a collection of garbage; that of the last hundred problems is compared with the second
hundred. One JSON line is appended to the results.
"""

import argparse
import gc
import json
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.provenance import commit, machine, now, versions

import mcsl
from benchmarks import lines
from mcsl.graph import is_acyclic

RESULTS = Path(__file__).parent / "results" / "soak.jsonl"
MODELS = ("gp", "gp-add", "linear", "mlp", "pnl", "quadratic")
PAGE = 4096


def problem(seed: int) -> tuple[str, dict[str, Any]]:
    """Draw the arguments of `learn`, and say what kind of problem it is."""
    rng = np.random.default_rng(seed)
    recipe = mcsl.Recipe.default() if rng.random() < 0.4 else mcsl.Recipe.additive()
    n_variables = int(rng.integers(2, 9))
    size = {
        "n_variables": n_variables,
        "n_samples": int(rng.integers(50, 301)),
        "degree": float(rng.uniform(0, min(2, (n_variables - 1) / 2))),
    }
    kind = rng.choice(["plain", "groups", "lags", "missing"], p=[0.7, 0.1, 0.1, 0.1])
    options: dict[str, Any] = {"recipe": recipe, "seed": seed}
    if kind == "groups":
        simulation = mcsl.simulate("gp-vec", **size, seed=seed)
        return kind, {**options, "data": simulation.dataset, "groups": simulation.groups}
    if kind == "lags":
        series = mcsl.simulate_series(**size, seed=seed)
        return kind, {**options, "data": series.dataset, "lags": 1}
    table = mcsl.simulate(str(rng.choice(MODELS)), **size, seed=seed).dataset
    if kind == "missing":
        values = table.values.copy()
        values[rng.random(values.shape) < 0.02] = np.nan
        rule = str(rng.choice(["drop", "impute", "mask"]))
        return kind, {**options, "data": mcsl.Dataset(values, table.names), "missing": rule}
    return kind, {**options, "data": table}


def resident_mib() -> float:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=500)
    parser.add_argument("--first-seed", type=int, default=1000)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    memory: list[float] = []
    failures: list[dict[str, Any]] = []
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(options.first_seed, options.first_seed + options.problems):
            kind, arguments = problem(seed)
            counts[kind] += 1
            try:
                acyclic = is_acyclic(mcsl.learn(**arguments).graph.adjacency)
                refused = False
            except mcsl.DataError:
                refused = True
            except Exception as error:
                acyclic, refused = False, False
                failures.append({"seed": seed, "kind": kind, "error": f"{type(error).__name__}: {error}"})
            counts["refused" if refused else "acyclic" if acyclic else "failed"] += 1
            memory.append(resident_mib())
            if seed % 50 == 0:
                print(seed, f"{memory[-1]:.0f} MiB", *failures, flush=True)
    second, last = (float(np.mean(part)) for part in (memory[100:200], memory[-100:]))
    line = {
        "problems": options.problems,
        "first_seed": options.first_seed,
        "counts": dict(sorted(counts.items())),
        "failures": failures,
        "resident_mib": {"second_hundred": round(second, 1), "last_hundred": round(last, 1)},
        "seconds": round(time.perf_counter() - began, 1),
        "commit": commit(),
        "at": now(),
        "machine": machine(),
        "versions": versions(["mcsl", "numpy", "scipy", "scikit-learn"]),
    }
    lines.append(RESULTS, line)
    print(json.dumps(line, indent=2))


if __name__ == "__main__":
    main()
