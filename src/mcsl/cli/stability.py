"""`--stability B`: how often the edges return in half-samples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from mcsl.result import Result


def _check_even(number: int | None) -> int | None:
    if number and number % 2:
        raise typer.BadParameter(f"{number} is odd; half-samples come in pairs.")
    return number


HalfSamples = Annotated[
    int | None,
    typer.Option(
        min=2,
        callback=_check_even,
        help="Refit on B half-samples (an even number, such as 20) and say how often each edge returns. "
        "After an interruption, --resume goes on.",
        metavar="B",
        show_default=False,
    ),
]


def check_halves(data: Any, n_halves: int, *, seed: int, lags: int) -> None:
    """Refuse a table that is too small for half-samples before anything is learned from it."""
    from mcsl.data import SeriesTable
    from mcsl.stability import draw_halves

    timed = isinstance(data, SeriesTable)
    draw_halves(data if timed else SeriesTable.of(data), n_halves, seed=seed, lags=lags, timed=timed)


def add_stability(
    result: Result,
    data: Any,
    n_halves: int,
    out: Path,
    *,
    force: bool = False,
    quiet: bool = False,
    **options: Any,
) -> Result:
    """Count on all cores with a progress bar, and keep every half-sample in the directory `out`.

    `options` are those of `learn` that say what to learn from, such as knowledge and lags.
    """
    from dataclasses import replace

    from mcsl.cli.progress import HalvesBar
    from mcsl.recipe import Recipe
    from mcsl.stability import assess_stability

    assert isinstance(result.recipe, Recipe)
    with HalvesBar(quiet=quiet) as bar:
        stability = assess_stability(
            data,
            result.recipe,
            n_halves=n_halves,
            seed=result.seed,
            n_jobs=-1,
            directory=out,
            force=force,
            observers=[bar],
            **options,
        )
    return replace(result, stability=stability)
