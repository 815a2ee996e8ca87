"""The data of the comparison: which tables of which models, and how each is drawn."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

import mcsl
from mcsl.evaluation import r2_sortability, var_sortability

SACHS = "sachs"


def _scenarios(model: str, graphs: str, sizes: tuple[int, ...], **settings: Any) -> dict[str, dict[str, Any]]:
    """Name scenarios as model-graph-size, with graphs such as `ER1 ER4`."""
    return {
        f"{model}-{graph}-{d}": {
            "model": model,
            "graph": graph[:2].lower(),
            "degree": int(graph[2:]),
            "n_variables": d,
            **settings,
        }
        for graph in graphs.split()
        for d in sizes
    }


def _with_rows(n: int, scenarios: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {f"{name}-n{n}": {**settings, "n_samples": n} for name, settings in scenarios.items()}


_SAMPLES = _scenarios("gp", "ER1 ER4", (20,)) | _scenarios("gp-add", "ER1 ER4", (20,))

TABLES: dict[str, dict[str, dict[str, Any]]] = {
    "1": _scenarios("gp", "ER1 ER4", (10, 50)),
    "1a": _scenarios("gp-add", "ER1 ER4", (10, 50)),
    "2": _scenarios("gp", "ER1 ER4", (20, 100)),
    "2a": _scenarios("gp-add", "ER1 ER4", (20, 100)),
    "3": _scenarios("quadratic", "ER1", (10, 20, 50)),
    "4": _scenarios("pnl", "ER1", (10, 20, 50)),
    "scale-free": _scenarios("gp", "SF1 SF4", (50,)) | _scenarios("gp-add", "SF1 SF4", (50,)),
    "samples": {
        **_with_rows(300, _SAMPLES),
        **_with_rows(1000, _SAMPLES),
        **_SAMPLES,
        **_with_rows(10_000, _SAMPLES),
    },
    "vectors": _scenarios("gp-vec", "ER4", (10, 20)) | _scenarios("gp-add-vec", "ER4", (10, 20)),
    "sachs": {SACHS: {}},
}
"""The paper's four tables, and those of what it tells in figures and sentences.

The paper does not say whether its Gaussian processes are joint functions of all causes or sums of functions
of single ones, as in the `a` tables.
"""
SCENARIOS = {name: settings for table in TABLES.values() for name, settings in table.items()}


class Case(NamedTuple):
    """One table to learn from and the truth behind it."""

    values: np.ndarray
    """Shape (n_samples, n_variables, dimension)."""
    truth: np.ndarray
    """adjacency[cause, effect]."""
    sortability: dict[str, float | None]


def draw(scenario: str, seed: int, standardized: bool, **changes: Any) -> Case:
    """Draw the table of a scenario, with some of its settings changed; Sachs' is always the same."""
    dataset, graph = _draw_raw(scenario, seed, **changes)
    if standardized:
        dataset = dataset.standardized()
    values = dataset.values.reshape(dataset.n_samples, graph.n_variables, -1)
    first = values[:, :, 0]
    sortability = {"var": var_sortability(first, graph), "r2": r2_sortability(first, graph)}
    rounded = {name: round(value, 3) for name, value in sortability.items()}
    return Case(values, graph.adjacency, rounded)


@lru_cache(maxsize=2)
def _draw_raw(scenario: str, seed: int, **changes: Any) -> tuple[mcsl.Dataset, mcsl.CausalGraph]:
    if scenario == SACHS:
        return mcsl.fetch_sachs()
    simulation = mcsl.simulate(**SCENARIOS[scenario] | changes, seed=seed)
    return simulation.dataset, simulation.graph
