"""Masked gradient-based causal structure learning: from a table to the causal graph behind it.

>>> import mcsl
>>> result = mcsl.learn("measurements.csv")  # doctest: +SKIP
>>> result.graph.edges  # doctest: +SKIP

Names load on first use, so that importing mcsl costs nothing.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcsl.data import Dataset, fetch_sachs, read_table, to_dataset, to_series
    from mcsl.diagnosis import RootCauseResult, root_cause
    from mcsl.errors import (
        CyclicGraphError,
        DataError,
        GraphError,
        KnowledgeError,
        McslError,
        OutputError,
        SettingsError,
    )
    from mcsl.estimator import MCSL
    from mcsl.evaluation import Metrics, evaluate
    from mcsl.graph import CausalGraph, Stability
    from mcsl.learning import Interrupted, learn
    from mcsl.model import MLP, Linear, LocationScale, Mechanism, Quadratic
    from mcsl.objective import gaussian_likelihood, least_squares, location_scale_likelihood
    from mcsl.order import OrderSearch
    from mcsl.outputs.charts import plot_adjacency, plot_effects, plot_training
    from mcsl.outputs.graphs import read_graph, write_graph
    from mcsl.outputs.plots import plot_graph, write_graph_picture
    from mcsl.outputs.report import write_report
    from mcsl.outputs.saving import load_result
    from mcsl.problem import Knowledge, Problem, read_knowledge
    from mcsl.pruning import AdditivePruner, InteractionPruner, KeepAll, QuadraticPruner
    from mcsl.recipe import Recipe
    from mcsl.rescaling import check_rescaling
    from mcsl.result import Result
    from mcsl.search import Restart, Schedule, StopReason, TraceRow
    from mcsl.sem import FittedSEM, fit_sem
    from mcsl.simulation import Simulation, simulate, simulate_series
    from mcsl.stability import assess_stability
    from mcsl.trust import Finding

__version__ = "0.1.0"

_ROOMS = {
    "data": ("Dataset", "fetch_sachs", "read_table", "to_dataset", "to_series"),
    "diagnosis": ("RootCauseResult", "root_cause"),
    "errors": (
        "CyclicGraphError",
        "DataError",
        "GraphError",
        "KnowledgeError",
        "McslError",
        "OutputError",
        "SettingsError",
    ),
    "estimator": ("MCSL",),
    "evaluation": ("Metrics", "evaluate"),
    "graph": ("CausalGraph", "Stability"),
    "learning": ("Interrupted", "learn"),
    "model": ("MLP", "Linear", "LocationScale", "Mechanism", "Quadratic"),
    "objective": ("gaussian_likelihood", "least_squares", "location_scale_likelihood"),
    "problem": ("Knowledge", "Problem", "read_knowledge"),
    "order": ("OrderSearch",),
    "outputs.charts": ("plot_adjacency", "plot_effects", "plot_training"),
    "outputs.graphs": ("read_graph", "write_graph"),
    "outputs.saving": ("load_result",),
    "outputs.plots": ("plot_graph", "write_graph_picture"),
    "outputs.report": ("write_report",),
    "pruning": ("AdditivePruner", "InteractionPruner", "KeepAll", "QuadraticPruner"),
    "recipe": ("Recipe",),
    "rescaling": ("check_rescaling",),
    "result": ("Result",),
    "search": ("Restart", "Schedule", "StopReason", "TraceRow"),
    "stability": ("assess_stability",),
    "sem": ("FittedSEM", "fit_sem"),
    "simulation": ("Simulation", "simulate", "simulate_series"),
    "trust": ("Finding",),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "MCSL",
    "MLP",
    "AdditivePruner",
    "CausalGraph",
    "CyclicGraphError",
    "DataError",
    "Dataset",
    "Finding",
    "FittedSEM",
    "GraphError",
    "InteractionPruner",
    "Interrupted",
    "KeepAll",
    "Knowledge",
    "KnowledgeError",
    "Linear",
    "LocationScale",
    "McslError",
    "Mechanism",
    "Metrics",
    "OrderSearch",
    "OutputError",
    "Problem",
    "Quadratic",
    "QuadraticPruner",
    "Recipe",
    "Restart",
    "Result",
    "RootCauseResult",
    "Schedule",
    "SettingsError",
    "Simulation",
    "Stability",
    "StopReason",
    "TraceRow",
    "assess_stability",
    "check_rescaling",
    "evaluate",
    "fetch_sachs",
    "fit_sem",
    "gaussian_likelihood",
    "learn",
    "least_squares",
    "load_result",
    "location_scale_likelihood",
    "plot_adjacency",
    "plot_effects",
    "plot_graph",
    "plot_training",
    "read_graph",
    "read_knowledge",
    "read_table",
    "root_cause",
    "simulate",
    "simulate_series",
    "to_dataset",
    "to_series",
    "write_graph",
    "write_graph_picture",
    "write_report",
]

logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    try:
        room = import_module(f"{__name__}.{_ROOM_OF[name]}")
    except KeyError:
        raise AttributeError(f"module 'mcsl' has no attribute {name!r}") from None
    value = getattr(room, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
