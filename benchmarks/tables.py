"""The tables of docs/results, written from the stored lines; nothing is computed.

    python -m benchmarks.tables                          # write docs/results
    python -m benchmarks.tables --results mine.jsonl     # print the tables of other lines, and write nothing

The lines are those of `benchmarks.run`, those that `benchmarks.recipe.run` has on the same tables for our own
recipes, and those of `benchmarks.ambiguities`.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from pathlib import Path

if not __package__:
    # Started as a file, Python looks for packages beside it instead of in the repository.
    sys.path[0] = str(Path(__file__).parents[1])

import numpy as np
from benchmarks.cells import (
    ORACLES,
    OURS,
    Cells,
    by_cell,
    count,
    figure,
    mean_shd,
    median_seconds,
    n_reversed,
    read,
    runs_of_size,
)
from benchmarks.paper import ambiguities, reproduction
from benchmarks.readme import markdown_table, put_table
from benchmarks.run import METHODS, read_runs
from benchmarks.scenarios import TABLES

from benchmarks import lines

READERS_OF_UNITS = ("MCSL-MLP", "MCSL-quad", "NOTEARS", "sort by variance")
PAGE = Path(__file__).parents[1] / "docs" / "results" / "index.md"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--results", type=Path, metavar="PATH", help="print the tables of these lines instead"
    )
    results = parser.parse_args().results
    if not results:
        write(read())
        return
    try:
        rows = read_runs(results)
    except (lines.LinesError, OSError) as error:
        parser.error(str(error))
    if not rows:
        parser.error(f"{results} has no lines. Name the file that benchmarks.run wrote with --results.")
    print(printed(by_cell(rows)))


def printed(cells: Cells) -> str:
    """Return the tables that have a run."""
    return "\n\n".join(
        f"Table {table}. {accuracy(cells, list(scenarios), standardized)}"
        for table, scenarios in TABLES.items()
        for standardized in (False, True)
        if any(key[0] in scenarios and key[1] == standardized for key in cells)
    )


def write(cells: Cells) -> None:
    for table, scenarios in TABLES.items():
        for standardized in (False, True):
            written = accuracy(cells, list(scenarios), standardized)
            put_table(PAGE, f"{table} {units(standardized)}", written)
    put_table(PAGE, "reproduction", reproduction(cells))
    put_table(PAGE, "ambiguities", ambiguities(cells))
    put_table(PAGE, "owed", owed_to_units(cells))
    put_table(PAGE, "first", first(cells))
    put_table(PAGE, "time", time(cells))
    put_table(PAGE, "methods", methods())
    put_table(PAGE, "total", total(cells))
    write_csv(cells)


def units(standardized: bool) -> str:
    return "standardized" if standardized else "raw"


def accuracy(cells: Cells, scenarios: list[str], standardized: bool) -> str:
    """Return SHD and TPR of every method, under a caption with the sortability of the data."""
    shown = [s for s in scenarios if any(key[:2] == (s, standardized) for key in cells)]
    rows = []
    for method in METHODS:
        figures = [figure(cells.get((scenario, standardized, method), [])) for scenario in shown]
        if any(figures):
            rows.append([method, *figures])
    if not rows:
        return "No run yet."
    known = [caption for scenario in shown if (caption := sortability(cells, scenario, standardized))]
    caption = f"{units(standardized).capitalize()} data. Sortability by variance and R²: "
    return caption + ("; ".join(known) or "not recorded") + ".\n\n" + markdown_table(["method", *shown], rows)


def sortability(cells: Cells, scenario: str, standardized: bool) -> str:
    """Return the mean sortability over the tables that were drawn."""
    drawn = {
        run["seed"]: run["sortability"]
        for (name, _, _), runs in cells.items()
        for run in runs
        if name == scenario and "sortability" in run and run["standardized"] == standardized
    }
    means = [np.mean([values[by] for values in drawn.values()]) for by in ("var", "r2") if drawn]
    return f"{scenario} {means[0]:.2f}, {means[1]:.2f}" if drawn else ""


def first(cells: Cells) -> str:
    """Return who has the smallest mean SHD in each column, oracles aside, and the best of the others."""
    rows = []
    for scenario in dict.fromkeys(name for scenarios in TABLES.values() for name in scenarios):
        for standardized in (False, True):
            shd = {
                method: {run["seed"]: run["shd"] for run in runs if run["status"] == "ok"}
                for method in METHODS
                if method not in ORACLES and (runs := cells.get((scenario, standardized, method)))
            }
            if shd.get("default"):
                rows.append([scenario, units(standardized), *_leaders(shd), _best_of_others(shd)])
    header = ["data", "units", "first", "SHD", "default", "best of others"]
    return markdown_table(header, rows) + f"\n\n{_lost(rows)}"


def _lost(rows: list[list[str]]) -> str:
    """Say in which columns the default is not first."""
    lost = defaultdict(list)
    for scenario, unit, leaders, least, default, _ in rows:
        if default != least:
            lost[f"{leaders} on {scenario}, {least} against {default}"].append(unit)
    named = [f"{what} ({' and '.join(of)})" for what, of in lost.items()]
    n_lost = sum(map(len, lost.values()))
    share = f"The default is first, alone or with others, in {len(rows) - n_lost} of {len(rows)} columns."
    return f"{share} Before it are {'; '.join(named)}." if named else share


def _leaders(shd: dict[str, dict[int, int]]) -> list[str]:
    """Return who has the smallest mean of those that ran on all tables of the default, and both means."""
    tables = shd["default"].keys()
    means = {
        name: float(np.mean([of[seed] for seed in tables])) for name, of in shd.items() if tables <= of.keys()
    }
    leaders = _least(means)
    return [", ".join(leaders), f"{means[leaders[0]]:.1f}", f"{means['default']:.1f}"]


def _best_of_others(shd: dict[str, dict[int, int]]) -> str:
    """Return whose mean is smallest beside the default's, on the tables that both ran on."""
    default = shd["default"]
    gaps, figures = {}, {}
    for name, of in shd.items():
        both = of.keys() & default.keys()
        if name not in OURS and both:
            theirs, ours = (float(np.mean([runs[seed] for seed in both])) for runs in (of, default))
            gaps[name] = theirs - ours
            figures[name] = f"{name} {theirs:.1f}"
            if len(both) < len(default):
                figures[name] += f" ({len(both)} of {len(default)} tables, default {ours:.1f})"
    return ", ".join(figures[name] for name in _least(gaps))


