"""A result in one file: a zip of JSON and safetensors, which can hold numbers and text but no code."""

from __future__ import annotations

import io
import json
import os
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcsl.data.sources import read_bytes
from mcsl.errors import DataError, McslError
from mcsl.graph import CausalGraph, Stability
from mcsl.missing import MissingSummary
from mcsl.outputs.files import plain
from mcsl.problem import Knowledge, SeriesSummary
from mcsl.pruning import EdgeTest, LagTest
from mcsl.recipe import RecordedRecipe
from mcsl.result import Result
from mcsl.search import Restart, StopReason, TraceRow
from mcsl.sem.storage import pack_sem, unpack_sem
from mcsl.trust import Finding
from mcsl.writing import write_whole

FORMAT = 2
"""Number of the format that is written; files of this and all lower numbers are read."""

_DOCUMENT, _ARRAYS = "result.json", "arrays.safetensors"
_LARGEST = {_DOCUMENT: 2**26, _ARRAYS: 2**31}
"""Bytes that a member may have once it is unpacked."""


# All that wrong members, sizes, types and values can raise in the modules that read them.
_WRONG = (
    McslError, ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, NotImplementedError,
    RuntimeError, TypeError, ValueError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


class _NewerFormatError(Exception):
    """The file is of a format that does not exist yet."""


def save_result(result: Result, path: str | os.PathLike[str], *, sem: bool = True) -> Path:
    """Write a result to one file, which is replaced only once the new one is complete.

    With `sem` the fitted model is in it. Its noise is drawn from residuals, so it holds rows of the table, up
    to 3000: leave it out where these must not be passed on.
    """
    return write_whole(path, to_bytes(result, sem=sem))


def load_result(path: str | os.PathLike[str]) -> Result:
    """Read a result that `Result.save` wrote; a file from a stranger can be wrong but cannot run anything."""
    if Path(path).is_file() and Path(path).stat().st_size > sum(_LARGEST.values()):
        raise DataError(f"{path} is no result of mcsl: it is too large.")
    content = read_bytes(Path(path))
    try:
        members = _unpack(content)
        document = json.loads(members[_DOCUMENT])
        number = document["format"]
        if not isinstance(number, int) or not 1 <= number <= FORMAT:
            raise _NewerFormatError(
                f"has the format {number!r}, and this mcsl reads up to {FORMAT}; update mcsl."
            )
        return _to_result(document, _arrays(members[_ARRAYS]))
    except _NewerFormatError as error:
        raise DataError(f"{path} {error}") from None
    except _WRONG as error:
        raise DataError(f"{path} is no result of mcsl, or is damaged: {_reason(error)}.") from None


def to_bytes(result: Result, *, sem: bool = True) -> bytes:
    """Return the content of the file."""
    from safetensors.numpy import save

    document, arrays = _parts(result)
    if sem and (model := result.sem_if_any) is not None:
        document["sem"], packed = pack_sem(model)
        arrays |= packed
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        # A fixed date, so that the same result gives the same bytes.
        for name, part in (
            (_DOCUMENT, json.dumps(document, allow_nan=False).encode()),
            (_ARRAYS, save(arrays)),
        ):
            archive.writestr(zipfile.ZipInfo(name), part)
    return content.getvalue()


def _parts(result: Result) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    stability = result.stability
    document: dict[str, Any] = {
        "format": FORMAT,
        "variables": result.graph.names,
        "stop_reason": result.stop_reason.value,
        "cut_edges": result.cut_edges,
        "tests": [asdict(test) for test in result.tests],
        "recipe": {"name": result.recipe.name, "description": result.recipe.describe()},
        "seed": result.seed,
        "restarts": [restart.to_dict() for restart in result.restarts],
        "n_samples": result.n_samples,
        "n_drawn": result.n_drawn,
        "fingerprint": result.fingerprint,
        "versions": dict(result.versions),
        "timings": dict(result.timings),
        "edge_counts": dict(result.edge_counts),
        "knowledge": result.knowledge.to_dict(),
        "stability": stability and {"n_halves": stability.n_halves, "threshold": stability.threshold},
        "groups": {name: list(columns) for name, columns in result.groups.items()},
        "lag_tests": [asdict(test) for test in result.lag_tests],
        "series": asdict(result.series),
        "missing": asdict(result.missing),
        "trust": [asdict(finding) for finding in result.trust],
    }
    arrays: dict[str, NDArray[Any]] = {
        "adjacency": np.ascontiguousarray(result.graph.adjacency),
        "edge_probabilities": np.ascontiguousarray(result.edge_probabilities, dtype=float),
        "trace": np.array([astuple(row) for row in result.trace], dtype=float).reshape(
            -1, len(fields(TraceRow))
        ),
    }
    if result.directions is not None:
        arrays["directions"] = np.ascontiguousarray(result.directions, dtype=float)
    if stability:
        arrays["stability/frequencies"] = np.ascontiguousarray(stability.frequencies)
        arrays["stability/candidates"] = np.ascontiguousarray(stability.candidates)
    return plain(document), arrays


def _to_result(document: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Result:
    names = tuple(_text(name) for name in document["variables"])
    square = (len(names), len(names))
    graph = CausalGraph(_array(arrays, "adjacency", square, np.bool_), names)
    stability = document["stability"]
    return Result(
        graph=graph,
        edge_probabilities=_array(arrays, "edge_probabilities", square, np.float64),
        directions=_array(arrays, "directions", square, np.float64) if "directions" in arrays else None,
        trace=tuple(_trace(_array(arrays, "trace", None, np.float64))),
        stop_reason=StopReason(document["stop_reason"]),
        cut_edges=tuple(
            (_one_of(names, cause), _one_of(names, effect)) for cause, effect in document["cut_edges"]
        ),
        tests=tuple(_test(test, names) for test in document["tests"]),
        recipe=RecordedRecipe(_text(document["recipe"]["name"]), dict(document["recipe"]["description"])),
        seed=int(document["seed"]),
        restarts=tuple(_restart(part) for part in document.get("restarts", ())),
        n_samples=int(document["n_samples"]),
        n_drawn=int(document.get("n_drawn", 0)),
        fingerprint=_text(document["fingerprint"]),
        versions={_text(name): _text(number) for name, number in document["versions"].items()},
        timings={_text(name): float(seconds) for name, seconds in document["timings"].items()},
        edge_counts={_text(name): int(count) for name, count in document.get("edge_counts", {}).items()},
        knowledge=Knowledge.from_dict(document["knowledge"]),
        stability=stability
        and Stability(
            names=names,
            frequencies=_array(arrays, "stability/frequencies", square, np.float64),
            n_halves=int(stability["n_halves"]),
            candidates=_array(arrays, "stability/candidates", square, np.bool_),
            threshold=float(stability["threshold"]),
        ),
        groups={_text(name): tuple(map(_text, columns)) for name, columns in document["groups"].items()},
        lag_tests=tuple(
            LagTest(**{**test, "p_value": float(test["p_value"])}) for test in document["lag_tests"]
        ),
        series=SeriesSummary(**document["series"]),
        missing=MissingSummary(**document["missing"]),
        stored_sem=unpack_sem(document["sem"], arrays, graph) if "sem" in document else None,
        stored_trust=tuple(_finding(finding) for finding in document["trust"]),
    )


def _test(test: Mapping[str, Any], names: Sequence[str]) -> EdgeTest:
    known = {
        "cause": _one_of(names, test["cause"]),
        "effect": _one_of(names, test["effect"]),
        "test": _text(test["test"]),
        "statistic": _text(test["statistic"]),
        "value": float(test["value"]),
    }
    return EdgeTest(**{**test, **known})


def _one_of(names: Sequence[str], name: object) -> str:
    if _text(name) not in names:
        raise ValueError(f"it tells of a variable {name!r} that it does not have")
    return str(name)


def _trace(rows: NDArray[Any]) -> list[TraceRow]:
    names = [column.name for column in fields(TraceRow)]
    # The last column, `n_steps`, is younger than the format.
    if rows.ndim != 2 or rows.shape[1] not in (len(names) - 1, len(names)):
        raise ValueError("its trace has another number of columns than it should")
    counts = {"stage", "n_edges", "n_steps"}
    named = (zip(names, row, strict=False) for row in rows.tolist())
    return [TraceRow(**{k: int(value) if k in counts else value for k, value in row}) for row in named]


def _restart(part: Mapping[str, Any]) -> Restart:
    reason = StopReason(part["stop_reason"])
    return Restart(int(part["seed"]), reason, float(part["score"]), bool(part["chosen"]))


def _finding(part: Mapping[str, Any]) -> Finding:
    if part["verdict"] not in ("good", "caution", "bad"):
        raise ValueError("a finding has an unknown verdict")
    figures = {_text(name): float(value) for name, value in part["figures"].items()}
    return Finding(
        _text(part["name"]), part["verdict"], _text(part["sentence"]), _text(part["advice"]), figures
    )


def _unpack(content: bytes) -> dict[str, bytes]:
    """Return the two members; nothing is written to disk, and no more is read than a member may have."""
    members = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        listed = archive.namelist()
        for name, largest in _LARGEST.items():
            if listed.count(name) != 1:
                raise ValueError(f"it must hold {name} once")
            if archive.getinfo(name).compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError(f"{name} is packed in an unusual way")
            with archive.open(name) as member:
                members[name] = member.read(min(largest, 100 * len(content) + 2**20) + 1)
                if member.read(1):
                    raise ValueError(f"{name} unpacks to more than can be right")
    return members


def _arrays(content: bytes) -> dict[str, NDArray[Any]]:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        return dict(load(content))
    except SafetensorError as error:
        raise ValueError(str(error)) from None


def _array(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, ...] | None, dtype: type
) -> NDArray[Any]:
    array = arrays[name]
    if array.dtype != dtype or (shape is not None and array.shape != shape):
        raise ValueError(f"the array {name} has another shape or type than it should")
    return array


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"text is expected where {value!r} stands")
    return value


def _reason(error: BaseException) -> str:
    said = " ".join(str(error).split())[:200]
    return f"{said} is missing" if isinstance(error, KeyError) else said.rstrip(".") or type(error).__name__
