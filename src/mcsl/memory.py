"""How much memory learning may use, and how many rows of a table that allows it to hold."""

from __future__ import annotations

import re

from mcsl.errors import SettingsError

DEFAULT_MEMORY = "2GB"
FEWEST_ROWS = 3000
"""Rows that are held at least; fewer say too little."""
MOST_FUNCTIONS = 6000
"""Spline functions and products of which a search holds one Gram matrix at most."""

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
# A quarter is left to the libraries and to blocks of rows on their way through.
_SHARE = 0.75


def parse_memory(memory: str | int) -> int:
    """Return bytes: of a number, or of a text such as "500MB", "2GB" or "1.5GiB"."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(I?)B?\s*", str(memory).upper())
    if not found or (found[3] and not found[2]):
        raise SettingsError(f"`memory` must be a size such as 500MB or 2GB. Got {memory!r} instead.")
    number, unit, binary = found.groups()
    return int(float(number) * (2 ** (10 * "KMGT".index(unit) + 10) if binary else _UNITS[unit]))


def rows_held(n_rows: int, n_columns: int, memory: int) -> int:
    """Return how many of a table's rows are held at once while its graph is learned.

    At its widest a row is the spline functions of all columns, nine each, and the nine products of each
    pair, as far as the search takes them, beside three copies that the search makes of them; before that,
    the distances of one column to 200 knots, three times.
    """
    if n_rows <= FEWEST_ROWS:
        return n_rows
    n_functions = 9 * n_columns
    n_functions = max(n_functions, min(MOST_FUNCTIONS, n_functions + 9 * n_columns * (n_columns - 1) // 2))
    bytes_per_row = 8 * (4 * n_functions + 3 * 200)
    n_held = int(_SHARE * memory / bytes_per_row)
    if n_held < FEWEST_ROWS:
        least = -(-FEWEST_ROWS * bytes_per_row // int(_SHARE * 10**6))
        raise SettingsError(
            f"`memory` must be at least {least}MB to learn from {n_columns} columns. "
            f"Got {memory / 10**6:g}MB instead."
        )
    return min(n_rows, n_held)
