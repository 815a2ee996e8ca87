"""The expensive steps of learning, each taken from a checkpoint as far as it is there."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import numpy as np

from mcsl.checkpoint import Checkpoint, Kept
from mcsl.data import Dataset
from mcsl.graph import CausalGraph
from mcsl.order import OrderSearch
from mcsl.order.search import OrderFit
from mcsl.problem import Problem
from mcsl.pruning import EdgeTest
from mcsl.search import StopReason, TraceRow

if TYPE_CHECKING:
    from mcsl.search.augmented_lagrangian import Fit

_BETWEEN = 1.0
"""Seconds at least from one writing of the tests to the next: one test may take a millisecond."""

_log = logging.getLogger(__name__)


@contextmanager
def timed(step: str, timings: dict[str, float]) -> Iterator[None]:
    """Note and log how long a step took."""
    began = time.perf_counter()
    yield
    timings[step] = time.perf_counter() - began
    _log.info("%s took %.2f s", step, timings[step])


def find_order(search: OrderSearch, problem: Problem, checkpoint: Checkpoint) -> OrderFit:
    """Search for the order, unless that was done before."""
    kept = checkpoint.recall("order")
    if kept is not None:
        return _to_order(kept, problem)
    found = search.find(problem)
    # Most columns are searched as they are, and need no keeping.
    changed = np.flatnonzero((found.problem.dataset.values != problem.dataset.values).any(axis=0))
    checkpoint.keep(
        "order",
        {
            "order": [int(variable) for variable in found.order],
            "noise": found.noise,
            "timings": found.timings,
            "edge_counts": found.edge_counts,
        },
        {
            "graph": found.graph.adjacency,
            "learned": found.learned.adjacency,
            "edge_probabilities": found.edge_probabilities,
            **({} if found.directions is None else {"directions": found.directions}),
            "scores": found.scores,
            "changed": changed,
            "columns": found.problem.dataset.values[:, changed],
        },
    )
    return found


def _to_order(kept: Kept, problem: Problem) -> OrderFit:
    values, arrays = kept
    columns = problem.dataset.values.copy()
    columns[:, arrays["changed"]] = arrays["columns"]
    return OrderFit(
        order=tuple(values["order"]),
        graph=CausalGraph(arrays["graph"], problem.names),
        learned=CausalGraph(arrays["learned"], problem.names),
        edge_probabilities=arrays["edge_probabilities"],
        directions=arrays.get("directions"),
        problem=replace(problem, dataset=Dataset(columns, problem.dataset.names)),
        scores=arrays["scores"],
        noise=values["noise"],
        timings=values["timings"],
        edge_counts=values["edge_counts"],
    )


def resume_training(checkpoint: Checkpoint, fits: list[Fit]) -> list[Fit]:
    """Bring new fits as far as they had come before, if they had."""
    kept = checkpoint.recall("training")
    if kept is None:
        return fits
    return [_to_fit(kept, k, fit) for k, fit in enumerate(fits)]


def _to_fit(kept: Kept, k: int, new: Fit) -> Fit:
    values = kept.values["fits"][k]
    trained = [kept.arrays[f"{k}/trained/{i}"] for i in range(len(new.state.arrays()))]
    return replace(
        new,
        state=new.state.with_arrays(trained),
        edge_probabilities=kept.arrays[f"{k}/edge_probabilities"],
        multiplier=values["multiplier"],
        penalty=values["penalty"],
        trace=tuple(TraceRow(**row) for row in values["trace"]),
        stop_reason=StopReason(values["stop_reason"]),
    )


def keep_training(checkpoint: Checkpoint, fits: list[Fit]) -> None:
    """Keep how far training has come."""
    values = [
        {
            "multiplier": fit.multiplier,
            "penalty": fit.penalty,
            "trace": [asdict(row) for row in fit.trace],
            "stop_reason": fit.stop_reason.value,
        }
        for fit in fits
    ]
    arrays = {f"{k}/edge_probabilities": fit.edge_probabilities for k, fit in enumerate(fits)}
    trained = {f"{k}/trained/{i}": a for k, fit in enumerate(fits) for i, a in enumerate(fit.state.arrays())}
    checkpoint.keep("training", {"fits": values}, arrays | trained)


class PruningLog:
    """The tests of a pruner so far: an observer that keeps them, at most once a second."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        kept = checkpoint.recall("pruning")
        self.tests = [EdgeTest(**test) for test in kept.values["tests"]] if kept else []
        self._checkpoint = checkpoint
        self._written = time.monotonic()

    def __call__(self, tests: tuple[EdgeTest, ...]) -> None:
        """Add the tests of one effect."""
        self.tests += tests
        if time.monotonic() - self._written > _BETWEEN:
            self.keep()

    def keep(self) -> None:
        """Keep what there is."""
        self._checkpoint.keep("pruning", {"tests": [asdict(test) for test in self.tests]}, {})
        self._written = time.monotonic()

    def best_graph(self, untested: CausalGraph) -> CausalGraph:
        """Return what the tests left over, with the edges of another graph for effects not tested yet."""
        tested = {test.effect for test in self.tests}
        kept = [(test.cause, test.effect) for test in self.tests if test.kept]
        others = [(cause, effect) for cause, effect in untested.edges if effect not in tested]
        return CausalGraph.from_edges(kept + others, untested.names)
