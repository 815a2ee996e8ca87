"""The ranking of an incident's causes as files and as a picture."""

from __future__ import annotations

import os
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcsl.graph import CausalGraph
from mcsl.outputs.files import to_csv, to_json, to_matrix_csv, write_texts
from mcsl.outputs.labels import shorten

if TYPE_CHECKING:
    from mcsl.diagnosis import RootCauseResult
    from mcsl.simulation import Incident

_PICTURES = ("graph.png", "graph.svg")
_MOST_SHOWN = 16
_LONGEST_NAME = 48


def write_root_cause(
    result: RootCauseResult,
    directory: str | os.PathLike[str],
    *,
    force: bool = False,
    command: str | None = None,
    pictures: bool = True,
) -> Path:
    """Write ranking.json, ranking.csv, adjacency.csv and, with `pictures`, graph.png and graph.svg.

    All are made before the first is written, so that a picture that fails leaves everything as it was.
    """
    from mcsl.diagnosis import Candidate

    columns = [field.name for field in fields(Candidate)]
    rows = [asdict(candidate) | {"path": " -> ".join(candidate.path)} for candidate in result.ranking]
    files: dict[str, str | bytes] = {
        "ranking.json": to_json(_summary(result, command)),
        "ranking.csv": to_csv(columns, ([row[column] for column in columns] for row in rows)),
        "adjacency.csv": to_matrix_csv(result.graph.adjacency.astype(int), result.graph.names),
    }
    if pictures:
        from mcsl.outputs.plots import graph_pictures

        graph, options = _view(result)
        files |= zip(_PICTURES, graph_pictures(graph, ["png", "svg"], **options), strict=True)
    return write_texts(files, directory, force=force, outdated=_PICTURES)


def write_root_cause_picture(result: RootCauseResult, path: str | os.PathLike[str]) -> Path:
    """Draw the way from the first candidate to the symptom; of many variables, only the anomalous."""
    from mcsl.outputs.plots import write_graph_picture

    graph, options = _view(result)
    return write_graph_picture(graph, path, **options)


def _view(result: RootCauseResult) -> tuple[CausalGraph, dict[str, Any]]:
    """Return the graph to draw, and how: which path stands out, and the title."""
    first = result.ranking[0]
    loudest = [*first.path, first.name, *([result.target] if result.target else []), *result.anomalous]
    names = result.graph.names
    most = max(_MOST_SHOWN, len(first.path))
    shown = tuple(dict.fromkeys(loudest))[:most] if len(names) > most else names
    edges = [(a, b) for a, b in result.graph.edges if a in shown and b in shown]
    graph = CausalGraph.from_edges(edges, shown)
    symptom = f" of {shorten(result.target, _LONGEST_NAME)}" if result.target else ""
    title = f"Root cause{symptom}: {shorten(first.name, _LONGEST_NAME)}"
    return graph, {"highlight": first.path or (first.name,), "title": title}


def write_incident(incident: Incident, directory: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Write baseline.csv and incident.csv, empty where values are missing, truth.csv and answer.json."""
    answer = {
        name: getattr(incident, name) for name in ("root_cause", "target", "fault", "decoys", "confounded")
    }
    texts = {
        "truth.csv": to_matrix_csv(incident.graph.adjacency.astype(int), incident.graph.names),
        "answer.json": to_json(answer),
    }
    for name, table in (("baseline.csv", incident.baseline), ("incident.csv", incident.incident)):
        rows = [[None if value != value else value for value in row] for row in table.values.tolist()]
        texts[name] = to_csv(table.names, rows)
    return write_texts(texts, directory, force=force)


def _summary(result: RootCauseResult, command: str | None) -> dict[str, object]:
    """Return everything but the graph as plain values."""
    return {
        "root_cause": result.root_cause,
        "target": result.target,
        "ranking": [asdict(candidate) for candidate in result.ranking],
        "by_the_papers_rule": list(result.by_paper),
        "anomalous": list(result.anomalous),
        "graph_is_known": result.graph_is_known,
        "cannot_be_root": list(result.cannot_be_root),
        "left_out": dict(result.left_out),
        "n_baseline": result.n_baseline,
        "n_incident": result.n_incident,
        "n_missing": result.n_missing,
        "lags": result.lags,
        "seed": result.seed,
        "timings": dict(result.timings),
        "command": command,
    }
