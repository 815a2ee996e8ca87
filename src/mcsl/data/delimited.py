"""Delimited text (CSV, TSV, ...) to columns of numbers, with the line of everything that is not one."""

from __future__ import annotations

import csv
import io
import logging
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mcsl.data.checks import DECIMAL_COMMAS, MAX_WHOLE, Column, listed
from mcsl.data.marks import decimal_marks, doubt_thousands, has_mark, have_decimal_commas
from mcsl.errors import DataError

if TYPE_CHECKING:
    import polars as pl

logger = logging.getLogger(__name__)

DELIMITERS = {",": "a comma", "\t": "a tab", ";": "a semicolon", "|": "a bar", " ": "a blank"}
"""What may stand between two cells, in words; the last stands for any run of blanks."""

_SEPARATOR_LINE = re.compile(r'"?sep=([,\t;|])"?[ \t]*\n')
"""The first line by which Excel is told what stands between cells."""

MISSING = frozenset({"na", "n/a", "#n/a", "nan", "-nan", "null", "none", "<na>", "nil", "?", ".", "-"})
"""Cells that mean "not measured", besides the empty one; in lower case."""

WHOLE = re.compile(r"[+-]?\d+")

DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:T|\b)|\d{1,2}:\d{2}")


_ROWS_SEEN = 50


@dataclass(frozen=True)
class DelimitedText:
    """The text of a table, with what was found out about its form."""

    text: str
    delimiter: str
    names: tuple[str, ...]
    header_lines: int
    """Lines above the first row of numbers; 0 if the table has no header."""

    def line(self, row: int) -> int:
        """Return the line, from 1, of a row counted from 0."""
        skipped = 1 if self.header_lines else 0
        return next(islice(records(self.text, self.delimiter), row + skipped, None)).first_line

    def body(self) -> str:
        """Return the rows without header and blank lines."""
        body = self.text.split("\n", self.header_lines)[self.header_lines]
        if self.delimiter == " ":
            body = re.sub(r"[ \t]+", " ", re.sub(r"(?m)^[ \t]+|[ \t]+$", "", body))
        # In a table of tabs, a line of tabs is a row of empty cells.
        blank_lines = r"\n(?: *\n)+" if self.delimiter == "\t" else r"\n(?:[ \t]*\n)+"
        return re.sub(blank_lines, "\n", "\n" + body)[1:]


