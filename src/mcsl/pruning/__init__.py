"""Removing the edges that the data do not need."""

from mcsl.pruning.pruner import EdgeTest, KeepAll, Pruned, Pruner

__all__ = ["EdgeTest", "KeepAll", "Pruned", "Pruner"]
