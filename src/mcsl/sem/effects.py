"""What a change of one variable does to another, on average, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from mcsl.errors import GraphError, SettingsError
from mcsl.graph.causal_graph import closure
from mcsl.problem import in_time
from mcsl.sem.bounds import check_intervention
from mcsl.settings import check_number, whole_number

if TYPE_CHECKING:
    import polars as pl

    from mcsl.sem.fitted import FittedSEM
    from mcsl.sem.mechanism import Mechanism

Array = NDArray[np.float64]

_GRID_POINTS = 31
_CURVE_ROWS = 200


@dataclass(frozen=True)
class Effect:
    """The average effect of setting `cause` to `to` instead of `from_`, in units of `effect`."""

    cause: str
    effect: str
    from_: float | tuple[float, ...]
    to: float | tuple[float, ...]
    estimate: float
    low: float
    high: float
    level: float
    """The share of such intervals that should hold the truth, if the graph is right."""
    past: tuple[str, ...] = ()
    """In series, the columns of the cause's past that act on `effect`, each with an effect of its own."""

    def __str__(self) -> str:
        when = " at the same time" if self.past else ""
        said = (
            f"{self.effect} changes by {self.estimate:.4g} when {self.cause} goes from {self.from_} "
            f"to {self.to}{when} ({self.level:.0%} interval {self.low:.4g} to {self.high:.4g})"
        )
        if not self.past or not self.low <= 0 <= self.high:
            return said
        asked = " or ".join(f'effect("{column}", ...)' for column in self.past)
        return f"{said}; what it does later is told by {asked}"


@dataclass(frozen=True, eq=False)
class EffectCurve:
    """The mean of `effect` at values of `cause`, with a band that holds each point by itself."""

    cause: str
    effect: str
    grid: Array = field(repr=False)
    mean: Array = field(repr=False)
    low: Array = field(repr=False)
    high: Array = field(repr=False)
    level: float

    def to_frame(self) -> pl.DataFrame:
        """Return the curve as a table, a row a point: the cause by its name, or do(name), then the band."""
        import polars as pl

        band = {"mean": self.mean, "low": self.low, "high": self.high}
        cause = f"do({self.cause})" if self.cause in band else self.cause
        return pl.DataFrame({cause: self.grid, **band})


def average_effect(
    sem: FittedSEM,
    cause: str,
    effect: str,
    from_: float | Sequence[float],
    to: float | Sequence[float],
    *,
    level: float,
    n_bootstrap: int,
    seed: int,
) -> Effect:
    """Compare two worlds on the same rows: cause set to `from_`, and to `to`."""
    check_number("level", level, above=0, below=1)
    target = sem.column(effect)
    if callable(from_) or callable(to):
        raise SettingsError("`from_` and `to` must be numbers, not functions; `do` takes a function.")
    worlds = [sem.settings(cause, value) for value in (from_, to)]
    means = _means(sem, worlds, target, _path(sem, worlds[0], target), [], None, n_bootstrap, seed)
    estimate, low, high = _interval(means[1] - means[0], level)
    figures = float(estimate), float(low), float(high)
    return Effect(
        cause, effect, _plain(from_), _plain(to), *figures, level, _past(sem, set(worlds[0]), target)
    )


def effect_curve(
    sem: FittedSEM,
    cause: str,
    effect: str,
    grid: ArrayLike | None,
    *,
    total: bool,
    level: float,
    n_bootstrap: int,
    seed: int,
) -> EffectCurve:
    """Compare as many worlds as the grid has points, on some of the rows."""
    check_number("level", level, above=0, below=1)
    source, target = sem.column(cause), sem.column(effect)
    if grid is None:
        low, high = np.quantile(sem.values[:, source], [0.01, 0.99])
        points = np.linspace(low, high, _GRID_POINTS)
    else:
        try:
            points = np.asarray(grid, dtype=float)
        except (TypeError, ValueError):
            points = np.empty(0)
    if points.ndim != 1 or not len(points) or not np.isfinite(points).all():
        raise SettingsError("`grid` must be a list of at least one finite number.")
    check_intervention(cause, sem.scales[source], points)
    worlds = [{source: float(point)} for point in points]
    before: list[int] = []
    if total:
        path = _path(sem, worlds[0], target)
    else:
        path = [i for i, m in enumerate(sem.mechanisms) if target in m.outputs and source in m.inputs]
        if not path:
            raise GraphError(
                f"{cause!r} is no direct cause of {effect!r}; `total=True` gives the effect along all paths."
            )
        # The other causes are what earlier interventions make of them, and this one leaves them alone.
        before = [index for index in _path(sem, {}, target) if index not in path]
    # Rows at equal distances may all be of one season, or of one site.
    (rng,) = np.random.default_rng(whole_number("seed", seed)).spawn(1)
    rows = np.sort(rng.permutation(len(sem.values))[:_CURVE_ROWS])
    mean, below, above = _interval(_means(sem, worlds, target, path, before, rows, n_bootstrap, seed), level)
    return EffectCurve(cause, effect, points, mean, below, above, level)


def _past(sem: FittedSEM, columns: set[int], target: int) -> tuple[str, ...]:
    """Return the past of columns of the present, where the graph lets it act on a target."""
    owner, effect = (
        next((i for i, variable in enumerate(sem.variables) if own <= set(variable.outputs)), None)
        for own in (columns, {target})
    )
    if owner is None or effect is None or not closure(sem.graph.adjacency)[owner, effect]:
        return ()
    present, *past = sem.variables[owner].by_lag
    kept = [k for k, column in enumerate(present) if column in columns]
    return tuple(sem.columns[at_lag[k]] for at_lag in past for k in kept)