def decode(content: bytes, source: str) -> str:
    """Return UTF-8 text without its byte order mark; it must not be empty."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{source} is not UTF-8 text (see line {line}); save it as a CSV file in UTF-8."
        ) from None
    if not text.strip():
        raise DataError(f"{source} is empty.")
    return text


def parse_text(text: str, source: str) -> DelimitedText:
    """Find the delimiter and the names of the columns."""
    text = text.replace("\r\n", "\n").replace("\r", "\n") + "\n"
    told = _SEPARATOR_LINE.match(text)
    if told:
        text = text[told.end() - 1 :]
    try:
        delimiter = told[1] if told else sniff_delimiter(text)
        head = list(islice(records(text, delimiter), _ROWS_SEEN))
    except csv.Error as error:
        raise DataError(f"{source} cannot be read as delimited text: {error}.") from None
    if not head:
        raise DataError(f"{source} is empty.")
    first, below = head[0], [row.cells for row in head[1:]]
    second = below[0] if below else first.cells
    names = [cell.strip() for cell in first.cells]
    is_numbers = _is_numbers(names, delimiter)
    if is_numbers and not _are_names(names, below, delimiter):
        header_lines, names = 0, [f"x{i + 1}" for i in range(len(names))]
        logger.warning("%s has no header: its columns are named x1 to x%d.", source, len(names))
    else:
        header_lines = first.last_line
        if is_numbers:
            said = listed([name for name in names if name])
            logger.warning("The numbers in the first line of %s are taken for names: %s.", source, said)
    if len(second) == len(names) + 1 and not second[-1].strip():
        names.append("")
    return DelimitedText(text, delimiter, tuple(names), header_lines)


def to_columns(table: DelimitedText, source: str) -> list[Column]:
    """Read the rows; cells that are not numbers are reported in their column, ragged rows are refused."""
    import polars as pl

    schema = {str(i): pl.String for i in range(len(table.names))}
    try:
        frame = pl.read_csv(
            io.BytesIO(table.body().encode()),
            has_header=False,
            separator=table.delimiter,
            schema=schema,
            infer_schema=False,
        )
    except pl.exceptions.NoDataError:
        frame = pl.DataFrame(schema=schema)
    except pl.exceptions.PolarsError:
        line = _refuse_ragged(table, source)
        raise DataError(
            f"{source} cannot be read: a quotation mark in line {line} is never closed."
        ) from None
    frame = frame.with_columns(pl.all().str.strip_chars().replace({"": None}))
    if len(frame) and frame.null_count().sum_horizontal().item():
        _refuse_ragged(table, source)
    names = list(table.names)
    # A delimiter at the end of every line makes one more column, with neither name nor cells.
    if (names[-1] == "" or not table.header_lines) and frame[:, -1].null_count() == len(frame):
        names.pop()
    # pandas' name for a column without one, so that `--drop` can call it.
    names = [name or f"Unnamed: {i}" for i, name in enumerate(names)]
    columns = [_to_column(name, frame[:, i], table.delimiter) for i, name in enumerate(names)]
    cells = {i: frame[:, i] for i, column in enumerate(columns) if column.kind == "numbers"}
    for i, column in cells.items():
        columns[i] = replace(columns[i], doubt=doubt_thousands(columns[i].name, column, table, source))
    if table.delimiter == ";" and all(any(has_mark(c, mark).any() for c in cells.values()) for mark in ",."):
        for i, column in cells.items():
            columns[i] = replace(columns[i], marks=decimal_marks(column, table))
    return columns


def _to_column(name: str, cells: pl.Series, delimiter: str) -> Column:
    import polars as pl

    # Where semicolons part the cells, the comma is the decimal point.
    plain = cells.str.replace(",", ".", literal=True) if delimiter == ";" else cells
    numbers = plain.cast(pl.Float64, strict=False)
    lower = cells.str.to_lowercase()
    is_missing = cells.is_null() | lower.is_in(list(MISSING))
    unread = numbers.is_null() & ~is_missing
    if unread.any():
        if (is_missing | lower.is_in(["true", "false"])).all():
            numbers = (lower == "true").cast(pl.Float64).set(is_missing, None)
        else:
            row = int(unread.arg_max() or 0)
            example = str(cells[row])
            kind = "dates" if DATE.match(example) else "text"
            if have_decimal_commas(cells.filter(unread)):
                kind = DECIMAL_COMMAS
            is_alone = bool(unread.sum() == 1)
            return Column(name, kind=kind, example=example, row=row, is_alone=is_alone, cells=cells.to_list())
    values = numbers.fill_null(math.nan).to_numpy().astype(np.float64)
    if not (np.abs(values) >= MAX_WHOLE).any():
        return Column(name, values)
    known = cells.set(is_missing, None)
    is_whole = known.str.contains(f"^{WHOLE.pattern}$").all()
    return Column(name, values, cells=known.to_list() if is_whole else ())


def _refuse_ragged(table: DelimitedText, source: str) -> int:
    """Refuse the first row whose number of cells is not the table's; else return the line of the last row."""
    try:
        for i, record in enumerate(records(table.text, table.delimiter)):
            n_cells, n_columns = len(record.cells), len(table.names)
            is_header = record.last_line == table.header_lines
            if n_cells != n_columns and not (is_header and table.names[-1] == ""):
                raise DataError(
                    f"Line {record.first_line} of {source} has {_count(n_cells, 'cell')} where the table has "
                    f"{_count(n_columns, 'column')}; {_mend(record, table, is_first=i == 1)}."
                )
    except csv.Error as error:
        raise DataError(f"{source} cannot be read as delimited text: {error}.") from None
    return record.first_line


