"""Pictures of matrices, training and effects, by matplotlib."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mcsl.errors import GraphError, OutputError
from mcsl.graph import CausalGraph
from mcsl.outputs.labels import FONT_SIZE, LINE_HEIGHT, break_name, drawable, known_fonts, measure, shorten
from mcsl.outputs.picture import INK
from mcsl.outputs.plots import need_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mcsl.result import Result

# Of Okabe and Ito's palette, which people of any colour vision can tell apart.
_BLUE, _ORANGE = "#0072B2", "#D55E00"
_PANEL = (3.2, 2.6)
_LINE = 24
_LINES = 3
_FEW = 25
"""Variables whose names have several lines in a matrix."""


def plot_adjacency(graph: CausalGraph | Result, *, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the matrix, row causes column, with causes before their effects, and return the axes.

    Edges are framed. Of a Result, the shade is how sure every possible edge is (`Result.confidence`).
    """
    need_matplotlib()
    from matplotlib import pyplot as plt
    from matplotlib.patches import Rectangle

    known = graph if isinstance(graph, CausalGraph) else graph.graph
    shade = known.adjacency.astype(float) if isinstance(graph, CausalGraph) else graph.confidence
    order = [known.names.index(name) for name in known.order]
    d = len(order)
    fonts, size = known_fonts(), 9 if d <= _FEW else 7
    labels = drawable([_tick_label(known.names[k], d) for k in order], fonts)
    if ax is None:
        width, height = _largest(labels, fonts, size)
        side = np.clip(1.6 + max(0.28, height + 0.05) * d, 3.0, 16.0) + max(width - 1.2, 0.0)
        ax = plt.figure(figsize=(side + 0.8, side), layout="constrained").add_subplot()
    image = ax.imshow(shade[np.ix_(order, order)], cmap="Blues", vmin=0, vmax=1)
    for row, column in np.argwhere(known.adjacency[np.ix_(order, order)]).tolist():
        ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, ec=_ORANGE, lw=1.4))
    for axis, turn in ((ax.xaxis, 90), (ax.yaxis, 0)):
        axis.set_ticks(range(d), labels, rotation=turn, parse_math=False, fontfamily=fonts)
        axis.set_tick_params(length=0, labelsize=size)
    ax.set_xlabel("effect")
    ax.set_ylabel("cause")
    ax.spines[:].set_visible(False)
    if not isinstance(graph, CausalGraph):
        meaning = graph.confidence_name + (" in half-samples" if graph.stability else "")
        ax.figure.colorbar(image, ax=ax, label=meaning, shrink=0.7)
    if title:
        ax.set_title(title, parse_math=False)
    return ax


def plot_training(result: Result) -> Figure:
    """Draw score, augmented Lagrangian and acyclicity over the stages of training, and return the figure."""
    need_matplotlib()
    from matplotlib import pyplot as plt

    if not result.trace:
        raise OutputError(
            f"The recipe {result.recipe.name!r} trains no networks, so there is no training to draw; "
            "`Recipe.masked()` and `Recipe.paper(n_variables)` do."
        )
    stages = [row.stage for row in result.trace]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for ax, first, second in (
        (left, "score", "lagrangian"),
        (right, "acyclicity", "acyclicity_of_probabilities"),
    ):
        for name, style in ((first, {"color": _BLUE}), (second, {"color": _ORANGE, "ls": (0, (5, 2))})):
            values = np.array([getattr(row, name) for row in result.trace], dtype=float)
            label = {"lagrangian": "augmented Lagrangian"}.get(name, name.replace("_", " "))
            ax.plot(stages, values, marker=".", label=label, **style)
        _tidy(ax)
        ax.set_xlabel("stage")
        ax.legend(frameon=False)
    right.set_yscale("log", nonpositive="mask")
    left.xaxis.get_major_locator().set_params(integer=True)
    right.xaxis.get_major_locator().set_params(integer=True)
    return figure


def plot_effects(result: Result, variable: str | None = None, *, level: float = 0.95) -> Figure:
    """Draw the effect curve of every edge, or of those at one variable, with its band; return the figure.

    A curve is the mean of the effect as one direct cause of it varies and the others stay.
    """
    need_matplotlib()
    from matplotlib import pyplot as plt

    from mcsl.outputs.curves import edge_columns

    graph = result.graph
    if variable is not None and variable not in graph.names:
        raise GraphError(f"There is no variable {variable!r} in the graph.")
    edges = [edge for edge in graph.edges if variable is None or variable in edge]
    pairs = [pair for cause, effect in edges for pair in edge_columns(result, cause, effect)]
    if not pairs:
        raise GraphError(
            "The graph has no edges to draw." if variable is None else f"{variable!r} has no edges to draw."
        )
    n_columns = min(len(pairs), 4)
    n_rows = math.ceil(len(pairs) / n_columns)
    fonts = known_fonts()
    named = [(cause, f"mean of {effect}") for cause, effect in pairs]
    labels = drawable([_break(label) for pair in named for label in pair], fonts)
    across, upwards = labels[::2], labels[1::2]
    width, height = _panel(_largest(across, fonts, FONT_SIZE), _largest(upwards, fonts, FONT_SIZE))
    size = (width * n_columns, height * n_rows)
    figure, panels = plt.subplots(n_rows, n_columns, figsize=size, squeeze=False, layout="constrained")
    for ax, (cause, effect), below, beside in zip(panels.flat, pairs, across, upwards, strict=False):
        curve = result.sem.effect_curve(cause, effect, level=level)
        ax.fill_between(curve.grid, curve.low, curve.high, color=_BLUE, alpha=0.2, lw=0)
        ax.plot(curve.grid, curve.mean, color=_BLUE)
        ax.set_xlabel(below, parse_math=False, fontfamily=fonts)
        ax.set_ylabel(beside, parse_math=False, fontfamily=fonts)
        _tidy(ax)
    for ax in panels.flat[len(pairs) :]:
        ax.set_axis_off()
    return figure


def _tick_label(name: str, n_names: int) -> str:
    return _break(name) if n_names <= _FEW else shorten(" ".join(name.split()), _LINE)


def _break(label: str) -> str:
    return break_name(label, line=_LINE, word=_LINE, lines=_LINES)


def _panel(across: tuple[float, float], upwards: tuple[float, float]) -> tuple[float, float]:
    """Return width and height of a panel that holds labels so large, in inches."""
    line = LINE_HEIGHT / 72
    width = max(_PANEL[0], across[0] + 0.8) + upwards[1] - line
    height = max(_PANEL[1], upwards[0] + 0.75) + across[1] - line
    return width, height


def _largest(labels: Sequence[str], fonts: Sequence[str], size: float) -> tuple[float, float]:
    """Return the largest width and the largest height of labels in inches."""
    widths, heights = zip(*(measure(label, fonts) for label in labels), strict=True)
    inch = size / FONT_SIZE / 72
    return max(widths) * inch, max(heights) * inch


def _tidy(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(colors=INK)
    ax.grid(alpha=0.25)
