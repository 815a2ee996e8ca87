"""Removing the edges that the data do not need."""

from mcsl.pruning.additive import AdditivePruner
from mcsl.pruning.interactions import InteractionPruner
from mcsl.pruning.lags import LagTest, lag_tests
from mcsl.pruning.pruner import EdgeTest, KeepAll, Pruned, Pruner, prune
from mcsl.pruning.quadratic import QuadraticPruner
from mcsl.pruning.splines import SplineTable

__all__ = [
    "AdditivePruner",
    "EdgeTest",
    "InteractionPruner",
    "KeepAll",
    "LagTest",
    "Pruned",
    "Pruner",
    "QuadraticPruner",
    "SplineTable",
    "lag_tests",
    "prune",
]
