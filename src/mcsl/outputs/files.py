"""Results and simulations as files: written whole or not at all, and read back."""

from __future__ import annotations

import json
import math
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcsl.errors import OutputError

if TYPE_CHECKING:
    from mcsl.graph import CausalGraph, Stability
    from mcsl.pruning import EdgeTest, Pruned
    from mcsl.result import Result
    from mcsl.simulation import Simulation

CORNER = "cause\\effect"
"""First cell of a labelled matrix: rows are causes, columns are effects."""
UNFINISHED = {"halves.jsonl"}
"""What an interrupted run leaves for the next to go on with; a directory of these alone counts as empty."""


def write_result(
    result: Result,
    directory: str | os.PathLike[str],
    *,
    force: bool = False,
    command: str | None = None,
    also: Mapping[str, str] | None = None,
) -> Path:
    """Write adjacency.csv, edges.csv, probabilities.csv, trace.csv and result.json into a directory.

    Where there are lags, also lags.csv: a test of every lag of every edge.
    Where half-samples were counted, also stability.csv and the consensus graph, consensus.csv.
    A directory that has files in it is refused unless `force`, which replaces the files of the same names
    and leaves others alone. `command` is recorded in result.json; `also` holds further files by name.
    """
    from mcsl.pruning import LagTest
    from mcsl.search.trace import TraceRow

    trace_columns = [field.name for field in fields(TraceRow)]
    texts = {
        "adjacency.csv": to_matrix_csv(result.graph.adjacency.astype(int), result.graph.names),
        "edges.csv": to_csv(EdgeRow._fields, result_edges(result)),
        "probabilities.csv": to_matrix_csv(result.edge_probabilities, result.graph.names),
        "trace.csv": to_csv(trace_columns, map(astuple, result.trace)),
        "result.json": to_json(_provenance(result, command)),
    }
    if result.lag_tests:
        rows = [(*astuple(test), test.matters) for test in result.lag_tests]
        texts["lags.csv"] = to_csv([*(field.name for field in fields(LagTest)), "matters"], rows)
    if result.stability:
        consensus = result.stability.consensus
        texts["stability.csv"] = to_csv(StabilityRow._fields, stability_rows(result.stability))
        texts["consensus.csv"] = to_matrix_csv(consensus.adjacency.astype(int), consensus.names)
    return write_texts({**texts, **(also or {})}, directory, force=force)


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
    path = Path(path)
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        partial.write_text(to_matrix_csv(adjacency, names), encoding="utf-8", newline="")
        partial.replace(path)
    except OSError as error:
        raise OutputError(f"{path} could not be written: {error.strerror}.") from None
    finally:
        partial.unlink(missing_ok=True)
    return path


def check_directory(directory: str | os.PathLike[str], *, force: bool = False) -> None:
    """Refuse early what `write_texts` would refuse after all the work is done."""
    directory = Path(directory)
    try:
        if directory.is_dir():
            if not force and {entry.name for entry in directory.iterdir()} - UNFINISHED:
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


def write_texts(texts: Mapping[str, str], directory: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Write all files to a temporary directory, then move them into place.

    A crash before the move leaves everything as it was. Files of other names are never touched.
    """
    check_directory(directory, force=force)
    target = Path(directory).resolve()
    # Inside a directory that exists, as that may be a mount whose parent is another file system.
    beside = target if target.exists() else target.parent
    partial = beside / f".{target.name}.{secrets.token_hex(4)}"
    try:
        partial.mkdir(parents=True)
        for name, text in texts.items():
            (partial / name).write_text(text, encoding="utf-8", newline="")
        if target.exists():
            for name in texts:
                (partial / name).replace(target / name)
        else:
            partial.rename(target)
    except OSError as error:
        raise OutputError(f"{directory} could not be written: {error.strerror}.") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return Path(directory)


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


class EdgeRow(NamedTuple):
    """An edge that was kept, dropped by the pruner, or cut because it closed a cycle."""

    cause: str
    effect: str
    kept: bool
    probability: float | None
    test: str | None
    """Name of the test that decided, "acyclicity" where it was a cycle, None if nothing was tested."""
    p_value: float | None
    coefficient: float | None
    frequency: float | None
    """Share of half-samples in which the edge returns, None if there were none."""
    lags: str | None = None
    """The lags that matter, 0 for the same time, such as "0 2"; None if there were none to test."""


def result_edges(result: Result) -> list[EdgeRow]:
    """Return all edges that learning and pruning looked at."""
    frequencies = result.stability.frequencies if result.stability else None
    rows = edge_rows(result.graph, result.tests, result.edge_probabilities, result.cut_edges, frequencies)
    lags: dict[tuple[str, str], list[str]] = {}
    for test in result.lag_tests:
        lags.setdefault((test.cause, test.effect), []).extend([str(test.lag)] if test.matters else [])
    return [
        row._replace(lags=" ".join(lags[row[:2]])) if row.kept and row[:2] in lags else row for row in rows
    ]


def edge_rows(
    graph: CausalGraph,
    tests: Iterable[EdgeTest],
    probabilities: NDArray[np.float64] | None = None,
    cut_edges: Iterable[tuple[str, str]] = (),
    frequencies: NDArray[np.float64] | None = None,
) -> list[EdgeRow]:
    """Return all edges that were looked at: kept ones first, then by probability to three digits."""
    place = {name: i for i, name in enumerate(graph.names)}
    test_of = {(test.cause, test.effect): test for test in tests}
    rows = []
    for cause, effect in dict.fromkeys([*graph.edges, *test_of, *cut_edges]):
        test = test_of.get((cause, effect))
        at = place[cause], place[effect]
        kept = bool(graph.adjacency[at])
        statistics = {test.statistic: test.value} if test else {}
        rows.append(
            EdgeRow(
                cause=cause,
                effect=effect,
                kept=kept,
                probability=None if probabilities is None else float(probabilities[at]),
                test=test.test if test else None if kept else "acyclicity",
                p_value=statistics.get("p_value"),
                coefficient=statistics.get("coefficient"),
                frequency=None if frequencies is None else float(frequencies[at]),
            )
        )
    return sorted(rows, key=lambda row: (not row.kept, -round(row.probability or 0, 3)))


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
        "n_edges": result.graph.n_edges,
        "stop_reason": result.stop_reason.value,
        "stop_sentence": result.stop_reason.sentence,
        "cut_edges": [list(edge) for edge in result.cut_edges],
        "seed": result.seed,
        "recipe": result.recipe.describe(),
        "knowledge": result.knowledge.to_dict(),
        "missing": asdict(result.missing),
        "fingerprint": result.fingerprint,
        "timings": dict(result.timings),
        "versions": dict(result.versions),
        "command": command,
        "groups": dict(result.groups),
        "series": asdict(result.series),
        "stability": result.stability
        and {
            "n_halves": result.stability.n_halves,
            "consensus_threshold": result.stability.threshold,
            "consensus_edges": result.stability.consensus.n_edges,
            "sentence": result.stability.sentence(result.graph),
        },
    }


def to_json(value: Any) -> str:
    """Return JSON text; numbers that JSON lacks become words."""
    return json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Turn NumPy numbers, tuples and numbers that JSON lacks (inf, nan) into what it has."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if (
        value is None
        or isinstance(value, bool | int | str)
        or (isinstance(value, float) and math.isfinite(value))
    ):
        return value
    return str(value)
