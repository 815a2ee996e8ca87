"""The order search: from candidate edges to a causal order in a moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from threadpoolctl import threadpool_limits

from mcsl.graph import CausalGraph
from mcsl.graph.causal_graph import topological_order
from mcsl.memory import MOST_FUNCTIONS
from mcsl.order.climb import climb, parents_of
from mcsl.order.completion import complete_order
from mcsl.order.directions import margins, turn_to_better
from mcsl.order.logarithms import Logarithms, finer_logarithms
from mcsl.order.rearrange import BINDING_GAIN, rearrange
from mcsl.order.regressors import Family, Regressors, gather_regressors
from mcsl.order.relevance import relevant_predecessors
from mcsl.order.scores import (
    EqualVarianceScore,
    GaussianScore,
    LocationScaleScore,
    ResidualVariance,
    Score,
    ShapedScore,
)
from mcsl.order.screening import missed_relations, screen, spline_table
from mcsl.order.transformation import bent_columns, straighten
from mcsl.problem import Problem
from mcsl.pruning.splines import SplineTable
from mcsl.scales import Curve

Noise = Literal["gaussian", "shaped", "location-scale"]
View = tuple[Problem, Regressors]

# Nats a row and variable that a scale of its own must gain to be believed: it can also imitate a part of
# a mechanism that no function of the candidates has, which gains less.
_LEAST_SCALE_GAIN = 0.006
# The reverse is the best of several graphs, so that margins count for less than those between two models.
# With this divisor, arrows of seeds 0-19 were right as often as they said (python -m benchmarks.directions
# has others).
_TEMPER = 2.0
# A Gaussian process over all variables, for each of more than this many, would take minutes.
_MOST_VARIABLES = 200


@dataclass(frozen=True, eq=False)
class OrderFit:
    """A causal order and the graph of all candidate edges that agree with it."""

    order: tuple[int, ...]
    """Indices of the variables, causes first."""
    graph: CausalGraph
    """Every candidate edge along the order, for a pruner to thin out."""
    learned: CausalGraph
    """The edges of the climb that agree with the order, which are best if there is no pruner."""
    edge_probabilities: NDArray[np.float64] = field(repr=False)
    """Akaike weight of every edge of `graph`, given the other causes that the search chose; 0 elsewhere."""
    directions: NDArray[np.float64] | None = field(repr=False)
    """How sure it is that every edge of `graph` points as it does: 0.5 if nothing tells; 0 elsewhere. None
    beside gaps, where what was drawn for causes would mislead."""
    problem: Problem = field(repr=False)
    """The problem with bent columns on the scale where their noise adds, given the causes that were found."""
    scores: NDArray[np.float64] = field(repr=False)
    """Penalised log-likelihood of each variable given the parents that the search chose, on the scale of the
    column that the search began with."""
    noise: Noise
    timings: dict[str, float]
    """Seconds spent in each step."""
    edge_counts: dict[str, int]
    """Edges that are left, or added, after each step: candidates, the climb's, and all along the order."""


