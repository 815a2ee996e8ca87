"""What the data say about every variable: how anomalous it is, alone and given others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from mcsl.diagnosis.mechanism import RobustMechanism
from mcsl.diagnosis.periods import Periods
from mcsl.diagnosis.surprise import Yardstick, quiet_rows, row_weights, surprise

Array = NDArray[np.float64]


class Evidence:
    """Surprise of each variable in the incident, given any others, by mechanisms of normal operation.

    A missing sample says nothing: rows where the effect or a cause is missing are not used. Only if that
    would cost more than half of them is a cause that is missing taken to be at its median. Rows of the
    incident count by how anomalous the `symptoms` are in them, all alike if there are none.
    """

    def __init__(self, periods: Periods, lags: int, symptoms: Sequence[int] = ()) -> None:
        self.n_variables = len(periods.names)
        self._lags = lags
        self._yardsticks = [
            Yardstick.of(normal, incident)
            for normal, incident in zip(periods.normal.T, periods.incident.T, strict=True)
        ]
        self._normal = self._measure(periods.normal)
        self._incident = self._measure(periods.incident)
        # Normal operation is all that is known of the rows before an incident that comes alone.
        before = (
            self._normal[len(self._normal) - lags :]
            if periods.follows
            else np.zeros((lags, self.n_variables))
        )
        self._normal_windows = _windows(self._normal, lags)
        self._incident_windows = _windows(np.concatenate([before, self._incident]), lags)
        self.weights = row_weights(self._incident[:, list(symptoms)], lags)
        self.quiet = np.zeros(len(self.weights), dtype=bool)
        """Rows in which the symptom, if it is one, is not there."""
        if len(symptoms) == 1:
            limit = self._yardsticks[symptoms[0]].limit
            self.quiet = quiet_rows(self._incident[:, symptoms[0]], limit, lags)
        self.silent = np.array([_is_silent(column, lags) for column in periods.normal.T])
        """Variables that never moved in normal operation, or not long enough to learn from."""
        self.noise = cache(self._noise)

    def _measure(self, values: Array) -> Array:
        return np.column_stack(
            [stick.measure(column) for stick, column in zip(self._yardsticks, values.T, strict=True)]
        )

    @property
    def filled(self) -> Array:
        """Normal operation in robust deviations, gaps at the median."""
        return np.nan_to_num(self._normal)

    def anomaly(self, variable: int) -> float:
        """Return the surprise of a variable by itself."""
        limit = self._yardsticks[variable].limit
        return surprise(self._incident[:, variable], self.weights, limit, self.quiet)

    def was_off(self, variable: int) -> bool:
        """Tell whether a variable was beyond its limit before the symptom began."""
        early = np.abs(self._incident[self.quiet, variable])
        early = early[np.isfinite(early)]
        return len(early) > 0 and float(np.median(early)) > self._yardsticks[variable].limit

    def concurrence(self, cause: int, symptom: int) -> float:
        """Return 1/10 + 9/10 |r|, r the correlation over the incident and as many normal rows before it.

        The symptom may follow by up to `lags` rows, whichever fits best.
        """
        n_rows = len(self._incident)
        rows = np.nan_to_num(np.concatenate([self._normal[-n_rows:], self._incident])[:, [cause, symptom]])
        found = []
        for lag in range(min(self._lags, n_rows - 1) + 1):
            x, y = (column - column.mean() for column in (rows[: len(rows) - lag, 0], rows[lag:, 1]))
            found.append(abs(float(x @ y)) / max(float(np.sqrt((x @ x) * (y @ y))), 1e-12))
        return 0.1 + 0.9 * max(found)

    def _noise(self, effect: int, causes: frozenset[int]) -> float:
        """Return the surprise of what a variable's own past and the given causes leave unexplained."""
        d = self.n_variables
        columns = [effect + d * k for k in range(1, self._lags + 1)]
        columns += [cause + d * k for cause in sorted(causes) for k in range(self._lags + 1)]
        if self.silent[effect] or not columns:
            return self.anomaly(effect)
        response = self._normal[self._lags :, effect]
        inputs, response = _usable(self._normal_windows[:, columns], response, np.ones(len(response)))
        mechanism = RobustMechanism.fit(inputs, response)
        stick = Yardstick.of(response - mechanism.predict(inputs))
        inputs, now = _usable(self._incident_windows[:, columns], self._incident[:, effect], self.weights)
        left = now - mechanism.predict(inputs)
        # A variable that is where it always is has not failed, whatever its causes let expect.
        left = np.sign(left) * np.minimum(np.abs(left), np.abs(now))
        return surprise(stick.measure(left), self.weights, stick.limit, self.quiet)


def _is_silent(column: Array, lags: int) -> bool:
    """Tell whether a column does not move, or not where it is read as an effect or as any of its pasts."""
    parts = (column[k : len(column) - lags + k] for k in range(lags + 1))
    return any(len(np.unique(part[np.isfinite(part)])) < 2 for part in parts)


def _windows(values: Array, lags: int) -> Array:
    """Return rows (t, t-1, ..., t-p) side by side, without the first p."""
    n_rows = len(values) - lags
    return np.concatenate([values[lags - k : lags - k + n_rows] for k in range(lags + 1)], axis=1)


def _usable(inputs: Array, response: Array, weights: Array) -> tuple[Array, Array]:
    """Return the inputs without gaps, and the response as missing where they had some.

    If the rows that are left carried less than half of the weight, all of them stay.
    """
    complete, known = np.isfinite(inputs).all(axis=1), np.isfinite(response)
    if weights[complete & known].sum() >= weights[known].sum() / 2:
        response = np.where(complete, response, np.nan)
    return np.nan_to_num(inputs), response
