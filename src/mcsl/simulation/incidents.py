"""Incidents: a series in normal operation, then a fault at one variable and the anomalies it causes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mcsl.data import Dataset
from mcsl.errors import SettingsError
from mcsl.graph import CausalGraph
from mcsl.graph.causal_graph import closure
from mcsl.settings import check_choice, check_number, whole_number
from mcsl.simulation.graphs import simulate_dag
from mcsl.simulation.series import SeriesModel

Array = NDArray[np.float64]
Fault = Literal["level", "variance", "spikes", "mechanism"]

_ALARM = 2.5
_ENLARGEMENTS = 8


@dataclass(frozen=True, eq=False)
class Incident:
    """Normal operation, the rows of an incident, and the truth behind it."""

    baseline: Dataset = field(repr=False)
    incident: Dataset = field(repr=False)
    """The rows that follow the baseline."""
    root_cause: str
    target: str
    """The symptom: a descendant of the root cause that is among the most anomalous."""
    graph: CausalGraph = field(repr=False)
    """Who moves whom among the variables that are observed."""
    fault: Fault
    decoys: tuple[str, ...]
    """Variables with a fault of their own that the target knows nothing of."""
    confounded: tuple[str, ...]
    """Variables moved by a hidden one."""


@dataclass(frozen=True)
class Response:
    """f(x) = w ((1 - c) u + 3/2 c tanh(u + b)) with u = x / s: a straight line, a saturation, or between."""

    weight: float
    scale: float
    curvature: float
    bend: float

    @classmethod
    def draw(cls, weight: float, scale: float, rng: np.random.Generator) -> Response:
        """Draw a curvature from U(0, 1) and a bend from U(-1, 1)."""
        return cls(weight, scale, float(rng.uniform(0, 1)), float(rng.uniform(-1, 1)))

    def __call__(self, x: Array) -> Array:
        """Evaluate at every entry of x."""
        u = x / self.scale
        value: Array = self.weight * (
            (1 - self.curvature) * u + 1.5 * self.curvature * np.tanh(u + self.bend)
        )
        return value


def simulate_incident(
    *,
    n_variables: int,
    seed: int,
    degree: float = 1.5,
    lags: int = 1,
    n_baseline: int = 600,
    n_incident: int = 20,
    n_before: int = 0,
    fault: Fault | None = None,
    size: float | None = None,
    hidden_confounder: bool = False,
    n_decoys: int | None = None,
    missing: float = 0.0,
) -> Incident:
    """Simulate a series along a random DAG whose last `n_incident` rows show a fault at one variable.

    The fault begins after the first `n_before` of them: who exports an incident does not know when it began.

    The series is a `SeriesModel` with monotone responses, so that a fault is passed on: effects are about
    as loud as their causes, noise is between a third of the signal and as large, and three variables in
    ten have heavy tails. The fault, at a variable with several descendants, is `size` deviations of its
    noise; None starts at U(3, 6) and grows by a third, at most eight times, until the target is in alarm:
    2.5 deviations from its normal mean, as a root mean square. Faults are:

    - `level`: its noise shifts by `size`;
    - `variance`: its noise is `size` times as large;
    - `spikes`: its noise jumps by twice `size` at the first row and in three of ten others;
    - `mechanism`: it answers its causes the other way round, half again as strongly, and shifts by half
      of `size`.

    With `hidden_confounder` an unobserved series moves a fifth of the variables, at least two, all the time.
    Decoys, at most one in ten variables when `n_decoys` is None, have shifted since the baseline, by as much,
    and never reach a variable which the fault reaches. `missing` is the share of values lost, as NaN.
    """
    lags, seed = whole_number("lags", lags), whole_number("seed", seed)
    whole_number("n_variables", n_variables, 2)
    whole_number("n_baseline", n_baseline, 1)
    whole_number("n_incident", n_incident, 1)
    if lags >= n_baseline + n_incident:
        raise SettingsError(
            f"`lags` must be below the {n_baseline + n_incident} rows of baseline and incident. "
            f"Got {lags} instead."
        )
    if whole_number("n_before", n_before) >= n_incident:
        raise SettingsError(f"`n_before` must be below `n_incident`. Got {n_before} instead.")
    if fault is not None:
        check_choice("fault", fault, Fault)
    if fault == "mechanism" and n_variables < 3:
        raise SettingsError("A fault of the `mechanism` needs a cause and an effect: `n_variables` >= 3.")
    check_number("missing", missing, least=0, below=1)
    if size is not None:
        check_number("size", size, above=0)
    if n_decoys is not None:
        whole_number("n_decoys", n_decoys)
    rng, missing_rng = np.random.default_rng(seed).spawn(2)
    scene = _draw_scene(n_variables, degree, lags, fault, hidden_confounder, n_decoys, rng)
    rows = (n_baseline, n_before, n_incident)
    if size is None:
        size = float(rng.uniform(3, 6))
        for _ in range(_ENLARGEMENTS):
            if scene.run(size, *rows)[2]:
                break
            size *= 4 / 3
    series, target, _ = scene.run(size, *rows)
    series = np.where(missing_rng.random(series.shape) < missing, np.nan, series)
    names = scene.dag.names
    return Incident(
        baseline=Dataset(series[:n_baseline], names),
        incident=Dataset(series[n_baseline:], names),
        root_cause=names[scene.root],
        target=names[target],
        graph=scene.dag,
        fault=scene.faults[names[scene.root]],
        decoys=scene.decoys,
        confounded=scene.confounded,
    )


@dataclass(frozen=True, eq=False)
class _Scene:
    """Everything about an incident but how strong its fault is."""

    dag: CausalGraph
    model: SeriesModel
    root: int
    faults: dict[str, Fault]
    """What happens at the root cause and at the decoys."""
    decoys: tuple[str, ...]
    confounded: tuple[str, ...]
    heavy: frozenset[str]
    """Variables with heavy tails."""
    sign: float
    choice: float
    """Which of the louder half of the descendants is the target, from 0 to 1."""
    noise_seed: int
    fault_seed: int

    def run(self, size: float, n_baseline: int, n_before: int, n_incident: int) -> tuple[Array, int, bool]:
        """Return the series, the target, and whether it is in alarm."""
        start = n_baseline + n_before
        fault_rng = np.random.default_rng(self.fault_seed)

        def intervene(name: str, signal: Array, noise: Array) -> tuple[Array, Array]:
            deviation = self.model.noise_deviations[name]
            if name in self.heavy:
                # The hyperbolic sine of a standard normal has heavier tails and this deviation.
                noise = deviation * np.sinh(noise / deviation) / np.sqrt(np.sinh(1) * np.e)
            if name in self.faults:
                rows = slice(n_baseline if name in self.decoys else start, None)
                _break(self.faults[name], self.sign * size, deviation, signal[rows], noise[rows], fault_rng)
            return signal, noise

        noise_rng = np.random.default_rng(self.noise_seed)
        series = self.model.run(n_baseline + n_incident, noise_rng, intervene=intervene).values
        series = series[:, : self.dag.n_variables]
        normal, broken = series[:n_baseline], series[start:]
        loudness = np.sqrt(np.mean((broken - normal.mean(axis=0)) ** 2, axis=0)) / normal.std(axis=0)
        reached = closure(self.dag.adjacency)[self.root]
        reached[self.root] = False
        loud = np.flatnonzero(reached & (loudness >= np.median(loudness[reached])))
        target = int(loud[int(self.choice * len(loud))])
        return series, target, bool(loudness[target] >= _ALARM)


def _draw_scene(
    n_variables: int,
    degree: float,
    lags: int,
    fault: Fault | None,
    hidden_confounder: bool,
    n_decoys: int | None,
    rng: np.random.Generator,
) -> _Scene:
    """Draw the graph, the root cause, what happens to it, and everything around it."""
    eligible = partial(_eligible, n_reached=min(3, n_variables - 1), needs_cause=fault == "mechanism")
    dag = simulate_dag(
        n_variables,
        min(degree, (n_variables - 1) / 2),
        rng,
        accepts=lambda adjacency: bool(eligible(adjacency).any()),
    )
    names = dag.names
    root = int(rng.choice(np.flatnonzero(eligible(dag.adjacency))))
    kinds = [kind for kind in get_args(Fault) if kind != "mechanism" or dag.adjacency[:, root].any()]
    fault = fault or kinds[int(rng.integers(len(kinds)))]
    reach = closure(dag.adjacency)
    apart = np.flatnonzero(~(reach & reach[root]).any(axis=1))
    n_decoys = int(rng.integers(0, 1 + n_variables // 10)) if n_decoys is None else n_decoys
    decoys = rng.choice(apart, min(n_decoys, len(apart)), replace=False)
    moved = rng.choice(n_variables, max(2, n_variables // 5), replace=False) if hidden_confounder else ()
    model = _draw_model(dag, [names[k] for k in moved], lags, rng)
    odd = tuple(names[k] for k in sorted(decoys))
    heavy = frozenset(name for name in names if rng.random() < 0.3)
    sign, choice = float(rng.choice([-1.0, 1.0])), rng.random()
    noise_seed, fault_seed = rng.integers(2**63, size=2).tolist()
    return _Scene(
        dag=dag,
        model=model,
        root=root,
        faults=dict.fromkeys(odd, "level") | {names[root]: fault},
        decoys=odd,
        confounded=tuple(names[k] for k in sorted(moved)),
        heavy=heavy,
        sign=sign,
        choice=choice,
        noise_seed=noise_seed,
        fault_seed=fault_seed,
    )


def _eligible(adjacency: NDArray[np.bool_], *, n_reached: int, needs_cause: bool) -> NDArray[np.bool_]:
    """Tell which variables may break: those that reach enough others."""
    enough: NDArray[np.bool_] = closure(adjacency).sum(axis=1) > n_reached
    return enough & adjacency.any(axis=0) if needs_cause else enough


def _draw_model(dag: CausalGraph, confounded: list[str], lags: int, rng: np.random.Generator) -> SeriesModel:
    """Draw responses that give every variable a signal of variance one or so; the hidden variable is last."""
    hidden = "hidden"
    names = (*dag.names, hidden)
    graph = CausalGraph.from_edges([*dag.edges, *((hidden, name) for name in confounded)], names)
    persistence = {name: float(rng.uniform(0, 0.6)) for name in dag.names} | {hidden: 0.7}
    noises, scales = {}, {}
    for name in names:
        is_source = not graph.parents(name)
        noises[name] = 1.0 if is_source else float(rng.uniform(0.3, 1))
        scales[name] = np.sqrt(((not is_source) + noises[name] ** 2) / (1 - persistence[name] ** 2))
    at, functions = {}, {}
    for name in names:
        causes = graph.parents(name)
        weights = rng.uniform(0.5, 1.5, len(causes)) * rng.choice([-1.0, 1.0], len(causes))
        for cause, weight in zip(causes, weights / np.linalg.norm(weights), strict=True):
            lag = int(rng.integers(lags + 1))
            at[cause, name] = (lag,)
            functions[cause, name, lag] = Response.draw(float(weight), float(scales[cause]), rng)
    return SeriesModel(graph, at, functions, persistence, noises)


def _break(
    fault: Fault, size: float, deviation: float, signal: Array, noise: Array, rng: np.random.Generator
) -> None:
    """Change, in place, the signal and the noise of a variable from the fault on."""
    if fault == "level":
        noise += size * deviation
    elif fault == "variance":
        noise *= abs(size)
    elif fault == "spikes":
        jumps = rng.random(len(noise)) < 0.3
        jumps[0] = True
        noise += 2 * size * deviation * jumps
    else:
        signal *= -1.5
        noise += size / 2 * deviation