@dataclass(frozen=True)
class OrderSearch:
    """Search for a causal order under T_i(X_i) = f_i(parents) + eps_i, whatever the units of the columns.

    f_i is a sum of splines of single parents and, with `interactions`, of products for pairs of them. T_i
    is the identity unless the column is bent (see `bent_columns`). The noise is Gaussian, of a density of its
    own, or of a scale that depends on the parents too: the simplest that fits the residuals.
    """

    interactions: bool = True
    """Whether causes may act together; without, the search is over additive models alone."""
    equal_variances: bool = False
    """Whether all noises are Gaussian with one variance in the table's own units, T_i being the identity.
    Where that is so, variances tell causes from effects; where it is not, they mislead."""
    n_jobs: int | None = None
    """How many effects are looked at side by side for causes that screening missed; None leaves it to
    `joblib.parallel_config`, and -1 takes all there is."""

    def find(self, problem: Problem) -> OrderFit:
        """Screen the edges, climb to the best graph, and order what it leaves open."""
        # Thousands of small regressions: threads inside them would only wait for each other.
        with threadpool_limits(1):
            return self._find(problem)

    def _find(self, problem: Problem) -> OrderFit:
        began = time.perf_counter()
        table = spline_table(problem)
        candidates = screen(problem, table, interactions=False, stand_aside=0)
        curves = {} if self.equal_variances else bent_columns(problem, table, candidates)
        straight = straighten(problem, curves)
        if straight is not problem:
            table = spline_table(straight)
        if self.interactions:
            candidates = screen(straight, table)
        elif straight is not problem:
            candidates = screen(straight, table, interactions=False, stand_aside=0)
        views = self._views(straight, table, candidates)
        screened, n_screened = time.perf_counter(), int(candidates.sum())
        finer: dict[int, Logarithms] = {}
        if self.equal_variances:
            adjacency, score, noise = _climb_with_one_variance(straight, views, candidates)
        else:
            # What additive functions of causes miss blurs the edges of noise that tell origins apart. Beside
            # gaps, every effect has rows of its own, which scales for all rows do not know of.
            sharp = self.interactions and problem.observed.all()
            if sharp:
                finer = finer_logarithms(problem, curves)
            # Straightening has already taken care of a column's scale.
            steady = frozenset(curves)
            adjacency, score, noise = _climb_with_noise(straight, views, candidates, steady, finer)
        adjacency, candidates, views, score = self._go_on(
            straight, table, adjacency, candidates, views, score
        )
        curves |= _final_logarithms(adjacency, views, finer)
        gains = _gains(adjacency, candidates, score)
        beyond = self._beyond(straight, candidates)
        if beyond.any():
            families = _families(straight, straight.candidates)
            everything = Regressors.of(table, families, interactions=True, limit=MOST_FUNCTIONS)
            gains += _gains(adjacency, beyond, GaussianScore(straight, everything))
        one_way = straight.candidates & ~straight.candidates.T
        binding = adjacency & (one_way | (gains > BINDING_GAIN))
        # Where an edge can only point one way, its cause may as well come first.
        known = np.where(one_way, np.maximum(gains, 1e-6), gains)
        order = complete_order(topological_order(adjacency), binding, known)
        place = np.argsort(order)
        agrees = place[:, None] < place
        adjacency &= agrees
        directions = None
        if problem.observed.all():
            possible, judge = straight.candidates, score
            if len(views) > 1:
                # Causes of the causes take part where an edge turns, and screening may have dropped them.
                possible = (candidates | _within_two_steps(adjacency)) & straight.candidates
                judge = score.on(self._views(straight, table, candidates, possible))
            ahead = margins(adjacency, possible, judge, straight.required)
            ahead = np.where(adjacency | ~straight.candidates.T, ahead, gains - gains.T)
            directions = expit(np.maximum(ahead, 0.0) / _TEMPER)
        if beyond.any():
            candidates = candidates | relevant_predecessors(straight, order, candidates, n_jobs=self.n_jobs)
        along = candidates & agrees
        probabilities = np.where(straight.required, 1.0, expit(gains))
        return OrderFit(
            order=tuple(order),
            graph=CausalGraph(along, problem.names),
            learned=CausalGraph(adjacency, problem.names),
            edge_probabilities=np.where(along, probabilities, 0.0),
            directions=None if directions is None else directions * along,
            problem=straighten(problem, curves),
            scores=scores_of(adjacency, score),
            noise=noise,
            timings={"screen": screened - began, "order": time.perf_counter() - screened},
            edge_counts={
                "screened": n_screened,
                "learned": int(adjacency.sum()),
                "completed": int(along.sum()),
            },
        )

    def _go_on(
        self,
        problem: Problem,
        table: SplineTable,
        adjacency: NDArray[np.bool_],
        candidates: NDArray[np.bool_],
        views: list[View],
        score: Scores,
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_], list[View], Scores]:
        """Turn edges for the better, and climb on where the graph shows what screening has missed."""
        while True:
            possible = problem.candidates if len(views) == 1 else candidates
            adjacency = turn_to_better(adjacency, possible, score, problem.required)
            candidates = candidates | adjacency
            adjacency = climb(candidates, score, problem.required, start=adjacency)
            missed = missed_relations(problem, table, adjacency, candidates)
            if not missed.any():
                return adjacency, candidates, views, score
            candidates = candidates | missed
            views = self._views(problem, table, candidates)
            score = score.on(views)
            adjacency = climb(candidates, score, problem.required, start=adjacency)

    def _beyond(self, problem: Problem, candidates: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the pairs that screening dropped, if a second look at them is worth its cost."""
        affordable = problem.n_variables <= _MOST_VARIABLES and problem.observed.all()
        return problem.candidates & ~candidates & (self.interactions and affordable)

    def _views(
        self,
        problem: Problem,
        table: SplineTable,
        candidates: NDArray[np.bool_],
        possible: NDArray[np.bool_] | None = None,
    ) -> list[View]:
        """Return what scores read: the same for all effects, or something for each of them.

        Causes that are `possible` and no candidates act alone.
        """
        families = _families(problem, candidates, possible)
        candidates = candidates if possible is None else possible
        gather = partial(gather_regressors, interactions=self.interactions)
        if problem.observed.all():
            return [(problem, part) for part in gather(table, families)]
        views = []
        for effect, family in enumerate(families):
            part = problem.of_effect(effect, np.flatnonzero(candidates[:, effect]).tolist())
            views.append((part, gather(spline_table(part), [family])[0]))
        return views


def _families(
    problem: Problem, candidates: NDArray[np.bool_], possible: NDArray[np.bool_] | None = None
) -> list[Family]:
    alone = candidates if possible is None else possible
    return [
        Family.of(problem, effect, candidates[:, effect], alone[:, effect])
        for effect in range(problem.n_variables)
    ]


def _within_two_steps(adjacency: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell which variables an edge joins, or two edges."""
    related = (adjacency | adjacency.T).astype(np.float32)
    near = (related + related @ related) > 0
    np.fill_diagonal(near, val=False)
    return near


def _climb_with_noise(
    problem: Problem,
    views: list[View],
    candidates: NDArray[np.bool_],
    steady: frozenset[int],
    logarithms: Mapping[int, Logarithms],
) -> tuple[NDArray[np.bool_], Scores, Noise]:
    """Climb with Gaussian noise, from there with noise of any shape, and of any scale if that gains enough.

    What noise has a shape depends on the graph: a wrong one may hide it, so that the shaped score always
    has its say.
    """
    gaussian = Scores(GaussianScore, views)
    shaped = Scores(partial(ShapedScore, logarithms=logarithms), views)
    scaled = Scores(partial(LocationScaleScore, logarithms=logarithms, steady=steady), views)
    adjacency = _settle(climb(candidates, gaussian, problem.required), candidates, gaussian, problem)
    adjacency = _climb_on(adjacency, candidates, shaped, problem)
    least_gain = _LEAST_SCALE_GAIN * problem.n_samples * problem.n_variables
    if _surplus(adjacency, scaled, shaped) > least_gain:
        return _climb_on(adjacency, candidates, scaled, problem), scaled, "location-scale"
    # Scores that are the same are computed in two ways.
    is_shaped = _surplus(adjacency, shaped, gaussian) > 1e-3 * problem.n_variables
    return adjacency, shaped, "shaped" if is_shaped else "gaussian"


def _climb_on(
    adjacency: NDArray[np.bool_], candidates: NDArray[np.bool_], score: Score, problem: Problem
) -> NDArray[np.bool_]:
    """Climb with another score, from a graph and from nothing, and settle where that ends higher."""
    starts = (adjacency, None)
    ends = [climb(candidates, score, problem.required, start=start) for start in starts]
    return _settle(max(ends, key=lambda end: scores_of(end, score).sum()), candidates, score, problem)


def _settle(
    adjacency: NDArray[np.bool_], candidates: NDArray[np.bool_], score: Score, problem: Problem
) -> NDArray[np.bool_]:
    """Move variables along the order, and climb once more from there."""
    moved = rearrange(adjacency, candidates, score, problem.required)
    return climb(candidates, score, problem.required, start=moved)


def _final_logarithms(
    adjacency: NDArray[np.bool_], views: list[View], logarithms: Mapping[int, Logarithms]
) -> dict[int, Curve]:
    """Return the logarithms that columns have, given the causes that the search chose."""
    chosen: dict[int, Curve] = {}
    for effect in range(len(adjacency)):
        score = ShapedScore(*views[effect if len(views) > 1 else 0], logarithms=logarithms)
        chosen |= score.curves(effect, parents_of(adjacency, effect))
    return chosen


def _surplus(adjacency: NDArray[np.bool_], richer: Score, score: Score) -> float:
    """Return by how much a graph has a larger score with a richer noise."""
    return float((scores_of(adjacency, richer) - scores_of(adjacency, score)).sum())


def _climb_with_one_variance(
    problem: Problem, views: list[View], candidates: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], Scores, Noise]:
    """Climb by least squares, counted in units of the noise's variance, and again when that is known better.

    A variable without causes has the variance of the noise, and none has less. The residuals of the first
    graph tell more: they also hold what no function of the causes can explain.
    """
    residual_variance = Scores(ResidualVariance, views)
    n_columns = np.array([len(variable.outputs) for variable in problem.variables])
    variance = float((scores_of(problem.required, residual_variance) / n_columns).min())
    for _ in range(2):
        # The variance is at least that of rounding.
        known = partial(EqualVarianceScore, noise_variance=max(variance, 1e-300))
        score = Scores(known, views)
        adjacency = climb(candidates, score, problem.required)
        variance = float(scores_of(adjacency, residual_variance).sum() / n_columns.sum())
    return adjacency, score, "gaussian"


