"""The progress bars: observers of training and of half-samples."""

from __future__ import annotations

from datetime import timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

if TYPE_CHECKING:
    from mcsl.search.trace import TraceRow


class _Bar:
    """Shows a task on stderr, and nothing where that is not a terminal."""

    def __init__(self, console: Console | None, quiet: bool, *columns: ProgressColumn) -> None:
        console = console or Console(stderr=True)
        hidden = quiet or not console.is_terminal
        self._progress = Progress(*columns, console=console, disable=hidden, transient=True)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()


class ProgressBar(_Bar):
    """Draws every TraceRow."""

    def __init__(self, console: Console | None = None, *, quiet: bool = False, n_restarts: int = 1) -> None:
        super().__init__(
            console,
            quiet,
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[state]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[remaining]}"),
        )
        self._restarts = f"{n_restarts} restarts, " if n_restarts > 1 else ""
        self._first: TraceRow | None = None
        self._task = self._progress.add_task("searching", total=1.0, state="", remaining="")

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


class HalvesBar(_Bar):
    """Counts half-samples."""

    def __init__(self, console: Console | None = None, *, quiet: bool = False) -> None:
        columns = MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
        super().__init__(console, quiet, TextColumn("half-samples"), BarColumn(bar_width=20), *columns)
        self._task = self._progress.add_task("half-samples", total=None)

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
