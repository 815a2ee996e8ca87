"""Structural equation models: a table simulated along a causal graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mcsl.data import Dataset
from mcsl.errors import SettingsError
from mcsl.graph import CausalGraph
from mcsl.graph.causal_graph import topological_order
from mcsl.settings import check_choice, whole_number
from mcsl.simulation.graphs import GraphKind, Hubs, simulate_dag
from mcsl.simulation.mechanisms import (
    HALF_NORMAL_DEVIATION,
    MLP,
    AdditiveGaussianProcess,
    GaussianProcess,
    Linear,
    Mechanism,
    Model,
    Monotone,
    NoiseDistribution,
    PostNonlinear,
    Quadratic,
)

Noise = Literal["equal", "unequal"]
Setting = float | Callable[[NDArray[np.float64]], Any]
"""A value that a variable is set to, or a function from the values it would have to those it gets."""

MODELS: dict[str, Model] = {
    "gp": GaussianProcess(),
    "gp-add": AdditiveGaussianProcess(),
    "gp-add-vec": AdditiveGaussianProcess(dimension=3),
    "gp-vec": GaussianProcess(dimension=3),
    "linear": Linear(),
    "mlp": MLP(),
    "monotone": Monotone(),
    "pnl": PostNonlinear(),
    "quadratic": Quadratic(),
}


@dataclass(frozen=True, eq=False)
class Simulation:
    """A simulated table and the truth behind it."""

    dataset: Dataset
    graph: CausalGraph
    groups: dict[str, tuple[str, ...]]
    """The columns of the table that each variable of the graph owns."""
    noise_deviations: dict[str, float]
    """The standard deviation of each variable's noise."""
    model: Model
    interventional: tuple[Dataset, ...] = ()
    """The same rows with the same noise, had variables been set from outside; one table an intervention."""


def simulate(
    model: str | Model,
    *,
    n_variables: int,
    degree: float,
    seed: int,
    n_samples: int = 3000,
    graph: GraphKind = "er",
    hubs: Hubs = "effects",
    noise: Noise = "equal",
    noise_distribution: NoiseDistribution | None = None,
    unequal_variances: tuple[float, float] = (1.0, 2.0),
    interventions: Sequence[Mapping[str, Setting]] = (),
    **options: Any,
) -> Simulation:
    """Draw a DAG by `simulate_dag` and a table along it by `simulate_from`.

    Graph, functions and noise have random streams of their own: more samples keep the graph, and keep
    the first rows too unless the model is a Gaussian process.
    """
    chosen = _resolve(model, options)
    graph_rng, rng = np.random.default_rng(whole_number("seed", seed)).spawn(2)
    dag = simulate_dag(n_variables, degree, graph_rng, kind=graph, hubs=hubs, accepts=chosen.accepts)
    return simulate_from(
        dag,
        chosen,
        rng=rng,
        n_samples=n_samples,
        noise=noise,
        noise_distribution=noise_distribution,
        unequal_variances=unequal_variances,
        interventions=interventions,
    )


def simulate_from(
    graph: CausalGraph,
    model: str | Model,
    *,
    rng: np.random.Generator,
    n_samples: int = 3000,
    noise: Noise = "equal",
    noise_distribution: NoiseDistribution | None = None,
    unequal_variances: tuple[float, float] = (1.0, 2.0),
    interventions: Sequence[Mapping[str, Setting]] = (),
    **options: Any,
) -> Simulation:
    """Simulate a table along a given graph, causes first: X_i = f_i(X_pa(i)) + eps_i for most models.

    `model` is one of `MODELS` or an object of one's own; `options` are fields of the former, such as
    `dimension=2` for `gp-vec`. The noise has variance one for every variable, or a variance drawn from
    U(`unequal_variances`) when `noise` is `unequal`. Half-normal noise is |z|: its variance is the one
    stated, its mean is not removed, and nor is that of exponential noise. `noise_distribution` None is the
    model's own: half-normal for `pnl` and Gaussian for the others. The returned graph lacks the edges that
    the mechanisms do not use.

    Each of `interventions`, such as {"x1": 2.0} or {"x1": lambda x: x + 1}, gives one more table: the same
    rows under do(), whose differences from the first are true effects.
    """
    chosen = _resolve(model, options)
    distribution = noise_distribution or chosen.noise_distribution
    whole_number("n_samples", n_samples, 1)
    check_choice("noise", noise, Noise)
    check_choice("noise_distribution", distribution, NoiseDistribution)
    function_rng, noise_rng, variance_rng = rng.spawn(3)
    shape = (n_samples, graph.n_variables, chosen.dimension)
    deviations = chosen.noise_deviation(distribution) * _deviations(
        graph.n_variables, noise, unequal_variances, variance_rng
    )
    errors = _draw_noise(distribution, shape, noise_rng) * deviations[:, None]
    _check_interventions(interventions, graph)
    n_worlds = 1 + len(interventions)
    errors = np.tile(errors, (n_worlds, 1, 1))
    values = np.empty_like(errors)
    adjacency = graph.adjacency.copy()
    streams = function_rng.spawn(graph.n_variables)
    for node in topological_order(adjacency):
        parents = np.flatnonzero(adjacency[:, node])
        if not len(parents):
            values[:, node] = chosen.observe_root(errors[:, node])
            _intervene(values, interventions, graph.names, node)
            continue
        mechanism = chosen.draw(len(parents), streams[node])
        with np.errstate(over="ignore", invalid="ignore"):
            # One call for all worlds: a Gaussian process exists only where it is evaluated at once.
            signal = _evaluate(mechanism, values[:, parents].reshape(len(values), -1), n_worlds)
            values[:, node] = chosen.observe(signal, errors[:, node])
        _intervene(values, interventions, graph.names, node)
        if not np.isfinite(values[:, node]).all():
            raise SettingsError(
                f"The values of {graph.names[node]!r} left the range of floating point; simulate a graph "
                "with shorter paths."
            )
        adjacency[parents, node] = mechanism.reads
    groups = {name: _columns(name, chosen.dimension) for name in graph.names}
    names = tuple(column for columns in groups.values() for column in columns)
    observed, *interventional = (Dataset(world, names) for world in values.reshape(n_worlds, n_samples, -1))
    return Simulation(
        dataset=observed,
        graph=CausalGraph(adjacency, graph.names),
        groups=groups,
        noise_deviations=dict(zip(graph.names, deviations.tolist(), strict=True)),
        model=chosen,
        interventional=tuple(interventional),
    )


