"""Variables across the devices of the mesh that `jax.set_mesh` names; without one, JAX chooses a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import equinox as eqx
import jax
from jax.sharding import PartitionSpec

from mcsl.errors import SettingsError

Tree = TypeVar("Tree")


def by_variable(tree: Tree) -> Tree:
    """Spread the leading axis of everything that trains over the devices; shares need not be equal."""
    return _constrain(tree, eqx.is_inexact_array, spread=True)


def everywhere(tree: Tree) -> Tree:
    """Give every device all of it."""
    return _constrain(tree, eqx.is_array)


def is_spread() -> bool:
    """Whether variables are spread over the devices of a mesh."""
    return not jax.sharding.get_abstract_mesh().empty


def _constrain(tree: Tree, which: Callable[[Any], bool], *, spread: bool = False) -> Tree:
    mesh = jax.sharding.get_abstract_mesh()
    if mesh.empty:
        return tree
    if mesh.explicit_axes:
        raise SettingsError("The mesh must leave its axes to the compiler; make it by `jax.sharding.Mesh`.")
    arrays, rest = eqx.partition(tree, which)
    spec = PartitionSpec(mesh.axis_names) if spread else PartitionSpec()  # type: ignore[no-untyped-call]
    placed = jax.lax.with_sharding_constraint(arrays, spec)  # type: ignore[no-untyped-call]
    joined: Tree = eqx.combine(placed, rest)
    return joined
