"""How far an estimated graph is from the truth.

Graphs are CausalGraphs or square matrices whose non-zero entries are edges from row to column. They are
matched by name where both have names, as labelled frames do, and by position otherwise. An estimate in a
matrix may have cycles. A two-way edge then counts as the two edges it is, except in the SHD, where a pair of
variables is right or wrong once.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcsl.errors import GraphError
from mcsl.graph import CausalGraph, is_acyclic
from mcsl.graph.labels import read_matrix
from mcsl.graph.names import say_difference

Adjacency = NDArray[np.bool_]


@dataclass(frozen=True)
class Metrics:
    """Distances and rates of an estimate against the truth."""

    shd: int
    """Pairs of variables whose edges differ; a reversed edge counts one."""
    tpr: float
    """Share of the true edges that were found, in their direction; 1 if there are none."""
    fdr: float
    """Share of the estimated edges that are absent or reversed in the truth; 0 if there are none."""
    f1: float
    """Harmonic mean of `tpr` and 1 - `fdr`; 1 if neither graph has edges."""
    sid: int | None
    """Ordered pairs whose interventional distribution the estimate gets wrong; None if it has a cycle."""
    n_edges: int
    """Number of estimated edges."""

    def as_dict(self) -> dict[str, int | float | None]:
        """Return the figures by name, in the order above."""
        return asdict(self)


def evaluate(estimate: CausalGraph | ArrayLike, truth: CausalGraph | ArrayLike) -> Metrics:
    """Compare an estimated graph with the true one."""
    guess, true = _align(estimate, truth)
    n_hits, n_guessed, n_true = int((guess & true).sum()), int(guess.sum()), int(true.sum())
    return Metrics(
        shd=_shd(guess, true),
        tpr=n_hits / n_true if n_true else 1.0,
        fdr=1 - n_hits / n_guessed if n_guessed else 0.0,
        f1=2 * n_hits / (n_guessed + n_true) if n_guessed + n_true else 1.0,
        sid=_sid(guess, true),
        n_edges=n_guessed,
    )


def shd(estimate: CausalGraph | ArrayLike, truth: CausalGraph | ArrayLike) -> int:
    """Structural Hamming distance: the number of pairs of variables whose edges differ."""
    return _shd(*_align(estimate, truth))


def sid(estimate: CausalGraph | ArrayLike, truth: CausalGraph | ArrayLike) -> int | None:
    """Structural intervention distance (Peters and Bühlmann, 2015); None if either graph has a cycle.

    The number of ordered pairs (i, j) for which adjusting for the estimated parents of i, or taking i to
    be without effect on j where j is such a parent, gives a wrong p(x_j | do(x_i)) under the truth.
    """
    return _sid(*_align(estimate, truth))


def _shd(guess: Adjacency, true: Adjacency) -> int:
    differs = guess != true
    return int(np.triu(differs | differs.T).sum())


def _sid(guess: Adjacency, true: Adjacency) -> int | None:
    if not (is_acyclic(guess) and is_acyclic(true)):
        return None
    if len(true) < 2:
        return 0
    import gadjid

    _, n_wrong = gadjid.sid(true.astype(np.int8), guess.astype(np.int8), edge_direction="from row to column")
    return int(n_wrong)


def _align(estimate: CausalGraph | ArrayLike, truth: CausalGraph | ArrayLike) -> tuple[Adjacency, Adjacency]:
    """Return both adjacency matrices with the variables in the truth's order."""
    (guess, found), (true, names) = _adjacency(estimate, "estimate"), _adjacency(truth, "truth")
    if found and names:
        if set(found) != set(names):
            raise GraphError(say_difference(("truth", "estimate"), names, found))
        place = [found.index(name) for name in names]
        guess = guess[np.ix_(place, place)]
    if guess.shape != true.shape:
        raise GraphError(
            f"Both graphs must have equally many variables. Got {len(guess)} in the estimate and "
            f"{len(true)} in the truth instead."
        )
    return guess, true


def _adjacency(graph: CausalGraph | ArrayLike, which: str) -> tuple[Adjacency, tuple[str, ...]]:
    """Return which edges there are, and the names of the variables if there are any."""
    if isinstance(graph, CausalGraph):
        return graph.adjacency, graph.names
    matrix, names = read_matrix(graph)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"`{which}` must be a square matrix. Got shape {matrix.shape} instead.")
    if np.isnan(matrix).any():
        raise GraphError(f"`{which}` has entries that are not numbers; write 0 where there is no edge.")
    adjacency: Adjacency = matrix != 0
    if adjacency.diagonal().any():
        raise GraphError(f"`{which}` has an edge from a variable to itself; its diagonal must be 0.")
    return adjacency, names
