"""What learning costs by the number of variables, against a model of it: one JSON line a size.

    python -m benchmarks.scale.cost [--sizes 100 200 400 800]

The additive recipe on gp-add ER1 tables of 1000 rows, a process each. The model is calibrated on two sizes
and says what the others cost; the table of docs/scaling.md is written from the lines. What is already there
is not run again.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from benchmarks.provenance import ROOT, commit, machine, now
from benchmarks.readme import markdown_table, put_table

import mcsl
from benchmarks import lines

RESULTS = Path(__file__).parents[1] / "results" / "cost.jsonl"
PAGE = ROOT / "docs" / "scaling.md"
N_SAMPLES = 1000
CALIBRATED_ON = (100, 400)


def measure(size: int) -> dict:
    """CPU seconds and peak memory of learning, without the interpreter and its imports."""
    mcsl.learn(
        mcsl.simulate("gp-add", n_variables=5, degree=1, n_samples=100, seed=0).dataset,
        mcsl.Recipe.additive(),
    )
    simulation = mcsl.simulate("gp-add", n_variables=size, degree=1, n_samples=N_SAMPLES, seed=1000)
    before, start = peak_mebibytes(), time.process_time()
    result = mcsl.learn(simulation.dataset, mcsl.Recipe.additive())
    seconds = time.process_time() - start
    return {
        "n_variables": size,
        "n_samples": N_SAMPLES,
        "cpu_seconds": round(seconds, 2),
        "mebibytes": round(peak_mebibytes() - before, 1),
        "candidates": result.edge_counts["screened"] / size,
        "shd": mcsl.evaluate(result.graph, simulation.graph).shd,
    }


def peak_mebibytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def read_rows() -> dict[int, dict]:
    return {row["n_variables"]: row for row in lines.read(RESULTS)}


def predictor(rows: dict[int, dict]):
    """a d + b d^2: what every variable costs, and what every pair does."""
    sizes = np.array(CALIBRATED_ON, dtype=float)
    a, b = np.linalg.solve(
        np.stack([sizes, sizes**2], axis=1), [rows[d]["cpu_seconds"] for d in CALIBRATED_ON]
    )
    return lambda size: a * size + b * size**2


def write_tables() -> None:
    rows = read_rows()
    seconds = predictor(rows)
    cells = [
        (
            d,
            "calibrated" if d in CALIBRATED_ON else f"{seconds(d):.1f}",
            f"{row['cpu_seconds']:.1f}",
            f"{144 * N_SAMPLES * d / 2**20:.0f}",
            f"{row['mebibytes']:.0f}",
        )
        for d, row in sorted(rows.items())
    ]
    header = ["variables", "CPU seconds, predicted", "measured", "MiB, predicted", "measured"]
    put_table(PAGE, "cost", markdown_table(header, cells))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 200, 400, 800])
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one)))
        return
    for size in options.sizes:
        if size in read_rows():
            continue
        command = [sys.executable, "-m", "benchmarks.scale.cost", "--one", str(size)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        row = {**json.loads(done.stdout), "commit": commit(), "machine": machine(), "when": now()}
        lines.append(RESULTS, row)
        print(row, flush=True)
    write_tables()


if __name__ == "__main__":
    main()
