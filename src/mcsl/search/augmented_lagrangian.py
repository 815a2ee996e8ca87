"""The outer loop: raise the price of cycles until there are none."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import jax
import numpy as np
from jaxtyping import Array, Float
from numpy.typing import NDArray

from mcsl.model import EdgeMask, MaskedSEM, MechanismInit
from mcsl.objective import Acyclicity, RowBlocks, Score, on_candidates
from mcsl.parallel import Found, in_threads
from mcsl.problem import Problem
from mcsl.search.inner_loop import StageEnd, StepSettings, TrainingState, key_of, run_stage, start
from mcsl.search.schedule import Schedule
from mcsl.search.trace import Observer, StopReason, TraceRow

# Activations of this many rows stay in the second-level cache; larger blocks are half as fast.
_CACHE_ROWS = 512


@dataclass(frozen=True, eq=False)
class Fit:
    """Training from one seed, after some stages."""

    seed: int
    settings: StepSettings
    rows: RowBlocks
    state: TrainingState
    edge_probabilities: NDArray[np.float64]
    penalty: float
    penalty_growth: float
    multiplier: float = 0.0
    trace: tuple[TraceRow, ...] = ()
    stop_reason: StopReason = StopReason.INTERRUPTED
    """Why there is no next stage; INTERRUPTED as long as there is one."""

    @property
    def objective(self) -> float:
        """Score and sparsity of the last mask."""
        return self.trace[-1].score + self.trace[-1].sparsity if self.trace else math.inf


def search(
    problem: Problem,
    seeds: Sequence[int],
    *,
    mechanism: MechanismInit,
    temperature: float,
    score: Score,
    acyclicity: Acyclicity,
    sparsity_weight: float,
    schedule: Schedule,
    initial_logits: NDArray[np.floating] | None = None,
    observers: Sequence[Observer] = (),
    resume: Callable[[list[Fit]], list[Fit]] | None = None,
    keep: Callable[[list[Fit]], None] | None = None,
) -> list[Fit]:
    """Solve Eqs. (al_2) to (al_4) of the paper, from each seed, until both stopping rules or a limit is met.

    All fits take a stage, see `at_once`; then `keep` receives them, and the observers the row of the one with
    the most left to do. From what was kept, which `resume` puts into new fits, the search goes on as if it
    had never stopped. An interrupt ends it with the last stages that were done.
    """
    fits = []
    for seed in seeds:
        init_rng, shuffle_rng, first_masks_rng = np.random.default_rng(seed).spawn(3)
        settings, rows = prepare(problem, shuffle_rng, score=score, acyclicity=acyclicity, schedule=schedule)
        state = start(MaskedSEM.init(init_rng, problem, mechanism, temperature, initial_logits), settings)
        probabilities = np.where(problem.required, 1.0, np.where(problem.candidates, 0.5, 0.0))
        prices = _first_prices(state.model.mask, settings.acyclicity, schedule, first_masks_rng)
        fits.append(Fit(seed, settings, rows, state, probabilities, *prices))
    if resume is not None:
        fits = resume(fits)
    began = time.perf_counter() - max((row.elapsed for fit in fits for row in fit.trace), default=0.0)
    waiting: list[int] = []
    try:
        while waiting := [k for k, fit in enumerate(fits) if fit.stop_reason is StopReason.INTERRUPTED]:
            solved = at_once([partial(_solve, fits[k], sparsity_weight, schedule) for k in waiting])
            for k, (state, end) in zip(waiting, solved, strict=True):
                fits[k] = _advance(fits[k], state, end, time.perf_counter() - began, schedule)
            if keep is not None:
                keep(fits)
            latest = [fits[k].trace[-1] for k in waiting if fits[k].stop_reason is not StopReason.NOT_FINITE]
            for observer in observers if latest else ():
                observer(min(latest, key=lambda row: row.progress))
    except KeyboardInterrupt:
        if not any(fit.trace for fit in fits):
            raise
        for k in waiting:
            fits[k] = replace(fits[k], stop_reason=StopReason.INTERRUPTED)
    return fits


def at_once(tasks: Sequence[Callable[[], Found]]) -> Iterable[Found]:
    """Call tasks on joblib's backend; in turn where there is one alone, or where each spreads over a mesh."""
    if len(tasks) == 1 or not jax.sharding.get_abstract_mesh().empty:
        return (task() for task in tasks)
    return in_threads(tasks)


