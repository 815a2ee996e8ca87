"""From files and frames to a checked table of numbers."""

from mcsl.data.dataset import Dataset
from mcsl.data.sources import read_table, to_dataset

__all__ = ["Dataset", "read_table", "to_dataset"]
