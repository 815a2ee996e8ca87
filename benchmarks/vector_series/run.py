"""Groups and lags beside what one would do without them: one JSON line per (scenario, method, seed).

    python -m benchmarks.vector_series.run [--scenarios gp-vec-ER1-10 ...] [--methods grouped ...]
        [--seeds 1000-1004] [--peers-python PATH]

Lines are appended as runs finish, and what is already there is not run again. The peers need an
environment with `vector_series/peers-requirements.txt`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from benchmarks.apart import apart
from benchmarks.options import seeds
from benchmarks.provenance import commit, now

import mcsl
from benchmarks import lines
from mcsl.graph import is_acyclic
from mcsl.learning import learn
from mcsl.simulation import simulate_series

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "vector_series.jsonl"
LAGS = 2

VECTORS = {f"gp-vec-ER{degree}-{d}": (degree, d) for degree in (1, 4) for d in (10, 20, 50)}
SERIES = {f"var-ER{degree}-{d}": (degree, d) for degree in (1, 2) for d in (10, 20)}
RECIPES = {"": mcsl.Recipe.default, ", additive": mcsl.Recipe.additive}


def grouped(simulation, recipe):
    return learn(simulation.dataset, recipe, groups=simulation.groups).graph.adjacency


def first_dimension(simulation, recipe):
    first = [simulation.dataset.names.index(columns[0]) for columns in simulation.groups.values()]
    return learn(simulation.dataset.values[:, first], recipe).graph.adjacency


def merged(simulation, recipe):
    """All columns as scalars, then an edge between groups if any of their columns has one."""
    scalars = learn(simulation.dataset, recipe).graph.adjacency
    d = len(simulation.groups)
    between = scalars.reshape(d, -1, d, scalars.shape[0] // d).any(axis=(1, 3))
    np.fill_diagonal(between, False)
    return between


def lagged(simulation, recipe):
    return learn(simulation.dataset, recipe, lags=LAGS).graph.adjacency


def instantaneous(simulation, recipe):
    return learn(simulation.dataset, recipe).graph.adjacency


def peer(name: str, python: str):
    def run(simulation, _):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "values.npy"
            np.save(path, simulation.dataset.values)
            command = [python, HERE / "peers.py", name, str(LAGS), path]
            answer = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
        directed, undirected = (np.array(answer[part]) for part in ("directed", "undirected"))
        # In the peers' favour, a direction left open is the true one.
        return directed | (undirected & (simulation.graph.adjacency | np.triu(~simulation.graph.adjacency.T)))

    return run


def methods(python: str) -> dict:
    """Every method by name: what it does, and the recipe it does it with."""
    own = {"grouped": grouped, "first dimension": first_dimension, "all columns, merged": merged}
    own |= {"lags": lagged, "instantaneous": instantaneous}
    listed = {f"{name}{kind}": (run, recipe) for name, run in own.items() for kind, recipe in RECIPES.items()}
    return listed | {name: (peer(name, python), lambda: None) for name in ("PCMCI+", "VAR-LiNGAM")}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    scenarios = [*VECTORS, *SERIES]
    parser.add_argument("--scenarios", nargs="+", default=scenarios, choices=scenarios, metavar="NAME")
    parser.add_argument("--methods", nargs="+", choices=methods(""), metavar="NAME")
    parser.add_argument("--seeds", type=seeds, default="1000-1004", help="first-last, or none")
    parser.add_argument("--peers-python", default=sys.executable, help="interpreter with the peers")
    options = parser.parse_args()
    RESULTS.parent.mkdir(exist_ok=True)
    done = {(row["scenario"], row["method"], row["seed"]) for row in lines.read(RESULTS)}
    known = methods(options.peers_python)
    for scenario in options.scenarios:
        fitting = [name for name in known if is_for(name, scenario)]
        wanted = [name for name in fitting if not options.methods or name in options.methods]
        for seed in options.seeds:
            left = [name for name in wanted if (scenario, name, seed) not in done]
            if left:
                simulation = simulate(scenario, seed)
                for name in left:
                    record(scenario, name, seed, simulation, *known[name])


def is_for(method: str, scenario: str) -> bool:
    of_vectors = method.startswith(("grouped", "first", "all columns"))
    return of_vectors is (scenario in VECTORS)


def simulate(scenario: str, seed: int):
    degree, d = (VECTORS | SERIES)[scenario]
    if scenario in VECTORS:
        return mcsl.simulate("gp-vec", n_variables=d, degree=degree, seed=seed, n_samples=3000)
    return simulate_series(n_variables=d, degree=degree, seed=seed, n_samples=2000, lags=LAGS)


def record(scenario, method, seed, simulation, run, recipe) -> None:
    adjacency, taken = apart(lambda: run(simulation, recipe()))
    row = {
        "scenario": scenario,
        "method": method,
        "seed": seed,
        **mcsl.evaluate(adjacency, simulation.graph.adjacency).as_dict(),
        "true_edges": simulation.graph.n_edges,
        **taken,
        "load": round(os.getloadavg()[0], 1),
        "status": "ok",
        "acyclic": is_acyclic(adjacency),
        "package": "mcsl",
        "version": mcsl.__version__,
        "commit": commit(),
        "date": now(),
    }
    lines.append(RESULTS, row)
    print(f"{scenario:16} {method:30} {seed}  SHD {row['shd']:4d}  {row['seconds']:6.1f} s", flush=True)


if __name__ == "__main__":
    main()
