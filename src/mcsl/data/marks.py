"""Commas and points within the cells of a text file: decimal marks, or what parts thousands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from mcsl.data.delimited import DelimitedText

_DECIMAL_COMMA = r"^\s*[+-]?\d+,\d+(?:[eE][+-]?\d+)?\s*$"
_THOUSANDS = r",\d{3}\s*$"


def have_decimal_commas(cells: pl.Series) -> bool:
    """Tell whether all cells are numbers with a comma that does not, throughout, part thousands."""
    return bool(cells.str.contains(_DECIMAL_COMMA).all() and not cells.str.contains(_THOUSANDS).all())


def has_mark(cells: pl.Series, mark: str) -> pl.Series:
    """Say which cells have a mark beside a digit; a point alone is a missing value."""
    return cells.str.contains(rf"\d[{mark}]|[{mark}]\d").fill_null(value=False)


def decimal_marks(cells: pl.Series, table: DelimitedText) -> dict[str, str]:
    """Return the decimal marks of a column, each with an example and its line."""
    rows = {mark: int(has_mark(cells, mark).arg_max() or 0) for mark in ",." if has_mark(cells, mark).any()}
    return {mark: f"{cells[row]!r} in line {table.line(row)}" for mark, row in rows.items()}


def doubt_thousands(name: str, cells: pl.Series, table: DelimitedText, source: str) -> str:
    """Doubt a column such as 812, 1.257, 394, whose marks are read as decimals but may part thousands.

    A single number of hundreds, such as the 100 of percentages, is no reason to.
    """
    mark = "," if table.delimiter == ";" and has_mark(cells, ",").any() else "."
    marked = has_mark(cells, mark)
    if not marked.any() or marked.all():
        return ""
    whole = cells.filter(~marked).drop_nulls()
    like_thousands = cells.filter(marked).str.contains(rf"^[+-]?[1-9]\d{{0,2}}[{mark}]\d{{3}}$").all()
    hundreds = whole.filter(whole.str.contains(r"^[+-]?\d{3}$")).n_unique()
    if not like_thousands or hundreds < 2 or whole.str.contains(r"\d{4}").any():
        return ""
    row = int(marked.arg_max() or 0)
    cell, line = str(cells[row]), table.line(row)
    number, thousands = float(cell.replace(mark, ".")), cell.replace(mark, "")
    return (
        f"{cell!r} in line {line}, column {name!r} of {source} is read as {number:g}; "
        f"if it is {thousands}, write the numbers of this column without {mark!r}."
    )
