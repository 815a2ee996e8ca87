"""Results and simulations on disk."""

from mcsl.outputs.adjacency import read_adjacency
from mcsl.outputs.files import check_directory, write_adjacency, write_pruned, write_result, write_simulation

__all__ = [
    "check_directory",
    "read_adjacency",
    "write_adjacency",
    "write_pruned",
    "write_result",
    "write_simulation",
]
