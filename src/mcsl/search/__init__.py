"""Training: the augmented Lagrangian outside, one compiled scan of Adam steps inside."""

from mcsl.search.augmented_lagrangian import Fit, Schedule, search
from mcsl.search.trace import Observer, StopReason, TraceRow

__all__ = ["Fit", "Observer", "Schedule", "StopReason", "TraceRow", "search"]
