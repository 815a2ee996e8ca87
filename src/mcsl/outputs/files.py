"""Results and simulations as files: written whole or not at all, and read back."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mcsl.checkpoint import DIRECTORY
from mcsl.edge_table import CORNER, EdgeRow, edge_rows
from mcsl.errors import OutputError
from mcsl.writing import is_partial, write_together, write_whole

if TYPE_CHECKING:
    from mcsl.graph import Stability
    from mcsl.pruning import Pruned
    from mcsl.result import Result
    from mcsl.simulation import Simulation

UNFINISHED = {"halves.jsonl", DIRECTORY}
"""What an interrupted run leaves for the next to go on with; a directory of these alone counts as empty."""

_NOT_ALWAYS = ("lags.csv", "stability.csv", "consensus.csv", "report.html")
"""What a result has only at times; from an earlier run, it would speak of another graph."""


def is_unfinished(directory: Path, *, halves: bool) -> bool:
    """Whether there is anything in a directory to go on with, for a run that counts `halves` or does not.

    Half-samples stay when a run is done.
    """
    return any((directory / name).exists() for name in (UNFINISHED if halves else {DIRECTORY}))


def write_result(
    result: Result,
    directory: str | os.PathLike[str],
    *,
    force: bool = False,
    command: str | None = None,
    also: Mapping[str, str] | None = None,
) -> Path:
    """Write adjacency.csv, edges.csv, probabilities.csv, trace.csv and result.json into a directory.

    All of it and the fitted model are in result.mcsl too, for `load_result`.
    Where there are lags, also lags.csv: a test of every lag of every edge.
    Where half-samples were counted, also stability.csv and the consensus graph, consensus.csv.
    A directory that has files in it is refused unless `force`, which replaces the files of an earlier result
    and leaves others alone. `command` is recorded in result.json; `also` holds further files by name.
    """
    from mcsl.outputs.saving import to_bytes
    from mcsl.pruning import LagTest
    from mcsl.search.trace import TraceRow

    trace_columns = [field.name for field in fields(TraceRow)]
    files: dict[str, str | bytes] = {
        "adjacency.csv": to_matrix_csv(result.graph.adjacency.astype(int), result.graph.names),
        "edges.csv": to_csv(EdgeRow._fields, result.edge_rows()),
        "probabilities.csv": to_matrix_csv(result.edge_probabilities, result.graph.names),
        "trace.csv": to_csv(trace_columns, map(astuple, result.trace)),
        "result.json": to_json(_provenance(result, command)),
        "result.mcsl": to_bytes(result),
    }
    if result.lag_tests:
        rows = [(*astuple(test), test.matters) for test in result.lag_tests]
        files["lags.csv"] = to_csv([*(field.name for field in fields(LagTest)), "matters"], rows)
    if result.stability:
        consensus = result.stability.consensus
        files["stability.csv"] = to_csv(StabilityRow._fields, stability_rows(result.stability))
        files["consensus.csv"] = to_matrix_csv(consensus.adjacency.astype(int), consensus.names)
    return write_texts({**files, **(also or {})}, directory, force=force, outdated=_NOT_ALWAYS)


def write_pruned(
    pruned: Pruned,
    directory: str | os.PathLike[str],
    *,
    provenance: Mapping[str, Any],
    force: bool = False,
) -> Path:
    """Write adjacency.csv, edges.csv and, with what the caller knows of their making, result.json."""
    graph = pruned.graph
    texts = {
        "adjacency.csv": to_matrix_csv(graph.adjacency.astype(int), graph.names),
        "edges.csv": to_csv(EdgeRow._fields, edge_rows(graph, pruned.tests)),
        "result.json": to_json({"variables": graph.names, "n_edges": graph.n_edges, **provenance}),
    }
    return write_texts(texts, directory, force=force)


def write_simulation(
    simulation: Simulation, directory: str | os.PathLike[str], *, force: bool = False
) -> Path:
    """Write data.csv, in full precision, and truth.csv, in the form of adjacency.csv.

    Where variables have several columns, also groups.json, for `read_groups`.
    """
    return write_texts(simulation_texts(simulation), directory, force=force)


def simulation_texts(simulation: Simulation) -> dict[str, str]:
    """Return the files of a simulation by name."""
    import polars as pl

    frame = pl.DataFrame(simulation.dataset.values, schema=list(simulation.dataset.names))
    texts = {
        "data.csv": frame.write_csv(),
        "truth.csv": to_matrix_csv(simulation.graph.adjacency.astype(int), simulation.graph.names),
    }
    if any(len(columns) > 1 for columns in simulation.groups.values()):
        texts["groups.json"] = to_json(simulation.groups)
    return texts


def write_adjacency(adjacency: ArrayLike, names: Sequence[str], path: str | os.PathLike[str]) -> Path:
    """Write a labelled matrix to one file, which is replaced only once the new one is complete."""
    return write_whole(path, to_matrix_csv(adjacency, names).encode())


def check_directory(directory: str | os.PathLike[str], *, force: bool = False) -> None:
    """Refuse early what `write_texts` would refuse after all the work is done."""
    directory = Path(directory)
    try:
        if directory.is_dir():
            names = {entry.name for entry in directory.iterdir() if not is_partial(entry.name)}
            if not force and names - UNFINISHED:
                raise OutputError(
                    f"The directory {directory} is not empty; choose another, or replace with --force."
                )
        elif directory.exists():
            raise OutputError(f"{directory} is a file, not a directory; choose another --out.")
        nearest = next(place for place in [directory, *directory.absolute().parents] if place.exists())
        if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
            raise OutputError(f"{directory} cannot be written: {nearest} is no directory one may write to.")
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"{directory} cannot be written: {error.strerror}.") from None


def write_texts(
    texts: Mapping[str, str | bytes],
    directory: str | os.PathLike[str],
    *,
    force: bool = False,
    outdated: Iterable[str] = (),
) -> Path:
    """Write all files or none; see `write_together`."""
    check_directory(directory, force=force)
    contents = {name: text.encode() if isinstance(text, str) else text for name, text in texts.items()}
    return write_together(contents, directory, outdated=outdated)


def to_matrix_csv(matrix: ArrayLike, names: Sequence[str]) -> str:
    """Return a labelled square matrix as CSV text, row causes column."""
    rows = np.asarray(matrix).tolist()
    return to_csv([CORNER, *names], ([name, *row] for name, row in zip(names, rows, strict=True)))


def to_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return CSV text with numbers in full precision; None is an empty cell."""
    return "".join(",".join(map(_cell, row)) + "\n" for row in [header, *rows])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = str(int(value)) if isinstance(value, bool) else str(value)
    # Blanks at the ends would be lost on reading, as the comma would be.
    needs_quotes = re.search(r'[,"\r\n]|^\s|\s$', text)
    return '"' + text.replace('"', '""') + '"' if needs_quotes else text


