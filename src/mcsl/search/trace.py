"""What training tells about itself: a row a stage, and why it stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, TypeAlias


@dataclass(frozen=True)
class TraceRow:
    """The state of training after one outer step of the augmented Lagrangian."""

    stage: int
    acyclicity: float
    """s(U; g) of one noisy mask."""
    acyclicity_of_probabilities: float
    """The same measure of sigma(U / tau)."""
    score: float
    sparsity: float
    lagrangian: float
    multiplier: float
    penalty: float
    n_edges: int
    elapsed: float
    """Seconds since training began."""
    progress: float
    """Estimated share of the work done, from 0 to 1."""
    n_steps: int = 0
    """Steps that the stage took; 0 where an older file does not say."""


Observer: TypeAlias = Callable[[TraceRow], None]
"""Receives a TraceRow after every stage, of the restart with the most left to do: a progress bar, a log."""


class StopReason(Enum):
    """Why training ended, and what to do about it."""

    CONVERGED = "converged"
    SETTLED = "settled"
    NOTHING_TO_ADD = "nothing to add"
    START_KEPT = "start kept"
    STAGE_LIMIT = "stage limit"
    PENALTY_LIMIT = "penalty limit"
    NOT_FINITE = "not finite"
    INTERRUPTED = "interrupted"

    @property
    def sentence(self) -> str:
        """Say it in one sentence that names the remedy."""
        return _SENTENCES[self]


@dataclass(frozen=True)
class Restart:
    """How training from one seed ended."""

    seed: int
    stop_reason: StopReason
    score: float
    """Less is better: score of unseen rows along its graph, or else score and sparsity of its last mask."""
    chosen: bool

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {**asdict(self), "stop_reason": self.stop_reason.value}


_SENTENCES = {
    StopReason.CONVERGED: "Training converged: the noisy mask and the edge probabilities are both acyclic.",
    StopReason.SETTLED: (
        "The search settled: no single edge that is added, dropped or turned around improves its score."
    ),
    StopReason.NOTHING_TO_ADD: (
        "Along the order that splines found, networks predict unseen rows no better than the splines, so "
        "that order is used and no mask was trained."
    ),
    StopReason.START_KEPT: (
        "The trained graph predicts unseen rows no better than the order that training started from, so that "
        "order is used."
    ),
    StopReason.STAGE_LIMIT: (
        "Training used up its stages before the mask was acyclic; raise `max_stages` or `penalty_growth`."
    ),
    StopReason.PENALTY_LIMIT: (
        "The acyclicity penalty reached its limit before the mask was acyclic; "
        "lower `penalty_growth` or train more steps a stage."
    ),
    StopReason.NOT_FINITE: (
        "Training left the finite numbers, so its last finite stage is used; "
        "lower `learning_rate` or standardize the data."
    ),
    StopReason.INTERRUPTED: (
        "Learning was interrupted, so this is the best graph until then, and not all of its edges were "
        "tested; resume it, or learn again."
    ),
}
