"""How variables and the columns of a table correspond, for mechanisms that work on all of them at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Integer
from numpy.typing import NDArray

from mcsl.problem import Problem

# Above this share of the columns, one product with all of them is faster than gathering each variable's own.
_GATHERED_SHARE = 0.3


class Layout(eqx.Module):
    """The columns each variable owns and reads: one entry of the mask serves all columns of a pair.

    A mechanism reads the columns of its candidate causes and its own past. Where these are few for every
    variable, they are gathered to the largest number of them, `n_inputs`; otherwise it reads all columns.
    """

    owners: tuple[int, ...] = eqx.field(static=True)
    """The variable of each column, -1 for none."""
    outputs: tuple[tuple[int, ...], ...] = eqx.field(static=True)
    """The columns that each variable's mechanism predicts."""
    gathered: tuple[tuple[int, ...], ...] | None = eqx.field(static=True)
    """The columns that each variable's mechanism reads, filled up with -1; None for all columns."""
    effects: Integer[Array, " effect"] | None = None
    """The variables that are predicted, if not all of them."""

    @classmethod
    def of(cls, problem: Problem) -> Layout:
        """Return the layout of a problem's table."""
        variables, n_columns = problem.variables, problem.dataset.n_variables
        owner = {column: i for i, variable in enumerate(variables) for column in variable.inputs}
        read = []
        for own, candidates in zip(variables, problem.candidates.T, strict=True):
            causes = [variables[j] for j in np.flatnonzero(candidates)]
            read.append([*own.own_past, *(column for cause in causes for column in cause.inputs)])
        width = max(1, *map(len, read))
        few = width < _GATHERED_SHARE * n_columns
        return cls(
            tuple(owner.get(column, -1) for column in range(n_columns)),
            tuple(variable.outputs for variable in variables),
            tuple((*columns, *[-1] * (width - len(columns))) for columns in read) if few else None,
        )

    @property
    def n_inputs(self) -> int:
        """Number of columns that a mechanism reads."""
        return len(self.gathered[0]) if self.gathered else len(self.owners)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.outputs)

    @property
    def width(self) -> int:
        """Most columns that a variable predicts."""
        return max(map(len, self.outputs))

    @property
    def is_divisible(self) -> bool:
        """Whether every variable predicts one column, so that `for_effects` gives a layout of its own."""
        return all(len(columns) == 1 for columns in self.outputs)

    def for_effects(self, effects: Integer[Array, " effect"]) -> Layout:
        """Return the layout of mechanisms of these variables alone; static fields still list all of them."""
        return replace(self, effects=effects if self.effects is None else self.effects[effects])

    def read(self, columns: Float[Array, "column sample"]) -> Float[Array, "_ input sample"]:
        """Return what each variable's mechanism reads, or what all of them read as if they were one."""
        return columns[self._of_effects(np.array(self.gathered))] if self.gathered else columns[None]

    def input_mask(self, soft_mask: Float[Array, "cause effect"]) -> Float[Array, "effect input"]:
        """Spread the mask over what is read: own past is always seen, the column to be predicted never."""
        if not self.gathered and self.outputs == tuple((i,) for i in range(self.n_inputs)):
            return soft_mask.T
        columns = np.array(self.gathered or [range(self.n_inputs)] * self.n_variables)
        owners = np.where(columns < 0, -1, np.array(self.owners)[columns])
        predicted = np.array([np.isin(c, own) for c, own in zip(columns, self.outputs, strict=True)])
        unmasked = (owners == np.arange(self.n_variables)[:, None]) & ~predicted
        learned = (owners >= 0) & ~predicted & ~unmasked
        entries = soft_mask[self._of_effects(owners), np.arange(soft_mask.shape[1])[:, None]]
        return jnp.where(self._of_effects(learned), entries, self._of_effects(unmasked.astype(np.float32)))

    def select(self, predicted: Float[Array, "effect width sample"]) -> Float[Array, "output sample"]:
        """Return one row an output column, variable after variable, without what only fills up the width."""
        rows = predicted.reshape(-1, predicted.shape[-1])
        if all(len(columns) == self.width for columns in self.outputs):
            return rows
        return rows[np.array([i * self.width + k for i, c in enumerate(self.outputs) for k in range(len(c))])]

    def _of_effects(self, table: NDArray[Any]) -> NDArray[Any] | Array:
        return table if self.effects is None else jnp.asarray(table)[self.effects]
