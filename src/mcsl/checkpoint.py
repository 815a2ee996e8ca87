"""The steps of a run that are done, on disk, so that a later run can go on after them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcsl.errors import OutputError
from mcsl.writing import make_directory, remove_partials, write_whole

DIRECTORY = "checkpoint"
"""Where the command line keeps the steps, in the directory of the results."""

_SUFFIX = ".step"
_FORMAT = 2
"""Raised where a step keeps or finds something else than before, within one version of mcsl too."""


class Kept(NamedTuple):
    """What a step found: plain values, as JSON has them, and arrays."""

    values: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]


class Checkpoint:
    """A directory with one file a step: JSON and arrays, no code. Without a directory nothing is kept.

    What it holds of the same run is taken up, or with `resume=False` discarded; what it holds of another is
    refused.
    """

    def __init__(self, directory: str | os.PathLike[str] | None, *, resume: bool = True) -> None:
        self.directory = None if directory is None else Path(directory)
        self._resume = resume
        self._run = ""

    def __bool__(self) -> bool:
        """Whether anything is kept at all."""
        return self.directory is not None

    def begin(self, run: str) -> None:
        """Say which run it is (see `identify`), before any step."""
        self._run = run
        if not self._resume:
            self.remove()
        for path in self._files():
            _read(path, run)

    def recall(self, step: str) -> Kept | None:
        """Return what an earlier run kept of a step, if it did."""
        path = self._file(step)
        return _read(path, self._run) if path is not None and path.exists() else None

    def keep(self, step: str, values: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Keep what a step found so far; what was kept of it before is replaced."""
        path = self._file(step)
        if path is None:
            return
        from safetensors.numpy import save

        about = {"run": self._run, "values": json.dumps(values)}
        make_directory(path.parent)
        write_whole(path, save({name: np.ascontiguousarray(a) for name, a in arrays.items()}, about))

    def remove(self) -> None:
        """Remove all steps, and the directory if there is nothing else in it."""
        if self.directory is None or not self.directory.is_dir():
            return
        with suppress(OSError):
            remove_partials(self.directory)
            for path in self._files():
                path.unlink()
            self.directory.rmdir()

    def _file(self, step: str) -> Path | None:
        return None if self.directory is None else self.directory / f"{step}{_SUFFIX}"

    def _files(self) -> list[Path]:
        return [] if self.directory is None else sorted(self.directory.glob(f"[!.]*{_SUFFIX}"))


def identify(*parts: Any) -> str:
    """Return a digest of everything that the outcome of a run depends on, this version of mcsl included."""
    text = json.dumps([version("mcsl"), _FORMAT, *parts], sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


def _read(path: Path, run: str) -> Kept:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            about = file.metadata() or {}
            if about.get("run") != run:
                raise OutputError(
                    f"{path.parent} holds steps of other data, settings, seed or version of mcsl; "
                    "start anew with --force in place of --resume, or choose another directory."
                )
            return Kept(json.loads(about["values"]), {name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
    except OutputError:
        raise
    except (SafetensorError, OSError, ValueError, KeyError):
        raise OutputError(
            f"{path} is damaged; start anew with --force in place of --resume, or choose another directory."
        ) from None
