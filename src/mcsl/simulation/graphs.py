"""Random DAGs by mean degree, with labels that say nothing about the causal order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcsl.errors import CyclicGraphError, SettingsError
from mcsl.graph import CausalGraph
from mcsl.graph.causal_graph import topological_order
from mcsl.settings import check_choice, check_number, whole_number

GraphKind = Literal["er", "sf"]
Hubs = Literal["effects", "causes"]

MAX_ATTEMPTS = 10_000


def simulate_dag(
    n_variables: int,
    degree: float,
    rng: np.random.Generator,
    *,
    kind: GraphKind = "er",
    hubs: Hubs = "effects",
    accepts: Callable[[NDArray[np.bool_]], bool] | None = None,
) -> CausalGraph:
    """Draw a DAG over x1..xd with `degree * d` edges on average, and a uniformly random causal order.

    - `er` (Erdős–Rényi): every pair is joined with probability 2 degree / (d - 1), so ER1 has d edges
      on average and ER4 has 4d.
    - `sf` (scale-free): variables arrive one by one and join earlier ones with probability proportional
      to 1 + their degree. Variable t joins min(t, q) of them, q solving sum_t min(t, q) = degree * d
      and rounded up or down at random. `hubs` says whether the popular old variables are the `effects`
      of the newcomers, as in the NOTEARS line of work, or their `causes`.

    With `accepts`, whole graphs are redrawn until `accepts(adjacency)` holds.
    """
    whole_number("n_variables", n_variables, 2)
    check_choice("kind", kind, GraphKind)
    check_choice("hubs", hubs, Hubs)
    check_number("degree", degree, least=0)
    if not degree <= (n_variables - 1) / 2:
        raise SettingsError(
            f"`degree` must be between 0 and (n_variables - 1) / 2 = {(n_variables - 1) / 2:g}, "
            f"where the DAG is complete. Got {degree} instead."
        )
    for _ in range(MAX_ATTEMPTS):
        if kind == "er":
            ordered = np.triu(rng.random((n_variables, n_variables)) < 2 * degree / (n_variables - 1), 1)
        else:
            ordered = _scale_free(n_variables, degree, rng)
            ordered = ordered.T if hubs == "effects" else ordered
        place = rng.permutation(n_variables)
        adjacency = ordered[np.ix_(place, place)]
        if accepts is None or accepts(adjacency):
            return CausalGraph(adjacency, tuple(f"x{i + 1}" for i in range(n_variables)))
    raise SettingsError(
        f"None of {MAX_ATTEMPTS} graphs with {n_variables} variables and `degree` {degree} "
        "was acceptable to the model; change `degree` or loosen the model's limits."
    )


def _scale_free(n_variables: int, degree: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Grow an adjacency matrix by preferential attachment, older variables causing newer ones."""
    earlier = np.arange(n_variables)
    edges_by_quota = np.minimum(earlier, earlier[:, None]).sum(axis=1)
    # The number of edges is linear in the quota between integers, so interpolation inverts it exactly.
    quota = np.interp(degree * n_variables, edges_by_quota, earlier)
    adjacency = np.zeros((n_variables, n_variables), dtype=bool)
    appeal = np.ones(n_variables)
    for new in range(1, n_variables):
        size = int(min(new, np.floor(quota + rng.random())))
        old = rng.choice(new, size=size, replace=False, p=appeal[:new] / appeal[:new].sum())
        adjacency[old, new] = True
        appeal[old] += 1
        appeal[new] += size
    return adjacency


def longest_path(adjacency: ArrayLike) -> int:
    """Return the number of edges on the longest directed path of a DAG."""
    matrix = np.asarray(adjacency) != 0
    order = topological_order(matrix)
    if len(order) < len(matrix):
        raise CyclicGraphError("The longest path of a graph with a cycle is endless; a DAG is needed.")
    depth = np.zeros(len(matrix), dtype=int)
    for node in order:
        depth[node] = (depth[matrix[:, node]] + 1).max(initial=0)
    return int(depth.max(initial=0))


def longest_shortest_path(adjacency: ArrayLike) -> int:
    """Return the largest number of edges that a directed walk needs between two connected variables."""
    from scipy.sparse.csgraph import shortest_path

    distances = shortest_path(np.asarray(adjacency) != 0, unweighted=True)
    return int(distances[np.isfinite(distances)].max(initial=0))
