"""Files that are written whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from mcsl.errors import OutputError

_LEFT_OVER = re.compile(r"\..+\.[0-9a-f]{8}\.partial")


def write_whole(path: str | os.PathLike[str], content: bytes) -> Path:
    """Write one file, which is replaced only once the new one is complete and on the disk."""
    path = Path(path)
    partial = _partial(path.parent, path.name)
    with _complaints(path):
        try:
            _write_through(partial, content)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    return path


def write_together(
    files: Mapping[str, bytes], directory: str | os.PathLike[str], *, outdated: Iterable[str] = ()
) -> Path:
    """Write files to a temporary directory and then move them to theirs, which is made if need be.

    A failure before the move leaves everything as it was. Files of other names are never touched, except for
    those that the new ones make `outdated`, which are removed, and what was killed while it was written.
    """
    directory = Path(directory)
    target = directory.resolve()
    # Inside a directory that exists, as that may be a mount whose parent is another file system.
    partial = _partial(target if target.exists() else target.parent, target.name)
    with _complaints(directory):
        try:
            partial.mkdir(parents=True)
            for name, content in files.items():
                _write_through(partial / name, content)
            if target.exists():
                for name in files:
                    (partial / name).replace(target / name)
                for name in set(outdated) - set(files):
                    (target / name).unlink(missing_ok=True)
            else:
                partial.rename(target)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
        remove_partials(target)
    return directory


def make_directory(directory: str | os.PathLike[str]) -> Path:
    """Make a directory and those above it, if they are not there yet."""
    directory = Path(directory)
    with _complaints(directory):
        directory.mkdir(parents=True, exist_ok=True)
    return directory


def is_partial(name: str) -> bool:
    """Whether a file of this name is left over from writing that was killed."""
    return _LEFT_OVER.fullmatch(name) is not None


def remove_partials(directory: Path) -> None:
    """Remove what was killed while it was written."""
    for path in directory.iterdir():
        if is_partial(path.name):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _partial(directory: Path, name: str) -> Path:
    return directory / f".{name}.{secrets.token_hex(4)}.partial"


def _write_through(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        # Without it, a power failure after the move could leave an empty file where a whole one was.
        os.fsync(file.fileno())


@contextmanager
def _complaints(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path} could not be written: {error.strerror or error}.") from None
