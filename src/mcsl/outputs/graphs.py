"""Graphs on disk, in the format that the name of the file says."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mcsl.data.delimited import decode
from mcsl.data.sources import read_bytes
from mcsl.errors import GraphError, OutputError
from mcsl.graph import CausalGraph
from mcsl.outputs.adjacency import read_adjacency
from mcsl.outputs.files import to_matrix_csv
from mcsl.writing import write_whole

_READERS = {
    ".gml": CausalGraph.from_gml,
    ".graphml": CausalGraph.from_graphml,
    ".json": CausalGraph.from_json,
}
_WRITERS = {
    ".csv": lambda graph: to_matrix_csv(graph.adjacency.astype(int), graph.names),
    ".dot": CausalGraph.to_dot,
    ".gml": CausalGraph.to_gml,
    ".graphml": CausalGraph.to_graphml,
    ".json": CausalGraph.to_json,
}


def read_graph(path: str | os.PathLike[str]) -> CausalGraph:
    """Read a graph from .gml, .graphml or .json; any other file is an adjacency matrix, row causes column."""
    return CausalGraph(*read_edges(path))


def read_edges(path: str | os.PathLike[str]) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """Read the matrix and the names of what `read_graph` reads; a file with a matrix may hold cycles."""
    path = Path(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        if path.suffix.lower() == ".dot":
            raise GraphError(f"{path} is DOT, which is written but not read; save the graph as GML or JSON.")
        return read_adjacency(path)
    try:
        graph = reader(decode(read_bytes(path), str(path)))
    except GraphError as error:
        raise type(error)(f"{path}: {error}") from None
    return graph.adjacency, graph.names


def write_graph(graph: CausalGraph, path: str | os.PathLike[str]) -> Path:
    """Write a graph as .csv, .dot, .gml, .graphml or .json; the file is replaced only once it is complete."""
    path = Path(path)
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise OutputError(f"{path} must end in {', '.join(_WRITERS)}, so that its format is known.")
    return write_whole(path, writer(graph).encode())
