"""Keep/drop decisions and CPU time against R's mgcv on the same edges, in one run.

Needs Rscript with mgcv and jsonlite (Debian: r-base-core r-cran-mgcv r-cran-jsonlite).
"""

import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from benchmarks.pruning.cases import Log, draw, order_completed

from mcsl.graph import CausalGraph
from mcsl.pruning import AdditivePruner

CELLS = [
    (model, n_variables, degree, seed)
    for n_variables, degree, seeds in [
        (10, 4, (1000, 1001)),
        (20, 4, (1000, 1001)),
        (50, 1, (1000, 1001)),
        (50, 4, (1000,)),
    ]
    for seed in seeds
    for model in ("gp", "gp-add")
]


def super_graph(simulation, rng) -> CausalGraph:
    """The completed order up to 20 variables; beyond, the truth and as many spurious edges."""
    full, _ = order_completed(simulation)
    truth = simulation.graph
    if truth.n_variables <= 20:
        return full
    spurious = rng.permutation(np.argwhere(full.adjacency & ~truth.adjacency))[: truth.n_edges]
    adjacency = truth.adjacency.copy()
    adjacency[tuple(spurious.T)] = True
    return CausalGraph(adjacency, truth.names)


def mgcv(table, graph: CausalGraph) -> tuple[np.ndarray, float, str]:
    with tempfile.TemporaryDirectory() as folder:
        data, edges, out = (Path(folder) / name for name in ("table.csv", "adjacency.csv", "out.json"))
        np.savetxt(data, table.values, delimiter=",", header=",".join(table.names), comments="", fmt="%.17g")
        np.savetxt(edges, graph.adjacency, delimiter=",", fmt="%d")
        subprocess.run(["Rscript", str(Path(__file__).with_suffix(".R")), data, edges, out], check=True)
        answer = json.loads(out.read_text())
    return np.array(answer["p"]), answer["cpu_seconds"], answer["mgcv"]


def main() -> None:
    log = Log("mgcv")
    for model, n_variables, degree, seed in CELLS:
        key = {"model": model, "n_variables": n_variables, "degree": degree, "seed": seed}
        if log.has(**key):
            continue
        simulation = draw(model, n_variables, degree, seed)
        graph = super_graph(simulation, np.random.default_rng(seed))
        _, problem = order_completed(simulation)
        theirs, their_seconds, version = mgcv(simulation.dataset, graph)
        row = {}
        for mode in ("wood", "f"):
            start = time.process_time()
            ours = AdditivePruner(mode=mode).prune(graph, problem).graph.adjacency
            row[f"{mode}_cpu_seconds"] = round(time.process_time() - start, 3)
            row[f"{mode}_equal"] = int(np.sum((ours == (theirs < 0.001)) & graph.adjacency))
        log.add(**key, edges=graph.n_edges, mgcv=version, mgcv_cpu_seconds=their_seconds, **row)


if __name__ == "__main__":
    main()
