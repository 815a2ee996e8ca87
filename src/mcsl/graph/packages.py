"""Graphs as objects of other packages, which are imported only here and only when asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mcsl.errors import GraphError

if TYPE_CHECKING:
    from mcsl.graph.causal_graph import CausalGraph


def causal_learn_graph(graph: CausalGraph) -> Any:
    """Return causal-learn's GeneralGraph, with an arrow for every edge."""
    nodes = [_load("causallearn.graph.GraphNode").GraphNode(name) for name in graph.names]
    made = _load("causallearn.graph.GeneralGraph").GeneralGraph(nodes)
    by_name = dict(zip(graph.names, nodes, strict=True))
    for cause, effect in graph.edges:
        made.add_directed_edge(by_name[cause], by_name[effect])
    return made


def pgmpy_dag(graph: CausalGraph) -> Any:
    """Return pgmpy's DAG."""
    made = _load("pgmpy.base").DAG()
    made.add_nodes_from(graph.names)
    made.add_edges_from(graph.edges)
    return made


def _load(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        package = {"causallearn": "causal-learn"}.get(module.partition(".")[0], module.partition(".")[0])
        raise GraphError(
            f"This needs the package {package}; install it with `pip install {package}`."
        ) from None
