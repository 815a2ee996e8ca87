"""How variables and the columns of a table correspond, for mechanisms that work on all of them at once."""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from mcsl.problem import Problem


class Layout(eqx.Module):
    """The columns each variable owns: one entry of the mask serves all columns of a pair of variables."""

    owners: tuple[int, ...] = eqx.field(static=True)
    """The variable of each column, -1 for none."""
    outputs: tuple[tuple[int, ...], ...] = eqx.field(static=True)
    """The columns that each variable's mechanism predicts."""

    @classmethod
    def of(cls, problem: Problem) -> Layout:
        """Return the layout of a problem's table."""
        owner = {column: i for i, variable in enumerate(problem.variables) for column in variable.inputs}
        columns = range(problem.dataset.n_variables)
        return cls(
            tuple(owner.get(column, -1) for column in columns),
            tuple(variable.outputs for variable in problem.variables),
        )

    @property
    def n_columns(self) -> int:
        """Number of columns that a mechanism reads."""
        return len(self.owners)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.outputs)

    @property
    def width(self) -> int:
        """Most columns that a variable predicts."""
        return max(map(len, self.outputs))

    @property
    def is_plain(self) -> bool:
        """Whether column i is variable i, no more and no less."""
        return self.outputs == tuple((i,) for i in range(self.n_columns))

    def column_mask(self, soft_mask: Float[Array, "cause effect"]) -> Float[Array, "column effect"]:
        """Spread the mask over columns: own past is always read, the column to be predicted never."""
        if self.is_plain:
            return soft_mask
        owners = np.array(self.owners)
        fixed = np.full((self.n_columns, self.n_variables), np.nan)
        fixed[owners < 0] = 0.0
        own = np.flatnonzero(owners >= 0)
        fixed[own, owners[own]] = 1.0
        for effect, columns in enumerate(self.outputs):
            fixed[list(columns), effect] = 0.0
        return jnp.where(np.isnan(fixed), soft_mask[owners], fixed)

    def select(self, predicted: Float[Array, "effect width sample"]) -> Float[Array, "output sample"]:
        """Return one row an output column, variable after variable, without what only fills up the width."""
        rows = predicted.reshape(-1, predicted.shape[-1])
        if all(len(columns) == self.width for columns in self.outputs):
            return rows
        return rows[np.array([i * self.width + k for i, c in enumerate(self.outputs) for k in range(len(c))])]
