"""The progress bars: observers of training and of half-samples."""

from __future__ import annotations

from datetime import timedelta
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

if TYPE_CHECKING:
    from mcsl.search.trace import TraceRow


class ProgressBar:
    """Draws every TraceRow on stderr, and nothing where that is not a terminal."""

    def __init__(self, console: Console | None = None, *, quiet: bool = False, n_restarts: int = 1) -> None:
        console = console or Console(stderr=True)
        self._restarts = f"{n_restarts} restarts, " if n_restarts > 1 else ""
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[state]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[remaining]}"),
            console=console,
            disable=quiet or not console.is_terminal,
            transient=True,
        )
        self._first: TraceRow | None = None
        self._task = self._progress.add_task("searching", total=1.0, state="", remaining="")

    def __enter__(self) -> ProgressBar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def __call__(self, row: TraceRow) -> None:
        """Show one more outer step."""
        self._first = self._first or row
        self._progress.update(
            self._task,
            completed=row.progress,
            description=f"{self._restarts}stage {row.stage}",
            state=f"acyclicity {row.acyclicity:.1e}  score {row.score:.4g}  edges {row.n_edges}",
            remaining=remaining(self._first, row),
        )


class HalvesBar:
    """Counts half-samples on stderr, and shows nothing where that is not a terminal."""

    def __init__(self, console: Console | None = None, *, quiet: bool = False) -> None:
        console = console or Console(stderr=True)
        self._progress = Progress(
            TextColumn("half-samples"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=quiet or not console.is_terminal,
            transient=True,
        )
        self._task = self._progress.add_task("half-samples", total=None)

    def __enter__(self) -> HalvesBar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def __call__(self, n_done: int, n_halves: int) -> None:
        """Show how far it is."""
        self._progress.update(self._task, completed=n_done, total=n_halves)


def remaining(first: TraceRow, row: TraceRow) -> str:
    """Estimate what is left from the pace since the first row, as that one also waited for the compiler."""
    gained = row.progress - first.progress
    if gained <= 0:
        return ""
    seconds = (row.elapsed - first.elapsed) * (1 - row.progress) / gained
    return f"about {timedelta(seconds=round(seconds))} left"
