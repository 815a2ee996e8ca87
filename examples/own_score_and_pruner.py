"""A score and a pruner of one's own: absolute errors for noise with heavy tails, and permutations as a test.

Run it with `python examples/own_score_and_pruner.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsRegressor

import mcsl
from mcsl.objective import Score
from mcsl.pruning import EdgeTest, Pruned

# sum_i log(mean |x_i - h_i|): Laplace noise with a scale for each variable, so that units do not matter.
absolute = Score(
    "absolute",
    row_loss=lambda observed, predicted: jnp.abs(observed - predicted),
    of_mean_losses=lambda losses: jnp.sum(jnp.log(losses)),
)


@dataclass(frozen=True)
class HeldOutPruner:
    """Keeps a cause if neighbouring rows predict the effect clearly worse once it is shuffled."""

    least_loss: float = 0.02
    """Share of the effect's variance that must be lost."""
    seed: int = 0

    def prune(self, graph: mcsl.CausalGraph, problem: mcsl.Problem) -> Pruned:
        """Return the graph without the edges that the data do not need, and what decided on each."""
        rng = np.random.default_rng(self.seed)
        values = problem.dataset.values
        tests = []
        for effect in graph.names:
            causes = [graph.names.index(cause) for cause in graph.parents(effect)]
            y = values[:, graph.names.index(effect)]
            error = _error(values[:, causes], y) if causes else 0.0
            for k, cause in enumerate(causes):
                shuffled = values[:, causes].copy()
                shuffled[:, k] = rng.permutation(shuffled[:, k])
                loss = (_error(shuffled, y) - error) / float(np.var(y))
                # What prior knowledge requires stays, whatever the data say.
                required = bool(problem.required[cause, graph.names.index(effect)])
                kept = required or loss > self.least_loss
                tests.append(EdgeTest(graph.names[cause], effect, kept, "held-out", "coefficient", loss))
        edges = [(test.cause, test.effect) for test in tests if test.kept]
        return Pruned(mcsl.CausalGraph.from_edges(edges, graph.names), tuple(tests))


def _error(causes: NDArray[np.float64], effect: NDArray[np.float64]) -> float:
    predicted = cross_val_predict(KNeighborsRegressor(20), causes, effect)
    return float(np.mean((effect - predicted) ** 2))


if __name__ == "__main__":
    simulation = mcsl.simulate("gp-add", n_variables=5, degree=1, n_samples=1000, seed=2)
    recipe = mcsl.Recipe.paper(n_variables=5)
    schedule = replace(recipe.schedule, steps_per_stage=200)
    result = mcsl.learn(
        simulation.dataset, replace(recipe, score=absolute, pruner=HeldOutPruner(), schedule=schedule)
    )

    for test in result.tests:
        print(f"{test.cause} -> {test.effect}: {test.value:.2f}, {'kept' if test.kept else 'dropped'}")
    print(result.stop_reason.sentence)
    print(mcsl.evaluate(result.graph, simulation.graph))
