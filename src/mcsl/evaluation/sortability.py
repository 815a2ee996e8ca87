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


def var_sortability(data: Dataset | ArrayLike, graph: CausalGraph) -> float:
    """Sortability by variance (Reisach et al., 2021); nan if the graph has no edges."""
    from CausalDisco.analytics import var_sortability

    values = _values(data, graph)
    return float(var_sortability(values, graph.adjacency)) if graph.n_edges else float("nan")


def r2_sortability(data: Dataset | ArrayLike, graph: CausalGraph) -> float:
    """Sortability by R^2 of each variable given all others (Reisach et al., 2023); nan without edges."""
    from CausalDisco.analytics import r2_sortability

    values = _values(data, graph)
    return float(r2_sortability(values, graph.adjacency)) if graph.n_edges else float("nan")


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
