"""Adjacency matrices from files, our own and those of other tools."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mcsl.data.checks import first_twice
from mcsl.data.delimited import Record, decode, records, sniff_delimiter, with_point
from mcsl.data.sources import read_bytes
from mcsl.errors import GraphError
from mcsl.graph.names import say_difference


def read_adjacency(path: str | os.PathLike[str]) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """Read a square matrix, row causes column, and the names of its variables.

    Any number but 0 is an edge, so weighted matrices are read too; a cyclic one is not refused here.
    Names stand in the first row, or in the first column too (then they may differ in order); without any
    they are x1, x2, ....
    """
    path = Path(path)
    text = decode(read_bytes(path), str(path))
    text = text if "\n" in text else text.replace("\r", "\n")
    try:
        delimiter = sniff_delimiter(text)
        rows = list(records(_stripped(text, delimiter), delimiter))
    except csv.Error as error:
        raise GraphError(f"{path} cannot be read as a matrix: {error}.") from None
    if not rows:
        raise GraphError(f"{path} is empty.")
    effects, causes, body = _split(rows, delimiter, path)
    matrix = np.array([[_edge(cell, row, delimiter, path) for cell in row.cells] for row in body])
    if len(set(effects)) != len(effects):
        twice = first_twice(effects)
        raise GraphError(
            f"The name {twice!r} stands for more than one variable of {path}; names must differ."
        )
    if sorted(causes) != sorted(effects):
        only = next(name for name in [*causes, *effects] if (name in causes) != (name in effects))
        raise GraphError(f"The rows and columns of {path} must have the same names; {only!r} is not in both.")
    return matrix[[causes.index(name) for name in effects]], tuple(effects)


def reorder(
    adjacency: NDArray[np.bool_], names: Sequence[str], onto: Sequence[str], *, kinds: tuple[str, str]
) -> NDArray[np.bool_]:
    """Return a matrix in the order of the names `onto`, or as it is if either has no names of its own.

    `kinds` says what the two are, for example ("estimate", "truth").
    """
    if set(names) == set(onto):
        place = [names.index(name) for name in onto]
        return adjacency[np.ix_(place, place)]
    if len(names) == len(onto) and _default_names(len(names)) in (tuple(names), tuple(onto)):
        return adjacency
    raise GraphError(say_difference(kinds, names, onto))


def _stripped(text: str, delimiter: str) -> str:
    """Return a table without blanks around its cells; those within quotation marks belong to a name."""
    if delimiter == " ":
        return text
    sign = re.escape(delimiter)
    blanks, quoted = rf"[^\S\n{sign}]*+", r'"(?:[^"]|"")*+"'
    cells = rf"{blanks}({quoted}){blanks}(?={sign}|\n|\Z)|[^\n{sign}]+"
    return re.sub(cells, lambda cell: cell[1] or cell[0].strip(), text)


def _default_names(n_variables: int) -> tuple[str, ...]:
    return tuple(f"x{i + 1}" for i in range(n_variables))


def _split(rows: Sequence[Record], delimiter: str, path: Path) -> tuple[list[str], list[str], list[Record]]:
    """Return the names of the columns, the names of the rows, and the rows without either."""
    width, header = len(rows[-1].cells), list(rows[0].cells)
    for row in rows[1:]:
        if len(row.cells) != width:
            raise GraphError(
                f"Line {row.first_line} of {path} has {len(row.cells)} cells where the last has {width}."
            )
    is_bare = len(header) == width == len(rows) and all(
        _is_number(with_point(cell, delimiter)) for cell in header
    )
    if is_bare:
        names = list(_default_names(width))
        return names, names, list(rows)
    body = list(rows[1:])
    if len(header) == width == len(body):
        return header, header, body
    if len(body) == width - 1 and len(header) in (width - 1, width):
        header = header[-len(body) :]
        labels = [row.cells[0] for row in body]
        return header, labels, [row._replace(cells=row.cells[1:]) for row in body]
    raise GraphError(
        f"{path} is not an adjacency matrix: it has {len(body)} rows below the first and {width} columns; "
        "a matrix with names has a row and a column for each variable."
    )


def _edge(cell: str, row: Record, delimiter: str, path: Path) -> bool:
    text = with_point(cell, delimiter).strip().lower()
    if text in {"true", "false"}:
        return text == "true"
    if not _is_number(text):
        raise GraphError(
            f"Line {row.first_line} of {path} holds {cell!r} where a number belongs; write 0 for no edge."
        )
    return float(text) != 0


def _is_number(cell: str) -> bool:
    try:
        return float(cell) == float(cell)
    except ValueError:
        return False
