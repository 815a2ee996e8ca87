"""The causal graph: a DAG whose rows cause its columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcsl.errors import CyclicGraphError, GraphError
from mcsl.graph import formats, packages
from mcsl.graph.labels import read_matrix

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, eq=False)
class CausalGraph:
    """A directed acyclic graph over named variables.

    `adjacency[cause, effect]` is True where `names[cause]` is a direct cause of `names[effect]`.
    A cyclic matrix is refused, so whoever holds a CausalGraph holds a DAG. A labelled frame with the same
    names in another order is read by its labels.
    """

    adjacency: NDArray[np.bool_]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        matrix, labels = read_matrix(self.adjacency)
        if np.isnan(matrix).any():
            raise GraphError("An adjacency matrix must have numbers only; write 0 where there is no edge.")
        adjacency = matrix != 0
        names = tuple(str(name) for name in self.names)
        if adjacency.ndim != 2 or adjacency.shape[0] != adjacency.shape[1]:
            raise GraphError(f"An adjacency matrix must be square. Got shape {adjacency.shape} instead.")
        if len(names) != len(adjacency):
            raise GraphError(f"{len(adjacency)} variables need as many names. Got {len(names)} instead.")
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise GraphError(f"The name {twice!r} is used for more than one variable. Names must differ.")
        if sorted(labels) == sorted(names):
            place = [labels.index(name) for name in names]
            adjacency = adjacency[np.ix_(place, place)]
        cycle = find_cycle(adjacency)
        if cycle:
            path = " -> ".join(names[i] for i in [*cycle, cycle[0]])
            raise CyclicGraphError(f"The graph has the cycle {path}. A causal graph must be acyclic.")
        adjacency.flags.writeable = False
        object.__setattr__(self, "adjacency", adjacency)
        object.__setattr__(self, "names", names)

    @classmethod
    def from_edges(cls, edges: Iterable[tuple[str, str]], names: Sequence[str]) -> CausalGraph:
        """Build a graph from (cause, effect) pairs of names."""
        index = {name: i for i, name in enumerate(names)}
        adjacency = np.zeros((len(names), len(names)), dtype=bool)
        for cause, effect in edges:
            for name in (cause, effect):
                if name not in index:
                    raise GraphError(f"The edge {cause} -> {effect} names {name!r}, which is not a variable.")
            adjacency[index[cause], index[effect]] = True
        return cls(adjacency, tuple(names))

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph) -> CausalGraph:
        """Build a graph from a directed networkx graph, whose nodes' names become text."""
        names, edges = formats.networkx_parts(graph)
        return cls.from_edges(edges, names)

    @classmethod
    def from_gml(cls, text: str) -> CausalGraph:
        """Build a graph from GML, by the labels of its nodes."""
        return cls.from_networkx(formats.parse_gml(text))

    @classmethod
    def from_graphml(cls, text: str) -> CausalGraph:
        """Build a graph from GraphML, by the ids of its nodes."""
        return cls.from_networkx(formats.parse_graphml(text))

    @classmethod
    def from_json(cls, text: str) -> CausalGraph:
        """Build a graph from what `to_json` wrote."""
        names, edges = formats.parse_json(text)
        return cls.from_edges(edges, names)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return int(self.adjacency.sum())

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """All (cause, effect) pairs of names, in row order."""
        return tuple((self.names[j], self.names[i]) for j, i in np.argwhere(self.adjacency))

    @cached_property
    def order(self) -> tuple[str, ...]:
        """A causal order: causes before their effects, earlier columns first where the graph is silent."""
        return tuple(self.names[i] for i in topological_order(self.adjacency))

    def parents(self, name: str) -> tuple[str, ...]:
        """Direct causes of a variable."""
        return tuple(self.names[j] for j in np.flatnonzero(self.adjacency[:, self._index(name)]))

    def children(self, name: str) -> tuple[str, ...]:
        """Direct effects of a variable."""
        return tuple(self.names[i] for i in np.flatnonzero(self.adjacency[self._index(name)]))

    def to_networkx(self) -> nx.DiGraph:
        """Return the graph as a networkx DiGraph with the variables' names as nodes."""
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from(self.edges)
        return graph

    def to_dot(self) -> str:
        """Return the graph in Graphviz's DOT language."""
        return formats.dot_text(self.names, self.edges)

    def to_gml(self) -> str:
        """Return the graph as GML, which DoWhy's `CausalModel(graph=...)` takes."""
        return formats.gml_text(self.names, self.edges)

    def to_graphml(self) -> str:
        """Return the graph as GraphML, which Gephi, Cytoscape, yEd and networkx read."""
        return formats.graphml_text(self.names, self.edges)

    def to_json(self) -> str:
        """Return the graph as JSON: {"variables": [...], "edges": [[cause, effect], ...]}."""
        return formats.json_text(self.names, self.edges)

    def to_cpdag(self) -> NDArray[np.bool_]:
        """Return the CPDAG `[cause, effect]`: an edge that independences cannot direct stands both ways."""
        return formats.completed(self.adjacency)

    def to_lingam(self) -> NDArray[np.float64]:
        """Return the matrix as the lingam package orients it: `[effect, cause]` is 1 for an edge."""
        return self.adjacency.T.astype(float)

    def to_causal_learn(self) -> Any:
        """Return the graph as causal-learn's GeneralGraph; needs that package."""
        return packages.causal_learn_graph(self)

    def to_pgmpy(self) -> Any:
        """Return the graph as pgmpy's DAG; needs that package."""
        return packages.pgmpy_dag(self)

    def _index(self, name: str) -> int:
        try:
            return self.names.index(name)
        except ValueError:
            raise GraphError(f"There is no variable {name!r} in the graph.") from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CausalGraph):
            return NotImplemented
        return self.names == other.names and bool(np.array_equal(self.adjacency, other.adjacency))

    def __hash__(self) -> int:
        return hash((self.names, self.adjacency.tobytes()))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.adjacency, dtype=dtype)

    def __repr__(self) -> str:
        arrows = ", ".join(f"{cause} -> {effect}" for cause, effect in self.edges[:8])
        more = ", ..." if self.n_edges > 8 else ""
        edges = "1 edge" if self.n_edges == 1 else f"{self.n_edges} edges"
        return f"CausalGraph({self.n_variables} variables, {edges}: {arrows}{more})"


