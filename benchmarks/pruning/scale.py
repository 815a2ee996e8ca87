"""Time and memory of pruning the completed order of 100 variables (4,950 edges), n = 3000."""

import resource
import sys
import time

import numpy as np
from benchmarks.pruning.cases import Log, draw, order_completed

from mcsl.pruning import AdditivePruner


def main(mode: str) -> None:
    simulation = draw("gp", 100, 1, 1000)
    graph, problem = order_completed(simulation)
    start, cpu = time.perf_counter(), time.process_time()
    found = AdditivePruner(mode=mode).prune(graph, problem).graph.adjacency
    Log("scale").add(
        mode=mode,
        edges=graph.n_edges,
        shd=int(np.sum(found != simulation.graph.adjacency)),
        seconds=round(time.perf_counter() - start, 1),
        cpu_seconds=round(time.process_time() - cpu, 1),
        peak_memory_gib=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    )


if __name__ == "__main__":
    main(sys.argv[1])
