"""False positive rate of each test on causes that do nothing.

y = sin(x0) + cos(x1) + noise, and 18 null causes: half of them independent, half children of x0 or x1.
`python -m benchmarks.pruning.size [PRUNER ...]` measures some pruners, or all.
"""

import sys
from dataclasses import dataclass, replace

import numpy as np
from benchmarks.pruning.cases import Log
from scipy.special import ndtri
from scipy.stats import rankdata

from mcsl.data.dataset import Dataset
from mcsl.graph import CausalGraph
from mcsl.problem import Problem
from mcsl.pruning import AdditivePruner, InteractionPruner

NOISES = {
    "gaussian": lambda rng, size: rng.standard_normal(size),
    "uniform": lambda rng, size: rng.uniform(-np.sqrt(3), np.sqrt(3), size),
    "t3": lambda rng, size: rng.standard_t(3, size) / np.sqrt(3),
}


@dataclass(frozen=True)
class OnNormalScores:
    """Prune with every column replaced by the normal scores of its ranks."""

    pruner: AdditivePruner

    def prune(self, graph, problem):
        values = problem.dataset.values
        scores = ndtri((rankdata(values, axis=0) - 0.5) / len(values))
        return self.pruner.prune(graph, replace(problem, dataset=Dataset(scores, problem.dataset.names)))


PRUNERS = {
    "additive": AdditivePruner(),
    "additive-f": AdditivePruner(mode="f"),
    "additive-f-scores": OnNormalScores(AdditivePruner(mode="f")),
    "interactions": InteractionPruner(),
}
N_NULLS, N_SAMPLES, N_TABLES, N_CHUNKS = 18, 600, 556, 12


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


def main(pruners: list[str]) -> None:
    log = Log("size")
    for noise in NOISES:
        for tables in np.array_split(np.arange(N_TABLES), N_CHUNKS):
            for name in pruners:
                key = {"noise": noise, "pruner": name, "samples": N_SAMPLES}
                key |= {"first_seed": 10_000 + int(tables[0]), "tables": len(tables)}
                if not log.has(**key):
                    problems = (table(noise, 10_000 + int(k)) for k in tables)
                    p = np.concatenate([null_p_values(PRUNERS[name], problem) for problem in problems])
                    below = {"below_05": int(np.sum(p < 0.05)), "below_001": int(np.sum(p < 0.001))}
                    log.add(**key, nulls=len(p), **below)


if __name__ == "__main__":
    main(sys.argv[1:] or list(PRUNERS))
