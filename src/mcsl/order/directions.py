"""How sure the direction of each edge is: what is lost if it has to point the other way."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from mcsl.graph.causal_graph import closure
from mcsl.order.climb import climb, parents_of
from mcsl.order.scores import Score

# Where turning an edge costs so many nats at first, no further changes make up for it.
_CONCLUSIVE = 50.0


def margins(
    adjacency: NDArray[np.bool_],
    possible: NDArray[np.bool_],
    score: Score,
    required: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return by how much the score of a graph exceeds that of the best found with each edge turned around.

    A straight line with Gaussian noise fits as well the other way, provided that each of its variables then
    has the causes of both. So these are added as far as they are `possible`, and from there a climb over
    edges of both graphs, either way round, ends with what is needed. The margin is infinite where an edge
    cannot turn, or is none, and may be below 0 where the search missed a better graph.
    """
    found = np.full(adjacency.shape, np.inf)
    reaches = closure(adjacency)
    alone = [score(variable, parents_of(adjacency, variable)) for variable in range(len(adjacency))]
    for cause, effect in np.argwhere(adjacency & possible.T & ~required).tolist():
        starts = list(_turned(adjacency, cause, effect, reaches, possible, required))
        if not starts:
            continue
        losses = [_loss(alone, adjacency, start, score) for start in starts]
        best = int(np.argmin(losses))
        if losses[best] > _CONCLUSIVE:
            found[cause, effect] = losses[best]
            continue
        free, fixed = (adjacency | adjacency.T | starts[best]) & possible, required.copy()
        free[cause, effect], fixed[effect, cause] = False, True
        # A reverse that fits as well settles it.
        end = climb(free, score, fixed, start=starts[best], enough=losses[best])
        found[cause, effect] = _loss(alone, adjacency, end, score)
    return found


def _loss(scores: list[float], before: NDArray[np.bool_], after: NDArray[np.bool_], score: Score) -> float:
    """Return what a graph with some scores loses by a change."""
    changed = np.flatnonzero((before != after).any(axis=0)).tolist()
    return sum(scores[variable] - score(variable, parents_of(after, variable)) for variable in changed)


def _turned(
    adjacency: NDArray[np.bool_],
    cause: int,
    effect: int,
    reaches: NDArray[np.bool_],
    possible: NDArray[np.bool_],
    required: NDArray[np.bool_],
) -> Iterable[NDArray[np.bool_]]:
    """Yield graphs with an edge turned around, none of which contains a `required` edge the wrong way.

    What lies on other ways from the cause to the effect goes before both, with all causes that it may need
    then or with none but those that are left; where that is forbidden, it goes after both.
    """
    between = np.flatnonzero(reaches[cause] & reaches[:, effect])
    # Causes first: a variable has more ancestors than any of them.
    line = between[np.argsort(reaches[:, between].sum(axis=0))].tolist()
    pairs = [(cause, other) for other in line[1:]]
    if any(required[pair] for pair in pairs):
        pairs = [(other, effect) for other in line[-2::-1]]
    if any(required[pair] for pair in pairs):
        return
    for allowed in (possible, np.zeros_like(possible)):
        graph = adjacency.copy()
        for a, b in pairs:
            # Causes of one that was passed may be new causes of the effect.
            if graph[a, b]:
                _turn(graph, a, b, allowed)
        graph[effect, cause] = True
        yield graph


def _turn(graph: NDArray[np.bool_], cause: int, effect: int, possible: NDArray[np.bool_]) -> None:
    """Turn an edge around, and give both its variables the causes that either has."""
    graph[cause, effect] = False
    causes = graph[:, cause] | graph[:, effect]
    graph[:, effect] |= causes & possible[:, effect]
    causes[effect] = True
    graph[:, cause] |= causes & possible[:, cause]
