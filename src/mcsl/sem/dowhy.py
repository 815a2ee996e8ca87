"""The fitted model as a structural causal model of dowhy.gcm, which is imported only when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mcsl.errors import SettingsError
from mcsl.sem.mechanism import N_FOLDS, fit_mechanism
from mcsl.settings import whole_number

if TYPE_CHECKING:
    from mcsl.sem.fitted import FittedSEM

Array = NDArray[np.float64]


def to_invertible_model(sem: FittedSEM, seed: int) -> Any:
    """Return dowhy's InvertibleStructuralCausalModel with the mechanisms and the noise of a fitted model."""
    if any(len(variable.inputs) > 1 for variable in sem.variables):
        raise SettingsError(
            "dowhy.gcm takes variables of one column and without a past; this model has others."
        )
    try:
        from dowhy import gcm
        from dowhy.gcm.causal_mechanisms import InvertibleFunctionalCausalModel
        from dowhy.gcm.causal_models import PARENTS_DURING_FIT
        from dowhy.graph import get_ordered_predecessors
    except ImportError:
        raise SettingsError("This needs the package dowhy; install it with `pip install dowhy`.") from None
    model = gcm.InvertibleStructuralCausalModel(sem.graph.to_networkx())
    streams = np.random.default_rng(whole_number("seed", seed)).spawn(len(sem.graph.names))
    for index, name in enumerate(sem.graph.names):
        parents = get_ordered_predecessors(model.graph, name)
        if parents:
            mechanism = _mechanism_class(InvertibleFunctionalCausalModel)(sem, index, parents, streams[index])
        else:
            mechanism = gcm.EmpiricalDistribution()
            mechanism.fit(sem.values[sem.measured(index), sem.variables[index].outputs[0]])
        model.set_causal_mechanism(name, mechanism)
        model.graph.nodes[name][PARENTS_DURING_FIT] = parents
    return model


def _mechanism_class(base: Any) -> type:
    class FittedMechanism(base):  # type: ignore[misc]
        """x = T^-1(f(causes) + s(causes) e), with noise drawn from residuals."""

        def __init__(self, sem: FittedSEM, index: int, parents: list[str], rng: np.random.Generator) -> None:
            self.mechanism = sem.mechanisms[index]
            self.noise = sem.noise(index)[:, 0]
            self.scale = sem.scales[sem.variables[index].outputs[0]]
            owners = {variable.outputs[0]: variable.name for variable in sem.variables}
            # dowhy passes the parents in an order of its own.
            self.order = [parents.index(owners[column]) for column in self.mechanism.inputs]
            self.input_scales = [sem.scales[column] for column in self.mechanism.inputs]
            self.rng = rng

        def fit(self, X: Array, Y: Array) -> None:  # noqa: N803
            x, z = self._inputs(X), self.scale.forward(np.asarray(Y, float).reshape(-1, 1))
            folds = self.rng.permutation(len(x)) % N_FOLDS
            self.mechanism = fit_mechanism(self.mechanism.inputs, self.mechanism.outputs, x, z, folds)
            self.noise = self.mechanism.noise(x, z)[:, 0]

        def draw_noise_samples(self, num_samples: int) -> Array:
            return self.rng.choice(self.noise, size=(num_samples, 1))

        def evaluate(self, parent_samples: Array, noise_samples: Array) -> Array:
            x = self._inputs(parent_samples)
            noise = np.asarray(noise_samples, float).reshape(-1, 1)
            return self.scale.backward(self.mechanism.mean(x) + self.mechanism.scale(x) * noise)

        def estimate_noise(self, target_samples: Array, parent_samples: Array) -> Array:
            z = self.scale.forward(np.asarray(target_samples, float).reshape(-1, 1))
            return self.mechanism.noise(self._inputs(parent_samples), z)

        def clone(self) -> Any:
            copy = object.__new__(type(self))
            copy.__dict__ = dict(self.__dict__)
            return copy

        def _inputs(self, parents: Array) -> Array:
            rows = np.asarray(parents, float).reshape(-1, len(self.order))[:, self.order]
            return np.column_stack([s.forward(x) for s, x in zip(self.input_scales, rows.T, strict=True)])

    return FittedMechanism