def _mend(record: Record, table: DelimitedText, *, is_first: bool) -> str:
    """Say what to do about a row that has more or fewer cells than the table has columns.

    `is_first` says that it is the first one below the names.
    """
    n_cells, n_columns = len(record.cells), len(table.names)
    if n_columns == 1 and record.first_line == 2:
        return "if line 1 is a title, delete it"
    if n_cells < n_columns:
        return "complete or remove it"
    is_whole = all(WHOLE.fullmatch(cell.strip()) for cell in record.cells)
    if table.delimiter == "," and is_whole and (is_first or n_cells == 2 * n_columns):
        return "if commas are decimal marks too, write points, or part the cells by semicolons"
    names = f"name every column in line {table.header_lines}, or " * (is_first and table.header_lines > 0)
    return f"{names}put cells that hold {DELIMITERS[table.delimiter]} in quotation marks"


class Record(NamedTuple):
    """One row of cells and the lines it spans, counted from 1."""

    first_line: int
    last_line: int
    cells: list[str]


def records(text: str, delimiter: str) -> Iterator[Record]:
    """Yield every row that is not blank."""
    rows = (line.strip() for line in _lines(text)) if delimiter == " " else _lines(text)
    reader = csv.reader(rows, delimiter=delimiter, skipinitialspace=True)
    last_line = 0
    for cells in reader:
        first_line, last_line = last_line + 1, reader.line_num
        if len(cells) > 1 or (cells and cells[0].strip()):
            yield Record(first_line, last_line, cells)


def _lines(text: str) -> Iterator[str]:
    """Yield the lines one by one, without a copy of the whole text."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def sniff_delimiter(text: str) -> str:
    """Return the delimiter that makes rows of equal length and cells that are numbers."""

    def merit(delimiter: str) -> tuple[bool, bool, float, int]:
        try:
            rows = [record.cells for record in islice(records(text, delimiter), _ROWS_SEEN)]
        except csv.Error:
            rows = []
        if not rows:
            return False, False, 0.0, 0
        widths = {len(cells) for cells in rows}
        cells = [cell for row in rows[1:] or rows for cell in row]
        share = sum(_is_number(cell, delimiter) for cell in cells) / len(cells)
        return max(widths) > 1, len(widths) == 1, share, len(rows[0])

    return max(DELIMITERS, key=merit)


def _is_numbers(cells: Sequence[str], delimiter: str) -> bool:
    """Whether a row holds numbers, of which some but not all may be missing."""
    known = [cell for cell in cells if not is_missing(cell)]
    return bool(known) and all(_is_number(cell, delimiter) for cell in known)


def _are_names(cells: list[str], below: Sequence[Sequence[str]], delimiter: str) -> bool:
    """Tell whether a first row of numbers holds names.

    It does if it counts 0, 1, 2, ... or 1, 2, ..., if it leaves out the index of a frame, or if its numbers
    are whole and distinct, and rows like those below are so in less than one case of a hundred.
    """
    # Neither the index nor what follows a delimiter at the end has a name.
    start, stop = int(cells[0] == ""), len(cells) - (cells[-1] == "")
    named = cells[start:stop]
    if _is_count(named) or (start and _is_index([row[0].strip() for row in below], delimiter)):
        return True
    if len(set(named)) < max(len(named), 2) or not all(map(WHOLE.fullmatch, named)):
        return False
    columns = zip(*(row[start:stop] for row in below), strict=False)
    return math.prod(sum(map(_may_be_whole, column)) / len(column) for column in columns) < 0.01


def _is_count(cells: list[str]) -> bool:
    return cells in ([str(i + start) for i in range(len(cells))] for start in (0, 1))


def _is_index(cells: list[str], delimiter: str) -> bool:
    """Whether a column numbers the rows, or names them in words."""
    return _is_count(cells) or not any(is_missing(cell) or _is_number(cell, delimiter) for cell in cells)


def _may_be_whole(cell: str) -> bool:
    return is_missing(cell) or WHOLE.fullmatch(cell.strip()) is not None


def is_missing(cell: str) -> bool:
    """Whether a cell means that nothing was measured."""
    return not cell.strip() or cell.strip().lower() in MISSING


def with_point(cell: str, delimiter: str) -> str:
    """Return a number with a decimal point: where semicolons part the cells, it has a comma."""
    return cell.replace(",", ".") if delimiter == ";" else cell


def _is_number(cell: str, delimiter: str) -> bool:
    try:
        return math.isfinite(float(with_point(cell, delimiter))) and "_" not in cell
    except ValueError:
        return False


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
