"""One HTML file of style, scripts and data, which asks nothing of any network."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from mcsl.outputs.files import to_json
from mcsl.outputs.report.payload import payload
from mcsl.writing import write_whole

if TYPE_CHECKING:
    from mcsl.result import Result

_SCRIPTS = ("charts.js", "graph.js", "report.js")


def write_report(result: Result, path: str | os.PathLike[str], *, command: str | None = None) -> Path:
    """Write the report of a result to one HTML file, which is replaced only once the new one is complete.

    It opens in any browser, without a network: the graph to explore, the edges, what to doubt, training, and
    how to get it again, for which `command` is shown.
    """
    return write_whole(path, report_html(result, command=command).encode())


def report_html(result: Result, *, command: str | None = None) -> str:
    """Return the report as text."""
    scripts = "\n".join(_asset(name) for name in _SCRIPTS)
    parts = {
        "style": _asset("report.css"),
        "script": f'"use strict";\n{{\n{scripts}}}\n',
        # No name can end the element that holds the data, nor begin a comment in it.
        "payload": to_json(payload(result, command), indent=None).replace("<", "\\u003c"),
    }
    hashes = {f"{name}-hash": _hash(parts[name]) for name in ("style", "script")}
    return re.sub(r"{{([a-z-]+)}}", lambda gap: {**parts, **hashes}[gap[1]], _asset("template.html"))


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return what lets the browser run this script or style and no other."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
