"""`mcsl prune`: any graph without the edges that the data do not need."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mcsl.cli.choices import MissingRows, PrunerName, build_pruner
from mcsl.cli.knowledge import ForbiddenEdges, KnowledgeFile, RequiredEdges, build_knowledge


def prune(
    context: typer.Context,
    data: Annotated[
        Path, typer.Argument(help="Table of numbers, as for learn.", metavar="DATA", show_default=False)
    ],
    graph: Annotated[
        Path,
        typer.Argument(
            help="Acyclic graph over its columns, from any tool: a square matrix, row causes column, or "
            "a file that ends in .json, .gml or .graphml.",
            metavar="GRAPH",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="Directory to write the results into.", metavar="DIR", show_default=False)
    ],
    by: Annotated[
        PrunerName, typer.Option("--prune", help="Test that removes needless edges.")
    ] = "interactions",
    drop: Annotated[
        list[str] | None,
        typer.Option(
            help="Column to leave out; may be given several times.", metavar="NAME", show_default=False
        ),
    ] = None,
    missing: MissingRows = "refuse",
    knowledge: KnowledgeFile = None,
    require: RequiredEdges = None,
    forbid: ForbiddenEdges = None,
    force: Annotated[bool, typer.Option("--force", help="Replace earlier results in DIR.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log what is done, and trace errors.")] = False,
) -> None:
    """Remove from a graph the edges that the data do not need.

    Writes adjacency.csv, edges.csv (every edge with its test, kept or not) and result.json into DIR and
    prints the edges that are left. Forbidden edges go untested, required ones stay whatever the test says.
    """
    from dataclasses import asdict, replace

    from mcsl.cli.printing import print_edges
    from mcsl.cli.session import logging_to_stderr
    from mcsl.data import read_table
    from mcsl.edge_table import edge_rows
    from mcsl.errors import KnowledgeError
    from mcsl.graph import CausalGraph
    from mcsl.missing import complete
    from mcsl.outputs import check_directory, write_pruned
    from mcsl.outputs.adjacency import reorder
    from mcsl.outputs.graphs import read_edges
    from mcsl.problem import Problem
    from mcsl.pruning import prune as run_pruner

    with logging_to_stderr(verbose):
        check_directory(out, force=force)
        table = read_table(data, drop=drop or (), allow_missing=missing != "refuse")
        completed = complete(table, missing)
        matrix, names = read_edges(graph)
        given = CausalGraph(reorder(matrix, names, table.names, kinds=("graph", "table")), table.names)
        known = build_knowledge(knowledge, require, forbid, table.names)
        problem = Problem.from_dataset(completed.dataset).with_knowledge(known)
        for cause, effect in known.required:
            if effect not in given.children(cause):
                raise KnowledgeError(
                    f"The required edge {cause} -> {effect} is not in {graph}; add it there."
                )
        allowed = CausalGraph(given.adjacency & problem.candidates, table.names)
        pruned = run_pruner(build_pruner(by), allowed, replace(problem, observed=completed.observed))
        provenance = {
            "n_samples": problem.n_samples,
            "missing": asdict(completed.summary),
            "pruner": by,
            "knowledge": known.to_dict(),
            "fingerprint": table.fingerprint(),
            "command": context.obj,
        }
        write_pruned(pruned, out, provenance=provenance, force=force)
    print_edges(edge_rows(pruned.graph, pruned.tests), table.n_variables, problem.n_samples)
    if completed.summary.sentence:
        typer.echo(completed.summary.sentence)
    typer.echo(f"Results are in {out}.")
