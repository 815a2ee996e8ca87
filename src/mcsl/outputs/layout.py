"""Where to draw the variables of a causal graph: causes above their effects, few edges crossing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from mcsl.graph.causal_graph import topological_order

Edge: TypeAlias = tuple[int, int]
Points: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]

GAP = 14.0
_EDGE_WIDTH = 2.0
_PORT = 6.0
_USUAL = 12.0
_ORDER_SWEEPS, _PLACE_SWEEPS = 24, 120
# How firmly a segment pulls by its ends that are variables: long edges are straightened first.
_PULL = np.array([8.0, 2.0, 1.0])


@dataclass(frozen=True, eq=False)
class Layout:
    """Places in points, y upwards from the lower left corner."""

    centres: Points
    """(x, y) of every variable."""
    routes: dict[Edge, Points]
    """The waypoints of every edge, from the lower border of its cause to the upper border of its effect."""
    width: float
    height: float


def layered_layout(adjacency: NDArray[np.bool_], sizes: Points) -> Layout:
    """Lay out a DAG whose variables are boxes of the given (width, height).

    A variable stands one layer below the deepest of its causes, and a root just above its first effect.
    Within the layers, barycentre sweeps choose the order and least squares the places. The parts of the
    graph that no edge joins are packed in rows, larger parts first.
    """
    n_parts, part = connected_components(adjacency, directed=False)
    members = [np.flatnonzero(part == k) for k in range(n_parts)]
    members.sort(key=lambda nodes: (-len(nodes), nodes[0]))
    pieces = [_lay_out(adjacency[np.ix_(nodes, nodes)], sizes[nodes]) for nodes in members]
    room = max(max((piece.width for piece in pieces), default=0.0), np.sqrt(len(adjacency)) * 5 * GAP)
    centres, routes = np.zeros((len(adjacency), 2)), {}
    top = 0.0
    for row in _rows([piece.width for piece in pieces], room):
        lengths = [pieces[k].width for k in row]
        left = (room - sum(lengths) - 2 * GAP * (len(row) - 1)) / 2
        for k in row:
            shift = np.array([left, top - pieces[k].height])
            centres[members[k]] = pieces[k].centres + shift
            for (cause, effect), waypoints in pieces[k].routes.items():
                routes[int(members[k][cause]), int(members[k][effect])] = waypoints + shift
            left += pieces[k].width + 2 * GAP
        top -= max(pieces[k].height for k in row) + 2 * GAP
    lowest = np.array([0.0, top + 2 * GAP])
    return Layout(
        centres - lowest, {edge: points - lowest for edge, points in routes.items()}, room, -lowest[1]
    )


def port_width(adjacency: NDArray[np.bool_]) -> Points:
    """Return the length of border that each variable needs for its edges to arrive beside each other."""
    n_edges: Points = np.maximum(adjacency.sum(axis=0), adjacency.sum(axis=1)) - 1.0
    return _PORT * n_edges


def _rows(widths: Sequence[float], room: float) -> list[list[int]]:
    """Break pieces into rows that fit the room."""
    rows: list[list[int]] = []
    used = np.inf
    for k, width in enumerate(widths):
        if used + width > room + 1e-9:
            rows.append([])
            used = 0.0
        rows[-1].append(k)
        used += width + 2 * GAP
    return rows


@dataclass(frozen=True, eq=False)
class _Lattice:
    """A connected DAG with every edge cut into segments between neighbouring layers.

    Items below `n_variables` are variables; the others are the places where a long edge passes a layer.
    """

    layers: list[Indices]
    widths: Points
    chains: dict[Edge, list[int]]
    n_variables: int

    def links(self) -> csr_array:
        """Return `links[lower, upper]`: how firmly the items of neighbouring layers are joined."""
        segments = np.array([s for chain in self.chains.values() for s in pairwise(chain)]).reshape(-1, 2)
        pull = _PULL[(segments < self.n_variables).sum(axis=1)]
        shape = (len(self.widths), len(self.widths))
        return csr_array(coo_array((pull, (segments[:, 1], segments[:, 0])), shape=shape))


def _lay_out(adjacency: NDArray[np.bool_], sizes: Points) -> Layout:
    """Lay out one connected part."""
    lattice = _cut(adjacency, sizes[:, 0])
    _reorder(lattice)
    x = _place(lattice)
    width = max(x[layer[-1]] + lattice.widths[layer[-1]] / 2 for layer in lattice.layers)
    # Edges that travel far sideways need room to do it at an angle one can follow.
    between = float(np.clip(0.09 * width, 34.0, 80.0))
    y, half, top = np.zeros(len(x)), np.zeros(len(x)), 0.0
    for layer in lattice.layers:
        height = sizes[layer[layer < len(sizes)], 1].max()
        y[layer], half[layer] = top - height / 2, height / 2
        top -= height + between
    y -= top + between
    ports = _ports(lattice, x)
    routes = {}
    for (cause, effect), chain in lattice.chains.items():
        start, end = x[cause] + ports[cause, effect, 0], x[effect] + ports[cause, effect, 1]
        # Edges stay upright beside boxes that are taller than usual.
        waypoints = [(start, y[cause] - sizes[cause, 1] / 2), (start, y[cause] - half[cause])]
        for item in chain[1:-1]:
            waypoints += [(x[item], y[item] + side * max(half[item] - _USUAL, 0.0)) for side in (1, -1)]
        waypoints += [(end, y[effect] + half[effect]), (end, y[effect] + sizes[effect, 1] / 2)]
        routes[cause, effect] = np.array(list(dict.fromkeys(waypoints)))
    return Layout(np.stack([x, y], axis=1)[: len(sizes)], routes, width, -(top + between))


def _cut(adjacency: NDArray[np.bool_], widths: Points) -> _Lattice:
    d = len(adjacency)
    depth = np.zeros(d, dtype=int)
    for node in topological_order(adjacency):
        depth[node] = max((depth[cause] + 1 for cause in np.flatnonzero(adjacency[:, node])), default=0)
    for root in np.flatnonzero(~adjacency.any(axis=0) & adjacency.any(axis=1)):
        depth[root] = depth[adjacency[root]].min() - 1
    layers = [np.flatnonzero(depth == k).tolist() for k in range(depth.max() + 1)]
    chains, n_items = {}, d
    for cause, effect in np.argwhere(adjacency).tolist():
        passed = range(n_items, n_items + depth[effect] - depth[cause] - 1)
        for layer, item in enumerate(passed, depth[cause] + 1):
            layers[layer].append(item)
        n_items += len(passed)
        chains[cause, effect] = [cause, *passed, effect]
    widths = np.concatenate([widths, np.full(n_items - d, _EDGE_WIDTH)])
    return _Lattice([np.array(layer, dtype=np.intp) for layer in layers], widths, chains, d)


def _reorder(lattice: _Lattice) -> None:
    """Sort each layer by the mean place of its neighbours, down and up in turn, and keep the best order."""
    layers = lattice.layers
    joined = lattice.links() > 0
    above, below = _lists(joined), _lists(csr_array(joined.T))
    place = np.zeros(len(lattice.widths))
    for layer in layers:
        place[layer] = np.arange(len(layer))
    best, fewest = list(layers), _n_crossings(layers, below, place)
    for sweep in range(_ORDER_SWEEPS):
        neighbours = below if sweep % 2 else above
        for k in range(len(layers))[:: -1 if sweep % 2 else 1]:
            layer = layers[k]
            means = np.array([place[neighbours[i]].mean() if len(neighbours[i]) else place[i] for i in layer])
            # Turning how ties fall lets the sweeps leave a dead end.
            layers[k] = layer[np.lexsort((place[layer] * (1 if sweep % 4 < 2 else -1), means))]
            place[layers[k]] = np.arange(len(layer))
            _swap_neighbours(layers[k], above, below, place)
        crossings = _n_crossings(layers, below, place)
        if crossings < fewest:
            best, fewest = [layer.copy() for layer in layers], crossings
    layers[:] = best


def _lists(joined: csr_array) -> list[Indices]:
    return np.split(joined.indices, joined.indptr[1:-1])


def _swap_neighbours(layer: Indices, above: list[Indices], below: list[Indices], place: Points) -> None:
    """Exchange two items beside each other where that removes crossings."""
    for k in range(len(layer) - 1):
        left, right = layer[k], layer[k + 1]
        gain = sum(np.sign(place[side[left]][:, None] - place[side[right]]).sum() for side in (above, below))
        if gain > 0:
            layer[k], layer[k + 1] = right, left
            place[left], place[right] = place[right], place[left]


def _n_crossings(layers: list[Indices], below: list[Indices], place: Points) -> int:
    total = 0
    for layer in layers:
        upper = np.repeat(place[layer], [len(below[i]) for i in layer])
        lower = place[np.concatenate([below[i] for i in layer])]
        total += int(((upper[:, None] < upper) & (lower[:, None] > lower)).sum())
    return total


def _place(lattice: _Lattice) -> Points:
    """Move every item to the mean of its neighbours, by least squares that keeps the order and the gaps."""
    x = np.zeros(len(lattice.widths))
    offsets = []
    for layer in lattice.layers:
        gaps = np.where(
            (layer[1:] >= lattice.n_variables) & (layer[:-1] >= lattice.n_variables), GAP / 2, GAP
        )
        steps = (lattice.widths[layer[1:]] + lattice.widths[layer[:-1]]) / 2 + gaps
        offsets.append(np.concatenate([[0.0], np.cumsum(steps)]))
        x[layer] = offsets[-1] - offsets[-1][-1] / 2
    links = lattice.links()
    above, below, both = links, csr_array(links.T), links + links.T
    for sweep in range(_PLACE_SWEEPS):
        upwards = sweep % 2
        # The first sweeps align a layer with the one before it, the others with both at once.
        pulls = both if sweep >= _PLACE_SWEEPS // 3 else below if upwards else above
        for k in range(len(offsets))[:: -1 if upwards else 1]:
            layer = lattice.layers[k]
            weights = pulls[layer].sum(axis=1) + 1e-3
            targets = (pulls[layer] @ x + 1e-3 * x[layer]) / weights
            x[layer] = isotonic_regression(targets - offsets[k], weights=weights).x + offsets[k]
    leftmost: float = min(x[layer[0]] - lattice.widths[layer[0]] / 2 for layer in lattice.layers)
    return x - leftmost


def _ports(lattice: _Lattice, x: Points) -> dict[tuple[int, int, int], float]:
    """Spread the edges of a variable along its borders, in the order in which they leave and arrive."""
    ports = {}
    for end, step in ((0, 1), (1, -2)):
        for node in range(lattice.n_variables):
            edges = [edge for edge in lattice.chains if edge[end] == node]
            edges.sort(key=lambda edge: x[lattice.chains[edge][step]])
            for k, edge in enumerate(edges):
                ports[*edge, end] = (k - (len(edges) - 1) / 2) * _PORT
    return ports
