"""The outer loop: raise the price of cycles until there are none."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Float
from numpy.typing import NDArray

from mcsl.model import EdgeMask, MaskedSEM, MechanismInit
from mcsl.objective import Acyclicity, RowBlocks, Score
from mcsl.problem import Problem
from mcsl.search.inner_loop import StageEnd, StepSettings, run_stage, start
from mcsl.search.schedule import Schedule
from mcsl.search.trace import Observer, StopReason, TraceRow

# Activations of this many rows stay in the second-level cache; larger blocks are half as fast.
_CACHE_ROWS = 512


@dataclass(frozen=True, eq=False)
class Fit:
    """What training found."""

    model: MaskedSEM
    edge_probabilities: NDArray[np.float64]
    trace: tuple[TraceRow, ...]
    stop_reason: StopReason


class Progress(NamedTuple):
    """All that the stages so far hand to the next."""

    trained: tuple[NDArray[np.generic], ...]
    """The arrays of the model and its optimiser."""
    edge_probabilities: NDArray[np.float64]
    trace: tuple[TraceRow, ...]
    multiplier: float
    penalty: float
    last_acyclicity: float
    stop_reason: StopReason | None
    """Why there is no next stage, if so."""


def search(
    problem: Problem,
    seed: int,
    *,
    mechanism: MechanismInit,
    temperature: float,
    score: Score,
    acyclicity: Acyclicity,
    sparsity_weight: float,
    schedule: Schedule,
    initial_logits: NDArray[np.floating] | None = None,
    observers: Sequence[Observer] = (),
    earlier: Progress | None = None,
    keep: Callable[[Progress], None] | None = None,
) -> Fit:
    """Solve Eqs. (al_2) to (al_4) of the paper until both stopping rules hold, or a limit is met.

    `keep` receives the progress after every stage. From an `earlier` one, and the same other arguments, the
    search goes on as if it had never stopped. An interrupt ends it with the last stage that was done.
    """
    began = time.perf_counter()
    init_rng, shuffle_rng, first_masks_rng = np.random.default_rng(seed).spawn(3)
    settings, rows = prepare(problem, shuffle_rng, score=score, acyclicity=acyclicity, schedule=schedule)
    state = start(MaskedSEM.init(init_rng, problem, mechanism, temperature, initial_logits), settings)
    key = jax.random.key(seed)

    penalty, growth = schedule.initial_penalty, schedule.penalty_growth
    if penalty is None or growth is None:
        log_s0 = _first_acyclicity(state.model.mask, acyclicity, first_masks_rng)
        penalty = penalty or math.exp(-2 * log_s0)
        # At least doubling bounds the number of stages where the first masks are nearly acyclic.
        growth = growth or max(math.exp(log_s0 / 6), 2.0)
    multiplier, last_acyclicity, stop_reason = 0.0, math.inf, None
    probabilities = np.where(problem.required, 1.0, np.where(problem.candidates, 0.5, 0.0))
    trace: tuple[TraceRow, ...] = ()
    if earlier is not None:
        trained, probabilities, trace, multiplier, penalty, last_acyclicity, stop_reason = earlier
        state = state.with_arrays(trained)
        began -= trace[-1].elapsed
    try:
        while stop_reason is None:
            stage = len(trace) + 1
            proposal, end = run_stage(
                state,
                rows,
                jax.random.fold_in(key, stage),
                np.float32(sparsity_weight),
                _log(multiplier),
                _log(penalty),
                settings,
                np.float32(-math.inf if schedule.required_fall is None else schedule.required_fall),
            )
            if not math.isfinite(float(end.lagrangian)):
                stop_reason = StopReason.NOT_FINITE
                break
            state, probabilities = proposal, np.asarray(end.edge_probabilities, np.float64)
            row = _trace_row(stage, end, multiplier, penalty, time.perf_counter() - began, schedule, trace)
            trace += (row,)
            multiplier += penalty * row.acyclicity
            if row.acyclicity >= schedule.required_decrease * last_acyclicity:
                penalty *= growth
            last_acyclicity = row.acyclicity
            stop_reason = _stop_reason(row, penalty, schedule)
            if keep is not None:
                numbers = (multiplier, penalty, last_acyclicity)
                keep(Progress(state.arrays(), probabilities, trace, *numbers, stop_reason))
            for observer in observers:
                observer(row)
    except KeyboardInterrupt:
        if not trace:
            raise
        stop_reason = StopReason.INTERRUPTED
    return Fit(state.model, probabilities, trace, stop_reason)


def prepare(
    problem: Problem, rng: np.random.Generator, *, score: Score, acyclicity: Acyclicity, schedule: Schedule
) -> tuple[StepSettings, RowBlocks]:
    """Return what a step is made of, and the shuffled rows it sees."""
    n_rows = problem.n_samples
    batch_size = schedule.batch_size or n_rows
    settings = StepSettings(
        score=score,
        acyclicity=acyclicity,
        learning_rate=schedule.learning_rate,
        n_steps=schedule.steps_per_stage,
        mini_batches=batch_size < n_rows,
    )
    rows_per_block = batch_size if settings.mini_batches else min(_CACHE_ROWS, n_rows)
    outputs = tuple(column for variable in problem.variables for column in variable.outputs)
    shuffled = rng.permutation(n_rows)
    observed = None if problem.observed.all() else problem.observed[shuffled]
    return settings, RowBlocks.of(problem.dataset.values[shuffled], rows_per_block, outputs, observed)


def _stop_reason(row: TraceRow, penalty: float, schedule: Schedule) -> StopReason | None:
    """Say why a stage is the last one, if it is."""
    if max(row.acyclicity, row.acyclicity_of_probabilities) < schedule.tolerance:
        return StopReason.CONVERGED
    if penalty > schedule.max_penalty:
        return StopReason.PENALTY_LIMIT
    return StopReason.STAGE_LIMIT if row.stage == schedule.max_stages else None


def _first_acyclicity(mask: EdgeMask, acyclicity: Acyclicity, rng: np.random.Generator) -> float:
    """Return log s0, the median over draws of the first mask."""
    noise = rng.logistic(size=(31, *mask.logits.shape)).astype(np.float32)
    return float(np.median(_acyclicity_of_draws(acyclicity, mask, noise)))


@partial(jax.jit, static_argnums=0)
def _acyclicity_of_draws(
    acyclicity: Acyclicity, mask: EdgeMask, noise: Float[Array, "draw cause effect"]
) -> Float[Array, " draw"]:
    return jax.vmap(lambda draw: acyclicity(mask.squash(mask.logits + draw)))(noise)


def _trace_row(
    stage: int,
    end: StageEnd,
    multiplier: float,
    penalty: float,
    elapsed: float,
    schedule: Schedule,
    earlier: Sequence[TraceRow],
) -> TraceRow:
    log_s = float(end.terms.log_acyclicity)
    log_s_probabilities = float(end.log_acyclicity_of_probabilities)
    first = math.log(max(earlier[0].acyclicity, schedule.tolerance)) if earlier else log_s
    # The worse of the two rules has to fall from its start to the tolerance, on a logarithmic scale.
    to_fall = first - math.log(schedule.tolerance)
    fallen = (first - max(log_s, log_s_probabilities)) / to_fall if to_fall > 0 else 1.0
    return TraceRow(
        stage=stage,
        acyclicity=math.exp(log_s),
        acyclicity_of_probabilities=math.exp(log_s_probabilities),
        score=float(end.terms.score),
        sparsity=float(end.terms.sparsity),
        lagrangian=float(end.lagrangian),
        multiplier=multiplier,
        penalty=penalty,
        n_edges=int((np.asarray(end.edge_probabilities) > 0.5).sum()),
        elapsed=elapsed,
        progress=min(
            1.0, max(fallen, stage / schedule.max_stages, *(row.progress for row in earlier[-1:]), 0.0)
        ),
        n_steps=int(end.n_steps),
    )


def _log(value: float) -> np.float32:
    return np.float32(math.log(value) if value > 0 else -math.inf)
