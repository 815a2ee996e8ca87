"""Removing the edges that the data do not need."""

from mcsl.pruning.additive import AdditivePruner
from mcsl.pruning.pruner import EdgeTest, KeepAll, Pruned, Pruner
from mcsl.pruning.splines import SplineTable

__all__ = ["AdditivePruner", "EdgeTest", "KeepAll", "Pruned", "Pruner", "SplineTable"]