def _path(sem: FittedSEM, world: Mapping[int, Any], target: int) -> list[int]:
    """Return the variables through which columns act on a target, causes first."""
    sought, path = {target}, []
    for index in reversed(sem.affected({**sem.interventions, **world})):
        mechanism = sem.mechanisms[index]
        if sought & set(mechanism.outputs):
            path.append(index)
            sought |= set(mechanism.inputs)
    return path[::-1]


def _means(
    sem: FittedSEM,
    worlds: Sequence[Mapping[int, Any]],
    target: int,
    path: Sequence[int],
    before: Sequence[int],
    rows: NDArray[np.intp] | None,
    n_bootstrap: int,
    seed: int,
) -> Array:
    """Return the target's mean in every world, of the fit and of bootstrap draws, (n_worlds, 1 + n_draws).

    A draw gives the rows random weights (Bayesian bootstrap), refits every mechanism on the path with them,
    recovers the noise of every row under those mechanisms, and sends it through the world. What comes
    `before` a world is computed without it. A row where a variable was not measured has the noise of one
    where it was.
    """
    whole_number("n_bootstrap", n_bootstrap, 2)
    rng = np.random.default_rng(whole_number("seed", seed))
    z = sem.scaled_values
    weights = _weights(sem, n_bootstrap, rng)
    rows = np.arange(len(z)) if rows is None else rows
    coefficients, noise = {}, {}
    for index in (*before, *path):
        mechanism = sem.mechanisms[index]
        measured = sem.measured(index)
        drawn = mechanism.redraw(*sem.seen_by(index), weights[measured], rng)
        coefficients[index] = np.concatenate([mechanism.coefficients[:, :, None], drawn], axis=2)
        source, gaps = rows.copy(), ~np.isin(rows, measured)
        source[gaps] = rng.choice(measured, int(gaps.sum()))
        inputs, outputs = z[source][:, mechanism.inputs], z[source][:, mechanism.outputs]
        mean = np.tensordot(mechanism.design(inputs), coefficients[index], 1)
        noise[index] = (outputs[:, :, None] - mean) / mechanism.scale(inputs)[:, :, None]
    weights = np.column_stack([np.ones(len(rows)), weights[rows]])
    weights /= weights.sum(axis=0)
    means = []
    for world in worlds:
        state = {column: z[rows, column][:, None] for column in range(z.shape[1])}
        altered = replace(sem, interventions={**sem.interventions, **world})
        for model, done, through in ((sem, sem.interventions, before), (altered, world, path)):
            for column in done:
                state[column] = _intervened(model, column, state[column])
            for index in through:
                mechanism = sem.mechanisms[index]
                if not all(isinstance(model.interventions.get(c), float) for c in mechanism.outputs):
                    new = _outputs(
                        mechanism, [state[c] for c in mechanism.inputs], coefficients[index], noise[index]
                    )
                    for k, column in enumerate(mechanism.outputs):
                        state[column] = _intervened(model, column, new[:, k])
        means.append(np.sum(weights * sem.scales[target].backward(state[target]), axis=0))
    return np.array(means)


def _intervened(model: FittedSEM, column: int, natural: Array) -> Array:
    """Return what becomes of scaled values, (n_rows, n_draws), each draw a table of its own."""
    scale = model.scales[column]
    if column not in model.interventions:
        return scale.within(natural)
    draws = [model.intervene(column, draw) for draw in scale.backward(natural).T]
    return scale.forward(np.stack(draws, axis=1))


def _weights(sem: FittedSEM, n_draws: int, rng: np.random.Generator) -> Array:
    """Return random weights of mean 1, one a row; in series one a block, since neighbours are alike."""
    n = len(sem.values)
    length = math.ceil(math.sqrt(n)) if in_time(sem.variables) else 1
    weights = np.repeat(rng.exponential(size=(-(-n // length), n_draws)), length, axis=0)[:n]
    normalised: Array = weights * (n / weights.sum(axis=0))
    return normalised


def _outputs(mechanism: Mechanism, inputs: Sequence[Array], coefficients: Array, noise: Array) -> Array:
    """Return f + s e, shape (n_rows, n_outputs, n_draws), for inputs of shape (n_rows, 1 or n_draws)."""
    n_draws = noise.shape[2]
    if all(column.shape[1] == 1 for column in inputs):
        # A root that is shifted has no inputs.
        x = np.hstack([np.empty((len(noise), 0)), *inputs])
        new: Array = np.tensordot(mechanism.design(x), coefficients, 1)
        new += mechanism.scale(x)[:, :, None] * noise
        return new
    wide = np.stack([np.broadcast_to(column, (len(column), n_draws)) for column in inputs], axis=1)
    draws = []
    for draw in range(n_draws):
        x = wide[:, :, draw]
        mean = mechanism.mean(x, coefficients[:, :, draw])
        draws.append(mean + mechanism.scale(x) * noise[:, :, draw])
    return np.stack(draws, axis=2)


def _interval(draws: Array, level: float) -> tuple[Array, Array, Array]:
    """Return the first draw as the estimate, and it minus and plus normal quantiles of the others."""
    # Divided by the largest, no unit is so large that its square overflows.
    unit = float(np.abs(draws).max()) or 1.0
    reach = ndtri((1 + level) / 2) * unit * (draws[..., 1:] / unit).std(axis=-1, ddof=1)
    estimate = draws[..., 0]
    return estimate, estimate - reach, estimate + reach


def _plain(value: float | Sequence[float]) -> float | tuple[float, ...]:
    return float(value) if np.ndim(value) == 0 else tuple(map(float, value))  # type: ignore[arg-type]
