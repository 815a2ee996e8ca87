"""The whole walk from a table to a causal graph."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from mcsl.data import to_dataset
from mcsl.graph import threshold
from mcsl.problem import Problem
from mcsl.recipe import Recipe
from mcsl.result import Result
from mcsl.search import Observer, search

_log = logging.getLogger(__name__)
_VERSIONED = ("mcsl", "jax", "jaxlib", "equinox", "optax", "numpy", "scipy")


def learn(
    data: Any, recipe: Recipe | None = None, *, seed: int = 0, observers: Sequence[Observer] = ()
) -> Result:
    """Learn the causal graph behind a table.

    `data` is a path to a CSV or Parquet file, a pandas, polars or pyarrow frame, a NumPy array with a
    row per sample, or a Dataset. The same data, recipe and seed give the same graph.
    """
    timings: dict[str, float] = {}
    with _timed("read", timings):
        dataset = to_dataset(data)
    recipe = recipe or Recipe.default()
    problem = Problem.from_dataset(dataset.standardized() if recipe.standardize else dataset)
    with _timed("train", timings):
        fit = search(
            problem,
            seed,
            mechanism=recipe.mechanism,
            temperature=recipe.temperature,
            score=recipe.score,
            acyclicity=recipe.acyclicity,
            sparsity_weight=recipe.sparsity_weight,
            schedule=recipe.schedule,
            observers=observers,
        )
    thresholded = threshold(fit.edge_probabilities, problem.names)
    with _timed("prune", timings):
        pruned = recipe.pruner.prune(thresholded.graph, problem)
    return Result(
        graph=pruned.graph,
        edge_probabilities=fit.edge_probabilities,
        trace=fit.trace,
        stop_reason=fit.stop_reason,
        cut_edges=thresholded.cut_edges,
        tests=pruned.tests,
        recipe=recipe,
        seed=seed,
        n_samples=dataset.n_samples,
        fingerprint=dataset.fingerprint(),
        versions={name: version(name) for name in _VERSIONED},
        timings=timings,
    )


@contextmanager
def _timed(room: str, timings: dict[str, float]) -> Iterator[None]:
    began = time.perf_counter()
    yield
    timings[room] = time.perf_counter() - began
    _log.info("%s took %.2f s", room, timings[room])
