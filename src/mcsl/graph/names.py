"""What to say where two graphs, or a graph and a table, have not the same variables."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

_MOST_NAMES = 5


def say_difference(kinds: tuple[str, str], first: Sequence[str], second: Sequence[str]) -> str:
    """Say which variables only one of two graphs has, or a graph and a table, and what to do about it."""
    only = [name for name in first if name not in second], [name for name in second if name not in first]
    if all(only):
        return (
            f"{kinds[0].capitalize()} and {kinds[1]} must have the same variables, but only the {kinds[0]} "
            f"has {_some(only[0])} and only the {kinds[1]} has {_some(only[1])}; call them by the same names."
        )
    here, there = kinds if only[1] else kinds[::-1]
    names = only[0] or only[1]
    them = "it" if len(names) == 1 else "them"
    if here == "table":
        return f"The table has no {_some(names)}; take {them} out of the graph, or add {them} to the table."
    added = f"add {them} as {'a node' if len(names) == 1 else 'nodes'}"
    if there == "table":
        options = " ".join(f"--drop {shlex.quote(name)}" for name in names[:_MOST_NAMES])
        dots = " ..." if len(names) > _MOST_NAMES else ""
        columns = "column" if len(names) == 1 else "columns"
        return f"The {here} has no {_some(names)}; {added}, or leave the {columns} out with {options}{dots}."
    return f"The {here} has no {_some(names)}, which the {there} has; {added}."


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(map(repr, names[:_MOST_NAMES])) + more
