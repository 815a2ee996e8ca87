"""A climb over graphs: the best single edge to add, drop or reverse, until none is left."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mcsl.graph.causal_graph import closure
from mcsl.order.scores import Score


def climb(
    candidates: NDArray[np.bool_],
    score: Score,
    required: NDArray[np.bool_] | None = None,
    start: NDArray[np.bool_] | GrowingDag | None = None,
) -> NDArray[np.bool_]:
    """Add, drop or reverse the candidate edge that improves the total score most, until none does.

    The climb starts from a graph, or from the `required` edges alone, and leaves these as they are; a
    `GrowingDag` changes in place. A move costs as much as there are candidates, and new scores for one or
    two effects.
    """
    fixed = np.zeros_like(candidates) if required is None else required
    graph = start if isinstance(start, GrowingDag) else GrowingDag((fixed if start is None else start).copy())
    causes, effects = np.nonzero(candidates & ~fixed)
    if not len(causes):
        return graph.adjacency
    number = np.full(candidates.shape, -1)
    number[causes, effects] = np.arange(len(causes))
    reverse = number[effects, causes]
    toggles = np.zeros(len(causes))  # what adding an absent edge, or dropping a present one, gains

    def rescore(effect: int) -> None:
        parents = parents_of(graph.adjacency, effect)
        for edge in np.flatnonzero(effects == effect).tolist():
            toggles[edge] = score(effect, parents ^ {int(causes[edge])}) - score(effect, parents)

    for effect in np.unique(effects).tolist():
        rescore(effect)
    while True:
        present = graph.adjacency[causes, effects]
        singles = np.where(~present & graph.reaches[effects, causes], -np.inf, toggles)
        turns = np.where(present & (reverse >= 0), toggles + toggles[reverse], -np.inf)
        for k in np.flatnonzero(turns > singles.max()):
            if not graph.is_only_path(int(causes[k]), int(effects[k])):
                turns[k] = -np.inf
        turn = turns.max() > singles.max()
        gains = turns if turn else singles
        edge = int(gains.argmax())
        if not gains[edge] > 1e-6:
            break
        cause, effect = int(causes[edge]), int(effects[edge])
        graph.toggle(cause, effect)
        if turn:
            graph.toggle(effect, cause)
            rescore(cause)
        rescore(effect)
    return graph.adjacency


def parents_of(adjacency: NDArray[np.bool_], effect: int) -> frozenset[int]:
    """Return the indices of a variable's causes."""
    return frozenset(np.flatnonzero(adjacency[:, effect]).tolist())


class GrowingDag:
    """A DAG that changes edge by edge and always knows which variable reaches which."""

    def __init__(self, adjacency: NDArray[np.bool_], reaches: NDArray[np.bool_] | None = None) -> None:
        self.adjacency = adjacency
        self.reaches = closure(adjacency) if reaches is None else reaches

    def copy(self) -> GrowingDag:
        """Return one that may change without the other."""
        return GrowingDag(self.adjacency.copy(), self.reaches.copy())

    def is_only_path(self, cause: int, effect: int) -> bool:
        """Tell whether an edge is the only path from its cause to its effect, so that it may turn around."""
        return int(self.reaches[self.adjacency[cause], effect].sum()) == 1

    def toggle(self, cause: int, effect: int) -> None:
        """Add an absent edge, or drop a present one."""
        self.adjacency[cause, effect] ^= True
        if self.adjacency[cause, effect]:
            self.reaches[self.reaches[:, cause]] |= self.reaches[effect]
            return
        ancestors = np.flatnonzero(self.reaches[:, cause])
        # A variable reaches more than any that it reaches: children come first.
        for node in ancestors[np.argsort(self.reaches[ancestors].sum(axis=1))]:
            self.reaches[node] = self.reaches[self.adjacency[node]].any(axis=0)
            self.reaches[node, node] = True
