"""`mcsl demo`: the whole walk on a simulated table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

MODEL, N_VARIABLES, DEGREE, N_SAMPLES, SEED = "gp-add", 8, 1.25, 1000, 2


def demo(
    context: typer.Context,
    out: Annotated[
        Path | None, typer.Option(help="Directory to keep data, truth and results in.", metavar="DIR")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace earlier results in DIR.")] = False,
) -> None:
    """Simulate a table, learn its causal graph, and compare it with the truth."""
    from mcsl.cli.learn import run
    from mcsl.cli.printing import print_comparison, print_metrics
    from mcsl.evaluation import evaluate
    from mcsl.outputs import check_directory, write_result
    from mcsl.outputs.files import simulation_texts
    from mcsl.recipe import Recipe
    from mcsl.simulation import simulate

    if out:
        check_directory(out, force=force)
    simulation = simulate(MODEL, n_variables=N_VARIABLES, degree=DEGREE, n_samples=N_SAMPLES, seed=SEED)
    typer.echo(
        f"Simulated {N_SAMPLES} samples of {N_VARIABLES} variables with {simulation.graph.n_edges} nonlinear "
        "causal relations among them; learning ..."
    )
    result = run(simulation.dataset, Recipe.default(), seed=0)
    typer.echo("\nThe graph learned from the table alone, beside the truth:\n")
    print_comparison(result, simulation.graph)
    typer.echo()
    print_metrics(evaluate(result.graph, simulation.graph))
    typer.echo(f"\n{result.stop_reason.sentence}")
    if out:
        write_result(result, out, force=force, command=context.obj, also=simulation_texts(simulation))
        typer.echo(f"Data, truth and results are in {out}.")
    typer.echo(
        "\nWhat to try next:\n"
        "  mcsl learn yours.csv --out results --report      your own table, a row per sample\n"
        "  mcsl simulate gp --variables 10 --degree 2 --seed 1 --out simulated\n"
        "  mcsl learn simulated/data.csv --out learned\n"
        "  mcsl evaluate learned/adjacency.csv simulated/truth.csv"
    )
