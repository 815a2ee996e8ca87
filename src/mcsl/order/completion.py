"""From a graph to a total order: pairs that the graph leaves open are ordered by what little is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mcsl.graph.causal_graph import topological_order


def complete_order(adjacency: NDArray[np.bool_], gains: NDArray[np.float64]) -> list[int]:
    """Return an order of a DAG's variables that makes the most of the edges it does not have.

    `gains[cause, effect]` is what the score would gain by that edge, below 0 for edges not worth their
    price. The order maximises the sum of gains over pairs (cause before effect), as far as moving single
    variables can, and never contradicts the graph. A move stops at the next cause or effect, and only
    pairs with a gain count: its cost grows with the number of candidate neighbours.
    """
    advantage = gains - gains.T
    neighbours = [np.flatnonzero(row) for row in advantage]
    causes, effects = ([np.flatnonzero(row) for row in matrix] for matrix in (adjacency.T, adjacency))
    order = np.array(topological_order(adjacency), dtype=np.intp)
    place = np.argsort(order)
    moved = True
    while moved:
        moved = False
        for variable in order.tolist():
            here, others = int(place[variable]), neighbours[variable]
            ahead, gained = place[others] - here, advantage[variable, others]
            room_before = here - place[causes[variable]].max(initial=-1)
            room_after = place[effects[variable]].min(initial=len(order)) - here
            earlier = _best_step(-ahead, gained, room_before)
            later = _best_step(ahead, -gained, room_after)
            worth, n_passed = max(earlier, later)
            if worth > 1e-9:
                there = here - n_passed if earlier > later else here + n_passed
                low, high = min(here, there), max(here, there) + 1
                order[low:high] = np.roll(order[low:high], 1 if there < here else -1)
                place[order[low:high]] = np.arange(low, high)
                moved = True
    return [int(variable) for variable in order]


def _best_step(distances: NDArray[np.intp], gained: NDArray[np.float64], room: int) -> tuple[float, int]:
    """Return what passing the variables at some distances in turn is worth at best, and how far that is."""
    passed = np.flatnonzero((distances > 0) & (distances < room))
    if not len(passed):
        return 0.0, 0
    passed = passed[np.argsort(distances[passed])]
    worth = np.cumsum(gained[passed])
    best = int(worth.argmax())
    return float(worth[best]), int(distances[passed[best]])
