"""What the picture of a causal graph shows: boxes, arrows and words, in points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mcsl.errors import GraphError
from mcsl.graph import CausalGraph, is_acyclic
from mcsl.outputs.labels import FONT_SIZE, break_name, drawable, known_fonts, measure
from mcsl.outputs.layout import Layout, Points, layered_layout, port_width

if TYPE_CHECKING:
    from mcsl.result import Result

INK = "#22313F"
MARGIN, STRIP = 10.0, 30.0
CORNER = 9.0
TITLE_SIZE = 12.0
_WIDEST_LABEL = 110.0
_LEGEND_WIDTH = 360.0


@dataclass(frozen=True)
class Stroke:
    """How a kind of edge is drawn; the dashes tell apart what colours alone might not."""

    color: str
    dashes: tuple[float, ...] | None = None


# Okabe and Ito's palette, which people of any colour vision can tell apart.
VERDICTS = {
    "found": Stroke("#0072B2"),
    "reversed": Stroke("#D55E00", (6, 2, 1.2, 2)),
    "extra": Stroke("#E69F00", (2.2, 1.6)),
    "missed": Stroke("#8A8A8A", (5, 3)),
}


ON_PATH = Stroke("#D55E00")
PAPER, FIRST_ON_PATH, NEXT_ON_PATH = "#EAF1F8", "#F5B48A", "#FCE6D6"
_FAINT = 0.25


@dataclass(frozen=True)
class Arrow:
    """An edge to draw."""

    cause: int
    effect: int
    stroke: Stroke
    strength: float = 1.0
    """From 0 to 1: how heavy it is."""


@dataclass(frozen=True, eq=False)
class Picture:
    """Everything to draw."""

    labels: tuple[str, ...]
    fonts: tuple[str, ...]
    font_sizes: Points
    sizes: Points
    """(width, height) of every variable's box."""
    layout: Layout
    arrows: tuple[Arrow, ...]
    fills: tuple[str, ...]
    """The colour of every box."""
    counts: dict[str, int]
    """How many edges have each verdict; empty without a truth."""
    title: str | None

    @property
    def size(self) -> tuple[float, float]:
        """Width and height with margins, title and legend."""
        title_width = 1.3 * measure(self.title, self.fonts)[0] if self.title else 0.0
        width = max(self.layout.width, title_width, _LEGEND_WIDTH if self.counts else 0.0)
        strips = STRIP * (bool(self.title) + bool(self.counts))
        return width + 2 * MARGIN, self.layout.height + 2 * MARGIN + strips

    def route(self, arrow: Arrow) -> Points:
        """Return the waypoints of an arrow; one against the flow of the layout runs upwards."""
        edge = arrow.cause, arrow.effect
        routes = self.layout.routes
        return routes[edge] if edge in routes else routes[edge[::-1]][::-1]


def compose(
    graph: CausalGraph | Result, truth: CausalGraph | None, title: str | None, path: Sequence[str] = ()
) -> Picture:
    """Decide what to draw, how large, and where."""
    known = graph if isinstance(graph, CausalGraph) else graph.graph
    confidence = None if isinstance(graph, CausalGraph) else graph.confidence
    arrows, flow = _arrows(known, confidence, truth)
    fills = dict.fromkeys(path, NEXT_ON_PATH) | dict.fromkeys(path[:1], FIRST_ON_PATH)
    if path:
        arrows = _along(arrows, known, path)
    fonts = known_fonts()
    heading, *labels = drawable([title or "", *map(break_name, known.names)], fonts)
    measured = np.array([measure(label, fonts) for label in labels]).reshape(-1, 2)
    # A long word that cannot be broken is set smaller, to half the size at most.
    shrink = np.clip(_WIDEST_LABEL / np.maximum(measured[:, 0], 1.0), 0.5, 1.0)
    sizes = np.maximum(measured * shrink[:, None] + (16.0, 10.0), (34.0, 24.0))
    sizes[:, 0] = np.maximum(sizes[:, 0], port_width(flow) + 2 * CORNER)
    counts = {name: sum(a.stroke is stroke for a in arrows) for name, stroke in VERDICTS.items()}
    return Picture(
        labels=tuple(labels),
        fonts=fonts,
        font_sizes=FONT_SIZE * shrink,
        sizes=sizes,
        layout=layered_layout(flow, sizes),
        arrows=tuple(arrows),
        fills=tuple(fills.get(name, PAPER) for name in known.names),
        counts=counts if truth else {},
        title=heading or None,
    )


def _arrows(
    graph: CausalGraph, confidence: NDArray[np.float64] | None, truth: CausalGraph | None
) -> tuple[list[Arrow], NDArray[np.bool_]]:
    """Return what to draw and the DAG to lay it out by, in which a missed edge may stand on its head."""
    names, flow = graph.names, graph.adjacency.copy()
    true = None
    if truth is not None:
        if set(truth.names) != set(names):
            only = ", ".join(sorted(set(truth.names) ^ set(names)))
            raise GraphError(f"Graph and truth must have the same variables; only one of them has {only}.")
        place = [truth.names.index(name) for name in names]
        true = truth.adjacency[np.ix_(place, place)]
    arrows = []
    for cause, effect in np.argwhere(graph.adjacency).tolist():
        stroke = Stroke(INK)
        if true is not None:
            verdict = "found" if true[cause, effect] else "reversed" if true[effect, cause] else "extra"
            stroke = VERDICTS[verdict]
        sure = 1.0 if confidence is None else confidence[cause, effect]
        arrows.append(Arrow(cause, effect, stroke, strength=float(np.clip(2 * sure - 1, 0, 1))))
    if true is not None:
        for cause, effect in np.argwhere(true & ~graph.adjacency & ~graph.adjacency.T).tolist():
            arrows.append(Arrow(cause, effect, VERDICTS["missed"]))
            flow[cause, effect] = True
            if not is_acyclic(flow):
                flow[cause, effect], flow[effect, cause] = False, True
    return arrows, flow


def _along(arrows: Sequence[Arrow], graph: CausalGraph, path: Sequence[str]) -> list[Arrow]:
    """Return the arrows with those of a path through the graph in colour, and the others faint."""
    steps = set(pairwise(path))
    for cause, effect in steps:
        if effect not in graph.children(cause):
            raise GraphError(f"The path goes from {cause!r} to {effect!r}, which is no edge of the graph.")
    return [
        replace(arrow, stroke=ON_PATH, strength=1.0)
        if (graph.names[arrow.cause], graph.names[arrow.effect]) in steps
        else replace(arrow, strength=_FAINT * arrow.strength)
        for arrow in arrows
    ]
