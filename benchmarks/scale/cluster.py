"""Half-samples on a Dask cluster of two workers against the same in one process; one JSON line a pair.

    python -m benchmarks.scale.cluster [--repeats 3]

The cluster and its imports are up before the clock starts. Each repeat runs both, one after the other.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import dask
import distributed
import joblib
import numpy as np
from benchmarks.provenance import ROOT, commit, machine, now, versions
from benchmarks.readme import markdown_table, put_table

import mcsl
from benchmarks import lines

RESULTS = Path(__file__).parents[1] / "results" / "cluster.jsonl"
PAGE = ROOT / "docs" / "scaling.md"
CELL = {"model": "gp-add", "degree": 1, "n_variables": 10, "n_samples": 500, "seed": 1000}
N_HALVES = 40
N_WORKERS = 2
# Dask has workers give memory back at once, and with it arrays of 128 KiB and more are mapped anew each time,
# which costs a third of the time.
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": 2**30, "MALLOC_MMAP_THRESHOLD_": 2**25}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    dataset = mcsl.simulate(**CELL).dataset
    dask.config.set({"distributed.nanny.pre-spawn-environ": KEEP_MEMORY})
    cluster = distributed.LocalCluster(n_workers=N_WORKERS, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        halves_on("dask", dataset, n_halves=2 * N_WORKERS)
        halves_on("sequential", dataset, n_halves=2)
        for _ in range(repeats):
            load = os.getloadavg()[0]
            alone, alone_cpu, expected = timed(client, lambda: halves_on("sequential", dataset))
            spread, spread_cpu, found = timed(client, lambda: halves_on("dask", dataset))
            row = {
                **CELL,
                "n_halves": N_HALVES,
                "n_workers": N_WORKERS,
                "alone_seconds": alone,
                "cluster_seconds": spread,
                "alone_cpu_seconds": alone_cpu,
                "cluster_cpu_seconds": spread_cpu,
                "times_faster": round(alone / spread, 2),
                "same": bool(np.array_equal(found, expected)),
                "load": round(load, 2),
                "commit": commit(),
                "versions": versions(["mcsl", "joblib", "distributed"]),
                "machine": machine(),
                "when": now(),
            }
            lines.append(RESULTS, row)
            print(row, flush=True)
    write_table()


def write_table() -> None:
    header = ["one process, seconds", "cluster, seconds", "times faster", "same frequencies", "load"]
    rows = lines.read(RESULTS)
    names = "alone_seconds", "cluster_seconds", "times_faster"
    cells = [
        (*(row[name] for name in names), "yes" if row["same"] else "no", f"{row['load']:.0f}") for row in rows
    ]
    put_table(PAGE, "cluster", markdown_table(header, cells))


def halves_on(backend: str, dataset: mcsl.Dataset, n_halves: int = N_HALVES) -> np.ndarray:
    with joblib.parallel_config(backend):
        return mcsl.assess_stability(dataset, n_halves=n_halves).frequencies


def timed(client: distributed.Client, run) -> tuple[float, float, np.ndarray]:
    """Seconds, CPU seconds of this process and the workers together, and what came out."""
    start, cpu = time.perf_counter(), cpu_seconds(client)
    result = run()
    return round(time.perf_counter() - start, 2), round(cpu_seconds(client) - cpu, 2), result


def cpu_seconds(client: distributed.Client) -> float:
    return time.process_time() + sum(client.run(time.process_time).values())


if __name__ == "__main__":
    main()
