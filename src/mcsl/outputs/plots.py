"""Pictures of causal graphs, by matplotlib."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.interpolate import PchipInterpolator

from mcsl.errors import OutputError
from mcsl.graph import CausalGraph
from mcsl.outputs.layout import Points
from mcsl.outputs.picture import (
    CORNER,
    INK,
    MARGIN,
    STRIP,
    TITLE_SIZE,
    VERDICTS,
    Arrow,
    Picture,
    Stroke,
    compose,
)
from mcsl.writing import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mcsl.result import Result

_HEAD = 6.5


def plot_graph(
    graph: CausalGraph | Result,
    *,
    truth: CausalGraph | None = None,
    highlight: Sequence[str] = (),
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw a graph with causes above their effects, and return the axes.

    Of a Result, the surer an edge (`Result.confidence`), the heavier its arrow. Beside a `truth`, edges are
    coloured as found, reversed, extra or missed. `highlight` is a path of variables, such as that from a root
    cause to a symptom, that stands out from the rest. Without `ax`, the figure is as large as the graph
    needs; a given one is filled and the type scaled to fit.
    """
    need_matplotlib()
    from matplotlib import pyplot as plt

    picture = compose(graph, truth, title, highlight)
    if ax is None:
        ax = plt.figure(figsize=_inches(picture)).add_axes((0, 0, 1, 1))
    _paint(picture, ax)
    return ax


def write_graph_picture(
    graph: CausalGraph | Result,
    path: str | os.PathLike[str],
    *,
    truth: CausalGraph | None = None,
    highlight: Sequence[str] = (),
    title: str | None = None,
) -> Path:
    """Write the picture of `plot_graph` to a file; its name says the format, such as .svg, .png or .pdf."""
    need_matplotlib()
    from matplotlib.backend_bases import FigureCanvasBase

    path = Path(path)
    kind = path.suffix.removeprefix(".").lower()
    known = FigureCanvasBase.get_supported_filetypes()
    if kind not in known:
        raise OutputError(f"{path} must end in one of {', '.join('.' + k for k in sorted(known))}.")
    [content] = graph_pictures(graph, [kind], truth=truth, highlight=highlight, title=title)
    return write_whole(path, content)


def graph_pictures(
    graph: CausalGraph | Result,
    kinds: Sequence[str],
    *,
    truth: CausalGraph | None = None,
    highlight: Sequence[str] = (),
    title: str | None = None,
) -> list[bytes]:
    """Return what `write_graph_picture` writes to files of these kinds, such as svg, png or pdf."""
    need_matplotlib()
    picture = compose(graph, truth, title, highlight)
    return [_render(picture, kind) for kind in kinds]


def graph_svg(graph: CausalGraph | Result) -> str:
    """Return the picture of `plot_graph` as an SVG element to put into a page."""
    svg = graph_pictures(graph, ["svg"])[0].decode()
    return svg[svg.index("<svg") :]


def _render(picture: Picture, kind: str) -> bytes:
    matplotlib = need_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=_inches(picture))
    _paint(picture, figure.add_axes((0, 0, 1, 1)))
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    content = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "mcsl"}):
        figure.savefig(content, format=kind, dpi=200, metadata=undated)
    return content.getvalue()


def _inches(picture: Picture) -> tuple[float, float]:
    width, height = picture.size
    return width / 72, height / 72


