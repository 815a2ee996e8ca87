"""The graph that pruning starts from: by an order, by masks, or by masks that start from an order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcsl.checkpoint import Checkpoint
from mcsl.graph import CausalGraph, threshold
from mcsl.order import OrderFit
from mcsl.order.held_out import predict_held_out
from mcsl.order.search import Noise
from mcsl.problem import Problem
from mcsl.recipe import Recipe
from mcsl.search import Observer, Restart, StopReason, TraceRow
from mcsl.steps import find_order, keep_training, resume_training, timed

# Share of the rows that judge whether networks are better than splines, and the trained graph than the start.
_HELD_OUT = 0.2
# What one cause adds, in parameters: a smooth function of it, and its part in others.
_FUNCTIONS_OF_A_CAUSE = 5


class Found(NamedTuple):
    """What a search hands to the pruner and to the result."""

    graph: CausalGraph
    untested: CausalGraph
    """The best graph if there is no pruner."""
    edge_probabilities: NDArray[np.float64]
    stop_reason: StopReason
    edge_counts: dict[str, int]
    trace: tuple[TraceRow, ...] = ()
    cut_edges: tuple[tuple[str, str], ...] = ()
    restarts: tuple[Restart, ...] = ()
    directions: NDArray[np.float64] | None = None
    """How sure the direction of each edge is; None where masks decided it, or beside gaps."""


def find_graph(
    problem: Problem,
    recipe: Recipe,
    seed: int,
    observers: Sequence[Observer],
    timings: dict[str, float],
    steps: Checkpoint,
) -> tuple[Problem, Found]:
    """Find an order, train masks, or train masks from the order; return also the problem as searched."""
    start = None if recipe.order is None else find_order(recipe.order, problem, steps)
    if start is None:
        return problem, _train(
            problem, None, _networks(recipe), recipe.restarts, seed, observers, timings, steps
        )
    timings |= start.timings
    ordered = Found(
        graph=start.graph,
        untested=start.learned,
        edge_probabilities=start.edge_probabilities,
        stop_reason=StopReason.SETTLED,
        edge_counts=start.edge_counts,
        directions=start.directions,
    )
    if recipe.schedule is None:
        return start.problem, ordered
    try:
        return start.problem, _improve(start, ordered, recipe, seed, observers, timings, steps)
    except KeyboardInterrupt:
        return start.problem, ordered._replace(stop_reason=StopReason.INTERRUPTED)


def _improve(
    start: OrderFit,
    ordered: Found,
    recipe: Recipe,
    seed: int,
    observers: Sequence[Observer],
    timings: dict[str, float],
    steps: Checkpoint,
) -> Found:
    """Train masks from the order if networks predict unseen rows better than splines; keep the best graph."""
    from mcsl.search.held_out import held_out_score, score_of_predictions

    along = start.graph.adjacency
    problem = replace(start.problem, candidates=(along | along.T) & start.problem.candidates)
    held_out = np.random.default_rng(seed).permutation(problem.n_samples) < _HELD_OUT * problem.n_samples
    seen, unseen = problem.of_rows(~held_out), problem.of_rows(held_out)
    kinds = _kinds_of_networks(recipe, start.noise)

    with timed("judge", timings):
        interactions = recipe.order is not None and recipe.order.interactions
        splines = predict_held_out(problem, start.learned, held_out, interactions=interactions)
        by_splines = min(
            score_of_predictions(unseen, predicted, networks["score"])
            for predicted, networks in zip((splines[0], splines), kinds, strict=False)
        )
        by_networks = [held_out_score(seen, unseen, start.learned, seed, **networks) for networks in kinds]
        at_start, networks = min(by_networks), kinds[int(np.argmin(by_networks))]
        if not at_start < by_splines:
            return ordered._replace(stop_reason=StopReason.NOTHING_TO_ADD)
    if recipe.sparsity_weight is None:
        networks = {**networks, "sparsity_weight": _price_of_an_edge(recipe, seen, by_splines)}
    # Along the order an edge starts as more likely than not, and its reverse as less.
    logits = np.where(along, 1.0, -1.0)
    judge = partial(held_out_score, seen, unseen, seed=seed, **networks)
    found = _train(seen, logits, networks, recipe.restarts, seed, observers, timings, steps, judge)
    found = found._replace(edge_counts=start.edge_counts | found.edge_counts)
    reached = next(restart.score for restart in found.restarts if restart.chosen)
    if found.stop_reason is StopReason.INTERRUPTED or reached < at_start:
        return found
    return ordered._replace(
        stop_reason=StopReason.START_KEPT,
        trace=found.trace,
        edge_counts=found.edge_counts,
        restarts=found.restarts,
    )


def _price_of_an_edge(recipe: Recipe, problem: Problem, score: float) -> float:
    """Return Akaike's price, in nats a row or, for least squares, in variances of the noise.

    `score` is that of unseen rows. Half their sum of squares a row is half the sum of all noise variances.
    """
    from mcsl.objective import least_squares

    in_nats = _FUNCTIONS_OF_A_CAUSE / problem.n_samples
    if recipe.score != least_squares:
        return in_nats
    return in_nats * 2 * score / sum(len(variable.outputs) for variable in problem.variables)


def _train(
    problem: Problem,
    logits: NDArray[np.float64] | None,
    networks: Mapping[str, Any],
    n_restarts: int,
    seed: int,
    observers: Sequence[Observer],
    timings: dict[str, float],
    steps: Checkpoint,
    judge: Callable[[CausalGraph], float] | None = None,
) -> Found:
    """Train masks from several seeds, the given one first; take the best that converged, or else the best.

    The best has the least `judge` of its graph or, without a judge, the least score and sparsity at the end.
    """
    # JAX takes a second to load.
    from mcsl.search.augmented_lagrangian import at_once, search

    seeds = [seed, *np.random.SeedSequence(seed).generate_state(n_restarts - 1).tolist()]
    with timed("train", timings):
        fits = search(
            problem,
            seeds,
            **networks,
            initial_logits=logits,
            observers=observers,
            resume=partial(resume_training, steps),
            keep=partial(keep_training, steps) if steps else None,
        )
        cuts = [threshold(fit.edge_probabilities, problem.names, required=problem.required) for fit in fits]
        interrupted = any(fit.stop_reason is StopReason.INTERRUPTED for fit in fits)
        if judge is None or interrupted:
            scores = [fit.objective for fit in fits]
        else:
            scores = list(at_once([partial(judge, cut.graph) for cut in cuts]))
    best = min(range(n_restarts), key=lambda k: (fits[k].stop_reason is not StopReason.CONVERGED, scores[k]))
    graph = cuts[best].graph
    return Found(
        graph=graph,
        untested=graph,
        edge_probabilities=fits[best].edge_probabilities,
        stop_reason=StopReason.INTERRUPTED if interrupted else fits[best].stop_reason,
        edge_counts={"trained": graph.n_edges},
        trace=fits[best].trace,
        cut_edges=cuts[best].cut_edges,
        restarts=tuple(
            Restart(fit.seed, fit.stop_reason, score, k == best)
            for k, (fit, score) in enumerate(zip(fits, scores, strict=True))
        ),
    )


def _networks(recipe: Recipe) -> dict[str, Any]:
    parts = ("mechanism", "temperature", "score", "acyclicity", "sparsity_weight", "schedule")
    return {part: getattr(recipe, part) for part in parts}


def _kinds_of_networks(recipe: Recipe, noise: Noise) -> list[dict[str, Any]]:
    """Return the recipe's networks, and networks with scales too where the order search found such noise."""
    from mcsl.model import LocationScale
    from mcsl.objective import gaussian_likelihood, location_scale_likelihood

    constant = _networks(recipe)
    if noise != "location-scale" or recipe.score != gaussian_likelihood:
        return [constant]
    with_scales = partial(LocationScale.init, part=constant["mechanism"])
    return [constant, {**constant, "mechanism": with_scales, "score": location_scale_likelihood}]