def _solve(fit: Fit, sparsity_weight: float, schedule: Schedule) -> tuple[TrainingState, StageEnd]:
    """Solve the subproblem of a fit's next stage."""
    state = start(fit.state.model, fit.settings) if schedule.fresh_optimizer else fit.state
    state, end = run_stage(
        state,
        fit.rows,
        jax.random.fold_in(key_of(fit.seed), len(fit.trace) + 1),
        np.float32(sparsity_weight),
        _log(fit.multiplier),
        _log(fit.penalty),
        fit.settings,
        np.float32(-math.inf if schedule.required_fall is None else schedule.required_fall),
    )
    # JAX returns before it is done, and the next task of this worker would begin beside this one.
    end.lagrangian.block_until_ready()
    return state, end


def _advance(fit: Fit, state: TrainingState, end: StageEnd, elapsed: float, schedule: Schedule) -> Fit:
    """Take over what a stage found, unless it left the finite numbers, and raise the price of cycles."""
    if not math.isfinite(float(end.lagrangian)):
        return replace(fit, stop_reason=StopReason.NOT_FINITE)
    row = _trace_row(fit, end, elapsed, schedule)
    before = fit.trace[-1].acyclicity if fit.trace else math.inf
    grows = row.acyclicity >= schedule.required_decrease * before
    penalty = fit.penalty * fit.penalty_growth if grows else fit.penalty
    return replace(
        fit,
        state=state,
        edge_probabilities=np.asarray(end.edge_probabilities, np.float64),
        multiplier=fit.multiplier + fit.penalty * row.acyclicity,
        penalty=penalty,
        trace=(*fit.trace, row),
        stop_reason=_stop_reason(row, penalty, schedule),
    )


def prepare(
    problem: Problem, rng: np.random.Generator, *, score: Score, acyclicity: Acyclicity, schedule: Schedule
) -> tuple[StepSettings, RowBlocks]:
    """Return what a step is made of, and the shuffled rows it sees."""
    n_rows = problem.n_samples
    batch_size = schedule.batch_size or n_rows
    settings = StepSettings(
        score=score,
        acyclicity=on_candidates(acyclicity, problem.candidates),
        learning_rate=schedule.learning_rate,
        n_steps=schedule.steps_per_stage,
        mini_batches=batch_size < n_rows,
    )
    rows_per_block = batch_size if settings.mini_batches else min(_CACHE_ROWS, n_rows)
    outputs = tuple(column for variable in problem.variables for column in variable.outputs)
    shuffled = rng.permutation(n_rows)
    observed = None if problem.observed.all() else problem.observed[shuffled]
    return settings, RowBlocks.of(problem.dataset.values[shuffled], rows_per_block, outputs, observed)


def _stop_reason(row: TraceRow, penalty: float, schedule: Schedule) -> StopReason:
    """Say why a stage is the last one, or that only an interrupt would make it so."""
    if max(row.acyclicity, row.acyclicity_of_probabilities) < schedule.tolerance:
        return StopReason.CONVERGED
    if penalty > schedule.max_penalty:
        return StopReason.PENALTY_LIMIT
    return StopReason.STAGE_LIMIT if row.stage == schedule.max_stages else StopReason.INTERRUPTED


def _first_prices(
    mask: EdgeMask, acyclicity: Acyclicity, schedule: Schedule, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the first penalty and its growth: the schedule's, or those that the first masks ask for."""
    penalty, growth = schedule.initial_penalty, schedule.penalty_growth
    if penalty is None or growth is None:
        draws = (rng.logistic(size=mask.logits.shape).astype(np.float32) for _ in range(31))
        log_s0 = float(np.median([_acyclicity_of_draw(acyclicity, mask, noise) for noise in draws]))
        penalty = penalty or math.exp(-2 * log_s0)
        # At least doubling bounds the number of stages where the first masks are nearly acyclic.
        growth = growth or max(math.exp(log_s0 / 6), 2.0)
    return penalty, growth


@partial(jax.jit, static_argnums=0)
def _acyclicity_of_draw(
    acyclicity: Acyclicity, mask: EdgeMask, noise: NDArray[np.float32]
) -> Float[Array, ""]:
    return acyclicity(mask.squash(mask.logits + noise))


def _trace_row(fit: Fit, end: StageEnd, elapsed: float, schedule: Schedule) -> TraceRow:
    earlier, stage = fit.trace, len(fit.trace) + 1
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
        multiplier=fit.multiplier,
        penalty=fit.penalty,
        n_edges=int((np.asarray(end.edge_probabilities) > 0.5).sum()),
        elapsed=elapsed,
        progress=min(
            1.0, max(fallen, stage / schedule.max_stages, *(row.progress for row in earlier[-1:]), 0.0)
        ),
        n_steps=int(end.n_steps),
    )


def _log(value: float) -> np.float32:
    return np.float32(math.log(value) if value > 0 else -math.inf)
