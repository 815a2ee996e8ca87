"""Groups: which columns of a table make up one variable."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mcsl.data.sources import read_bytes
from mcsl.errors import SettingsError
from mcsl.problem.keys import once_each


def resolve_groups(
    columns: Sequence[str], groups: Mapping[str, Sequence[str]] | None = None
) -> dict[str, tuple[int, ...]]:
    """Return the places of the columns of every variable; a column in no group is a variable of its own.

    Variables stand in the order of their first columns in the table, and columns of a group in its own.
    """
    place = {name: i for i, name in enumerate(columns)}
    owner: dict[str, str] = {}
    listed = _checked(groups or {})
    for group, members in listed.items():
        for name in members:
            if name not in place:
                raise SettingsError(
                    f"The group {group!r} names the column {name!r}, which the table does not have; "
                    f"it has {', '.join(columns[:6])}{', ...' if len(columns) > 6 else ''}."
                )
            if name in owner:
                of = f"{owner[name]!r} and {group!r}" if owner[name] != group else f"{group!r} twice"
                raise SettingsError(
                    f"The column {name!r} is in the groups {of}; a column belongs to one variable, once."
                )
            owner[name] = group
    for group in listed:
        if owner.get(group, group) != group or (group in place and group not in owner):
            raise SettingsError(
                f"The group {group!r} is called like a column that is not in it; give one another name."
            )
    members_of = {name: (name,) for name in columns} | listed
    variables = {
        variable: tuple(place[member] for member in members_of[variable])
        for variable in dict.fromkeys(owner.get(name, name) for name in columns)
    }
    if len(variables) < 2:
        raise SettingsError("All columns are in one group; a causal graph needs at least two variables.")
    return variables


def groups_by_prefix(columns: Sequence[str], separator: str) -> dict[str, tuple[str, ...]]:
    """Group the columns that have the same beginning before the first separator."""
    if not separator:
        raise SettingsError("No sign was given that ends a prefix; give one of the column names, as a dot.")
    groups: dict[str, tuple[str, ...]] = {}
    for name in columns:
        prefix, found, _ = name.partition(separator)
        if found and prefix:
            groups[prefix] = (*groups.get(prefix, ()), name)
    if not groups:
        raise SettingsError(
            f"No column has {separator!r} in its name, so there is no prefix to group by; "
            f"the columns are {', '.join(columns[:6])}{', ...' if len(columns) > 6 else ''}."
        )
    return groups


def read_groups(path: str | os.PathLike[str]) -> dict[str, tuple[str, ...]]:
    """Read groups from a JSON file such as {"site": ["site.x", "site.y"]}."""
    path = Path(path)
    content = read_bytes(path)
    try:
        groups = json.loads(content, object_pairs_hook=lambda pairs: once_each(pairs, path, SettingsError))
    except SettingsError:
        raise
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise SettingsError(f"{path} cannot be read as JSON: {reason}.") from None
    try:
        return _checked(groups)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from None


def _checked(groups: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(groups, Mapping):
        raise SettingsError(
            f'Groups must map names to lists of columns, like {{"site": ["site.x", "site.y"]}}. '
            f"Got {type(groups).__name__} instead."
        )
    for group, members in groups.items():
        listed = isinstance(members, Sequence) and not isinstance(members, str | bytes)
        if not listed or not members or not all(isinstance(name, str) for name in members):
            raise SettingsError(
                f"The group {group!r} must be a list of at least one column name. Got {members!r} instead."
            )
    return {str(group): tuple(members) for group, members in groups.items()}
