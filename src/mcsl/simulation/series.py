"""Time series along a causal graph: non-linear vector autoregressions, with room for faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mcsl.data import Dataset
from mcsl.errors import SettingsError
from mcsl.graph import CausalGraph
from mcsl.graph.causal_graph import topological_order
from mcsl.settings import whole_number
from mcsl.simulation.graphs import GraphKind, Hubs, simulate_dag

Array = NDArray[np.float64]

Intervention = Callable[[str, Array, Array], tuple[Array, Array]]
"""`(variable, signal, noise) -> (signal, noise)`, each an array over time.

It is asked for every variable, causes first. Adding to the noise shifts the variable or makes spikes,
scaling it changes the variance, and a new signal is a new mechanism; descendants follow by themselves.
"""

BURN_IN = 100
N_WAVES = 50
MOST_LAGS = 62
"""A set of lags is drawn as the bits of one number of 64 bits, sign included."""


@dataclass(frozen=True, eq=False)
class Wave:
    """f(x) = sqrt(2 / m) sum_r w_r cos(omega_r x + b_r): a smooth bounded function that any x may enter.

    With w, omega ~ N(0, 1) and b ~ U(0, 2 pi), f is nearly a Gaussian process of unit length scale.
    """

    weights: Array = field(repr=False)
    frequencies: Array = field(repr=False)
    phases: Array = field(repr=False)

    @classmethod
    def draw(cls, rng: np.random.Generator) -> Wave:
        """Draw a random function."""
        return cls(rng.normal(size=N_WAVES), rng.normal(size=N_WAVES), rng.uniform(0, 2 * np.pi, N_WAVES))

    def __call__(self, x: Array) -> Array:
        """Evaluate at every entry of x."""
        waves = np.cos(x[..., None] * self.frequencies + self.phases)
        value: Array = np.sqrt(2 / len(self.weights)) * waves @ self.weights
        return value


@dataclass(frozen=True, eq=False)
class SeriesModel:
    """X_i(t) = a_i X_i(t-1) + sum_{j, k} f_ijk(X_j(t-k)) + eps_i(t) over the edges j -> i and their lags k.

    No summary edge closes a cycle, so the variables can be computed one after the other, causes first.
    """

    graph: CausalGraph
    lags: Mapping[tuple[str, str], tuple[int, ...]]
    """At which lags each edge acts; 0 is at the same time."""
    functions: Mapping[tuple[str, str, int], Callable[[Array], Array]] = field(repr=False)
    """f_ijk by (cause, effect, lag)."""
    persistence: Mapping[str, float]
    """a_i."""
    noise_deviations: Mapping[str, float]

    def run(
        self, n_samples: int, rng: np.random.Generator, *, intervene: Intervention | None = None
    ) -> Dataset:
        """Let the model run for `n_samples` steps, after others that are thrown away.

        The noise of a variable is the same whatever happens to the others. What `intervene` sees covers
        the steps that are returned alone.
        """
        # It takes a second to load.
        from scipy.signal import lfilter

        whole_number("n_samples", n_samples, 1)
        # Rows that reach back before the first would take what is not there for zero.
        burn_in = max([BURN_IN, *(lag for at in self.lags.values() for lag in at)])
        length = burn_in + n_samples
        names = self.graph.names
        noises = {
            name: stream.normal(0, self.noise_deviations[name], length)
            for name, stream in zip(names, rng.spawn(len(names)), strict=True)
        }
        values: dict[str, Array] = {}
        for node in topological_order(self.graph.adjacency):
            name = names[node]
            signal, noise = np.zeros(length), noises[name]
            for cause in (names[j] for j in np.flatnonzero(self.graph.adjacency[:, node])):
                for lag in self.lags[cause, name]:
                    past = np.concatenate([np.zeros(lag), values[cause][: length - lag]])
                    signal += self.functions[cause, name, lag](past)
            if intervene is not None:
                signal[burn_in:], noise[burn_in:] = intervene(
                    name, signal[burn_in:].copy(), noise[burn_in:].copy()
                )
            values[name] = lfilter([1.0], [1.0, -self.persistence[name]], signal + noise)
        return Dataset(np.column_stack([values[name][burn_in:] for name in names]), names)


@dataclass(frozen=True, eq=False)
class SeriesSimulation:
    """A simulated series and the truth behind it."""

    dataset: Dataset
    model: SeriesModel

    @property
    def graph(self) -> CausalGraph:
        """The summary graph: who moves whom, at any lag."""
        return self.model.graph

    @property
    def lags(self) -> Mapping[tuple[str, str], tuple[int, ...]]:
        """At which lags each edge acts."""
        return self.model.lags


def simulate_series(
    *,
    n_variables: int,
    degree: float,
    seed: int,
    lags: int = 2,
    n_samples: int = 2000,
    graph: GraphKind = "er",
    hubs: Hubs = "effects",
    persistence: tuple[float, float] = (0.2, 0.7),
    intervene: Intervention | None = None,
) -> SeriesSimulation:
    """Draw a model by `simulate_series_model` and let it run, with faults injected by `intervene`.

    Graph and functions, and noise, have random streams of their own: the same seed gives the same model
    and the same noise whatever the length and the intervention.
    """
    model_rng, noise_rng = np.random.default_rng(whole_number("seed", seed)).spawn(2)
    model = simulate_series_model(
        n_variables, degree, model_rng, lags=lags, graph=graph, hubs=hubs, persistence=persistence
    )
    return SeriesSimulation(model.run(n_samples, noise_rng, intervene=intervene), model)


def simulate_series_model(
    n_variables: int,
    degree: float,
    rng: np.random.Generator,
    *,
    lags: int = 2,
    graph: GraphKind = "er",
    hubs: Hubs = "effects",
    persistence: tuple[float, float] = (0.2, 0.7),
) -> SeriesModel:
    """Draw a DAG by `simulate_dag`, the lags of its edges, and the functions along them.

    An edge acts at a random non-empty set of the lags 0, ..., `lags`, at most 62, all sets being equally
    likely. The noise has variance one, and every a_i is drawn from U(`persistence`).
    """
    lags = whole_number("lags", lags)
    if lags > MOST_LAGS:
        raise SettingsError(f"`lags` must be at most {MOST_LAGS}. Got {lags} instead.")
    dag = simulate_dag(n_variables, degree, rng, kind=graph, hubs=hubs)
    chosen: dict[tuple[str, str], tuple[int, ...]] = {}
    for edge in dag.edges:
        bits = int(rng.integers(1, 2 ** (lags + 1)))
        chosen[edge] = tuple(lag for lag in range(lags + 1) if bits >> lag & 1)
    return SeriesModel(
        graph=dag,
        lags=chosen,
        functions={(*edge, lag): Wave.draw(rng) for edge, at in chosen.items() for lag in at},
        persistence={name: float(rng.uniform(*persistence)) for name in dag.names},
        noise_deviations=dict.fromkeys(dag.names, 1.0),
    )
