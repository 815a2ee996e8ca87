"""Edges that point the other way: where that is better, and how sure directions are where it is not."""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcsl.graph.causal_graph import is_acyclic
from mcsl.order.climb import GrowingDag, climb, parents_of
from mcsl.order.scores import Score

# Where turning an edge costs so many nats at first, no further changes make up for it.
_CONCLUSIVE = 50.0
_LEAST_GAIN = 1e-6


def margins(
    adjacency: NDArray[np.bool_],
    possible: NDArray[np.bool_],
    score: Score,
    required: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return by how much the score of a graph exceeds that of the best found with each edge turned around.

    It is infinite where an edge cannot turn, or is none, and may be below 0 where more edges fit better.
    """
    found = np.full(adjacency.shape, np.inf)
    for reverse in _reverses(adjacency, possible, score, required):
        found[reverse.edge] = -reverse.gain
    return found


def turn_to_better(
    adjacency: NDArray[np.bool_],
    possible: NDArray[np.bool_],
    score: Score,
    required: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Turn edges around where no more edges then have a larger total score, until there are none such.

    What gains most turns first, and with it all that has nothing to do with what has turned before.
    """
    known: dict[tuple[int, int], _Reverse] = {}
    while True:
        for reverse in _reverses(adjacency, possible, score, required, known):
            known[reverse.edge] = reverse
        better = [reverse for reverse in known.values() if reverse.is_better_than(adjacency)]
        if not better:
            return adjacency
        turned, as_before = adjacency.copy(), np.ones(len(adjacency), dtype=bool)
        for reverse in sorted(better, key=lambda reverse: -reverse.gain):
            if not as_before[reverse.variables].all():
                continue
            proposed = turned.copy()
            proposed[:, reverse.variables] = reverse.causes
            if is_acyclic(proposed):
                turned, as_before[reverse.variables] = proposed, False
            else:
                # What has turned elsewhere closes a cycle with it, so that it must be found anew.
                del known[reverse.edge]
        adjacency = turned
        known = {edge: reverse for edge, reverse in known.items() if as_before[reverse.variables].all()}


class _Reverse(NamedTuple):
    """An edge, the causes that some variables have if it turns around, and what they gain by that."""

    edge: tuple[int, int]
    gain: float
    variables: NDArray[np.intp]
    causes: NDArray[np.bool_]

    def is_better_than(self, adjacency: NDArray[np.bool_]) -> bool:
        """Tell whether the score is larger, and no more edges are needed for it."""
        return self.gain > _LEAST_GAIN and bool(self.causes.sum() <= adjacency[:, self.variables].sum())


def _reverses(
    adjacency: NDArray[np.bool_],
    possible: NDArray[np.bool_],
    score: Score,
    required: NDArray[np.bool_],
    known: Container[tuple[int, int]] = (),
) -> Iterator[_Reverse]:
    """Turn every edge around that can turn and is not known yet, each in a graph of its own.

    A straight line with Gaussian noise fits as well the other way, provided that each of its variables then
    has the causes of both. So these are added as far as they are `possible`, and from there a climb over
    edges of both graphs, either way round, ends with what is needed.
    """
    graph, related = GrowingDag(adjacency), adjacency | adjacency.T
    scores = [score(variable, parents_of(adjacency, variable)) for variable in range(len(adjacency))]

    def gain(changed: GrowingDag, variables: list[int]) -> float:
        return sum(score(k, parents_of(changed.adjacency, k)) - scores[k] for k in variables)

    for cause, effect in np.argwhere(adjacency & possible.T & ~required).tolist():
        if (cause, effect) in known:
            continue
        turns = _turns(graph, cause, effect, required)
        passed = sorted({*chain(*turns)})
        if not turns:
            continue
        starts = [_turned(graph, turns, allowed) for allowed in (possible, np.zeros_like(possible))]
        gains = [gain(start, passed) for start in starts]
        start, gained = starts[int(np.argmax(gains))], max(gains)
        near = np.asarray(related[passed].any(axis=0))
        near[passed] = True
        variables = np.flatnonzero(near)
        if gained > -_CONCLUSIVE:
            free, fixed = (related | start.adjacency) & possible & near, required.copy()
            free[cause, effect], fixed[effect, cause] = False, True
            climb(free, score, fixed, start=start)
            gained = gain(start, variables.tolist())
        yield _Reverse((cause, effect), gained, variables, start.adjacency[:, variables])


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
