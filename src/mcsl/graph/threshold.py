"""From edge probabilities to a graph that is always a DAG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcsl.graph.causal_graph import CausalGraph, topological_order


@dataclass(frozen=True)
class Thresholded:
    """A DAG and the edges that had to go, weakest first, to make it one."""

    graph: CausalGraph
    cut_edges: tuple[tuple[str, str], ...]


def threshold(
    probabilities: ArrayLike,
    names: Sequence[str],
    *,
    at: float = 0.5,
    required: ArrayLike | None = None,
) -> Thresholded:
    """Keep the edges more probable than `at`; while a cycle is left, cut the weakest edge on one.

    `required` edges are kept whatever their probability and are never cut; they must be acyclic.
    """
    weights = np.array(probabilities, dtype=float)
    fixed = np.zeros(weights.shape, bool) if required is None else np.asarray(required, bool)
    adjacency = (weights > at) | fixed
    np.fill_diagonal(adjacency, False)
    weights[fixed] = np.inf
    cut: list[tuple[str, str]] = []
    while (cycles := _on_cycles(adjacency)).any():
        candidates = np.where(cycles, weights, np.inf)
        cause, effect = divmod(int(np.argmin(candidates)), len(candidates))
        adjacency[cause, effect] = False
        cut.append((names[cause], names[effect]))
    return Thresholded(CausalGraph(adjacency, tuple(names)), tuple(cut))


def _on_cycles(adjacency: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the edges that lie on a cycle: those inside one strongly connected component."""
    if len(topological_order(adjacency)) == len(adjacency):
        return np.zeros_like(adjacency)
    from scipy.sparse.csgraph import connected_components

    _, component = connected_components(adjacency, directed=True, connection="strong")
    marked: NDArray[np.bool_] = adjacency & (component[:, None] == component[None, :])
    return marked
