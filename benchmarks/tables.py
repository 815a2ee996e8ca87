"""The tables of docs/results, written from the stored lines; nothing is computed.

    python -m benchmarks.tables                          # write docs/results
    python -m benchmarks.tables --results mine.jsonl     # print the tables of other lines, and write nothing

The lines are those of `benchmarks.run`, those that `benchmarks.recipe.run` and
`benchmarks.vector_series.run` have on the same tables for our own recipes, and those of
`benchmarks.ambiguities`.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
from benchmarks.ambiguities import AMBIGUITIES, Reading
from benchmarks.ambiguities import RESULTS as OTHER_READINGS
from benchmarks.readme import markdown_table, put_table
from benchmarks.run import METHODS, RESULTS, is_unit_free, read_own, run_of
from benchmarks.run import read as read_lines
from benchmarks.scenarios import TABLES

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "results" / "index.md"
PAPER = HERE / "paper_tables.csv"
ORACLES = {name for name, method in METHODS.items() if method.is_oracle}
# Data models that one cell of the paper may stand for: it does not say how causes of one effect combine.
READINGS = {"gp": ("gp", "gp-add")}

Cells = dict[tuple[str, bool, str], list[dict]]


def read() -> Cells:
    """Return the runs of each cell: a scenario, whether it is standardised, and a method."""
    rows = read_lines(RESULTS)
    taken = {(row["scenario"], row["method"], row["seed"]) for row in rows}
    for row in read_own():
        key = row["scenario"], row["method"], row["seed"]
        if key not in taken:
            taken.add(key)
            # Many count the CPU seconds of one process, while the default's tests ran in several: wall
            # seconds say more.
            counted = "cpu_seconds" if row["method"] == "additive" else "seconds"
            rows.append(row | {"cpu_seconds": row.get(counted, row.get("cpu_seconds"))})
    return by_cell(rows)


def by_cell(rows: list[dict]) -> Cells:
    """Sort last lines of runs into cells; methods that do not depend on units stand in those of both."""
    cells: Cells = defaultdict(list)
    for row in {run_of(row): row for row in rows}.values():
        both = is_unit_free(METHODS[row["method"]], row["scenario"])
        for standardized in (False, True) if both else (row["standardized"],):
            cells[row["scenario"], standardized, row["method"]].append(row)
    return dict(cells)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, help="print the tables of these lines instead")
    results = parser.parse_args().results
    if results:
        print(printed(by_cell(read_lines(results))))
    else:
        write(read())


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


def figure(runs: list[dict]) -> str:
    """Write `SHD ± deviation, TPR (number of runs)`, and what did not end."""
    ended = [run for run in runs if run["status"] == "ok"]
    lost = [f"{status} ({n})" for status in ("timeout", "failed") if (n := _count(runs, status))]
    if not ended:
        return ", ".join(lost)
    shd, tpr = ([run[name] for run in ended] for name in ("shd", "tpr"))
    cyclic = sum(not run.get("acyclic", True) for run in ended)
    remarks = [f"{len(ended)}", *([f"{cyclic} cyclic"] if cyclic else []), *lost]
    return f"{np.mean(shd):.1f} ± {np.std(shd):.1f}, {np.mean(tpr):.2f} ({', '.join(remarks)})"


def _count(runs: list[dict], status: str) -> int:
    return sum(run["status"] == status for run in runs)


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


def reproduction(cells: Cells) -> str:
    """Return the paper's figures beside ours, and whether ours are within two of its deviations."""
    rows = []
    for line in _paper():
        here = [
            _verdict(_mean_shd(cells.get((_scenario(line, model), False, line["method"]), [])), line)
            for model in _models(line)
        ]
        if any(here):
            data = _scenario(line, line["sem"])
            rows.append([line["method"], data, _told(line), *here, *[""] * (2 - len(here))])
    return markdown_table(["method", "data", "paper", "here", "here, additive effects"], rows)


def _paper() -> list[dict]:
    with PAPER.open(encoding="utf-8") as lines:
        return [line for line in csv.DictReader(lines) if line["shd"] != "N/A"]


def _models(line: dict) -> tuple[str, ...]:
    return READINGS.get(line["sem"], (line["sem"],))


def _told(line: dict) -> str:
    return f"{line['shd']} ± {line['shd_sd']}" if line["shd_sd"] else line["shd"]


def _verdict(shd: float | None, line: dict) -> str:
    if shd is None or not line["shd_sd"]:
        return "" if shd is None else f"{shd:.1f}"
    theirs, spread = float(line["shd"]), float(line["shd_sd"])
    far = "worse" if shd > theirs else "better"
    # Means of whole numbers may lie exactly at the bound, and rounding must not decide.
    return f"{shd:.1f}, {far if round(abs(shd - theirs) - 2 * spread, 9) > 0 else 'within'}"


def _scenario(line: dict, model: str) -> str:
    return model if model == "sachs" else f"{model}-{line['graph']}-{line['n_variables']}"


def _mean_shd(runs: list[dict]) -> float | None:
    ended = [run["shd"] for run in runs if run["status"] == "ok"]
    return float(np.mean(ended)) if ended else None