def topological_order(adjacency: ArrayLike) -> list[int]:
    """Return the variables' indices with causes first; shorter than d if the graph has a cycle."""
    matrix = np.asarray(adjacency) != 0
    waiting = matrix.sum(axis=0)
    ready = list(np.flatnonzero(waiting == 0)[::-1])
    order: list[int] = []
    while ready:
        node = int(ready.pop())
        order.append(node)
        for effect in np.flatnonzero(matrix[node])[::-1]:
            waiting[effect] -= 1
            if waiting[effect] == 0:
                ready.append(effect)
    return order


def is_acyclic(adjacency: ArrayLike) -> bool:
    """Tell whether the non-zero entries of a square matrix form a DAG."""
    matrix = np.asarray(adjacency)
    return len(topological_order(matrix)) == len(matrix)


def find_cycle(adjacency: ArrayLike) -> list[int]:
    """Return the indices along one cycle, or an empty list for a DAG."""
    matrix = np.asarray(adjacency) != 0
    left = np.ones(len(matrix), dtype=bool)
    left[topological_order(matrix)] = False
    if not left.any():
        return []
    # Every node that is left has a parent that is left: walk backwards until one repeats.
    node = int(np.flatnonzero(left)[0])
    path: list[int] = []
    while node not in path:
        path.append(node)
        node = int(np.flatnonzero(matrix[:, node] & left)[0])
    return path[path.index(node) :][::-1]


def closure(adjacency: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which variable of a DAG reaches which, itself included."""
    reaches = np.eye(len(adjacency), dtype=bool)
    for node in reversed(topological_order(adjacency)):
        reaches[node] |= reaches[adjacency[node]].any(axis=0)
    return reaches
