"""Results as JSON lines: one a run, appended as it ends."""

import fcntl
import json
from pathlib import Path


class LinesError(ValueError):
    """A file holds something else than the lines that a benchmark writes; the message names file and line."""


def read(path: Path) -> list[dict]:
    """Return the whole lines of a file, none if there is no such file; one that was cut off is no line."""
    whole = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [_parsed(line, path, number) for number, line in enumerate(whole, 1)]


def make_room(path: Path) -> None:
    """Make the file if there is none: whether it can be written is to be known before the first run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.open("ab").close()


def append(path: Path, row: dict) -> None:
    """Add a line, in the place of one that was cut off."""
    with path.open("a+b") as file:
        # Between reading and cutting, another program could add a line that would be lost.
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        text = file.read()
        end = text.rfind(b"\n") + 1
        if text[end:] and not text[end:].startswith(b"{"):
            raise LinesError(f"{path} ends in what is no part of a line of a benchmark. Name another file.")
        file.truncate(end)
        file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")


def _parsed(line: bytes, path: Path, number: int) -> dict:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise LinesError(
            f"{path}, line {number}, is no line of a benchmark. Name another file, or take the line out."
        )
    return row
