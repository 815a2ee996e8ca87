"""The greedy additive order search: from candidate edges to a causal order in a moment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mcsl.additive.scores import GaussianScore
from mcsl.additive.screening import screen, spline_table
from mcsl.graph import CausalGraph
from mcsl.graph.causal_graph import topological_order
from mcsl.problem import Problem

Score = Callable[[int, frozenset[int]], float]


@dataclass(frozen=True, eq=False)
class AdditiveFit:
    """A causal order and the graph of all candidate edges that agree with it."""

    order: tuple[int, ...]
    """Indices of the variables, causes first."""
    graph: CausalGraph
    """Every candidate edge along the order, for a pruner to thin out."""
    log_likelihoods: NDArray[np.float64] = field(repr=False)
    """Of each variable given its parents in `graph`."""


def additive_search(problem: Problem) -> AdditiveFit:
    """Learn a causal order under X_i = sum_j f_ij(X_j) + eps_i, whatever the units of the columns."""
    table = spline_table(problem)
    candidates = screen(problem, table)
    score = GaussianScore(problem, table)
    adjacency = greedy(candidates, score)
    return AdditiveFit(
        order=tuple(topological_order(adjacency)),
        graph=CausalGraph(adjacency, problem.names),
        log_likelihoods=np.array([score(i, frozenset(np.flatnonzero(a))) for i, a in enumerate(adjacency.T)]),
    )


def greedy(candidates: NDArray[np.bool_], score: Score) -> NDArray[np.bool_]:
    """Add the candidate edge of largest gain that closes no cycle, until none is left.

    Every candidate pair ends up with one direction, so that the result is a super-graph for a pruner.
    """
    d = len(candidates)
    adjacency = np.zeros((d, d), dtype=bool)
    reaches = np.eye(d, dtype=bool)
    gains = np.full((d, d), -np.inf)

    def rescore(effect: int) -> None:
        parents = frozenset(np.flatnonzero(adjacency[:, effect]).tolist())
        for cause in np.flatnonzero(gains[:, effect] > -np.inf).tolist():
            gains[cause, effect] = score(effect, parents | {cause}) - score(effect, parents)

    gains[candidates] = 0.0
    for effect in range(d):
        rescore(effect)
    while gains.max(initial=-np.inf) > -np.inf:
        cause, effect = divmod(int(gains.argmax()), d)
        adjacency[cause, effect] = True
        reaches |= np.outer(reaches[:, cause], reaches[effect])
        gains[cause, effect] = -np.inf
        gains[reaches.T] = -np.inf
        rescore(effect)
    return adjacency
