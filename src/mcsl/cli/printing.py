"""Results as a person reads them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mcsl.edge_table import EdgeRow

if TYPE_CHECKING:
    from mcsl.diagnosis import RootCauseResult
    from mcsl.evaluation import Metrics
    from mcsl.graph import CausalGraph
    from mcsl.result import Result
    from mcsl.trust import Finding

FIGURES = {
    "lags": "",
    "probability": ".3f",
    "direction": ".2f",
    "p_value": ".2g",
    "coefficient": ".2g",
    "frequency": ".2f",
}
MEANINGS = {
    "shd": "pairs of variables whose edges differ",
    "tpr": "share of the true edges that were found",
    "fdr": "share of the edges found that are not true",
    "f1": "both shares in one: 1 is perfect",
    "sid": "pairs whose effect of an intervention comes out wrong; - if there is a cycle",
    "n_edges": "edges found",
}


def print_result(result: Result) -> None:
    """Print the edges, surest first, and how training ended."""
    print_edges(result.edge_rows(), result.graph.n_variables, result.n_samples)
    if result.cut_edges:
        cut = ", ".join(f"{cause} → {effect}" for cause, effect in result.cut_edges)
        _print(f"Cut to break cycles, weakest first: {cut}.")
    if result.series.sentence:
        listed = "Lags that matter are listed, 0 for the same time; see lags.csv." if result.lag_tests else ""
        _print(f"{result.series.sentence} {listed}".rstrip())
    if result.missing.n_missing:
        _print(result.missing.sentence)
    if result.n_drawn:
        _print(result.rows_sentence)
    if result.restarts_sentence:
        _print(result.restarts_sentence)
    if result.stability:
        _print(result.stability.sentence(result.graph))
    if result.trust:
        print_trust(result.trust)
    else:
        _print(result.stop_reason.sentence)


def print_trust(findings: Sequence[Finding]) -> None:
    """Print what was checked, a line each: the verdict, what came out, and what to do."""
    colours = {"good": "green", "caution": "yellow", "bad": "red"}
    width = max((len(finding.verdict) for finding in findings), default=0)
    for finding in findings:
        said = f"{finding.sentence} {finding.advice}".rstrip()
        _print(Text.assemble((finding.verdict.ljust(width), colours[finding.verdict]), f"  {said}"))


def print_edges(rows: Sequence[EdgeRow], n_variables: int, n_samples: int) -> None:
    """Print the edges that were kept, with every figure known of them, and count the others."""
    kept = [row for row in rows if row.kept]
    known = [name for name in FIGURES if any(getattr(row, name) is not None for row in kept)]
    table = _table("cause", "", "effect", *known)
    for row in kept:
        values = [(name, getattr(row, name)) for name in known]
        figures = ["" if value is None else format(value, FIGURES[name]) for name, value in values]
        table.add_row(_label(row.cause), "→", _label(row.effect), *figures)
    _print(table if kept else "No edges were found.")
    n_dropped = sum(not row.kept and row.test != "acyclicity" for row in rows)
    dropped = f"; a test removed {n_dropped} more, see edges.csv" if n_dropped else ""
    edges = "edge" if len(kept) == 1 else "edges"
    _print(f"{len(kept)} {edges} among {n_variables} variables, from {n_samples} samples{dropped}.")


def print_comparison(result: Result, truth: CausalGraph) -> None:
    """Print every edge of the truth as found, reversed or missed, and then those found beyond it."""
    place = {name: i for i, name in enumerate(result.graph.names)}
    found, true = set(result.graph.edges), set(truth.edges)
    extra = [(a, b) for a, b in result.graph.edges if (a, b) not in true and (b, a) not in true]
    table = _table("cause", "", "effect", "probability", "verdict")
    for cause, effect in [*truth.edges, *extra]:
        probability = result.edge_probabilities[place[cause], place[effect]]
        if (cause, effect) in found:
            verdict = Text("found", "green") if (cause, effect) in true else Text("extra", "yellow")
        else:
            verdict = Text("reversed" if (effect, cause) in found else "missed", "red")
        table.add_row(_label(cause), "→", _label(effect), f"{probability:.3f}", verdict)
    _print(table)


def print_metrics(metrics: Metrics) -> None:
    """Print the figures of `evaluate`, one a line."""
    for name, value in metrics.as_dict().items():
        text = "-" if value is None else f"{value:.3g}" if isinstance(value, float) else str(value)
        _print(f"{name:<8} {text:<6} {MEANINGS[name]}")


def print_ranking(result: RootCauseResult, *, most: int = 5) -> None:
    """Print the first candidates and what speaks for them."""
    table = _table("", "candidate", "anomaly", "own_noise", "why")
    for candidate in result.ranking[:most]:
        figures = [f"{value:.1f}" for value in (candidate.anomaly, candidate.noise)]
        table.add_row(str(candidate.rank), _label(candidate.name), *figures, Text(candidate.reason))
    _print(table)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column.replace("_", "-"), overflow="fold")
    return table


def _label(name: str) -> Text:
    # As Text, brackets in a name are no markup.
    return Text(" ".join(name.split()))


def _print(content: Table | Text | str) -> None:
    # Where no window limits the width, nothing is folded.
    width = None if sys.stdout.isatty() else 10_000
    Console(width=width, highlight=False, markup=False, soft_wrap=True).print(content)
