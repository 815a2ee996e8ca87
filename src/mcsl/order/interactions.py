"""Spline tables that also hold products, so that a regression on several causes sees them act together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mcsl.problem import Problem
from mcsl.pruning.splines import SplineTable

Pair = tuple[int, int]

# The Gram matrix of more functions than this costs more time and memory than it is worth.
_MAX_FUNCTIONS = 6000


@dataclass(frozen=True, eq=False)
class InteractionTable(SplineTable):
    """A spline table with the products of the smoothest functions of pairs of columns behind it."""

    products: dict[Pair, slice] = field(default_factory=dict, repr=False)
    """Where the products of each pair of columns lie; the smaller column comes first."""

    def functions(self, columns: Iterable[int]) -> NDArray[np.intp]:
        """Return the indices of the functions of some columns and of the products of their pairs."""
        columns = list(columns)
        pairs = (self.products.get(pair) for pair in combinations(sorted(columns), 2))
        ranges = [np.arange(pair.start, pair.stop) for pair in pairs if pair is not None]
        return np.concatenate([super().functions(columns), *ranges]).astype(np.intp)


def with_products(table: SplineTable, problem: Problem, candidates: NDArray[np.bool_]) -> SplineTable:
    """Add the products of every pair of columns that may have an effect in common.

    With the straight line and the smoothest curve of each column, f_1 and f_2, a pair brings the four
    products f_a(x) f_b(y): enough to turn a variance or a slope. Where that would be too many, the
    product of the straight lines alone; where even that is, none.
    """
    pairs = _pairs_with_common_effect(problem, candidates)
    n_functions = table.design.shape[1]
    for n_smooth in (2, 1):
        if pairs and n_functions + n_smooth**2 * len(pairs) <= _MAX_FUNCTIONS:
            break
    else:
        return table
    smooth = [table.design[:, s][:, :n_smooth] for s in table.slices]
    blocks, products, start = [table.design], {}, n_functions
    for a, b in pairs:
        block = (smooth[a][:, :, None] * smooth[b][:, None, :]).reshape(table.n_samples, -1)
        block -= block.mean(axis=0)
        block /= np.maximum(np.sqrt(np.sum(block**2, axis=0)), 1e-12)
        blocks.append(block)
        products[a, b] = slice(start, start + block.shape[1])
        start += block.shape[1]
    return InteractionTable(
        design=np.concatenate(blocks, axis=1),
        values=table.values,
        penalties=np.concatenate([table.penalties, np.ones(start - n_functions)]),
        slices=table.slices,
        products=products,
    )


def _pairs_with_common_effect(problem: Problem, candidates: NDArray[np.bool_]) -> list[Pair]:
    pairs: set[Pair] = set()
    for effect, variable in enumerate(problem.variables):
        causes = [problem.variables[j] for j in np.flatnonzero(candidates[:, effect])]
        columns = [*variable.own_past, *(column for cause in causes for column in cause.inputs)]
        pairs.update(combinations(sorted(columns), 2))
    return sorted(pairs)
