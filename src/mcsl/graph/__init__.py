"""Directed acyclic graphs over named variables."""

from mcsl.graph.causal_graph import CausalGraph, find_cycle, is_acyclic
from mcsl.graph.stability import Stability
from mcsl.graph.threshold import Thresholded, threshold

__all__ = ["CausalGraph", "Stability", "Thresholded", "find_cycle", "is_acyclic", "threshold"]
