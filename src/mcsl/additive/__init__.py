"""The fast baseline: screening and a greedy search over additive spline models, in any units."""

from mcsl.additive.screening import screen, spline_table
from mcsl.additive.search import AdditiveFit, additive_search
from mcsl.additive.transformation import straighten

__all__ = ["AdditiveFit", "additive_search", "screen", "spline_table", "straighten"]
