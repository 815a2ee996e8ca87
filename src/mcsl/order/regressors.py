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
    alone: Sequence[int] = ()
    """Columns that act on them too, but not together with others."""

    @classmethod
    def of(
        cls,
        problem: Problem,
        effect: int,
        causes: NDArray[np.bool_],
        alone: NDArray[np.bool_] | None = None,
    ) -> Family:
        """Gather the columns of an effect's own past and of its causes, and of those that act alone."""
        variable = problem.variables[effect]

        def inputs(chosen: NDArray[np.bool_]) -> list[int]:
            return [c for j in np.flatnonzero(chosen) for c in problem.variables[j].inputs]

        others = [] if alone is None else inputs(alone & ~causes)
        return cls(variable.outputs, [*variable.own_past, *inputs(causes)], others)


class Models(NamedTuple):
    """Functions in such an order that the first ones, up to each of the ends, explain an effect too."""

    functions: NDArray[np.intp]
    ends: tuple[int, ...]

    def followed_by(self, functions: NDArray[np.intp]) -> Models:
        """Return the models and a larger one, with some further functions."""
        return Models(np.append(self.functions, functions), (*self.ends, self.ends[-1] + len(functions)))


N_SMOOTH = 3
"""Functions of a column that are its smoothest: a straight line, a bend and a wave."""
# One Gram matrix for each effect costs more time and memory than it is worth beyond this: the root of the
# sum of squares of their functions. One for all may have `MOST_FUNCTIONS`.
_MAX_APART = 9000


@dataclass(frozen=True, eq=False)
class Regressors:
    """Spline functions of some columns and products of the smoothest ones of pairs of columns.

    With the three smoothest functions of each column, f_1 to f_3, a pair brings the nine products
    f_a(x) f_b(y). Only their inner products are stored.
    """

    table: SplineTable = field(repr=False)
    left: NDArray[np.intp] = field(repr=False)
    """Which function of the table each regressor is, or has as its first factor."""
    right: NDArray[np.intp] = field(repr=False)
    """The second factor, -1 for none."""
    ranks: NDArray[np.intp] = field(repr=False)
    """Place of each function among those of its column, the smoothest first; of a product, that of its
    rougher factor."""
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

        Where nine products a pair would be too many, the four of straight lines and bends, or that of the
        straight lines alone; where even that is too much, none.
        """
        columns = sorted({column for family in families for column in (*family.columns, *family.alone)})
        pairs = sorted({pair for family in families for pair in combinations(sorted(family.columns), 2)})
        own = {column: table.functions([column]) for column in columns}
        n_own = sum(map(len, own.values()))
        n_smooth = N_SMOOTH if interactions else 0
        while n_smooth and n_own + n_smooth**2 * len(pairs) > limit:
            n_smooth -= 1
        smooth = {column: functions[:n_smooth] for column, functions in own.items()}
        left = {pair: np.repeat(smooth[pair[0]], len(smooth[pair[1]])) for pair in pairs if n_smooth}
        right = [np.tile(smooth[b], len(smooth[a])) for a, b in left]
        first = np.concatenate([*own.values(), *left.values(), np.zeros(0, np.intp)])
        second = np.concatenate([np.full(n_own, -1), *right])
        starts = np.array([s.start for s in table.slices])
        rank = np.arange(table.design.shape[1]) - np.repeat(starts, [s.stop - s.start for s in table.slices])
        return cls(
            table,
            first,
            second,
            np.maximum(rank[first], np.where(second < 0, 0, rank[second])),
            _places(own, 0),
            _places(left, n_own),
            tuple(column for family in families for column in family.responses),
        )

    def __len__(self) -> int:
        return len(self.left)

    def models(self, columns: Iterable[int]) -> list[Models]:
        """Return what may explain an effect of some columns: few functions of each or all, and products.

        The first models have the three smoothest functions of every column, the last ones all; to either
        come the products of straight lines, of bends too, and of waves too, of every pair.
        """
        columns = list(columns)
        own = _indices(self.slices[column] for column in columns)
        is_smooth = self.ranks[own] < N_SMOOTH
        smooth, rough = own[is_smooth], own[~is_smooth]
        pairs = (self.products.get(pair) for pair in combinations(sorted(columns), 2))
        paired = _indices(pair for pair in pairs if pair)
        paired = paired[np.argsort(self.ranks[paired], kind="stable")]
        n_paired = np.searchsorted(self.ranks[paired], range(N_SMOOTH + 1)).tolist() if len(paired) else [0]
        few = Models(np.append(smooth, paired), tuple(len(smooth) + n for n in n_paired))
        if not len(rough):
            return [few]
        if not len(paired):
            return [few.followed_by(rough)]
        # With all products and then the other functions, the first list ends where the second would.
        *n_some, _ = n_paired
        many = np.concatenate([smooth, rough, paired[: n_some[-1]]])
        return [few.followed_by(rough), Models(many, tuple(len(own) + n for n in n_some))]

    def design(self, chosen: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the values of some functions, centred and of length one."""
        # Functions lie one after another in memory, as rows of the transpose.
        functions = self.table.design.T
        design = functions[self.left[chosen]]
        paired = np.flatnonzero(self.right[chosen] >= 0)
        if len(paired):
            product = design[paired]
            product *= functions[self.right[chosen[paired]]]
            product -= product.mean(axis=1, keepdims=True)
            product /= np.maximum(np.sqrt(np.einsum("kn,kn->k", product, product)), 1e-12)[:, None]
            design[paired] = product
        return design.T

    @property
    def is_smooth(self) -> NDArray[np.bool_]:
        """Which functions are the smoothest of single columns."""
        return (self.right < 0) & (self.ranks < N_SMOOTH)

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