class StabilityRow(NamedTuple):
    """How often an edge returned in half-samples, in this direction and in either."""

    cause: str
    effect: str
    frequency: float
    either_direction: float
    consensus: bool


def stability_rows(stability: Stability) -> list[StabilityRow]:
    """Return all edges that any half-sample has, the most frequent first."""
    rows = [
        StabilityRow(
            cause=stability.names[at[0]],
            effect=stability.names[at[1]],
            frequency=float(stability.frequencies[at]),
            either_direction=float(stability.either_direction[at]),
            consensus=bool(stability.consensus.adjacency[at]),
        )
        for at in map(tuple, np.argwhere(stability.frequencies > 0))
    ]
    return sorted(rows, key=lambda row: -row.frequency)


def _provenance(result: Result, command: str | None) -> dict[str, Any]:
    return {
        "variables": list(result.graph.names),
        "n_samples": result.n_samples,
        "n_drawn": result.n_drawn,
        "n_edges": result.graph.n_edges,
        "stop_reason": result.stop_reason.value,
        "stop_sentence": result.stop_reason.sentence,
        "cut_edges": [list(edge) for edge in result.cut_edges],
        "seed": result.seed,
        "restarts": [restart.to_dict() for restart in result.restarts],
        "recipe": result.recipe.describe(),
        "knowledge": result.knowledge.to_dict(),
        "missing": asdict(result.missing),
        "fingerprint": result.fingerprint,
        "timings": dict(result.timings),
        "edge_counts": dict(result.edge_counts),
        "versions": dict(result.versions),
        "command": command,
        "groups": dict(result.groups),
        "series": asdict(result.series),
        "trust": [asdict(finding) for finding in result.trust],
        "stability": result.stability
        and {
            "n_halves": result.stability.n_halves,
            "consensus_threshold": result.stability.threshold,
            "consensus_edges": result.stability.consensus.n_edges,
            "sentence": result.stability.sentence(result.graph),
        },
    }


def to_json(value: Any, indent: int | None = 2) -> str:
    """Return JSON text; numbers that JSON lacks become words."""
    return json.dumps(plain(value), indent=indent, ensure_ascii=False, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """Turn tuples, NumPy numbers and numbers that JSON lacks into what it has; `float` reads these back."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if (
        value is None
        or isinstance(value, bool | int | str)
        or (isinstance(value, float) and math.isfinite(value))
    ):
        return value
    return str(value)
