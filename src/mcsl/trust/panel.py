"""The trust panel: every check of a result, each with a verdict and what to do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mcsl.evaluation import r2_sortability, var_sortability
from mcsl.graph import CausalGraph, Stability
from mcsl.problem import Problem
from mcsl.pruning import EdgeTest
from mcsl.search import StopReason
from mcsl.sem import FittedSEM
from mcsl.trust.finding import Finding, Verdict, some_of
from mcsl.trust.mechanisms import check_mechanisms, check_variances
from mcsl.trust.neighbours import check_neighbours
from mcsl.trust.table import check_table

_FAR_FROM_HALF = 0.3
_ENOUGH_EDGES = 10
"""With fewer edges chance alone takes sortability far from one half."""
_NEAR = 10.0
"""An edge is borderline if its p-value is within this factor of the level."""
_SURE = 0.9
"""Of arrows that are less sure to point as they do, one in four to one in two points the wrong way."""
_OFTEN = 0.5
_WORTH_SAYING = 0.01
"""From this share of drawn values on, false edges were seen to pass (docs/missing-values.md)."""


def assess_trust(
    graph: CausalGraph,
    problem: Problem,
    sem: FittedSEM | None,
    *,
    stop_reason: StopReason,
    cut_edges: Sequence[tuple[str, str]],
    tests: Sequence[EdgeTest],
    level: float | None,
    standardized: bool,
    reads_units: bool,
    one_variance: bool,
    share_drawn: float,
    stability: Stability | None,
    directions: NDArray[np.float64] | None,
) -> tuple[Finding, ...]:
    """Check how a graph was found, what the table gives away, and what the fitted mechanisms leave over.

    `level` is that of the pruner's test, None if there was none; without a fitted model the checks of
    mechanisms are left out. `reads_units` says that columns in other units could have another order,
    `one_variance` that all noises were assumed to have the same, and `share_drawn` which share of the table
    was missing and drawn. `directions` says how sure every arrow's direction is, if the search has told.
    """
    findings = [_search(stop_reason, cut_edges), *check_table(problem), *check_neighbours(problem, sem)]
    if share_drawn >= _WORTH_SAYING:
        findings.append(_gaps(share_drawn))
    findings += _scale(graph, problem, standardized, reads_units)
    if sem is not None and graph.n_edges:
        findings += check_mechanisms(sem)
        if one_variance:
            findings.append(check_variances(sem, problem, standardized))
    # Of what is known beforehand the model has nothing to say.
    told = CausalGraph(graph.adjacency & problem.candidates.T, graph.names)
    if directions is not None and told.n_edges:
        findings.append(_reverses(told, directions))
    if level is not None:
        findings.append(_borderline(tests, level))
    if stability is not None and graph.n_edges:
        findings.append(_stability(graph, stability))
    return tuple(findings)


def _search(stop_reason: StopReason, cut_edges: Sequence[tuple[str, str]]) -> Finding:
    sentence, _, advice = stop_reason.sentence.rstrip(".").partition("; ")
    done = (StopReason.CONVERGED, StopReason.SETTLED, StopReason.NOTHING_TO_ADD, StopReason.START_KEPT)
    if stop_reason in done:
        if not cut_edges:
            return Finding("search", "good", f"{sentence}.", "")
        cut = ", ".join(f"{cause} -> {effect}" for cause, effect in cut_edges)
        return Finding(
            "search",
            "caution",
            f"The search left cycles, and these edges were cut to break them: {cut}.",
            "Take these pairs as joined but not directed, or train longer.",
        )
    verdict: Verdict = "bad" if stop_reason is StopReason.NOT_FINITE else "caution"
    return Finding("search", verdict, f"{sentence}.", f"{advice[:1].upper()}{advice[1:]}.")


def _gaps(share_drawn: float) -> Finding:
    """Say how much of the table was drawn: variables close to a cause stand in for what is missing of it."""
    return Finding(
        "gaps",
        "caution",
        f"{share_drawn:.0%} of the values were missing and drawn given the others: false edges may pass.",
        'If enough rows have no gap, learn again with `missing="drop"` (--missing drop) and trust the edges '
        "that stay.",
        {"share": share_drawn},
    )


def _scale(graph: CausalGraph, problem: Problem, standardized: bool, reads_units: bool) -> list[Finding]:
    """What could be read off the units and the predictability of the columns."""
    findings = []
    scalar = problem.is_scalar and graph.n_edges > 0 and bool(np.isfinite(problem.dataset.values).all())
    values = problem.columns([variable.outputs[0] for variable in problem.variables])
    by_variance = var_sortability(values, graph) if scalar else float("nan")
    figures = {"var-sortability": by_variance} if scalar else {}
    if standardized or not reads_units:
        why = "All columns were standardised first" if standardized else "The score is free of units"
        findings.append(Finding("units", "good", f"{why}, so units cannot matter.", "", figures))
    elif not abs(by_variance - 0.5) <= _FAR_FROM_HALF:
        findings.append(
            Finding(
                "units",
                "bad" if scalar else "caution",
                "Variances were taken at face value"
                + (f", and sorting by them alone gives {by_variance:.0%} of this order." if scalar else "."),
                "Learn again with standardised columns and keep the edges that stay.",
                figures,
            )
        )
    else:
        findings.append(Finding("units", "good", "Variances do not give this order away.", "", figures))
    by_r2 = r2_sortability(values, graph) if scalar else float("nan")
    if np.isfinite(by_r2):
        far = abs(by_r2 - 0.5) > _FAR_FROM_HALF and graph.n_edges >= _ENOUGH_EDGES
        findings.append(
            Finding(
                "predictability",
                "caution" if far else "good",
                f"Sorting columns by how well the others predict them gives {by_r2:.0%} of this order"
                + (", far from the 50% of chance." if far else "; chance gives 50%."),
                "Ask whether this order is merely that of how noisily the columns are measured."
                if far
                else "",
                {"r2-sortability": by_r2},
            )
        )
    return findings


def _reverses(graph: CausalGraph, directions: NDArray[np.float64]) -> Finding:
    figures = _by_edge(graph, directions)
    unsure = [f"{edge} ({direction:.2f})" for edge, direction in figures.items() if direction < _SURE]
    if not unsure:
        return Finding(
            "reverses", "good", "By the model, every arrow fits clearly better than its reverse.", "", figures
        )
    do = "does" if len(unsure) == 1 else "do"
    return Finding(
        "reverses",
        "bad" if 2 * len(unsure) > len(figures) else "caution",
        f"{len(unsure)} of {len(figures)} arrows {do} not fit clearly better than the reverse.",
        f"Take {some_of(unsure)} as joined but not directed; if you know a direction, state it as prior "
        "knowledge.",
        figures,
    )


def _by_edge(graph: CausalGraph, matrix: NDArray[np.float64]) -> dict[str, float]:
    place = {name: i for i, name in enumerate(graph.names)}
    return {
        f"{cause} -> {effect}": float(matrix[place[cause], place[effect]]) for cause, effect in graph.edges
    }


def _borderline(tests: Sequence[EdgeTest], level: float) -> Finding:
    judged = [test for test in tests if test.statistic == "p_value" and test.test != "required"]
    near = {
        f"{test.cause} -> {test.effect}": test.value
        for test in judged
        if level / _NEAR < test.value < level * _NEAR
    }
    if not near:
        return Finding("borderline", "good", "No edge was decided by a narrow margin.", "")
    kept = sum(test.kept for test in judged if f"{test.cause} -> {test.effect}" in near)
    return Finding(
        "borderline",
        "caution",
        f"{len(near)} edge{'s were' if len(near) > 1 else ' was'} decided by a narrow margin, {kept} kept.",
        f"More rows would settle {some_of(list(near))}.",
        near,
    )


def _stability(graph: CausalGraph, stability: Stability) -> Finding:
    figures = _by_edge(graph, stability.frequencies)
    rare = [edge for edge, frequency in figures.items() if frequency <= _OFTEN]
    if not rare:
        return Finding(
            "stability", "good", "Every edge returns in more than half of the half-samples.", "", figures
        )
    return Finding(
        "stability",
        "bad" if 2 * len(rare) > len(figures) else "caution",
        f"{len(rare)} of {len(figures)} edges return in at most half of the half-samples.",
        f"Do not count on {some_of(rare)}.",
        figures,
    )
