"""False positive rate of each test on causes that do nothing.

y = sin(x0) + cos(x1) + noise, and 18 null causes: half of them independent, half children of x0 or x1.
"""

from collections import defaultdict

import numpy as np
from cases import Log

from mcsl.data.dataset import Dataset
from mcsl.graph import CausalGraph
from mcsl.problem import Problem
from mcsl.pruning import AdditivePruner, InteractionPruner

NOISES = {
    "gaussian": lambda rng, size: rng.standard_normal(size),
    "uniform": lambda rng, size: rng.uniform(-np.sqrt(3), np.sqrt(3), size),
    "t3": lambda rng, size: rng.standard_t(3, size) / np.sqrt(3),
}
PRUNERS = {
    "additive": AdditivePruner(),
    "additive-f": AdditivePruner(mode="f"),
    "interactions": InteractionPruner(),
}
N_NULLS, N_SAMPLES, N_TABLES = 18, 400, 556


def table(noise: str, seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    draw = NOISES[noise]
    values = draw(rng, (N_SAMPLES, N_NULLS + 3))
    values[:, 2 : 2 + N_NULLS // 2] += np.tanh(values[:, np.arange(N_NULLS // 2) % 2])
    values[:, -1] += np.sin(values[:, 0]) + np.cos(values[:, 1])
    return Problem.from_dataset(Dataset(values, tuple(f"x{k}" for k in range(values.shape[1]))))


def null_p_values(pruner, problem: Problem) -> list[float]:
    names = problem.names
    graph = CausalGraph.from_edges([(name, names[-1]) for name in names[:-1]], names)
    return [test.value for test in pruner.prune(graph, problem).tests[2:]]


def main() -> None:
    log = Log("size")
    for noise in NOISES:
        for start in range(0, N_TABLES, 139):
            seeds = range(10_000 + start, 10_000 + min(start + 139, N_TABLES))
            for name, pruner in PRUNERS.items():
                key = {"noise": noise, "pruner": name, "first_seed": seeds.start, "tables": len(seeds)}
                if not log.has(**key):
                    p = np.concatenate([null_p_values(pruner, table(noise, seed)) for seed in seeds])
                    log.add(
                        **key, nulls=len(p), below_05=int(np.sum(p < 0.05)), below_001=int(np.sum(p < 0.001))
                    )
    totals = defaultdict(lambda: np.zeros(3, int))
    for row in log.rows:
        totals[row["noise"], row["pruner"]] += [row["nulls"], row["below_05"], row["below_001"]]
    print("| noise | pruner | nulls | rate at 0.05 | rate at 0.001 |\n|---|---|---|---|---|")
    for (noise, pruner), (nulls, below_05, below_001) in totals.items():
        print(f"| {noise} | {pruner} | {nulls} | {below_05 / nulls:.4f} | {below_001 / nulls:.4f} |")


if __name__ == "__main__":
    main()
