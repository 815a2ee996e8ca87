"""The learning problem: a table, the variables that own its columns, and the edges allowed between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mcsl.data.dataset import Dataset
from mcsl.errors import SettingsError


@dataclass(frozen=True)
class Variable:
    """A node of the graph and the columns of the table it owns.

    A scalar owns one column, which others read and which is predicted. A vector owns several. A lagged
    variable is read at (t, t-1, ..., t-p) and predicted at t.
    """

    name: str
    inputs: tuple[int, ...]
    """Columns that the mechanisms of other variables read."""
    outputs: tuple[int, ...]
    """Columns that its own mechanism predicts; a subset of the inputs."""

    @property
    def own_past(self) -> tuple[int, ...]:
        """Columns of its own that its mechanism always reads: the inputs that are not outputs."""
        return tuple(column for column in self.inputs if column not in self.outputs)


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, its variables, and `candidates[cause, effect]`: the edges that may exist."""

    dataset: Dataset
    variables: tuple[Variable, ...]
    candidates: NDArray[np.bool_] = field(repr=False)

    def __post_init__(self) -> None:
        candidates = np.array(self.candidates, dtype=bool)
        d = len(self.variables)
        if candidates.shape != (d, d):
            raise SettingsError(f"`candidates` must have shape {(d, d)}. Got {candidates.shape} instead.")
        np.fill_diagonal(candidates, False)
        candidates.flags.writeable = False
        object.__setattr__(self, "candidates", candidates)

    @classmethod
    def from_dataset(cls, dataset: Dataset, candidates: NDArray[np.bool_] | None = None) -> Problem:
        """One scalar variable a column, every edge allowed unless `candidates` says otherwise."""
        variables = tuple(Variable(name, (i,), (i,)) for i, name in enumerate(dataset.names))
        d = len(variables)
        return cls(dataset, variables, np.ones((d, d), bool) if candidates is None else candidates)

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
