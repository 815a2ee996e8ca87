"""The methods of the comparison, one small file each: its source, its settings and how it is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

MODULES = (
    "default",
    "masked",
    "additive",
    "paper_mlp",
    "paper_quad",
    "gcastle_mcsl",
    "gran_dag",
    "cam",
    "notears_mlp",
    "notears_quad",
    "dagma_mlp",
    "sam",
    "dag_gnn",
    "notears",
    "ges",
    "pc",
    "ges_gs",
    "pc_kci",
    "var_sort_regress",
    "r2_sort_regress",
    "sort_by_variance",
    "sort_by_r2",
    "random_order",
    "empty",
    "true_order_additive",
    "true_order",
)


class Data(NamedTuple):
    """What a method is given."""

    values: np.ndarray
    """Shape (n_samples, n_variables), with a third axis of columns for methods that read vectors."""
    seed: int
    truth: np.ndarray | None = None
    """The true adjacency matrix, for oracles alone."""


@dataclass(frozen=True)
class Method:
    """How to call a method and what its answer means."""

    name: str
    package: str
    """The distribution whose version is recorded."""
    imports: str
    """The module to import before the clock starts."""
    source: str
    """The publication."""
    learn: Callable[..., np.ndarray]
    """`learn(data, **settings)` returns adjacency[cause, effect]."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    is_peer: bool = False
    """Whether it lives in the peers' environment."""
    is_pattern: bool = False
    """Whether a two-way edge stands for a direction left open."""
    is_oracle: bool = False
    is_unit_free: bool = False
    """Whether its graph is the same in any units; then it is not run on standardised data again."""
    is_pruned: bool = False
    """Whether the paper prunes its graph: by CAM pruning, and by quadratic regression on quadratic data."""
    is_quadratic: bool = False
    """Whether it knows quadratic functions alone; then it is run on such data, and on proteins."""
    reads_vectors: bool = False
    limit: int = 360
    """CPU seconds that a run is given."""
    n_samples: int | None = None
    """How many rows it is given, where all are too many."""


def load() -> dict[str, Method]:
    """Return all methods by name, in the order of the tables."""
    methods = [import_module(f"{__name__}.{module}").METHOD for module in MODULES]
    return {method.name: method for method in methods}
