"""How often edges return: selection frequencies, a bound on false edges, and the consensus DAG."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mcsl.graph.causal_graph import CausalGraph
from mcsl.settings import check_number


@dataclass(frozen=True, eq=False)
class Stability:
    """How often each edge was selected in graphs learned from complementary half-samples."""

    names: tuple[str, ...]
    frequencies: NDArray[np.float64] = field(repr=False)
    """Share of the half-samples whose graph has the edge, `[cause, effect]`."""
    n_halves: int
    """Number of half-samples; two by two they share no row."""
    candidates: NDArray[np.bool_] = field(repr=False)
    """Edges that could be selected or not: neither forbidden nor required beforehand."""
    threshold: float = 0.5
    """Frequency that an edge of the consensus must exceed."""

    def __post_init__(self) -> None:
        check_number("threshold", self.threshold, least=0.5, below=1)

    @property
    def either_direction(self) -> NDArray[np.float64]:
        """Share of the half-samples whose graph joins two variables, whichever way the arrow points."""
        return self.frequencies + self.frequencies.T

    @cached_property
    def consensus(self) -> CausalGraph:
        """The DAG of frequent edges: most frequent first, each unless it closes a cycle."""
        adjacency = np.zeros(self.frequencies.shape, dtype=bool)
        reaches = np.eye(len(self.names), dtype=bool)
        edges = np.argwhere(self.frequencies > self.threshold)
        for cause, effect in edges[np.argsort(-self.frequencies[tuple(edges.T)], kind="stable")]:
            if not reaches[effect, cause]:
                adjacency[cause, effect] = True
                reaches |= np.outer(reaches[:, cause], reaches[effect])
        return CausalGraph(adjacency, self.names)

    def sentence(self, graph: CausalGraph, frequency: float = 0.9) -> str:
        """Say how many edges of a graph are frequent, and how many of those chance would give."""
        n_frequent = int(np.sum(self.frequencies[graph.adjacency] >= frequency))
        bound = self.false_edge_bound(frequency)
        return (
            f"{n_frequent} of {graph.n_edges} edges return in at least {frequency:.0%} of {self.n_halves} "
            f"half-samples; chance gives at most {bound:.2g} such edges on average."
        )

    def false_edge_bound(self, frequency: float) -> float:
        """Bound the expected number of unstable edges that are at least as frequent as this.

            q^2 / ((2 frequency - 1) p)

        of Meinshausen and Buehlmann (2010), where q of the p candidate edges are selected in a half-sample on
        average. With complementary halves it assumes nothing (Shah and Samworth 2013, Theorem 1) for the
        edges that a half-sample selects with probability at most q / p, no better than chance; that these
        are the false ones is an assumption. It is infinite up to a frequency of one half.
        """
        if not frequency > 0.5:
            return float("inf")
        n_selected = self.frequencies[self.candidates].sum()
        n_candidates = max(int(self.candidates.sum()), 1)
        return float(n_selected**2 / ((2 * frequency - 1) * n_candidates))
