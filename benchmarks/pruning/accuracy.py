"""True order, all order-consistent edges, then prune: how far is the result from the true graph?"""

import time

import numpy as np
from benchmarks.pruning.cases import Log, draw, order_completed
from benchmarks.pruning.pairwise import PairwisePruner

from mcsl.pruning import AdditivePruner, InteractionPruner, QuadraticPruner

PRUNERS = {
    "additive": AdditivePruner(),
    "additive-f": AdditivePruner(mode="f"),
    "interactions": InteractionPruner(),
    "pairwise": PairwisePruner(),
    "quadratic": QuadraticPruner(),
}
CELLS = [
    ("gp", 10, 4),
    ("gp", 20, 4),
    ("gp", 10, 1),
    ("gp-add", 10, 4),
    ("products", 10, 1),
    ("quadratic", 10, 1),
    ("products", 10, 4),
    ("quadratic", 10, 4),
]


def measure(seeds: range) -> None:
    log = Log("accuracy")
    for model, n_variables, degree in CELLS:
        for seed in seeds:
            simulation = None
            for name, pruner in PRUNERS.items():
                key = {
                    "model": model,
                    "n_variables": n_variables,
                    "degree": degree,
                    "seed": seed,
                    "pruner": name,
                }
                if log.has(**key):
                    continue
                simulation = simulation or draw(model, n_variables, degree, seed)
                graph, problem = order_completed(simulation)
                start = time.process_time()
                found = pruner.prune(graph, problem).graph.adjacency
                seconds = time.process_time() - start
                truth = simulation.graph.adjacency
                missing, extra = int(np.sum(truth & ~found)), int(np.sum(found & ~truth))
                log.add(**key, missing=missing, extra=extra, cpu_seconds=round(seconds, 2))


if __name__ == "__main__":
    measure(range(1000, 1010))
