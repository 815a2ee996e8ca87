"""Millions of rows in a Parquet file, end to end: one JSON line per (rows, recipe, seed).

    python -m benchmarks.scale.rows [--rows 5000000] [--recipes additive default] [--seeds 1000]

The table (30 variables, one edge each, additive Gaussian processes) is drawn in batches and written to a
folder for temporary files. `mcsl learn` then runs in a process of its own, whose peak memory is read when it
ends; that of the bare interpreter is read in the same way. What is already there is not run again, and the
table in docs/scaling.md is written from the lines.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from benchmarks.provenance import commit, machine, now
from benchmarks.readme import markdown_table, put_table
from scipy.interpolate import CubicSpline

import mcsl
from benchmarks import lines
from mcsl.graph import CausalGraph
from mcsl.graph.causal_graph import topological_order
from mcsl.outputs import read_adjacency
from mcsl.simulation.gaussian_process import draw_gp
from mcsl.simulation.graphs import simulate_dag

RESULTS = Path(__file__).parents[1] / "results" / "rows.jsonl"
PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"
N_VARIABLES, DEGREE, BATCH = 30, 1, 250_000
# A function of a Gaussian process is smooth enough to be read between such points.
GRID = np.linspace(-20.0, 20.0, 2001)
# The usage that the system reports for a child would include that of its parent before it.
WATCHED = """
import sys
from pathlib import Path

file = sys.argv.pop(1)
try:
    if len(sys.argv) > 1:
        from mcsl.cli import main

        sys.exit(main())
finally:
    Path(file).write_text(Path("/proc/self/status").read_text())
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--recipes", nargs="+", default=["additive", "default"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1000])
    parser.add_argument("--memory", default="2GB")
    options = parser.parse_args()
    for seed in options.seeds:
        known = {key_of(row) for row in lines.read(RESULTS)}
        waiting = [r for r in options.recipes if (options.rows, options.memory, r, seed) not in known]
        if not waiting:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.parquet"
            truth = write_table(path, options.rows, seed)
            for recipe in waiting:
                record(path, truth, recipe, seed, options.rows, options.memory)
    put_table(PAGE, "rows", table(lines.read(RESULTS)))


def write_table(path: Path, n_rows: int, seed: int) -> CausalGraph:
    """Write the table in batches, so that it need not fit into memory, and return the graph behind it."""
    graph_rng, function_rng, noise_rng = np.random.default_rng(seed).spawn(3)
    graph = simulate_dag(N_VARIABLES, DEGREE, graph_rng)
    functions = {edge: CubicSpline(GRID, draw_gp(GRID[:, None], function_rng)[:, 0]) for edge in graph.edges}
    schema = pa.schema([(name, pa.float64()) for name in graph.names])
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for start in range(0, n_rows, BATCH):
            columns = dict(draw(graph, functions, min(BATCH, n_rows - start), noise_rng))
            writer.write_table(pa.table({name: columns[name] for name in graph.names}))
    return graph


def draw(
    graph: CausalGraph, functions: dict, n_rows: int, rng: np.random.Generator
) -> Iterator[tuple[str, np.ndarray]]:
    """Draw the columns of a batch, causes first."""
    drawn: dict[str, np.ndarray] = {}
    for node in topological_order(graph.adjacency):
        effect = graph.names[node]
        causes = [graph.names[j] for j in np.flatnonzero(graph.adjacency[:, node])]
        drawn[effect] = rng.standard_normal(n_rows)
        for cause in causes:
            drawn[effect] += functions[cause, effect](drawn[cause])
        yield effect, drawn[effect]


def record(path: Path, truth: CausalGraph, recipe: str, seed: int, n_rows: int, memory: str) -> None:
    out = path.parent / recipe
    began = time.perf_counter()
    peak = peak_memory("learn", path, "--out", out, "--recipe", recipe, "--memory", memory)
    seconds = time.perf_counter() - began
    found = CausalGraph(*read_adjacency(out / "adjacency.csv"))
    about = json.loads((out / "result.json").read_text())
    row = {
        "rows": n_rows,
        "variables": N_VARIABLES,
        "memory": memory,
        "recipe": recipe,
        "seed": seed,
        **mcsl.evaluate(found, truth).as_dict(),
        "true_edges": truth.n_edges,
        "seconds": round(seconds, 1),
        "rows_drawn": about["n_drawn"],
        "timings": {step: round(took, 1) for step, took in about["timings"].items()},
        "peak_mib": round(peak / 1024),
        "interpreter_mib": round(peak_memory() / 1024),
        "file_mib": round(path.stat().st_size / 2**20),
        "threads": os.environ.get("OMP_NUM_THREADS"),
        "commit": commit(),
        "when": now(),
        **machine(),
    }
    lines.append(RESULTS, row)
    print(
        f"{recipe:9} {n_rows} rows  SHD {row['shd']}  {row['seconds']} s  {row['peak_mib']} MiB", flush=True
    )


def peak_memory(*arguments: str | Path) -> int:
    """Run a `mcsl` command, or nothing, and return the most KiB that its process ever had resident."""
    with tempfile.NamedTemporaryFile("r") as file:
        subprocess.run([sys.executable, "-c", WATCHED, file.name, *map(str, arguments)], check=True)
        return int(re.search(r"VmHWM:\s+(\d+) kB", file.read())[1])


def key_of(row: dict) -> tuple:
    return row["rows"], row["memory"], row["recipe"], row["seed"]


def table(rows: list[dict]) -> str:
    header = ["rows", "file", "recipe", "seed", "SHD", "edges (true)", "seconds", "peak memory"]
    body = [
        [
            f"{row['rows']:,}",
            f"{row['file_mib']} MiB",
            row["recipe"],
            str(row["seed"]),
            str(row["shd"]),
            f"{row['n_edges']} ({row['true_edges']})",
            f"{row['seconds']:.0f}",
            f"{row['peak_mib'] - row['interpreter_mib']} MiB",
        ]
        for row in sorted(rows, key=key_of)
    ]
    return markdown_table(header, body)


if __name__ == "__main__":
    main()
