"""Results as JSON lines: one a run, appended as it ends."""

import json
from pathlib import Path


def read(path: Path) -> list[dict]:
    """Return the whole lines of a file, none if there is no such file; one that was cut off is no line."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.split("\n")[:-1]]


def append(path: Path, row: dict) -> None:
    """Add a line, in the place of one that was cut off."""
    with path.open("a+b") as file:
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
        file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
