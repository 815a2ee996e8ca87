"""`mcsl evaluate`: how far one graph is from another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def evaluate(
    estimate: Annotated[
        Path,
        typer.Argument(help="Learned graph, such as adjacency.csv.", metavar="ESTIMATE", show_default=False),
    ],
    truth: Annotated[
        Path, typer.Argument(help="True graph, such as truth.csv.", metavar="TRUTH", show_default=False)
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False,
) -> None:
    """Compare a learned graph with the true one.

    Both are square matrices whose rows cause their columns, where any number but 0 is an edge, or files that
    end in .json, .gml or .graphml. Variables are matched by name, or by position where one of the files has
    no names. Prints shd (a reversed edge counts one), tpr, fdr, f1, sid and n_edges.
    """
    from mcsl.evaluation import evaluate
    from mcsl.outputs.adjacency import reorder
    from mcsl.outputs.graphs import read_edges

    guess, guess_names = read_edges(estimate)
    true, names = read_edges(truth)
    metrics = evaluate(reorder(guess, guess_names, names, kinds=("estimate", "truth")), true)
    if as_json:
        import json

        typer.echo(json.dumps(metrics.as_dict()))
    else:
        from mcsl.cli.printing import print_metrics

        print_metrics(metrics)
