"""A better order: pairs that no strong edge binds are ordered by what little is known of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def complete_order(order: Sequence[int], binding: NDArray[np.bool_], gains: NDArray[np.float64]) -> list[int]:
    """Move the variables of an order to where it makes the most of all pairs that no edge binds.

    `gains[cause, effect]` is what the score gains by that edge, below 0 for edges not worth their price.
    The sum of gains over pairs (cause before effect) is raised as far as moving single variables can,
    never against a `binding` edge. A move stops at the next cause or effect, and only pairs with a gain
    count: its cost grows with the number of candidate neighbours.
    """
    advantage = gains - gains.T
    neighbours = [np.flatnonzero(row) for row in advantage]
    causes, effects = ([np.flatnonzero(row) for row in matrix] for matrix in (binding.T, binding))
    line = np.array(order, dtype=np.intp)
    place = np.argsort(line)
    moved = True
    while moved:
        moved = False
        for variable in line.tolist():
            here, others = int(place[variable]), neighbours[variable]
            ahead, gained = place[others] - here, advantage[variable, others]
            room_before = here - place[causes[variable]].max(initial=-1)
            room_after = place[effects[variable]].min(initial=len(line)) - here
            earlier = _best_step(-ahead, gained, room_before)
            later = _best_step(ahead, -gained, room_after)
            worth, n_passed = max(earlier, later)
            if worth > 1e-9:
                there = here - n_passed if earlier > later else here + n_passed
                low, high = min(here, there), max(here, there) + 1
                line[low:high] = np.roll(line[low:high], 1 if there < here else -1)
                place[line[low:high]] = np.arange(low, high)
                moved = True
    return [int(variable) for variable in line]


def _best_step(distances: NDArray[np.intp], gained: NDArray[np.float64], room: int) -> tuple[float, int]:
    """Return what passing the variables at some distances in turn is worth at best, and how far that is."""
    passed = np.flatnonzero((distances > 0) & (distances < room))
    if not len(passed):
        return 0.0, 0
    passed = passed[np.argsort(distances[passed])]
    worth = np.cumsum(gained[passed])
    best = int(worth.argmax())
    return float(worth[best]), int(distances[passed[best]])
