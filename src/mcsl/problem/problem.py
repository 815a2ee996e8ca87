"""The learning problem: a table, the variables that own its columns, and the edges allowed between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mcsl.data import MIN_SAMPLES, Dataset, Rows, check_drawn, draw_rows
from mcsl.errors import DataError, KnowledgeError, SettingsError
from mcsl.graph.causal_graph import closure, find_cycle
from mcsl.memory import rows_held
from mcsl.problem.knowledge import Knowledge


@dataclass(frozen=True)
class Variable:
    """A node of the graph and the columns of the table it owns.

    A scalar owns one column, which others read and which is predicted. A vector owns several. A lagged
    variable is read at (t, t-1, ..., t-p) and predicted at t.
    """

    name: str
    inputs: tuple[int, ...]
    """Columns that the mechanisms of other variables read: all at time t, then all at t-1, and so on."""
    outputs: tuple[int, ...]
    """Columns that its own mechanism predicts; a subset of the inputs."""

    @property
    def own_past(self) -> tuple[int, ...]:
        """Columns of its own that its mechanism always reads: the inputs that are not outputs."""
        return tuple(column for column in self.inputs if column not in self.outputs)

    @property
    def by_lag(self) -> tuple[tuple[int, ...], ...]:
        """The inputs at t, t-1, ..., t-p."""
        width = len(self.outputs)
        return tuple(self.inputs[start : start + width] for start in range(0, len(self.inputs), width))


def in_time(variables: Sequence[Variable]) -> bool:
    """Whether rows are windows of series, so that each follows from others."""
    return any(variable.own_past for variable in variables)


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, its variables, the edges that may exist and those that must, `[cause, effect]`."""

    dataset: Dataset
    variables: tuple[Variable, ...]
    candidates: NDArray[np.bool_] = field(repr=False)
    """Edges that may exist; those that would close a cycle with required ones are taken out."""
    required: NDArray[np.bool_] = field(default_factory=lambda: np.array(False), repr=False)
    """Edges that every learned graph has: candidates without a cycle, by default none."""
    observed: NDArray[np.bool_] = field(default_factory=lambda: np.array(True), repr=False)
    """Which entries of the table were measured, by default all; the others were filled in. They are read as
    causes, but nothing is fitted to them as effects."""
    whole: Rows | None = field(default=None, repr=False)
    """All rows in their own units, where `dataset` holds some of them alone."""

    def __post_init__(self) -> None:
        d = len(self.variables)
        candidates = np.array(self.candidates, dtype=bool)
        required = np.array(self.required, dtype=bool) if np.ndim(self.required) else np.zeros((d, d), bool)
        for name, matrix in (("candidates", candidates), ("required", required)):
            if matrix.shape != (d, d):
                raise SettingsError(f"`{name}` must have shape {(d, d)}. Got {matrix.shape} instead.")
        np.fill_diagonal(candidates, False)
        self._check_required(candidates, required)
        candidates &= ~closure(required).T
        for name, matrix in (("candidates", candidates), ("required", required)):
            matrix.flags.writeable = False
            object.__setattr__(self, name, matrix)
        shape, observed = self.dataset.values.shape, np.asarray(self.observed, dtype=bool)
        if observed.ndim and observed.shape != shape:
            raise SettingsError(f"`observed` must have shape {shape}. Got {observed.shape} instead.")
        object.__setattr__(self, "observed", np.broadcast_to(observed, shape))

    def _check_required(self, candidates: NDArray[np.bool_], required: NDArray[np.bool_]) -> None:
        for cause, effect in np.argwhere(required & ~candidates).tolist():
            edge = f"{self.names[cause]} -> {self.names[effect]}"
            raise KnowledgeError(f"The edge {edge} is required but is not a candidate; allow it, or drop it.")
        if cycle := find_cycle(required):
            path = " -> ".join(self.names[i] for i in [*cycle, cycle[0]])
            raise KnowledgeError(f"The required edges close the cycle {path}; drop one of them.")

    def with_knowledge(self, knowledge: Knowledge) -> Problem:
        """Return the problem with the edges that are known beforehand allowed, forbidden or required."""
        candidates, required = knowledge.constraints(self.names)
        return replace(self, candidates=self.candidates & candidates, required=self.required | required)

    def sampled(self, memory: int, seed: int) -> Problem:
        """Return the problem with no more rows than `memory` bytes hold, drawn at random."""
        values = self.dataset.values
        n_drawn = rows_held(len(values), self.dataset.n_variables, memory)
        if n_drawn == len(values):
            return self
        drawn = draw_rows(len(values), n_drawn, seed)
        whole = Rows.of(values, drawn) if self.observed.all() else None
        dataset = Dataset(values[drawn], self.dataset.names)
        check_drawn(dataset)
        return replace(self, dataset=dataset, observed=self.observed[drawn], whole=whole)

    def of_rows(self, rows: NDArray[np.bool_]) -> Problem:
        """Return the problem of some rows alone."""
        dataset = Dataset(self.dataset.values[rows], self.dataset.names)
        return replace(self, dataset=dataset, observed=self.observed[rows], whole=None)

    @classmethod
    def from_dataset(cls, dataset: Dataset, candidates: NDArray[np.bool_] | None = None) -> Problem:
        """One scalar variable a column, every edge allowed unless `candidates` says otherwise."""
        variables = tuple(Variable(name, (i,), (i,)) for i, name in enumerate(dataset.names))
        d = len(variables)
        return cls(dataset, variables, np.ones((d, d), bool) if candidates is None else candidates)

    def of_effect(self, effect: int, causes: Sequence[int]) -> Problem:
        """Return the rows where an effect was measured, for a regression on some causes.

        Columns that take no part become constant there, so that they cost nothing.
        """
        rows = self.measured(effect)
        used = [column for variable in (effect, *causes) for column in self.variables[variable].inputs]
        values = np.zeros((int(rows.sum()), self.dataset.n_variables))
        values[:, used] = self.columns(used)[rows]
        return replace(self, dataset=Dataset(values, self.dataset.names), observed=self.observed[rows])

    def measured(self, effect: int) -> NDArray[np.bool_]:
        """Return in which rows an effect was measured, or refuse it if there are too few."""
        own = self.variables[effect]
        rows = np.asarray(self.observed[:, list(own.outputs)].all(axis=1))
        if rows.sum() < MIN_SAMPLES:
            raise DataError(
                f"The variable {own.name!r} was measured in {rows.sum()} rows, and learning needs at least "
                f"{MIN_SAMPLES}; leave it out, or use the rule impute for missing values."
            )
        return rows

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.dataset.n_samples

    @property
    def n_variables(self) -> int:
        """Number of nodes of the graph."""
        return len(self.variables)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables' names, in order."""
        return tuple(variable.name for variable in self.variables)

    @property
    def is_scalar(self) -> bool:
        """Whether every variable owns exactly one column and has no past."""
        return all(len(variable.inputs) == 1 for variable in self.variables)

    def columns(self, indices: Sequence[int]) -> NDArray[np.float64]:
        """Return some columns of the table, shape (n_samples, len(indices))."""
        return self.dataset.values[:, list(indices)]
