"""CAM's order search on one Gram matrix of spline functions; the runner's pruning is its last step.

The edge that raises the likelihood of an additive Gaussian model most is added, until every further one would
close a cycle. Above `max_unselected` variables, each has only the first `n_neighbours` causes of a forward
selection as candidates; the authors select them by boosting.
"""

import numpy as np
from benchmarks.methods import Data, Method


class Regression:
    """An additive regression of one variable that grows by one cause at a time."""

    def __init__(self, effect: int, splines) -> None:
        self.slices = splines.slices
        # Inner products of all functions, with the effect as the last row, given the causes so far.
        self.left = np.block(
            [
                [splines.gram, splines.moments[:, [effect]]],
                [splines.moments[:, [effect]].T, splines.scatter[[effect]][:, [effect]]],
            ]
        )

    def gain(self, cause: int) -> float:
        """Return how much the cause lowers the logarithm of the residual variance."""
        block = self.slices[cause]
        moments = self.left[block, -1]
        explained = moments @ np.linalg.lstsq(self.left[block, block], moments, rcond=1e-10)[0]
        return -np.log(max(1 - explained / self.left[-1, -1], 1e-12))

    def add(self, cause: int) -> None:
        """Take the functions of the cause out of everything that is left."""
        block = self.slices[cause]
        solved = np.linalg.lstsq(self.left[block, block], self.left[block], rcond=1e-10)[0]
        self.left -= self.left[:, block] @ solved


def learn(data: Data, n_basis: int, n_neighbours: int, max_unselected: int) -> np.ndarray:
    from mcsl.pruning.splines import SplineTable

    splines = SplineTable.of(data.values, n_basis=n_basis)
    d = data.values.shape[1]
    candidates = ~np.eye(d, dtype=bool)
    if d > max_unselected:
        candidates = neighbours(splines, n_neighbours)
    return greedy_order(splines, candidates)


def neighbours(splines, n_neighbours: int) -> np.ndarray:
    """Return the causes that a forward selection for each variable takes first."""
    d = len(splines.slices)
    chosen = np.zeros((d, d), dtype=bool)
    for effect in range(d):
        regression = Regression(effect, splines)
        for _ in range(n_neighbours):
            left = np.flatnonzero(~chosen[:, effect] & (np.arange(d) != effect))
            best = max(left, key=regression.gain)
            chosen[best, effect] = True
            regression.add(best)
    return chosen


def greedy_order(splines, candidates: np.ndarray) -> np.ndarray:
    """Add the candidate edge of the largest gain until none is left that keeps the graph acyclic."""
    d = len(candidates)
    regressions = [Regression(effect, splines) for effect in range(d)]
    adjacency, reaches = np.zeros((d, d), dtype=bool), np.eye(d, dtype=bool)
    gains = np.full((d, d), -np.inf)

    def update(effect: int) -> None:
        for cause in np.flatnonzero(candidates[:, effect]):
            gains[cause, effect] = regressions[effect].gain(cause)

    for effect in range(d):
        update(effect)
    while True:
        allowed = np.where(candidates & ~adjacency & ~reaches.T, gains, -np.inf)
        cause, effect = divmod(int(allowed.argmax()), d)
        if allowed[cause, effect] == -np.inf:
            return adjacency
        adjacency[cause, effect] = True
        reaches |= np.outer(reaches[:, cause], reaches[effect])
        regressions[effect].add(cause)
        update(effect)


METHOD = Method(
    name="CAM",
    package="mcsl",
    imports="mcsl.pruning.splines",
    source="Bühlmann et al. (2014), implemented here",
    learn=learn,
    settings={"n_basis": 10, "n_neighbours": 10, "max_unselected": 20},
    is_pruned=True,
    is_unit_free=True,
)
