"""How columns make up variables and rows make up series, from the command line."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mcsl.errors import SettingsError

if TYPE_CHECKING:
    from mcsl.data import Dataset, LongTable, SeriesTable

GroupsFile = Annotated[
    Path | None,
    typer.Option(
        help='Variables with several columns, as JSON: {"site": ["site.x", "site.y"]}.',
        metavar="FILE",
        show_default=False,
    ),
]
GroupByPrefix = Annotated[
    str | None,
    typer.Option(
        help="Group columns by what stands before SIGN in their names, such as a dot.",
        metavar="SIGN",
        show_default=False,
    ),
]
Lags = Annotated[
    int,
    typer.Option(
        min=0, help="Rows are a time series; causes act at once or up to P steps later.", metavar="P"
    ),
]
SeriesColumn = Annotated[
    str | None,
    typer.Option(
        help="Column that tells several series apart, of any type.", metavar="NAME", show_default=False
    ),
]
TimeColumn = Annotated[
    str | None,
    typer.Option(
        help="Column to sort the rows by. [default: that of dates, or one called time]",
        metavar="NAME",
        show_default=False,
    ),
]
Resample = Annotated[
    str | None,
    typer.Option(
        help="Average rows within steps, such as 30s, 5min, 1h or 1d.", metavar="STEP", show_default=False
    ),
]
MaxGap = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="Missing values in a row that a straight line may fill in a series. [default: 3]",
        metavar="N",
        show_default=False,
    ),
]
Memory = Annotated[
    str,
    typer.Option(help="Memory to use. Longer tables are read in blocks, best from Parquet.", metavar="SIZE"),
]


def read_rows(
    path: Path,
    *,
    drop: Collection[str],
    allow_missing: bool,
    lags: int,
    series: str | None,
    time: str | None,
    resample: str | None,
    max_gap: int | None,
    memory: str,
    seed: int,
) -> Dataset | LongTable | SeriesTable:
    """Read series if any option speaks of them, and a table otherwise."""
    from mcsl.data import open_long_table, read_table, to_series
    from mcsl.data.series import MAX_GAP
    from mcsl.memory import parse_memory

    budget = parse_memory(memory)
    if not lags and (series, time, resample, max_gap) == (None, None, None, None):
        long = None if allow_missing else open_long_table(path, memory=budget, seed=seed, drop=drop)
        return long or read_table(path, drop=drop, allow_missing=allow_missing)
    if allow_missing:
        raise SettingsError("--missing is for tables; in series, gaps are filled up to --max-gap values.")
    longest = MAX_GAP if max_gap is None else max_gap
    return to_series(path, series=series, time=time, resample=resample, max_gap=longest, drop=drop)


def build_groups(
    path: Path | None, prefix: str | None, columns: Sequence[str]
) -> tuple[Mapping[str, Sequence[str]] | None, tuple[str, ...]]:
    """Return the groups that were asked for, and the names of all variables."""
    from mcsl.problem import groups_by_prefix, read_groups
    from mcsl.problem.groups import resolve_groups

    if path and prefix is not None:
        raise SettingsError("--groups and --group-by-prefix say the same thing in two ways; give one.")
    groups = read_groups(path) if path else None if prefix is None else groups_by_prefix(columns, prefix)
    return groups, tuple(resolve_groups(columns, groups))
