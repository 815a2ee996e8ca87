"""`mcsl root-cause`: from the rows of an incident to its ranked causes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from mcsl.data.sources import RawTable
    from mcsl.diagnosis import RootCauseResult


def root_cause(
    context: typer.Context,
    data: Annotated[
        Path,
        typer.Argument(
            help="Rows of the incident: CSV, TSV (any delimiter) or Parquet. Values may be missing.",
            metavar="DATA",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="Directory to write the results into.", metavar="DIR", show_default=False)
    ],
    baseline: Annotated[
        str | None,
        typer.Option(
            help="Normal operation: a file like DATA, or a number of leading rows of DATA. [default: half]",
            metavar="FILE|N",
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            help="The symptom to explain. [default: everything anomalous]", metavar="KPI", show_default=False
        ),
    ] = None,
    anomalous: Annotated[
        str | None,
        typer.Option(
            help="Look for causes among these alone. [default: find what is anomalous, look everywhere]",
            metavar="A,B,C",
            show_default=False,
        ),
    ] = None,
    lags: Annotated[
        int, typer.Option(min=0, help="Rows that an effect may come after its cause.", metavar="P")
    ] = 0,
    cannot_be_root: Annotated[
        str | None,
        typer.Option(help="Variables to rule out as root causes.", metavar="X,Y", show_default=False),
    ] = None,
    known_graph: Annotated[
        Path | None,
        typer.Option(
            help="Use this graph, a square matrix, .gml, .graphml or .json, instead of learning one.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    graph_of: Annotated[
        Literal["causes", "calls"],
        typer.Option(help="What its rows do to its columns; faults run from the called to the caller."),
    ] = "causes",
    metric: Annotated[
        str | None,
        typer.Option(
            help="Files with rows of names for component, metric, statistic: the metric to read.",
            metavar="M",
            show_default=False,
        ),
    ] = None,
    statistic: Annotated[
        str | None, typer.Option(help="... and its statistic.", metavar="S", show_default=False)
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="The same seed gives the same ranking.", metavar="N")
    ] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace earlier results in DIR.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log what is done, and trace errors.")] = False,
) -> None:
    """Rank the variables by how likely each is where an incident began.

    Writes ranking.csv, ranking.json (with reasons in words), adjacency.csv and, where matplotlib is
    installed, graph.png and graph.svg into DIR, and prints the first candidates.
    """
    from mcsl.cli.knowledge import parse_names
    from mcsl.cli.session import logging_to_stderr
    from mcsl.data.sources import RawTable
    from mcsl.diagnosis import root_cause
    from mcsl.outputs import check_directory
    from mcsl.outputs.root_cause import write_root_cause

    with logging_to_stderr(verbose):
        check_directory(out, force=force)
        wide = metric is not None or statistic is not None
        incident = _table(data, wide, metric, statistic)
        normal = baseline and (
            int(baseline) if baseline.isdecimal() else _table(Path(baseline), wide, metric, statistic)
        )
        tables = [table for table in (incident, normal) if isinstance(table, RawTable)]
        names = [column.name for table in tables for column in table.columns]
        result = root_cause(
            incident,
            target=target,
            anomalous=parse_names(anomalous, names) if anomalous else None,
            lags=lags,
            baseline=normal,
            cannot_be_root=parse_names(cannot_be_root or "", names),
            known_graph=known_graph,
            graph_of=graph_of,
            seed=seed,
        )
        write_root_cause(result, out, force=force, command=context.obj, pictures=_can_draw())
    _print(result, named=bool(anomalous))
    typer.echo(f"Results are in {out}.")


def _table(path: Path, wide: bool, metric: str | None, statistic: str | None) -> RawTable:
    from mcsl.data import read_metrics
    from mcsl.data.sources import raw_table

    return raw_table(read_metrics(path, metric=metric, statistic=statistic) if wide else path)


def _can_draw() -> bool:
    """Return whether there is matplotlib, and say how to get it where there is none."""
    from mcsl.errors import OutputError
    from mcsl.outputs.plots import need_matplotlib

    try:
        need_matplotlib()
    except OutputError as missing:
        typer.echo(f"graph.png and graph.svg are left out. {missing}", err=True)
        return False
    return True


def _print(result: RootCauseResult, *, named: bool) -> None:
    """Print the first candidates with their reasons; `named` says that the anomalous ones were given."""
    from mcsl.cli.printing import print_ranking
    from mcsl.data.checks import listed

    few = f"{len(result.anomalous)} of {result.graph.n_variables} variables"
    said = f"You named {few} as anomalous" if named else f"{few} are anomalous"
    typer.echo(f"{said} in {result.n_incident} rows, compared with {result.n_baseline} normal ones.")
    print_ranking(result)
    if result.left_out:
        columns = listed(list(result.left_out))
        typer.echo(f"Left out {columns}, which cannot be judged; see ranking.json.")
