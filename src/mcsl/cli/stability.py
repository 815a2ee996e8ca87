"""`--stability B`: how often the edges return in half-samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from mcsl.graph import Stability
    from mcsl.stability import HalfSamples


def _check_even(number: int | None) -> int | None:
    if number and number % 2:
        raise typer.BadParameter(f"{number} is odd; half-samples come in pairs.")
    return number


NumberOfHalves = Annotated[
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


def count(halves: HalfSamples, *, quiet: bool) -> Stability:
    """Count on all cores with a progress bar."""
    from mcsl.cli.progress import HalvesBar

    with HalvesBar(quiet=quiet) as bar:
        return halves.count(n_jobs=-1, observers=[bar])
