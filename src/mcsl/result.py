"""What `learn` returns."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mcsl.edge_table import CORNER, EdgeRow, edge_rows, with_lags
from mcsl.errors import DataError
from mcsl.graph import CausalGraph, Stability
from mcsl.missing import MissingSummary
from mcsl.problem import Knowledge, Problem, SeriesSummary
from mcsl.pruning import EdgeTest, LagTest
from mcsl.pruning.regressions import level
from mcsl.recipe import Recipe, RecordedRecipe
from mcsl.search import Restart, StopReason, TraceRow
from mcsl.sem import FittedSEM, fit_sem
from mcsl.trust import Finding, assess_trust

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Result:
    """The learned graph, how it was found, and what is needed to find it again."""

    graph: CausalGraph
    edge_probabilities: NDArray[np.float64]
    """How strongly the search preferred each edge, `[cause, effect]`, before pruning: Akaike weights of an
    order search, or sigma(U / tau) of networks."""
    trace: tuple[TraceRow, ...]
    """The stages of training; empty where no networks were trained."""
    stop_reason: StopReason
    cut_edges: tuple[tuple[str, str], ...]
    """Edges removed after training, weakest first, because they closed a cycle."""
    tests: tuple[EdgeTest, ...]
    """What the pruner found out about every edge it looked at."""
    recipe: Recipe | RecordedRecipe
    seed: int
    n_samples: int
    fingerprint: str
    """Digest of the data."""
    versions: Mapping[str, str]
    timings: Mapping[str, float]
    """Seconds each room took."""
    directions: NDArray[np.float64] | None = None
    """How sure it is that each edge points as it does, `[cause, effect]`, given that the two are joined: 0.5
    if nothing tells, 1 if its reverse fits far worse; 0 for pairs against the order, None where networks
    decided and beside gaps that were masked."""
    edge_counts: Mapping[str, int] = field(default_factory=dict)
    """Edges after each step: screened, learned, completed, trained, pruned, as far as the recipe has them."""
    restarts: tuple[Restart, ...] = ()
    """How training ended from each of its seeds; `trace` is of the one that was chosen."""
    knowledge: Knowledge = field(default_factory=Knowledge)
    """What was known beforehand."""
    stability: Stability | None = None
    """How often each edge returns in half-samples, where `assess_stability` has counted."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The columns of the table that each variable owns."""
    lag_tests: tuple[LagTest, ...] = ()
    """Which lags of each edge matter; empty without lags."""
    series: SeriesSummary = field(default_factory=SeriesSummary)
    """How the samples were cut from series."""
    missing: MissingSummary = field(default_factory=MissingSummary)
    """What became of missing values."""
    n_drawn: int = 0
    """Rows that were drawn at random because not all could be held; 0 if all were."""
    problem: Problem | None = field(default=None, repr=False)
    """The table in its own units, or the rows drawn from it, its variables and the edges allowed; None in a
    result read from a file."""
    stored_sem: FittedSEM | None = field(default=None, repr=False)
    """The fitted model of a result read from a file."""
    stored_trust: tuple[Finding, ...] = field(default=(), repr=False)
    """The findings of a result read from a file."""

    @cached_property
    def sem(self) -> FittedSEM:
        """The mechanisms of the graph, fitted when first asked for."""
        if self.stored_sem is not None:
            return self.stored_sem
        if self.problem is None:
            raise DataError(
                "The result was saved without its fitted model; learn again, or save it with `sem=True`."
            )
        return fit_sem(self.graph, self.problem)

    @property
    def sem_if_any(self) -> FittedSEM | None:
        """The fitted mechanisms, or None where there are none and none can be fitted."""
        try:
            return self.sem
        except DataError:
            return None

    @cached_property
    def trust(self) -> tuple[Finding, ...]:
        """What speaks for the graph and what against it, checked when first asked for."""
        if self.problem is None or isinstance(self.recipe, RecordedRecipe):
            return self.stored_trust
        significance = getattr(self.recipe.pruner, "significance", 0.0)
        return assess_trust(
            self.graph,
            self.problem,
            self.sem_if_any,
            stop_reason=self.stop_reason,
            cut_edges=self.cut_edges,
            tests=self.tests,
            level=None if significance == 0.0 else level(significance, self.graph.n_variables),
            standardized=self.recipe.standardize,
            reads_units=self.recipe.reads_units,
            one_variance=self.recipe.assumes_one_variance,
            share_drawn=self.missing.share_drawn(self.n_samples, self.problem.dataset.n_variables),
            stability=self.stability,
            directions=self.directions,
        )

    @property
    def rows_sentence(self) -> str:
        """Say how many rows were drawn, and what for; empty if all rows were held."""
        drawn = f"{self.n_drawn} of {self.n_samples} rows"
        return f"Drew {drawn} at random for the order, the joint tests and the model." if self.n_drawn else ""

    @property
    def restarts_sentence(self) -> str:
        """Say the scores of restarts, and which was the best; empty for a single one or none."""
        scores = [f"{restart.score:.4g}{' (best)' * restart.chosen}" for restart in self.restarts]
        return f"Scores of {len(scores)} restarts: {', '.join(scores)}." if len(scores) > 1 else ""

    @property
    def confidence(self) -> NDArray[np.float64]:
        """How sure each arrow is, `[cause, effect]`: its frequency in half-samples, else by the search.

        That is the probability of the edge, times how sure its direction is where that is known.
        """
        if self.stability:
            return self.stability.frequencies
        return self.edge_probabilities * (1.0 if self.directions is None else self.directions)

    @property
    def confidence_name(self) -> str:
        """What `confidence` is: "frequency" (in half-samples), "probability", or both parts, "confidence"."""
        if self.stability:
            return "frequency"
        return "probability" if self.directions is None else "confidence"

    def edge_rows(self) -> list[EdgeRow]:
        """Return all edges that learning and pruning looked at, kept ones first."""
        frequencies = self.stability.frequencies if self.stability else None
        rows = edge_rows(
            self.graph, self.tests, self.edge_probabilities, self.cut_edges, frequencies, self.directions
        )
        return with_lags(rows, self.lag_tests)

    @property
    def edges(self) -> pl.DataFrame:
        """Every edge that was looked at, a row each: cause, effect, kept, probability, test, p-value, ...."""
        import polars as pl

        return pl.DataFrame(
            self.edge_rows(), schema=list(EdgeRow._fields), orient="row", infer_schema_length=None
        )

    def adjacency_frame(self) -> pl.DataFrame:
        """Return the adjacency matrix with names: a row a cause, led by its name, and a column an effect."""
        import polars as pl

        columns = {
            CORNER: self.graph.names,
            **dict(zip(self.graph.names, self.graph.adjacency.T, strict=True)),
        }
        return pl.DataFrame(columns)

    def save(self, path: str | os.PathLike[str], *, sem: bool = True) -> Path:
        """Write the result to one file, for `load_result`, with the fitted model unless `sem` is False."""
        from mcsl.outputs.saving import save_result

        return save_result(self, path, sem=sem)

    def __repr__(self) -> str:
        return f"Result({self.graph!r}, stop_reason={self.stop_reason.value!r})"
