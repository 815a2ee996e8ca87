import numpy as np
from benchmarks.methods import Data, Method


def learn(data: Data, tests: str) -> np.ndarray:
    from mcsl.graph.causal_graph import topological_order

    return pruned_along(topological_order(data.truth), data.values, tests)


def pruned_along(order: np.ndarray, values: np.ndarray, tests: str) -> np.ndarray:
    """Return what screening and the tests of a recipe leave of all edges along an order."""
    from mcsl import CausalGraph, Problem, Recipe, to_dataset
    from mcsl.order import screen

    problem = Problem.from_dataset(to_dataset(values).standardized())
    place = np.argsort(order)
    along = CausalGraph(screen(problem) & (place[:, None] < place), problem.names)
    return Recipe.named(tests, len(place)).pruner.prune(along, problem).graph.adjacency


METHOD = Method(
    name="true order, all tests",
    package="mcsl",
    imports="mcsl.recipe",
    source="an oracle: the true order, then the default recipe's tests",
    learn=learn,
    settings={"tests": "default"},
    is_oracle=True,
    is_unit_free=True,
)