def ambiguities(cells: Cells) -> str:
    """Return what other readings of the paper change, beside its own figures."""
    told = {
        (_scenario(line, model), line["method"]): _told(line) for line in _paper() for model in _models(line)
    }
    runs = defaultdict(list)
    for row in read_lines(OTHER_READINGS):
        runs[row["ambiguity"], row["scenario"], row["method"], row["reading"]].append(row)
    rows = []
    for name, (scenarios, methods, readings, _) in AMBIGUITIES.items():
        for scenario in scenarios:
            for method in methods:
                compared = cells.get((scenario, False, method), [])
                figures = {
                    reading: figure(runs[name, scenario, method, reading] or compared * (how == Reading()))
                    for reading, how in readings.items()
                }
                if any(figures.values()):
                    paper = told.get((scenario, method), "")
                    rows.append([name, scenario, method, paper, *_in_words(figures)])
    for name, here, otherwise, methods, change in (
        ("CAM pruning", "at 0.001", "none", ["MCSL-MLP"], lambda run: run["before_pruning"]),
        ("reversed edges", "once", "twice", ["MCSL-MLP", "CAM", "GES", "PC"], _reversed_twice),
    ):
        for scenario in ("gp-ER1-10", "gp-ER4-10", "gp-add-ER4-10"):
            for method in methods:
                ended = [run for run in cells[scenario, False, method] if run["status"] == "ok"]
                figures = {here: figure(ended), otherwise: figure([run | change(run) for run in ended])}
                rows.append([name, scenario, method, told[scenario, method], *_in_words(figures)])
    return markdown_table(["what is open", "data", "method", "paper", "as here", "otherwise"], rows)


def _reversed_twice(run: dict) -> dict:
    return {"shd": run["shd"] + _reversed(run)}


def _in_words(figures: dict[str, str]) -> list[str]:
    """Return the first reading with its figure, and the others that have run."""
    here, *others = [f"{reading}: {shown}" for reading, shown in figures.items() if shown]
    return [here, "; ".join(others)]


def first(cells: Cells) -> str:
    """Return who has the smallest mean SHD in each column, oracles aside."""
    rows = []
    for scenarios in TABLES.values():
        for scenario in scenarios:
            for standardized in (False, True):
                means = {
                    method: shd
                    for method in METHODS
                    if method not in ORACLES
                    and (shd := _mean_shd(cells.get((scenario, standardized, method), []))) is not None
                }
                row = [scenario, units(standardized), *_ranking(means)]
                if len(means) > 1 and row not in rows:
                    rows.append(row)
    header = ["data", "units", "first", "SHD", "default", "best of others", "SHD"]
    return markdown_table(header, rows) + f"\n\n{_lost(rows)}"


def _lost(rows: list[list[str]]) -> str:
    """Say in which columns the default is not first."""
    lost = defaultdict(list)
    for scenario, unit, leaders, least, default, *_ in rows:
        if default and default != least:
            lost[f"{leaders} on {scenario}, {least} against {default}"].append(unit)
    named = [f"{what} ({' and '.join(of)})" for what, of in lost.items()]
    n_lost, n_run = sum(map(len, lost.values())), sum(bool(row[4]) for row in rows)
    share = f"The default is first, alone or with others, in {n_run - n_lost} of {n_run} columns."
    return f"{share} Before it are {'; '.join(named)}." if named else share


def _ranking(means: dict[str, float]) -> list[str]:
    ours = ("default", "masked", "additive", "MCSL-MLP", "MCSL-quad")
    others = {name: mean for name, mean in means.items() if name not in ours}
    default = f"{means['default']:.1f}" if "default" in means else ""
    return [*_least(means), default, *_least(others)]


def _least(means: dict[str, float]) -> list[str]:
    """Return all that share the smallest mean, and the mean."""
    least = f"{min(means.values()):.1f}" if means else ""
    return [", ".join(name for name, mean in means.items() if f"{mean:.1f}" == least), least]


def time(cells: Cells) -> str:
    """Return median CPU seconds by the number of variables, over all data of a size."""
    sizes = (10, 20, 50, 100)
    rows = [[method, *(_seconds(runs_of_size(cells, method, size)) for size in sizes)] for method in METHODS]
    header = ["method", *(f"d = {size}" for size in sizes)]
    return markdown_table(header, [row for row in rows if any(row[1:])])


def runs_of_size(cells: Cells, method: str, n_variables: int) -> list[dict]:
    """Return the runs of a method on scalar tables of one width and 3000 rows."""
    return [
        run
        for (scenario, _, name), runs in cells.items()
        for run in runs
        if name == method and scenario.endswith(f"-{n_variables}") and "vec" not in scenario
    ]


def _seconds(runs: list[dict]) -> str:
    used = [seconds for run in runs if (seconds := run.get("cpu_seconds", run.get("limit"))) is not None]
    late = _count(runs, "timeout") > len(runs) / 2
    return f"{'over ' if late else ''}{np.median(used):.3g}" if used else ""


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
    counts = {status: _count(list(runs), status) for status in ("ok", "timeout", "failed")}
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
            ended = [{**run, "reversed": _reversed(run)} for run in runs if run["status"] == "ok"]
            means = []
            for metric in metrics:
                known = [run[metric] for run in ended if run.get(metric) is not None]
                means.append(f"{np.mean(known):.3f}" if known else "")
            deviation = f"{np.std([run['shd'] for run in ended]):.3f}" if ended else ""
            lost = [_count(runs, status) for status in ("timeout", "failed")]
            out.writerow([scenario, units(standardized), method, len(ended), *lost, *means, deviation])


def _reversed(run: dict) -> int:
    """Return how many edges are reversed, which are missing and false but count once in the SHD."""
    hits = round(run["tpr"] * run["true_edges"])
    return run["n_edges"] + run["true_edges"] - 2 * hits - run["shd"]


if __name__ == "__main__":
    main()
