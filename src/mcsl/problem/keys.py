"""Files that map names to lists: JSON and YAML keep the last of two entries of one name and say nothing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mcsl.errors import SettingsError


def once_each(pairs: Iterable[tuple[Any, Any]], path: Path, error: type[SettingsError]) -> dict[Any, Any]:
    """Return pairs as a dict, or refuse a key that the file has twice."""
    found: dict[Any, Any] = {}
    for key, value in pairs:
        if key in found:
            raise error(f"{path} has `{key}` twice; join them.")
        found[key] = value
    return found
