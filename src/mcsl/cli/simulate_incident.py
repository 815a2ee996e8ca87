"""`mcsl simulate-incident`: an incident whose root cause is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer


def simulate_incident(
    variables: Annotated[
        int, typer.Option(min=2, help="Number of variables.", metavar="D", show_default=False)
    ],
    seed: Annotated[
        int, typer.Option(min=0, help="The same seed gives the same files.", metavar="S", show_default=False)
    ],
    out: Annotated[Path, typer.Option(help="Directory to write into.", metavar="DIR", show_default=False)],
    degree: Annotated[
        float, typer.Option(min=0, help="Mean number of edges per variable.", metavar="K")
    ] = 1.5,
    lags: Annotated[
        int, typer.Option(min=0, help="Most rows that an effect comes after its cause.", metavar="P")
    ] = 1,
    baseline: Annotated[int, typer.Option(min=20, help="Rows of normal operation.", metavar="N")] = 600,
    incident: Annotated[int, typer.Option(min=1, help="Rows of the incident.", metavar="N")] = 20,
    fault: Annotated[
        Literal["level", "variance", "spikes", "mechanism"] | None,
        typer.Option(help="What happens at the root cause. [default: any]", show_default=False),
    ] = None,
    hidden_confounder: Annotated[
        bool, typer.Option("--hidden-confounder", help="Let an unobserved series move some variables.")
    ] = False,
    missing: Annotated[
        float, typer.Option(min=0, max=0.99, help="Share of the values that are lost.", metavar="X")
    ] = 0.0,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier simulation in DIR.")] = False,
) -> None:
    """Simulate an incident, to see what root-cause makes of it.

    Writes baseline.csv, incident.csv, truth.csv (the graph, row causes column) and answer.json (root cause,
    target and fault) into DIR.
    """
    from mcsl.outputs import check_directory
    from mcsl.outputs.root_cause import write_incident
    from mcsl.simulation import simulate_incident

    check_directory(out, force=force)
    simulated = simulate_incident(
        n_variables=variables,
        seed=seed,
        degree=degree,
        lags=lags,
        n_baseline=baseline,
        n_incident=incident,
        fault=fault,
        hidden_confounder=hidden_confounder,
        missing=missing,
    )
    write_incident(simulated, out, force=force)
    typer.echo(
        f"Wrote {baseline} rows of normal operation and {incident} of an incident into {out}. "
        f"The symptom is {simulated.target}; answer.json tells the root cause."
    )
