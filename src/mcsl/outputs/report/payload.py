"""All that the report shows, as plain values for its scripts."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mcsl.edge_table import EdgeRow
from mcsl.outputs.curves import edge_columns
from mcsl.outputs.labels import break_name
from mcsl.outputs.layout import layered_layout, port_width

if TYPE_CHECKING:
    from mcsl.result import Result
    from mcsl.sem import FittedSEM

_LETTER, _LINE = 7.2, 16.0
_WIDEST = 150.0
"""Longer names are set smaller by the page."""
_MOST_CURVES = 4
"""Of one edge: a vector or a series has a curve for each pair of columns."""
_MOST_POINTS = 200
_DRAWS = 50


def payload(result: Result, command: str | None) -> dict[str, Any]:
    """Return everything that the page is made of."""
    sem = result.sem_if_any
    by_name = {finding.name: finding.figures for finding in result.trust}
    return {
        "graph": _drawing(result),
        "variables": [_variable(result, sem, k, by_name) for k in range(result.graph.n_variables)],
        "edges": list(_edges(result)),
        "curves": list(_curves(result, sem)) if sem else [],
        "confidence": result.confidence_name,
        "columns": list(EdgeRow._fields),
        "trust": [asdict(finding) for finding in result.trust],
        "trace": [asdict(row) for row in result.trace],
        "has_model": sem is not None,
        "sentences": [sentence for sentence in _sentences(result) if sentence],
        "provenance": _provenance(result, command),
    }


def _drawing(result: Result) -> dict[str, Any]:
    """Places of the boxes and waypoints of the edges, y downwards."""
    graph = result.graph
    labels = [break_name(name).split("\n") for name in graph.names]
    widths = [min(max(map(_width, lines)), _WIDEST) for lines in labels]
    sizes = np.array(
        [(width + 20, _LINE * len(lines) + 12) for width, lines in zip(widths, labels, strict=True)]
    )
    sizes[:, 0] = np.maximum(np.maximum(sizes[:, 0], 44), port_width(graph.adjacency) + 20)
    layout = layered_layout(graph.adjacency, sizes)

    def downwards(points: NDArray[np.float64]) -> list[Any]:
        turned: list[Any] = np.round(points * (1, -1) + (0, layout.height), 1).tolist()
        return turned

    return {
        "width": round(layout.width, 1),
        "height": round(layout.height, 1),
        "labels": labels,
        "centres": downwards(layout.centres),
        "sizes": np.round(sizes, 1).tolist(),
        "routes": [[*edge, downwards(waypoints)] for edge, waypoints in layout.routes.items()],
    }


def _width(line: str) -> float:
    return sum(_LETTER * (1.7 if unicodedata.east_asian_width(sign) in "WF" else 1) for sign in line)


def _edges(result: Result) -> Iterator[dict[str, Any]]:
    place = {name: k for k, name in enumerate(result.graph.names)}
    confidence = result.confidence
    for row in result.edge_rows():
        yield {**row._asdict(), "confidence": float(confidence[place[row.cause], place[row.effect]])}


def _variable(result: Result, sem: FittedSEM | None, k: int, figures: dict[str, Any]) -> dict[str, Any]:
    """What is known of one variable beside its edges."""
    name = result.graph.names[k]
    columns = result.groups.get(name, ())
    fit = next((fit for fit in sem.held_out if fit.variable == name), None) if sem else None
    return {
        "name": name,
        "columns": list(columns) if len(columns) > 1 else [],
        "r2": fit and fit.r2,
        "r2_deviation": fit and fit.deviation,
        "independence": figures.get("independence", {}).get(name),
        "normality": figures.get("direction", {}).get(name),
        "residuals": _residuals(sem, k) if sem else [],
    }


def _residuals(sem: FittedSEM, k: int) -> list[dict[str, Any]]:
    """Residuals, in deviations, against the rank of what was predicted: no row of the table is passed on."""
    mechanism = sem.mechanisms[k]
    if not mechanism.inputs:
        return []
    inputs, outputs = sem.seen_by(k, most=_MOST_POINTS)
    noise, predicted = mechanism.noise(inputs, outputs), mechanism.mean(inputs)
    return [
        {
            "column": sem.columns[column],
            "rank": np.round(predicted[:, i].argsort().argsort() / max(len(noise) - 1, 1), 3),
            "noise": np.round(noise[:, i] / (noise[:, i].std() or 1), 2),
        }
        for i, column in enumerate(mechanism.outputs[:_MOST_CURVES])
    ]


def _curves(result: Result, sem: FittedSEM) -> Iterator[dict[str, Any]]:
    """Effect curves of every edge, between the columns that it joins."""
    place = {name: k for k, name in enumerate(result.graph.names)}
    for cause, effect in result.graph.edges:
        pairs = edge_columns(result, cause, effect)
        for read, column in pairs[:_MOST_CURVES]:
            curve = sem.effect_curve(read, column, n_bootstrap=_DRAWS)
            yield {
                "edge": [place[cause], place[effect]],
                "cause": read,
                "effect": column,
                "left_out": len(pairs) > _MOST_CURVES,
                "grid": _short(curve.grid, np.ptp(curve.grid)),
                **{
                    name: _short(getattr(curve, name), curve.high.max() - curve.low.min())
                    for name in ("mean", "low", "high")
                },
            }


def _short(numbers: NDArray[np.float64], reach: float) -> list[float]:
    """Round to a thousandth of how far a picture reaches, however far from 0 it is."""
    if not reach > 0:
        return [float(f"{number:.4g}") for number in numbers]
    digits = 4 - math.floor(math.log10(reach))
    return [round(float(number), digits) for number in numbers]


def _sentences(result: Result) -> Iterator[str]:
    yield result.series.sentence
    yield result.missing.sentence
    yield result.rows_sentence
    yield result.restarts_sentence
    if result.stability:
        yield result.stability.sentence(result.graph)


def _provenance(result: Result, command: str | None) -> dict[str, Any]:
    return {
        "command": command,
        "recipe": result.recipe.name,
        "settings": result.recipe.describe(),
        "seed": result.seed,
        "fingerprint": result.fingerprint,
        "n_samples": result.n_samples,
        "knowledge": result.knowledge.to_dict(),
        "versions": dict(result.versions),
        "timings": dict(result.timings),
    }
