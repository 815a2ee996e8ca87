"""Results as JSON lines: one a run, appended as it ends."""

import json
from pathlib import Path


def read(path: Path) -> list[dict]:
    """Return the lines of a file, none if there is no such file."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def append(path: Path, row: dict) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
