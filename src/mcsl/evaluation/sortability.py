"""How much of the causal order can be read off the scale of the data.

Both figures are 1 where causes always come before their effects when sorted by the criterion, 0 where
always after, and 1/2 where sorting says nothing; on data far from 1/2 a method that merely sorts does well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcsl.data import Dataset
from mcsl.errors import GraphError
from mcsl.graph import CausalGraph

_ROUNDING = 1e-9


def var_sortability(data: Dataset | ArrayLike, graph: CausalGraph) -> float:
    """Sortability by variance (Reisach et al., 2021); nan if the graph has no edges."""
    return _agreement(_values(data, graph).var(axis=0), graph)


def r2_sortability(data: Dataset | ArrayLike, graph: CausalGraph) -> float:
    """Sortability by R^2 of each variable given all others (Reisach et al., 2023).

    It is nan without edges, and where rows are so few that the others explain every variable wholly.
    """
    values = _values(data, graph)
    if not graph.n_edges or len(values) <= graph.n_variables:
        return float("nan")
    # With columns that determine each other, the pseudo-inverse would mistake them for noise.
    correlations = np.corrcoef(values.T) + 1e-12 * np.eye(graph.n_variables)
    return _agreement(1 - 1 / np.diag(np.linalg.inv(correlations)), graph)


def _agreement(scores: NDArray[np.float64], graph: CausalGraph) -> float:
    """Share of the pairs along which the score rises, a pair counting once for each length of its paths.

    A tie, up to rounding, counts one half.
    """
    if not graph.n_edges:
        return float("nan")
    difference = scores - scores[:, None]
    tied = np.abs(difference) <= _ROUNDING * np.maximum(np.abs(scores), np.abs(scores[:, None]))
    rises = (1 + np.where(tied, 0.0, np.sign(difference))) / 2
    linked, n_linked, n_rising = graph.adjacency, 0, 0.0
    while linked.any():
        n_linked += int(linked.sum())
        n_rising += float(rises[linked].sum())
        linked = linked @ graph.adjacency
    return n_rising / n_linked


def _values(data: Dataset | ArrayLike, graph: CausalGraph) -> NDArray[np.float64]:
    """Return one column for each variable of the graph, in its order."""
    if not isinstance(data, Dataset):
        values = np.asarray(data, dtype=float)
        if values.ndim != 2 or values.shape[1] != graph.n_variables:
            raise GraphError(
                f"A graph over {graph.n_variables} variables needs a table with as many columns. "
                f"Got shape {values.shape} instead."
            )
        return values
    missing = [name for name in graph.names if name not in data.names]
    if missing:
        raise GraphError(f"The table has no column for {', '.join(missing)}, which the graph names.")
    return data.values[:, [data.names.index(name) for name in graph.names]]
