"""From files and frames to a checked table of numbers."""

from mcsl.data.checks import MIN_SAMPLES, check_drawn
from mcsl.data.dataset import Dataset
from mcsl.data.long_table import LongTable, Rows, draw_rows, open_long_table
from mcsl.data.metrics import read_metrics
from mcsl.data.sachs import Sachs, fetch_sachs
from mcsl.data.series import SeriesTable, to_series
from mcsl.data.sources import read_table, to_dataset

__all__ = [
    "MIN_SAMPLES",
    "Dataset",
    "LongTable",
    "Rows",
    "Sachs",
    "SeriesTable",
    "check_drawn",
    "draw_rows",
    "fetch_sachs",
    "open_long_table",
    "read_metrics",
    "read_table",
    "to_dataset",
    "to_series",
]