def _least(figures: dict[str, float]) -> list[str]:
    """Return all that share the smallest figure."""
    rounded = {name: round(value, 1) for name, value in figures.items()}
    return [name for name, value in rounded.items() if value == min(rounded.values())]


def owed_to_units(cells: Cells) -> str:
    """Return what becomes of SHD and TPR on the same tables without their units."""
    rows = []
    for scenario in dict.fromkeys(name for table in TABLES if table != "samples" for name in TABLES[table]):
        changes = [_without_units(cells, scenario, method) for method in READERS_OF_UNITS]
        if any(changes):
            least = mean_shd(cells.get((scenario, False, "no edges"), []))
            rows.append([scenario, *changes, "" if least is None else f"{least:.1f}"])
    return markdown_table(["data", *READERS_OF_UNITS, "no edges"], rows)


def _without_units(cells: Cells, scenario: str, method: str) -> str:
    """Write `raw → standardised` of the tables that were learned from in both units."""
    raw, bare = (
        {run["seed"]: run for run in cells.get((scenario, standardized, method), []) if run["status"] == "ok"}
        for standardized in (False, True)
    )
    both = sorted(raw.keys() & bare.keys())
    if not both:
        return ""
    means = [
        [np.mean([runs[seed][name] for seed in both]) for runs in (raw, bare)] for name in ("shd", "tpr")
    ]
    (shd, bare_shd), (tpr, bare_tpr) = means
    return f"{shd:.1f} → {bare_shd:.1f}, {tpr:.2f} → {bare_tpr:.2f} ({len(both)})"


def time(cells: Cells) -> str:
    """Return median CPU seconds by the number of variables, over all data of a size."""
    sizes = (10, 20, 50, 100)
    rows = [[method, *(_seconds(runs_of_size(cells, method, size)) for size in sizes)] for method in METHODS]
    header = ["method", *(f"d = {size}" for size in sizes)]
    return markdown_table(header, [row for row in rows if any(row[1:])])


def _seconds(runs: list[dict]) -> str:
    """Write the median; where it would be of a run that did not end, the least limit."""
    median = median_seconds(runs)
    if median is None:
        return ""
    if np.isinf(median):
        return f"over {min(run['limit'] for run in runs if run['status'] == 'timeout')}"
    return f"{median:.3g}" if median < 1000 else f"{median:,.0f}"


def methods() -> str:
    """Return every method's source and settings."""
    rows = []
    for method in METHODS.values():
        settings = ", ".join(f"{name} {value}" for name, value in method.settings.items())
        rows.append([method.name, method.source, method.package, settings])
    return markdown_table(["method", "source", "package", "settings"], rows)


def total(cells: Cells) -> str:
    """Return what the runs took and how many did not end."""
    runs = {id(run): run for listed in cells.values() for run in listed}.values()
    spent = sum(run.get("cpu_seconds", run.get("limit", run.get("seconds", 0))) for run in runs)
    counts = {status: count(list(runs), status) for status in ("ok", "timeout", "failed")}
    late = sorted({f"{run['method']} on {run['scenario']}" for run in runs if run["status"] == "timeout"})
    unseen = [method for method in METHODS if not any(run["method"] == method for run in runs)]
    return markdown_table(
        ["runs", "that ended", "timeouts", "failed", "CPU hours", "timeouts of", "methods without a run yet"],
        [[len(runs), *counts.values(), f"{spent / 3600:.1f}", "; ".join(late), "; ".join(unseen)]],
    )


def write_csv(cells: Cells) -> None:
    """Write every cell with its means and deviations beside the page."""
    metrics = ("shd", "reversed", "tpr", "fdr", "f1", "sid", "n_edges")
    metrics += ("seconds", "cpu_seconds", "peak_memory_mib")
    with PAGE.with_name("comparison.csv").open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["scenario", "units", "method", "runs", "timeouts", "failed", *metrics, "shd_deviation"])
        for (scenario, standardized, method), runs in cells.items():
            ended = [{**run, "reversed": n_reversed(run)} for run in runs if run["status"] == "ok"]
            means = []
            for metric in metrics:
                known = [run[metric] for run in ended if run.get(metric) is not None]
                means.append(f"{np.mean(known):.3f}" if known else "")
            deviation = f"{np.std([run['shd'] for run in ended]):.3f}" if ended else ""
            lost = [count(runs, status) for status in ("timeout", "failed")]
            out.writerow([scenario, units(standardized), method, len(ended), *lost, *means, deviation])


if __name__ == "__main__":
    main()