def _check_interventions(interventions: Sequence[Mapping[str, Setting]], graph: CausalGraph) -> None:
    for name in (name for world in interventions for name in world):
        if name not in graph.names:
            raise SettingsError(f"An intervention names {name!r}, which is not a variable of the graph.")


def _evaluate(mechanism: Mechanism, parents: NDArray[np.float64], n_worlds: int) -> NDArray[np.float64]:
    """Evaluate a mechanism in all worlds; rows that an intervention leaves alone get the same values."""
    if n_worlds == 1:
        return mechanism(parents).reshape(len(parents), -1)
    distinct, place = np.unique(parents, axis=0, return_inverse=True)
    return mechanism(distinct).reshape(len(distinct), -1)[place]


def _intervene(
    values: NDArray[np.float64],
    interventions: Sequence[Mapping[str, Setting]],
    names: Sequence[str],
    node: int,
) -> None:
    """Set a variable in the worlds that intervene on it."""
    worlds = values.reshape(1 + len(interventions), -1, *values.shape[1:])
    for world, intervention in zip(worlds[1:], interventions, strict=True):
        if (setting := intervention.get(names[node])) is not None:
            world[:, node] = setting(world[:, node]) if callable(setting) else setting


def _resolve(model: str | Model, options: dict[str, Any]) -> Model:
    """Return the model of a name, with some of its fields replaced."""
    if isinstance(model, str) and model not in MODELS:
        raise SettingsError(f"`model` must be one of {', '.join(MODELS)}. Got {model!r} instead.")
    chosen = MODELS[model] if isinstance(model, str) else model
    if not options:
        return chosen
    known: list[str] = [field.name for field in fields(chosen)] if is_dataclass(chosen) else []
    unknown = [name for name in options if name not in known]
    if unknown:
        raise SettingsError(
            f"{type(chosen).__name__} has no option {unknown[0]!r}; it has {', '.join(known) or 'none'}."
        )
    changed: Model = replace(chosen, **options)  # type: ignore[type-var]
    return changed


def _deviations(
    n_variables: int, noise: Noise, variances: tuple[float, float], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the noise's standard deviation for each variable."""
    low, high = variances
    if not 0 < low <= high:
        raise SettingsError(f"`unequal_variances` must be 0 < low <= high. Got {variances} instead.")
    return np.ones(n_variables) if noise == "equal" else np.sqrt(rng.uniform(low, high, n_variables))


def _draw_noise(
    distribution: NoiseDistribution, shape: tuple[int, ...], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw noise of variance one."""
    if distribution == "gaussian":
        return rng.standard_normal(shape)
    if distribution == "laplace":
        return rng.laplace(scale=np.sqrt(0.5), size=shape)
    if distribution == "uniform":
        return rng.uniform(-np.sqrt(3), np.sqrt(3), shape)
    if distribution == "exponential":
        return rng.standard_exponential(shape)
    return np.abs(rng.standard_normal(shape)) / HALF_NORMAL_DEVIATION


def _columns(name: str, dimension: int) -> tuple[str, ...]:
    return (name,) if dimension == 1 else tuple(f"{name}.{k + 1}" for k in range(dimension))
