"""The command `mcsl`, and what it says when something goes wrong."""

from __future__ import annotations

import shlex
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from mcsl.cli.demo import demo
from mcsl.cli.evaluate import evaluate
from mcsl.cli.learn import learn
from mcsl.cli.prune import prune
from mcsl.cli.report import report
from mcsl.cli.root_cause import root_cause
from mcsl.cli.session import StoppedError
from mcsl.cli.simulate import simulate
from mcsl.cli.simulate_incident import simulate_incident
from mcsl.errors import McslError

app = typer.Typer(
    name="mcsl",
    help="Learn the causal graph behind a table of measurements.",
    epilog="New here? `mcsl demo` shows the whole walk in less than a minute.",
    add_completion=False,
    pretty_exceptions_enable=False,
    # Plain help starts sooner than boxes and leaves the words more room.
    rich_markup_mode=None,
)
for command in (learn, report, demo, prune, root_cause, simulate, simulate_incident, evaluate):
    app.command()(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        from mcsl import __version__

        typer.echo(f"mcsl {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Learn the causal graph behind a table of measurements."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 a bug, 2 bad input, 130 interrupted."""
    arguments = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a sign, such as the arrow, shows a question mark instead of failing.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        code = int(app(arguments, prog_name="mcsl", standalone_mode=False, obj=_quoted(arguments)) or 0)
        # Typer turns an interrupt into this exit code, older releases into Abort.
        return _complain("Interrupted.", code) if code == 130 else code
    except McslError as error:
        return _complain(str(error), 2)
    except StoppedError as stop:
        return _complain(str(stop), 130)
    except (typer.Abort, KeyboardInterrupt):
        return _complain("Interrupted.", 130)
    except MemoryError:
        return _complain("The memory does not suffice; use fewer rows or columns.", 2)
    except OSError as error:
        of = f"{error.filename} cannot be used" if error.filename else "The output cannot be printed"
        return _complain(f"{of}: {error.strerror or error}.", 2)
    except Exception as error:
        # Typer's own complaints; their base class has moved from release to release.
        if hasattr(error, "format_message") and hasattr(error, "exit_code"):
            context = getattr(error, "ctx", None)
            command = context.command_path if context else "mcsl"
            message = error.format_message().replace("Value error, ", "").rstrip(".")
            see = " See" if message.endswith("?") else "; see"
            return _complain(f"{message}{see} `{command} --help`.", 2) if message else int(error.exit_code)
        if "--verbose" in arguments:
            traceback.print_exc()
        return _complain(
            f"This is a bug, sorry: {type(error).__name__}: {error}\n"
            f"Please report it with the command `{_quoted(arguments)}` and what it prints with --verbose.",
            1,
        )


def _quoted(arguments: Sequence[str]) -> str:
    return shlex.join(["mcsl", *arguments])


def _complain(message: str, exit_code: int) -> int:
    typer.echo(f"mcsl: {message}", err=True)
    return exit_code
