"""Which columns an edge joins, so that its effect can be drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcsl.result import Result


def edge_columns(result: Result, cause: str, effect: str) -> list[tuple[str, str]]:
    """Return the pairs of columns that an edge joins: one of scalars, and of vectors and series several.

    Where lags were tested, those that do not matter are left out.
    """
    sem, names = result.sem, result.graph.names
    source, mechanism = sem.variables[names.index(cause)], sem.mechanisms[names.index(effect)]
    matter = {
        test.lag for test in result.lag_tests if (test.cause, test.effect) == (cause, effect) and test.matters
    }
    return [
        (sem.columns[read], sem.columns[column])
        for lag, inputs in enumerate(source.by_lag)
        if not result.lag_tests or lag in matter
        for read in inputs
        if read in mechanism.inputs
        for column in mechanism.outputs
    ]
