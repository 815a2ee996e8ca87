"""Variables across the devices of the mesh that `jax.set_mesh` names; without one, JAX chooses a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import equinox as eqx
import jax
from jax.sharding import PartitionSpec

Tree = TypeVar("Tree")


def by_variable(tree: Tree) -> Tree:
    """Spread the leading axis of everything that trains over the devices; shares need not be equal."""
    return _constrain(tree, eqx.is_inexact_array, jax.sharding.get_abstract_mesh().axis_names)


def everywhere(tree: Tree) -> Tree:
    """Give every device all of it."""
    return _constrain(tree, eqx.is_array)


def _constrain(tree: Tree, which: Callable[[Any], bool], *axes: tuple[str, ...]) -> Tree:
    if jax.sharding.get_abstract_mesh().empty:
        return tree
    arrays, rest = eqx.partition(tree, which)
    placed = jax.lax.with_sharding_constraint(arrays, PartitionSpec(*axes))  # type: ignore[no-untyped-call]
    joined: Tree = eqx.combine(placed, rest)
    return joined
