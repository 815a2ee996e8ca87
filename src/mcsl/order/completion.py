"""From a graph to a total order: pairs that the graph leaves open are ordered by what little is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mcsl.graph.causal_graph import closure, topological_order


def complete_order(adjacency: NDArray[np.bool_], gains: NDArray[np.float64]) -> list[int]:
    """Return an order of a DAG's variables that makes the most of the edges it does not have.

    `gains[cause, effect]` is what the score would gain by that edge, below 0 for edges not worth their
    price. The order maximises the sum of gains over pairs (cause before effect), as far as moving single
    variables can, and never contradicts the graph.
    """
    reaches = closure(adjacency)
    advantage = np.where(reaches | reaches.T, 0.0, gains - gains.T)
    order = topological_order(adjacency)
    moved = True
    while moved:
        moved = False
        for variable in tuple(order):
            place = order.index(variable)
            earlier = _best_step(order[:place][::-1], reaches[:, variable], advantage[variable])
            later = _best_step(order[place + 1 :], reaches[variable], -advantage[variable])
            worth, n_passed = max(earlier, later)
            if worth > 1e-9:
                order.remove(variable)
                order.insert(place - n_passed if earlier > later else place + n_passed, variable)
                moved = True
    return order


def _best_step(
    passed: list[int], blocks: NDArray[np.bool_], advantage: NDArray[np.float64]
) -> tuple[float, int]:
    """Return what passing some of the variables in turn is worth at best, and how many of them."""
    blocked = blocks[passed]
    free = passed[: int(blocked.argmax())] if blocked.any() else passed
    if not free:
        return 0.0, 0
    worth = np.cumsum(advantage[free])
    return float(worth.max()), int(worth.argmax()) + 1