def _paint(picture: Picture, ax: Axes) -> None:
    width, height = picture.size
    room = ax.get_window_extent()
    scale = 72 / ax.figure.dpi * min(room.width / width, room.height / height)
    left = (width - picture.layout.width) / 2
    bottom = MARGIN + STRIP * bool(picture.counts)
    ax.set_axis_off()
    ax.set_aspect("equal")
    ax.set_xlim(-left, width - left)
    ax.set_ylim(-bottom, height - bottom)
    write = partial(
        ax.text, color=INK, fontfamily=picture.fonts, parse_math=False, ha="center", linespacing=1.1
    )
    for arrow in picture.arrows:
        _paint_arrow(ax, arrow, _smooth(picture.route(arrow)), scale)
    for k, centre in enumerate(picture.layout.centres):
        _paint_box(ax, centre, picture.sizes[k], picture.fills[k], scale)
        middle = "center" if "\n" in picture.labels[k] else "center_baseline"
        write(
            centre[0],
            centre[1],
            picture.labels[k],
            fontsize=picture.font_sizes[k] * scale,
            va=middle,
            zorder=3,
        )
    if picture.title:
        at = picture.layout.height + (STRIP + MARGIN) / 2
        write(picture.layout.width / 2, at, picture.title, fontsize=TITLE_SIZE * scale, va="center")
    if picture.counts:
        _paint_legend(ax, picture.counts, scale)


def _paint_arrow(ax: Axes, arrow: Arrow, curve: Points, scale: float) -> None:
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path as Outline

    shaft, head = _split(curve)
    style: dict[str, Any] = {"color": arrow.stroke.color, "alpha": 0.35 + 0.6 * arrow.strength, "zorder": 1}
    width = (0.7 + 0.8 * arrow.strength) * scale
    ax.add_patch(PathPatch(Outline(shaft), fill=False, lw=width, ls=_dashes(arrow.stroke), **style))
    ax.add_patch(Polygon(head, closed=True, lw=0, **style))


def _paint_box(ax: Axes, centre: Points, size: Points, fill: str, scale: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    left, bottom = centre - size / 2
    shape = f"round,pad=0,rounding_size={CORNER}"
    style: dict[str, Any] = {"fc": fill, "ec": INK, "lw": 0.9 * scale, "zorder": 2}
    ax.add_patch(FancyBboxPatch((left, bottom), size[0], size[1], boxstyle=shape, **style))


def _paint_legend(ax: Axes, counts: dict[str, int], scale: float) -> None:
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], color=stroke.color, ls=_dashes(stroke), lw=1.5 * scale, label=f"{name} {counts[name]}")
        for name, stroke in VERDICTS.items()
    ]
    place: dict[str, Any] = {"loc": "lower center", "ncols": len(lines), "frameon": False}
    ax.legend(handles=lines, fontsize=9 * scale, labelcolor=INK, handlelength=2.6, **place)


def _dashes(stroke: Stroke) -> Any:
    return (0, stroke.dashes) if stroke.dashes else "solid"


def _smooth(waypoints: Points) -> Points:
    """Return points on the curve x(y) through the waypoints, which overshoots none of them."""
    upwards = slice(None, None, 1 if waypoints[0, 1] < waypoints[-1, 1] else -1)
    x, y = waypoints[upwards].T
    heights = np.linspace(y[0], y[-1], 16 * len(y))
    return np.stack([PchipInterpolator(y, x)(heights), heights], axis=1)[upwards]


def _split(curve: Points) -> tuple[Points, Points]:
    """Split a curve into the shaft and the triangle at its end, whose tip is the end."""
    tip = curve[-1]
    distance = np.linalg.norm(curve - tip, axis=1)
    last = int(np.flatnonzero(distance > _HEAD)[-1])
    base = curve[last] + (curve[last + 1] - curve[last]) * (distance[last] - _HEAD) / (
        distance[last] - distance[last + 1]
    )
    across = (tip - base)[::-1] * (-1, 1) * 0.42
    shaft = np.concatenate([curve[: last + 1], [base + 0.1 * (tip - base)]])
    return shaft, np.array([tip, base + across, base - across])


def need_matplotlib() -> ModuleType:
    """Return matplotlib, or say how to install it."""
    try:
        import matplotlib
    except ImportError:
        raise OutputError(
            "Pictures need matplotlib, which is not installed; `pip install '.[plots]'` in mcsl's folder "
            "installs it."
        ) from None
    return matplotlib
