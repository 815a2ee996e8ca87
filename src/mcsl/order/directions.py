"""How sure the direction of each edge is: what is lost if it has to point the other way."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from mcsl.order.climb import GrowingDag, climb, parents_of
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
    graph, related = GrowingDag(adjacency), adjacency | adjacency.T
    scores = [score(variable, parents_of(adjacency, variable)) for variable in range(len(adjacency))]

    def loss(changed: GrowingDag, variables: list[int]) -> float:
        return sum(scores[k] - score(k, parents_of(changed.adjacency, k)) for k in variables)

    for cause, effect in np.argwhere(adjacency & possible.T & ~required).tolist():
        turns = _turns(graph, cause, effect, required)
        passed = sorted({*chain(*turns)})
        if not turns:
            continue
        starts = [_turned(graph, turns, allowed) for allowed in (possible, np.zeros_like(possible))]
        losses = [loss(start, passed) for start in starts]
        start, at_first = starts[int(np.argmin(losses))], min(losses)
        found[cause, effect] = at_first
        if at_first < _CONCLUSIVE:
            near = np.asarray(related[passed].any(axis=0))
            near[passed] = True
            free, fixed = (related | start.adjacency) & possible & near, required.copy()
            free[cause, effect], fixed[effect, cause] = False, True
            # A reverse that fits as well settles it.
            climb(free, score, fixed, start=start, enough=at_first)
            found[cause, effect] = loss(start, np.flatnonzero(near).tolist())
    return found


def _turns(graph: GrowingDag, cause: int, effect: int, required: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the edges that turn one by one if that from a cause to an effect does, which is the last.

    What lies on other ways between the two goes before both or, where a `required` edge forbids that, after
    both; where one forbids that too, the edge counts as one that cannot turn.
    """
    between = np.flatnonzero(graph.reaches[cause] & graph.reaches[:, effect])
    # Causes first: a variable has more ancestors than any of them.
    line = between[np.argsort(graph.reaches[:, between].sum(axis=0))].tolist()
    before_both = [(cause, other) for other in line[1:]]
    after_both = [(other, effect) for other in line[-2::-1]]
    ways = (turns for turns in (before_both, after_both) if not any(required[turn] for turn in turns))
    return next(ways, [])


def _turned(graph: GrowingDag, turns: list[tuple[int, int]], possible: NDArray[np.bool_]) -> GrowingDag:
    """Turn edges around one by one, and give both variables of each the causes that either has."""
    turned = graph.copy()
    for cause, effect in turns:
        # Causes of one that was passed may be new causes of the effect, so this is asked now.
        if turned.adjacency[cause, effect]:
            turned.toggle(cause, effect)
            causes = turned.adjacency[:, cause] | turned.adjacency[:, effect]
            causes[effect] = True
            for variable in (effect, cause):
                added = causes & possible[:, variable] & ~turned.adjacency[:, variable]
                added[variable] = False
                for other in np.flatnonzero(added).tolist():
                    turned.toggle(other, variable)
    cause, effect = turns[-1]
    if not turned.adjacency[effect, cause]:
        turned.toggle(effect, cause)
    return turned
