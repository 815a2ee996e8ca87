"""What regressions of an effect read: spline functions of its causes, and products for pairs of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from mcsl.memory import MOST_FUNCTIONS
from mcsl.problem import Problem
from mcsl.pruning.splines import SplineTable

Key = TypeVar("Key")
Pair = tuple[int, int]


class Family(NamedTuple):
    """The columns of an effect and those that may act on them together."""

    responses: Sequence[int]
    columns: Sequence[int]

    @classmethod
    def of(cls, problem: Problem, effect: int, causes: NDArray[np.bool_]) -> Family:
        """Gather the columns of an effect's own past and of its causes."""
        variable = problem.variables[effect]
        inputs = [problem.variables[j].inputs for j in np.flatnonzero(causes)]
        return cls(variable.outputs, [*variable.own_past, *(c for columns in inputs for c in columns)])


# With less, Akaike's criterion pays for functions that follow the noise.
_ROWS_FOR_A_FUNCTION = 4
# One Gram matrix for each effect costs more time and memory than it is worth beyond this: the root of the
# sum of squares of their functions. One for all may have `MOST_FUNCTIONS`.
_MAX_APART = 9000


@dataclass(frozen=True, eq=False)
class Regressors:
    """Spline functions of some columns and products of the smoothest ones of pairs of columns.

    With the straight line and the smoothest curve of each column, f_1 and f_2, a pair brings the four
    products f_a(x) f_b(y): enough to turn a variance or a slope. Only their inner products are stored.
    """

    table: SplineTable = field(repr=False)
    left: NDArray[np.intp] = field(repr=False)
    """Which function of the table each regressor is, or has as its first factor."""
    right: NDArray[np.intp] = field(repr=False)
    """The second factor, -1 for none."""
    slices: dict[int, slice] = field(repr=False)
    """Where the functions of each column lie."""
    products: dict[Pair, slice] = field(repr=False)
    """Where the products of each pair of columns lie; the smaller column comes first."""
    responses: tuple[int, ...] = field(repr=False)
    """Columns to be explained."""

    @classmethod
    def of(
        cls, table: SplineTable, families: Sequence[Family], *, interactions: bool, limit: float = np.inf
    ) -> Regressors:
        """Gather the functions of all columns in some families, and products for pairs within a family.

        Where four products a pair would be too many, the product of the straight lines alone; where even
        that is, none.
        """
        columns = sorted({column for family in families for column in family.columns})
        pairs = sorted({pair for family in families for pair in combinations(sorted(family.columns), 2)})
        own = {column: table.functions([column]) for column in columns}
        n_own = sum(map(len, own.values()))
        n_smooth = 2 if interactions else 0
        while n_smooth and n_own + n_smooth**2 * len(pairs) > limit:
            n_smooth -= 1
        smooth = {column: functions[:n_smooth] for column, functions in own.items()}
        left = {pair: np.repeat(smooth[pair[0]], len(smooth[pair[1]])) for pair in pairs if n_smooth}
        right = [np.tile(smooth[b], len(smooth[a])) for a, b in left]
        return cls(
            table,
            np.concatenate([*own.values(), *left.values(), np.zeros(0, np.intp)]),
            np.concatenate([np.full(n_own, -1), *right]),
            _places(own, 0),
            _places(left, n_own),
            tuple(column for family in families for column in family.responses),
        )

    def __len__(self) -> int:
        return len(self.left)

    def functions(self, columns: Iterable[int]) -> NDArray[np.intp]:
        """Return the indices of the functions of some columns and of the products of their pairs.

        Without the products where these would leave less than four rows for each function.
        """
        columns = list(columns)
        pairs = (self.products.get(pair) for pair in combinations(sorted(columns), 2))
        alone, paired = [self.slices[column] for column in columns], [pair for pair in pairs if pair]
        chosen = _indices([*alone, *paired])
        enough_rows = _ROWS_FOR_A_FUNCTION * len(chosen) <= len(self.table.values)
        return chosen if enough_rows else _indices(alone)

    def design(self, chosen: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the values of some functions, centred and of length one."""
        design = self.table.design[:, self.left[chosen]]
        paired = self.right[chosen] >= 0
        if paired.any():
            product = design[:, paired] * self.table.design[:, self.right[chosen[paired]]]
            product -= product.mean(axis=0)
            product /= np.maximum(np.sqrt(np.sum(product**2, axis=0)), 1e-12)
            design[:, paired] = product
        return design

    @cached_property
    def ranks(self) -> NDArray[np.intp]:
        """Position of each function among those of its column, the smoothest first; products come last."""
        ranks = np.full(len(self), len(self))
        for s in self.slices.values():
            ranks[s] = np.arange(s.stop - s.start)
        return ranks

    @cached_property
    def _inner_products(self) -> tuple[NDArray[np.float64], dict[int, NDArray[np.float64]]]:
        design = self.design(np.arange(len(self)))
        moments = (design.T @ self.table.values[:, list(self.responses)]).T
        gram = design.T @ design if self.products else self.table.gram_of(self.left)
        return gram, dict(zip(self.responses, moments, strict=True))

    @property
    def gram(self) -> NDArray[np.float64]:
        """Z'Z of all functions."""
        return self._inner_products[0]

    @property
    def moments(self) -> dict[int, NDArray[np.float64]]:
        """Z'x of all functions, for each standardised response x."""
        return self._inner_products[1]


def gather_regressors(
    table: SplineTable, families: Sequence[Family], *, interactions: bool
) -> list[Regressors]:
    """Gather what each effect reads: with one Gram matrix for all, or one for each where that is less."""
    shared = Regressors.of(table, families, interactions=interactions)
    apart = [Regressors.of(table, [family], interactions=interactions) for family in families]
    if len(shared) <= MOST_FUNCTIONS and len(shared) ** 2 <= sum(len(part) ** 2 for part in apart):
        return [shared]
    limit = _MAX_APART / np.sqrt(len(families))
    return [Regressors.of(table, [family], interactions=interactions, limit=limit) for family in families]


def _indices(places: Iterable[slice]) -> NDArray[np.intp]:
    return np.concatenate([np.zeros(0, np.intp), *(np.arange(s.start, s.stop) for s in places)])


def _places(parts: dict[Key, NDArray[np.intp]], start: int) -> dict[Key, slice]:
    ends = np.cumsum([start, *map(len, parts.values())]).tolist()
    return {key: slice(a, b) for key, (a, b) in zip(parts, pairwise(ends), strict=True)}
