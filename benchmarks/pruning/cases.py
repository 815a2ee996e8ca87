"""Simulated tables and the super-graphs that the pruning benchmarks start from, and a resumable log."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import lines
from mcsl.graph import CausalGraph
from mcsl.problem import Problem
from mcsl.simulation import Mechanism, Model, Simulation, simulate

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Products(Model):
    """f_i(x) = mean of x_j x_k over a chain of the standardised parents; a single parent acts alone."""

    def draw(self, n_parents, rng):
        def function(parents):
            parents = (parents - parents.mean(axis=0)) / parents.std(axis=0)
            if n_parents == 1:
                return parents[:, 0]
            return np.mean(parents[:, :-1] * parents[:, 1:], axis=1)

        return Mechanism(function, np.ones(n_parents, bool))


def draw(model: str, n_variables: int, degree: float, seed: int, n_samples: int = 3000) -> Simulation:
    options = {"max_diameter": None} if model == "quadratic" and degree > 1 else {}
    chosen = Products() if model == "products" else model
    return simulate(chosen, n_variables=n_variables, degree=degree, seed=seed, n_samples=n_samples, **options)


def order_completed(simulation: Simulation) -> tuple[CausalGraph, Problem]:
    """Every edge that agrees with the true order, and the problem of the table."""
    graph = simulation.graph
    place = {name: k for k, name in enumerate(graph.order)}
    full = np.array([[place[cause] < place[effect] for effect in graph.names] for cause in graph.names])
    return CausalGraph(full, graph.names), Problem.from_dataset(simulation.dataset)


class Log:
    """JSON lines that remember which keys were measured."""

    def __init__(self, name: str) -> None:
        self.path = RESULTS / f"{name}.jsonl"
        self.rows = lines.read(self.path)

    def has(self, **key) -> bool:
        return any(all(row.get(k) == v for k, v in key.items()) for row in self.rows)

    def add(self, **row) -> None:
        self.rows.append(row)
        lines.append(self.path, row)
        print(row, flush=True)
