"""`mcsl report`: a directory of results as one page for the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    directory: Annotated[
        Path, typer.Argument(help="Where `mcsl learn` wrote its results.", metavar="DIR", show_default=False)
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="File to write, replaced if it is there. [default: DIR/report.html]",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write the report of earlier results: one HTML file that opens in any browser, without a network.

    It shows the graph to explore, effect curves, all edges, what to doubt, training, and how to get it again.
    """
    from mcsl.errors import DataError
    from mcsl.outputs.report import write_report
    from mcsl.outputs.saving import load_result

    source = directory / "result.mcsl"
    if not source.is_file():
        raise DataError(
            f"{directory} has no result.mcsl; name a directory that `mcsl learn ... --out DIR` wrote."
        )
    written = write_report(
        load_result(source), out or directory / "report.html", command=_command(directory / "result.json")
    )
    typer.echo(f"The report is in {written}.")


def _command(record: Path) -> str | None:
    """Return the command that a record remembers, if any."""
    import json

    try:
        command = json.loads(record.read_text(encoding="utf-8"))["command"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return command if isinstance(command, str) else None
