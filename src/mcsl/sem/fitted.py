"""The fitted structural equation model: what a learned graph can be asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcsl.errors import GraphError, SettingsError
from mcsl.graph import CausalGraph
from mcsl.graph.causal_graph import topological_order
from mcsl.problem import Variable
from mcsl.sem.bounds import check_intervention, check_rows
from mcsl.sem.dowhy import to_invertible_model
from mcsl.sem.effects import Effect, EffectCurve, average_effect, effect_curve
from mcsl.sem.features import spread_out
from mcsl.sem.mechanism import Mechanism
from mcsl.sem.rows import read_rows, to_frame
from mcsl.sem.scale import Scale
from mcsl.settings import whole_number

if TYPE_CHECKING:
    import polars as pl

Array = NDArray[np.float64]
Shift: TypeAlias = Callable[[Array], Array]
"""A function from the values that a column would have to those it gets."""
Intervention: TypeAlias = float | Sequence[float] | Shift
"""What a variable is set to: a number, one for each of its columns, or a shift."""


@dataclass(frozen=True)
class HeldOutFit:
    """How well a variable is predicted from its causes on rows that its mechanism was not fitted to."""

    variable: str
    r2: float
    """Share of the variance explained, on the scale on which the noise adds."""
    deviation: float
    """Standard deviation of that share between folds."""


@dataclass(frozen=True, eq=False)
class FittedSEM:
    """The mechanism of every variable of a graph, fitted to a table, in the table's own units.

    x_i = T_i^-1(f_i(causes) + s_i(causes) e_i): f_i is a sum of penalised splines, with a Gaussian process of
    all causes where that predicts better; s_i is constant unless held-out rows say otherwise; T_i is the
    identity, or another scale on which noise adds (`mcsl.scales`); the noise e_i is drawn from the residuals.
    Columns that no mechanism predicts, the past of a series, are drawn together, a row at a time.

    Tables come back as polars frames; `.to_pandas()` turns them into pandas.
    """

    graph: CausalGraph
    variables: tuple[Variable, ...]
    columns: tuple[str, ...]
    values: Array = field(repr=False)
    """The rows that the mechanisms were fitted to."""
    scales: tuple[Scale, ...] = field(repr=False)
    mechanisms: tuple[Mechanism, ...] = field(repr=False)
    interventions: Mapping[int, float | Shift] = field(default_factory=dict)
    """What is done to columns, by their place."""
    observed: NDArray[np.bool_] = field(default_factory=lambda: np.array(True), repr=False)
    """Which of the values were measured, or True for all; the others were drawn to be read as causes."""

    @cached_property
    def held_out(self) -> tuple[HeldOutFit, ...]:
        """The fit of every variable that has causes, on rows left out in turn."""
        return tuple(
            HeldOutFit(name, float(r2.mean()), float(r2.std(ddof=1)))
            for name, mechanism in zip(self.graph.names, self.mechanisms, strict=True)
            if self.graph.parents(name) and len(r2 := mechanism.held_out_r2.mean(axis=1)) > 1
        )

    def predict(self, data: Any) -> pl.DataFrame:
        """Return the mean of every variable given its causes as they stand in the same row."""
        self._refuse_interventions("predict")
        values = read_rows(data, self.columns, self._needed_for_prediction)
        check_rows(self.columns, self.scales, values, self._needed_for_prediction, refuse=False)
        rows = self._scaled(values)
        predicted = np.empty((len(rows), len(self._predicted)))
        for mechanism, noise in zip(self.mechanisms, self._noise, strict=True):
            inputs = rows[:, mechanism.inputs]
            mean, scale = mechanism.mean(inputs), mechanism.scale(inputs)
            for k, column in enumerate(mechanism.outputs):
                expected = self.scales[column].expect(mean[:, k], scale[:, k], noise[:, k])
                predicted[:, self._predicted.index(column)] = expected
        return to_frame(predicted, [self.columns[c] for c in self._predicted])

    def residuals(self, data: Any) -> pl.DataFrame:
        """Return the noise e of every variable, in deviations of its column on the scale where noise adds."""
        self._refuse_interventions("residuals")
        rows = read_rows(data, self.columns, self.columns)
        check_rows(self.columns, self.scales, rows, self.columns, refuse=False)
        return to_frame(self.unexplained(rows), [self.columns[c] for c in self._predicted])

    def unexplained(self, rows: Array) -> Array:
        """Return the residuals of rows of the model's columns, without a warning, (n_rows, n_predicted)."""
        noise = np.column_stack(self._abduct(self._scaled(rows)))
        outputs = [column for mechanism in self.mechanisms for column in mechanism.outputs]
        return noise[:, [outputs.index(c) for c in self._predicted]]

    def sample(self, n_samples: int, *, seed: int = 0) -> pl.DataFrame:
        """Draw new rows, causes first, with every variable's noise drawn from its residuals."""
        whole_number("n_samples", n_samples, 1)
        rng = np.random.default_rng(whole_number("seed", seed))
        values = self.values[rng.integers(len(self.values), size=n_samples)].copy()
        noise = [pool[rng.integers(len(pool), size=n_samples)] for pool in self._noise]
        return to_frame(self._propagate(values, noise, range(len(self.variables))), self.columns)

    def do(self, interventions: Mapping[str, Intervention]) -> FittedSEM:
        """Return the model in which variables are set from outside, by the name of the variable or a column.

        A number sets the value; a function of the values that the variable would have, such as
        `lambda x: x + 1`, shifts them. A variable with several columns takes a number for each.
        """
        return replace(self, interventions={**self.interventions, **self._resolve(interventions)})

    def counterfactual(self, rows: Any, interventions: Mapping[str, Intervention]) -> Any:
        """Say what would have been in these rows, had variables been set otherwise.

        The noise of each row is recovered from it, variables are set, and their descendants are
        computed anew with the same noise. One row as a mapping gives a mapping, several a frame.
        """
        model = self.do(interventions)
        values = read_rows(rows, self.columns, self.columns)
        changed = model.affected(model.interventions)
        read = {c for i in changed for m in [self.mechanisms[i]] for c in (*m.inputs, *m.outputs)}
        check_rows(self.columns, self.scales, values, {self.columns[c] for c in read}, refuse=True)
        found = model._propagate(values, self._abduct(self._scaled(values)), changed)
        if isinstance(rows, Mapping) and all(np.ndim(value) == 0 for value in rows.values()):
            return dict(zip(self.columns, found[0].tolist(), strict=True))
        return to_frame(found, self.columns)

    def effect(
        self,
        cause: str,
        effect: str,
        from_: float | Sequence[float],
        to: float | Sequence[float],
        *,
        level: float = 0.95,
        n_bootstrap: int = 100,
        seed: int = 0,
    ) -> Effect:
        """Average change of one variable when another is set to `to` instead of `from_`, with an interval.

        E[effect | do(cause = to)] - E[effect | do(cause = from_)], along all paths. The interval is for the
        mechanisms of this graph: it does not know whether the graph is right.
        """
        return average_effect(self, cause, effect, from_, to, level=level, n_bootstrap=n_bootstrap, seed=seed)

    def effect_curve(
        self,
        cause: str,
        effect: str,
        grid: ArrayLike | None = None,
        *,
        total: bool = False,
        level: float = 0.95,
        n_bootstrap: int = 100,
        seed: int = 0,
    ) -> EffectCurve:
        """Mean of one variable as a direct cause of it varies and its other causes stay (partial dependence).

        With `total` it is the mean under do(cause = x), along all paths, and the cause need not be direct.
        The grid covers the middle 98% of the cause unless it is given.
        """
        return effect_curve(
            self, cause, effect, grid, total=total, level=level, n_bootstrap=n_bootstrap, seed=seed
        )

    def to_dowhy_gcm(self, *, seed: int = 0) -> Any:
        """Return the model as dowhy.gcm's InvertibleStructuralCausalModel, already fitted; needs dowhy."""
        self._refuse_interventions("to_dowhy_gcm")
        return to_invertible_model(self, seed)

    def noise(self, index: int) -> Array:
        """Return the residuals that the noise of a variable is drawn from, shape (n_rows, n_outputs)."""
        return self._noise[index]

    def column(self, name: str) -> int:
        """Return the place of a column, or of the only column of a variable."""
        places = (self.columns.index(name),) if name in self.columns else self._places(name)
        if len(places) > 1:
            names = ", ".join(self.columns[place] for place in places)
            raise SettingsError(f"The variable {name!r} has several columns; name one of them: {names}.")
        return places[0]

    @cached_property
    def scaled_values(self) -> Array:
        """The rows that the mechanisms were fitted to, each column on its scale."""
        return self._scaled(self.values)

    def measured(self, index: int) -> NDArray[np.intp]:
        """Return the rows where a variable was measured: those that its mechanism was fitted to."""
        outputs = self.variables[index].outputs
        return np.flatnonzero(np.broadcast_to(self.observed, self.values.shape)[:, outputs].all(axis=1))

    def seen_by(self, index: int, most: int | None = None) -> tuple[Array, Array]:
        """Return the inputs and outputs that a variable's mechanism was fitted to, of `most` rows or all."""
        mechanism, rows = self.mechanisms[index], self.measured(index)
        z = self.scaled_values[rows if most is None else rows[spread_out(len(rows), most)]]
        return z[:, mechanism.inputs], z[:, mechanism.outputs]

    def affected(self, columns: Mapping[int, Any]) -> list[int]:
        """Return the variables that change when columns do, causes first: owners and descendants."""
        changed, found = set(columns), []
        for index in self.order:
            mechanism = self.mechanisms[index]
            if changed & {*mechanism.inputs, *mechanism.outputs}:
                found.append(index)
                changed |= set(mechanism.outputs)
        return found

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The variables' indices, causes first."""
        return tuple(topological_order(self.graph.adjacency))

    @cached_property
    def _predicted(self) -> list[int]:
        return sorted(column for mechanism in self.mechanisms for column in mechanism.outputs)

    @cached_property
    def _needed_for_prediction(self) -> set[str]:
        return {self.columns[column] for mechanism in self.mechanisms for column in mechanism.inputs}

    @cached_property
    def _noise(self) -> list[Array]:
        """The residuals of every variable, centred, and widened by what fitting has taken from them."""
        pools = []
        for index, mechanism in enumerate(self.mechanisms):
            inputs, outputs = self.seen_by(index)
            noise = mechanism.noise(inputs, outputs)
            # What has no inputs is drawn from its own values, and these stay as they are.
            n_parameters = mechanism.n_parameters(inputs) if mechanism.inputs else 0.0
            freedom = len(noise) - n_parameters
            pools.append((noise - noise.mean(axis=0)) * np.sqrt(len(noise) / max(freedom, 1.0)))
        return pools

    def _scaled(self, rows: Array) -> Array:
        return np.column_stack([scale.forward(x) for scale, x in zip(self.scales, rows.T, strict=True)])

    def _abduct(self, z: Array) -> list[Array]:
        return [m.noise(z[:, m.inputs], z[:, m.outputs]) for m in self.mechanisms]

    def _propagate(self, values: Array, noise: Sequence[Array], changed: Sequence[int]) -> Array:
        """Compute some variables anew from their causes and noise, and let interventions have their way."""
        values = values.copy()
        owned = {column for index in changed for column in self.mechanisms[index].outputs}
        for column in self.interventions.keys() - owned:
            values[:, column] = self.intervene(column, values[:, column])
        z = self._scaled(values)
        for index in (index for index in self.order if index in set(changed)):
            mechanism = self.mechanisms[index]
            inputs = z[:, mechanism.inputs]
            new = mechanism.mean(inputs) + mechanism.scale(inputs) * noise[index]
            for k, column in enumerate(mechanism.outputs):
                scale = self.scales[column]
                values[:, column] = self.intervene(column, scale.backward(new[:, k]))
                z[:, column] = scale.forward(values[:, column])
        return values

    def intervene(self, column: int, natural: Array) -> Array:
        """Return what becomes of the values that a column would have."""
        done = self.interventions.get(column)
        if done is None:
            return natural
        found = done(natural) if callable(done) else done
        try:
            values = np.broadcast_to(np.asarray(found, float), natural.shape)
        except (TypeError, ValueError):
            values = np.array(np.nan)
        if not np.isfinite(values).all():
            name = self.columns[column]
            raise SettingsError(
                f"The intervention on {name!r} must return as many finite values as it is given."
            )
        # Effects ask for a hundred draws of what a function gives, which is not to be told as often.
        if callable(done):
            check_intervention(self.columns[column], self.scales[column], values, warn=False)
        return values

    def _refuse_interventions(self, method: str) -> None:
        if self.interventions:
            raise SettingsError(
                f"`{method}` speaks of rows as they are; ask the model without `do`, or `sample`, "
                "`counterfactual` or `effect` for what an intervention does."
            )

    def _resolve(self, interventions: Mapping[str, Intervention]) -> dict[int, float | Shift]:
        if not isinstance(interventions, Mapping):
            raise SettingsError('Interventions must map names to values, like {"x": 1.5}.')
        resolved: dict[int, float | Shift] = {}
        for name, done in interventions.items():
            resolved.update(self.settings(name, done))
        return resolved

    def settings(self, name: str, done: Intervention) -> dict[int, float | Shift]:
        """Return what is done to each column of a variable."""
        places = self._places(name)
        if callable(done):
            return dict.fromkeys(places, done)
        try:
            numbers = np.asarray(done, dtype=float).ravel()
        except (TypeError, ValueError):
            numbers = np.array([np.nan])
        if len(numbers) != len(places) or not np.isfinite(numbers).all():
            wanted = "a finite number or a function" if len(places) == 1 else f"{len(places)} finite numbers"
            raise SettingsError(f"The intervention on {name!r} must be {wanted}. Got {done!r} instead.")
        for place, number in zip(places, numbers, strict=True):
            check_intervention(self.columns[place], self.scales[place], number)
        return dict(zip(places, numbers.tolist(), strict=True))

    def _places(self, name: str) -> tuple[int, ...]:
        if name in self.graph.names:
            return self.variables[self.graph.names.index(name)].outputs
        if name in self.columns:
            return (self.columns.index(name),)
        raise GraphError(f"There is no variable {name!r} in the model.")

    def __repr__(self) -> str:
        done = ", ".join(self.columns[column] for column in self.interventions)
        return f"FittedSEM({self.graph!r}, {len(self.values)} rows{f', do: {done}' if done else ''})"