class Scores:
    """Scores of one kind, by the one view of the table or, for each effect, by its own."""

    def __init__(self, make: Callable[[Problem, Regressors], Score], views: list[View]) -> None:
        self._make = make
        self._by_view = [make(*view) for view in views]

    def __call__(self, effect: int, parents: frozenset[int]) -> float:
        """Return the score of an effect given its parents."""
        return self._by_view[effect if len(self._by_view) > 1 else 0](effect, parents)

    def on(self, views: list[View]) -> Scores:
        """Return scores of the same kind on other views."""
        return Scores(self._make, views)


def _gains(adjacency: NDArray[np.bool_], candidates: NDArray[np.bool_], score: Score) -> NDArray[np.float64]:
    """Return what each candidate edge adds to the score, given the other causes of its effect."""
    gains = np.zeros(adjacency.shape)
    for cause, effect in np.argwhere(candidates).tolist():
        others = parents_of(adjacency, effect) - {cause}
        gains[cause, effect] = score(effect, others | {cause}) - score(effect, others)
    return gains


def scores_of(adjacency: NDArray[np.bool_], score: Score) -> NDArray[np.float64]:
    """Return the score of every variable given its causes."""
    return np.array([score(effect, parents_of(adjacency, effect)) for effect in range(len(adjacency))])
