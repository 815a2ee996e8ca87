"""Causal orders from spline regressions: screening, a climb over graphs, and its completion, in any units."""

from mcsl.order.screening import screen, spline_table
from mcsl.order.search import OrderFit, OrderSearch
from mcsl.order.transformation import bent_columns, straighten

__all__ = ["OrderFit", "OrderSearch", "bent_columns", "screen", "spline_table", "straighten"]
