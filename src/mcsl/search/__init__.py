"""Training: the augmented Lagrangian outside, one compiled loop of Adam steps inside.

`augmented_lagrangian.search` trains, and is not imported here: JAX takes a second to load, and recipes
without networks do without it.
"""

from mcsl.search.schedule import Schedule
from mcsl.search.trace import Observer, Restart, StopReason, TraceRow

__all__ = ["Observer", "Restart", "Schedule", "StopReason", "TraceRow"]
