"""What a table must fulfil before anything is learned from it; one clear sentence where it does not."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcsl.data.dataset import Dataset
from mcsl.data.summary import Spots, Summary
from mcsl.errors import DataError

logger = logging.getLogger(__name__)

MIN_SAMPLES = 20
"""Fewest rows that are learned from; below it not even a spline of one parent can be tested."""

LARGEST = float(np.finfo(np.float32).max)
SMALLEST = float(np.finfo(np.float32).tiny)
"""The fit runs in float32: a column must have a magnitude in [1.2e-38, 3.4e38]."""

MIN_SPREAD = 1024 * float(np.finfo(np.float64).eps)
"""A column that varies by less than this share of its magnitude shows the rounding of float64, not data."""

MAX_WHOLE = 2.0**53
"""From here on, whole numbers that are not the same may be the same as floats."""

DECIMAL_COMMAS = "decimal commas"
"""The kind of a column such as 3,27 where no semicolons part the cells."""


@dataclass(frozen=True, eq=False)
class Column:
    """One column as it was found: its numbers (NaN where missing), or why it has none."""

    name: str
    values: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    kind: str = "numbers"
    """What it holds: "numbers", or "text", "dates", ..., which are refused."""
    example: str = ""
    """A value that is not a number ..."""
    row: int = 0
    """... and the row it stands in, from 0."""
    is_alone: bool = False
    """Whether it is the only one, as far as that was counted."""
    cells: Sequence[Any] = field(default=(), repr=False)
    """What stands in the rows of a column that is refused as numbers, or of whole numbers that floats may not
    tell apart; None where nothing does."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """Its decimal marks, each with an example and its line, where the table has commas and points."""
    doubt: str = ""
    """What may be wrong with its numbers; said once nothing speaks against the table."""


@dataclass(frozen=True)
class Origin:
    """Where a table comes from, so that a message can point into it."""

    name: str
    place: Callable[[int], str] = lambda row: f"row {row} (counting from 0)"
    """Says where a row is found, for example "line 17"."""
    is_file: bool = False
    reader: str = "mcsl.data.to_dataset"
    """The function that reads it in Python, or nothing where it is not known who read it ..."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """... and what else it was told."""
    instead: str = ""
    """What can be done about a column besides leaving it out."""

    def leave_out(self, names: Sequence[str], them: str = "") -> str:
        """Say how to leave columns out, as the user of a file or of Python would write it."""
        said = f"leave {them or ('it' if len(names) == 1 else 'them')} out"
        if self.is_file:
            said += " with " + " ".join(f"--drop {shlex.quote(name)}" for name in names)
        elif self.reader:
            options = {**self.options, "drop": list(names)}
            listed_options = ", ".join(f"{name}={value!r}" for name, value in options.items())
            said += f" with {self.reader}(data, {listed_options})"
        return f"{said}, or {self.instead}" if self.instead else said

    def hint(self, option: str, argument: str) -> str:
        """Return what to write, on the command line or in Python."""
        return option if self.is_file else argument


UNKNOWN = Origin("the table", reader="")
"""The origin of a table that somebody else has read."""


def check_table(
    columns: Sequence[Column], origin: Origin, drop: Collection[str], *, allow_missing: bool = False
) -> Dataset:
    """Return the table without the columns in `drop`, or say in one sentence why it cannot be used."""
    known = [column.name for column in columns]
    columns = drop_columns(columns, origin, drop)
    check_names([column.name for column in columns], known, origin)
    check_kinds(columns, origin)
    check_marks(columns, origin)
    values = np.column_stack([column.values for column in columns])
    dataset = Dataset(values, tuple(column.name for column in columns))
    check_values(dataset, origin, allow_missing=allow_missing)
    tell_doubts(columns)
    return dataset


def check_values(dataset: Dataset, origin: Origin, *, allow_missing: bool = False) -> None:
    """Refuse a table whose numbers cannot be used."""
    summary = Summary(dataset.n_variables)
    summary.add(dataset.values)
    check_summary(summary, dataset.names, origin, allow_missing=allow_missing)


def check_summary(
    summary: Summary, names: Sequence[str], origin: Origin, *, allow_missing: bool = False
) -> None:
    """Refuse a table by the summary of its numbers."""
    if not summary.n_rows:
        raise DataError(f"{_capital(origin.name)} has column names but no rows.")
    _check_no_empty_column(summary, names, origin)
    if not allow_missing:
        _check_spots(summary.missing, "missing value", summary.n_rows, names, origin)
    _check_spots(summary.infinite, "infinite value", summary.n_rows, names, origin)
    if summary.n_rows < MIN_SAMPLES:
        rows = "1 row" if summary.n_rows == 1 else f"{summary.n_rows} rows"
        raise DataError(f"{_capital(origin.name)} has {rows}; learning needs at least {MIN_SAMPLES}.")
    _check_row_index(summary, names[0], origin)
    _check_spread(summary, names, origin)
    _check_copies(summary, names, origin)


def check_drawn(sample: Dataset, origin: Origin = UNKNOWN) -> None:
    """Refuse rows that were drawn at random and leave a column constant."""
    constant = [sample.names[i] for i in _where(np.ptp(sample.values, axis=0) == 0)]
    if constant:
        varies = "varies" if len(constant) == 1 else "vary"
        origin = replace(origin, instead="allow more memory")
        raise DataError(
            f"{listed(constant, 'Column')} of {origin.name} {varies} so rarely that {sample.n_samples} rows "
            f"drawn at random do not show it; {origin.leave_out(constant)}."
        )


def drop_columns(columns: Sequence[Column], origin: Origin, drop: Collection[str]) -> list[Column]:
    """Return the columns that `drop` does not name."""
    drop = [drop] if isinstance(drop, str) else list(drop)
    known = [column.name for column in columns]
    for name in drop:
        if name not in known:
            raise DataError(f"There is no column {name!r} to drop in {origin.name}; it has {listed(known)}.")
    return [column for column in columns if column.name not in drop]


def check_names(names: Sequence[str], in_file: Sequence[str], origin: Origin) -> None:
    """Refuse a table of less than two columns, or with two of one name."""
    if len(names) < 2:
        found = f"only the column {names[0]!r}" if names else "no columns"
        raise DataError(f"{_capital(origin.name)} has {found}; a causal graph needs at least two columns.")
    for i, name in enumerate(names):
        if name in names[:i]:
            first = in_file.index(name)
            second = in_file.index(name, first + 1)
            raise DataError(
                f"Columns {first + 1} and {second + 1} of {origin.name} are both named {name!r}; "
                f"rename one, or {origin.leave_out([name], 'them')}."
            )


def check_kinds(columns: Sequence[Column], origin: Origin) -> None:
    """Refuse columns of anything but numbers."""
    wrong = [column for column in columns if column.kind != "numbers"]
    if not wrong:
        return
    _refuse_units(columns, wrong, origin)
    names = [column.name for column in wrong]
    kinds = " and ".join(sorted({column.kind for column in wrong}))
    example = f", for example {_short(wrong[0].example)} in {origin.place(wrong[0].row)}"
    holds, them = ("holds", "it") if len(wrong) == 1 else ("hold", "them")
    remedies = [f"turn {them} into plain numbers"]
    if kinds == DECIMAL_COMMAS:
        remedies = [f"write {them} with points", "save the table with semicolons between its cells"]
    if len(wrong) < len(columns):
        remedies.append(origin.leave_out(names))
    *others, last = remedies
    raise DataError(
        f"{listed(names, 'Column')} of {origin.name} {holds} {kinds}{example}; "
        f"{', '.join(others)}{', or ' * bool(others)}{last}{_of_series(wrong, origin)}."
    )


def _refuse_units(columns: Sequence[Column], wrong: Sequence[Column], origin: Origin) -> None:
    """Refuse a first row without a number, above rows where most columns that are wrong have nothing else."""
    units = [column for column in wrong if column.is_alone and column.row == 0]
    has_number = any(
        not np.isnan(column.values[0])
        if column.kind == "numbers"
        else column.row > 0 and column.kind != "dates"
        for column in columns
    )
    if 2 * len(units) > len(wrong) and not has_number:
        raise DataError(
            f"{_capital(origin.place(0))} of {origin.name} holds no numbers, for example "
            f"{_short(units[0].example)} for {units[0].name!r}, and looks like units; delete it."
        )


def check_marks(columns: Sequence[Column], origin: Origin) -> None:
    """Refuse decimal commas beside decimal points: one of the two may part thousands."""
    said = {
        mark: f"{column.marks[mark]}, column {column.name!r}"
        for column in reversed(columns)
        for mark in column.marks
    }
    if len(said) > 1:
        raise DataError(
            f"{_capital(origin.name)} mixes commas and points as decimal marks, such as {said[',']}, and "
            f"{said['.']}; write all numbers with one of them, and thousands without any."
        )


def tell_doubts(columns: Sequence[Column]) -> None:
    """Warn of numbers that may mean something else."""
    for column in columns:
        if column.doubt:
            logger.warning(column.doubt)


def _of_series(columns: Sequence[Column], origin: Origin) -> str:
    """Say how to learn from series where a table has dates, unless it is read as series already."""
    dates = [column.name for column in columns if column.kind == "dates"]
    if not dates or origin.reader == "mcsl.to_series":
        return ""
    call = origin.hint(
        f"mcsl learn --lags 1 --time-column {shlex.quote(dates[0])}",
        f"mcsl.learn(data, lags=1, time={dates[0]!r})",
    )
    return f"; if rows follow each other in time, learn from a series with `{call}`"


def _check_no_empty_column(summary: Summary, names: Sequence[str], origin: Origin) -> None:
    empty = [names[i] for i in _where(summary.missing.by_column == summary.n_rows)]
    if empty:
        holds = "has" if len(empty) == 1 else "have"
        raise DataError(
            f"{listed(empty, 'Column')} of {origin.name} {holds} no values; "
            f"{_without(empty, names, origin, 'take a table with numbers')}."
        )


def _check_spots(spots: Spots, noun: str, n_rows: int, names: Sequence[str], origin: Origin) -> None:
    count = int(spots.by_column.sum())
    if not count:
        return
    place = f"in {origin.place(spots.first.row)}, column {names[spots.first.column]!r}"
    if count > 1:
        per_column = [f"{names[i]!r} ({spots.by_column[i]})" for i in _where(spots.by_column > 0)]
        if len(per_column) > 6:
            per_column[5:] = [f"{len(per_column) - 5} more"]
        place = f"in {spots.n_rows} of {n_rows} rows, by column {', '.join(per_column)}, the first {place}"
    remedy = f"fill in or remove {'it' if count == 1 else 'them'} first"
    if noun == "missing value":
        whole = f", which leaves {n_rows - spots.n_rows} rows,"
        remedy = origin.hint(
            f"choose --missing drop{whole} impute or mask",
            f'learn with `missing="drop"`{whole} `"impute"` or `"mask"`',
        )
    raise DataError(f"{_capital(origin.name)} has {count} {noun}{'s'[: count > 1]} {place}; {remedy}.")


def _check_row_index(summary: Summary, name: str, origin: Origin) -> None:
    is_unnamed = name.strip() == "" or name.startswith("Unnamed: ")
    if is_unnamed and summary.counts_rows and summary.first_value in (0, 1):
        raise DataError(
            f"The first column of {origin.name} has no name and only numbers the rows; "
            f"{origin.leave_out([name])}."
        )


def _check_spread(summary: Summary, names: Sequence[str], origin: Origin) -> None:
    low, high, magnitude = summary.low, summary.high, summary.magnitude
    constant = [names[i] for i in _where(low == high)]
    if constant:
        holds = "has" if len(constant) == 1 else "have"
        raise DataError(
            f"{listed(constant, 'Column')} of {origin.name} {holds} the same value in every row, "
            "which says nothing about causes; "
            f"{_without(constant, names, origin, 'take a table whose columns vary')}."
        )
    for i in _where(magnitude > LARGEST):
        reached, row = high[i] if high[i] == magnitude[i] else low[i], int(summary.outermost[i])
        raise DataError(
            f"Column {names[i]!r} of {origin.name} reaches {reached:g} in {origin.place(row)}, "
            f"beyond the largest float32 ({LARGEST:.2g}); rescale it."
        )
    for i in _where(magnitude < SMALLEST):
        raise DataError(
            f"Column {names[i]!r} of {origin.name} stays below the smallest float32 ({SMALLEST:.2g}) "
            "in every row; rescale it."
        )
    for i in _where(high - low <= MIN_SPREAD * magnitude):
        raise DataError(
            f"Column {names[i]!r} of {origin.name} varies by {high[i] - low[i]:.2g} around {low[i]:.2g}, "
            "which is the rounding of float64; subtract its mean where it is recorded."
        )


def _check_copies(summary: Summary, names: Sequence[str], origin: Origin) -> None:
    seen: dict[bytes, str] = {}
    for name, digest in zip(names, summary.digests, strict=True):
        twin = seen.setdefault(digest, name)
        if twin != name:
            raise DataError(
                f"Columns {twin!r} and {name!r} of {origin.name} are identical; "
                f"{origin.leave_out([name], 'one')}."
            )


def _without(wrong: Sequence[str], names: Sequence[str], origin: Origin, otherwise: str) -> str:
    """Say how to leave columns out, or, if none would be left, what else to do."""
    return origin.leave_out(wrong) if len(wrong) < len(names) else otherwise


def _where(condition: NDArray[np.bool_]) -> list[int]:
    return [int(i) for i in np.flatnonzero(condition)]


def first_twice(names: Sequence[str]) -> str:
    """Return the first name that stands for a second time."""
    return next(name for i, name in enumerate(names) if name in names[:i])


def listed(names: Sequence[str], noun: str = "column") -> str:
    """Return "column 'a'", "columns 'a' and 'b'", the first few of many, or "no columns"."""
    if not names:
        return f"no {noun}s"
    if len(names) == 1:
        return f"{noun} {names[0]!r}"
    if len(names) <= 6:
        return f"{noun}s {', '.join(map(repr, names[:-1]))} and {names[-1]!r}"
    return f"{noun}s {', '.join(map(repr, names[:5]))} and {len(names) - 5} more"


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _capital(text: str) -> str:
    return text[0].upper() + text[1:] if text.startswith(("the ", "line ", "row ")) else text
