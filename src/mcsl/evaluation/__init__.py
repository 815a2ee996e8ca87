"""Distances between graphs, and what the data's scale gives away."""

from mcsl.evaluation.metrics import Metrics, evaluate, shd, sid
from mcsl.evaluation.sortability import r2_sortability, var_sortability

__all__ = ["Metrics", "evaluate", "r2_sortability", "shd", "sid", "var_sortability"]
