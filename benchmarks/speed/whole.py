"""A whole `mcsl learn`, from reading to pruning, against the steps of a whole fit of gCastle's MCSL."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from benchmarks.provenance import machine, now
from benchmarks.speed.worker import Worker

from mcsl import simulate

HERE = Path(__file__).parent
# gCastle ends after some 28 stages of 1,000 steps.
N_STEPS = 28_000
# Variables, and how many of gCastle's steps one measurement spans.
SIZES = {10: 20, 20: 10, 50: 4, 100: 2}


def measure(peers: Path | None, n_rounds: int) -> Iterator[dict]:
    """Yield a record for each number of variables: wall seconds on all cores, both programs in turn."""
    gcastle = Worker([peers, HERE / "gcastle.py"], None) if peers else None
    began = now()
    with tempfile.TemporaryDirectory() as directory:
        for n_variables, n_steps in SIZES.items():
            dataset = simulate("gp", n_variables=n_variables, degree=1, seed=1000).dataset
            table, array = Path(directory) / "table.csv", Path(directory) / "table.npy"
            np.save(array, dataset.values)
            np.savetxt(table, dataset.values, delimiter=",", header=",".join(dataset.names), comments="")
            request = {"what": "step", "table": str(array), "dtype": "float64", "n_steps": n_steps}
            request["n_threads"] = os.cpu_count()
            learned, steps = [], []
            for _ in range(n_rounds):
                command = [sys.executable, "-m", "mcsl", "learn", str(table), "--out", directory + "/out"]
                start = time.perf_counter()
                subprocess.run([*command, "--force"], check=True, stdout=subprocess.DEVNULL)
                learned.append(round(time.perf_counter() - start, 2))
                if gcastle:
                    steps.append(float(f"{gcastle.ask(**request)['wall']:.4g}"))
            yield {
                "run": began,
                "n_variables": n_variables,
                "seconds": {"mcsl learn": learned, "gcastle, a step": steps},
                "load_average": os.getloadavg(),
                "machine": machine(),
            }
    if gcastle:
        gcastle.close()


def row(record: dict) -> list[str]:
    """Return a row of the table: minima over the rounds, and their ratio."""
    learned = min(record["seconds"]["mcsl learn"])
    steps = record["seconds"]["gcastle, a step"]
    whole = N_STEPS * min(steps) if steps else None
    return [
        str(record["n_variables"]),
        f"{learned:.1f}",
        f"{1e3 * min(steps):.0f}" if steps else "-",
        f"{whole / 3600:.1f}" if whole else "-",
        f"**{whole / learned:.0f}x**" if whole else "-",
    ]


HEADER = ["variables", "`mcsl learn` (s)", "gCastle, a step (ms)", "28,000 steps (hours)", "faster"]
