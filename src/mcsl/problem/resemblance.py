"""Variables that measure nearly the same: beside each other, tests find none of them needed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from mcsl.problem.problem import Problem

# Two columns with a larger correlation resemble each other.
_RESEMBLING = 0.9


def alike(problem: Problem, variables: Sequence[int]) -> NDArray[np.intp]:
    """Number some variables so that those share a number which resemble each other, directly or by others.

    Two variables do if a column of one correlates with a column of the other by more than 0.9.
    """
    owners = np.array([k for k, i in enumerate(variables) for _ in problem.variables[i].inputs])
    columns = [column for i in variables for column in problem.variables[i].inputs]
    values = problem.dataset.values[:, columns]
    with np.errstate(divide="ignore", invalid="ignore"):
        # A constant column has no correlations, and resembles none.
        close = np.abs(np.corrcoef(values, rowvar=False).reshape(len(columns), -1)) > _RESEMBLING
    pairs = np.zeros((len(variables), len(variables)), dtype=bool)
    first, second = np.nonzero(close)
    pairs[owners[first], owners[second]] = True
    numbers: NDArray[np.intp] = connected_components(pairs, directed=False)[1]
    return numbers
