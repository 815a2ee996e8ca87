"""Every edge that was looked at, with all that is known of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mcsl.graph import CausalGraph
    from mcsl.pruning import EdgeTest, LagTest

CORNER = "cause\\effect"
"""First cell of a labelled matrix: rows are causes, columns are effects."""


class EdgeRow(NamedTuple):
    """An edge that was kept, dropped by the pruner, or cut because it closed a cycle."""

    cause: str
    effect: str
    kept: bool
    probability: float | None
    direction: float | None
    """How sure it is that the edge does not point the other way, None where nobody asked."""
    test: str | None
    """Name of the test that decided, "acyclicity" where it was a cycle, None if nothing was tested."""
    p_value: float | None
    coefficient: float | None
    frequency: float | None
    """Share of half-samples in which the edge returns, None if there were none."""
    lags: str | None = None
    """The lags that matter, 0 for the same time, such as "0 2"; None if there were none to test."""


def edge_rows(
    graph: CausalGraph,
    tests: Iterable[EdgeTest],
    probabilities: NDArray[np.float64] | None = None,
    cut_edges: Iterable[tuple[str, str]] = (),
    frequencies: NDArray[np.float64] | None = None,
    directions: NDArray[np.float64] | None = None,
) -> list[EdgeRow]:
    """Return all edges that were looked at: kept ones first, then by probability to three digits."""
    place = {name: i for i, name in enumerate(graph.names)}
    test_of = {(test.cause, test.effect): test for test in tests}
    rows = []
    for cause, effect in dict.fromkeys([*graph.edges, *test_of, *cut_edges]):
        test = test_of.get((cause, effect))
        at = place[cause], place[effect]
        kept = bool(graph.adjacency[at])
        statistics = {test.statistic: test.value} if test else {}
        rows.append(
            EdgeRow(
                cause=cause,
                effect=effect,
                kept=kept,
                probability=None if probabilities is None else float(probabilities[at]),
                direction=None if directions is None else float(directions[at]),
                test=test.test if test else None if kept else "acyclicity",
                p_value=statistics.get("p_value"),
                coefficient=statistics.get("coefficient"),
                frequency=None if frequencies is None else float(frequencies[at]),
            )
        )
    return sorted(rows, key=lambda row: (not row.kept, -round(row.probability or 0, 3)))


def with_lags(rows: Iterable[EdgeRow], tests: Iterable[LagTest]) -> list[EdgeRow]:
    """Add to each edge that was kept the lags that matter."""
    lags: dict[tuple[str, str], list[str]] = {}
    for test in tests:
        lags.setdefault((test.cause, test.effect), []).extend([str(test.lag)] if test.matters else [])
    return [
        row._replace(lags=" ".join(lags[row[:2]])) if row.kept and row[:2] in lags else row for row in rows
    ]
