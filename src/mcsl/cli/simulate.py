"""`mcsl simulate`: a table whose causal graph is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from mcsl.cli.choices import ModelName


def simulate(
    model: Annotated[
        ModelName, typer.Argument(help="How effects follow from their causes.", show_default=False)
    ],
    variables: Annotated[
        int, typer.Option(min=2, help="Number of variables.", metavar="D", show_default=False)
    ],
    degree: Annotated[
        float, typer.Option(min=0, help="Mean number of edges per variable.", metavar="K", show_default=False)
    ],
    seed: Annotated[
        int, typer.Option(min=0, help="The same seed gives the same files.", metavar="S", show_default=False)
    ],
    out: Annotated[Path, typer.Option(help="Directory to write into.", metavar="DIR", show_default=False)],
    graph: Annotated[Literal["er", "sf"], typer.Option(help="Erdős–Rényi or scale-free graph.")] = "er",
    samples: Annotated[int, typer.Option(min=1, help="Number of rows.", metavar="N")] = 3000,
    noise: Annotated[
        Literal["equal", "unequal"], typer.Option(help="Whether all noises have the same variance.")
    ] = "equal",
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier simulation in DIR.")] = False,
) -> None:
    """Simulate a table along a random causal graph.

    Writes data.csv and truth.csv (the graph, row causes column) into DIR, and for gp-vec and gp-add-vec,
    whose variables have several columns, groups.json for `mcsl learn --groups`.
    """
    from mcsl.outputs import check_directory, write_simulation
    from mcsl.simulation import simulate

    check_directory(out, force=force)
    simulation = simulate(
        model,
        n_variables=variables,
        degree=degree,
        n_samples=samples,
        graph=graph,
        noise=noise,
        seed=seed,
    )
    write_simulation(simulation, out, force=force)
    typer.echo(
        f"Wrote {out / 'data.csv'} ({samples} rows, {simulation.dataset.n_variables} columns) "
        f"and {out / 'truth.csv'} ({simulation.graph.n_edges} edges)."
    )
