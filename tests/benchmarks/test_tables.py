"""The tables in the documentation are those that the stored results give."""

import json
import sys
from importlib import import_module

import pytest


@pytest.mark.parametrize(
    "name", ["tables", "pruning.tables", "recipe.tables", "stability.tables", "measurement", "directions"]
)
def test_the_page_shows_the_stored_results(name, tmp_path, monkeypatch):
    tables = import_module(f"benchmarks.{name}")
    written = tables.PAGE.read_text(encoding="utf-8")
    copy = tmp_path / "page.md"
    copy.write_text(written, encoding="utf-8")
    monkeypatch.setattr(tables, "PAGE", copy)
    monkeypatch.setattr(sys, "argv", [name])
    tables.main()
    assert copy.read_text(encoding="utf-8") == written


def test_the_csv_beside_the_page_is_that_of_the_stored_results(tmp_path, monkeypatch):
    tables = import_module("benchmarks.tables")
    written = tables.PAGE.with_name("comparison.csv").read_bytes()
    monkeypatch.setattr(tables, "PAGE", tmp_path / "index.md")
    tables.write_csv(tables.read())
    assert (tmp_path / "comparison.csv").read_bytes() == written


def test_lines_of_ones_own_are_printed_and_nothing_is_written(tmp_path, monkeypatch, capsys):
    tables = import_module("benchmarks.tables")
    run = {"scenario": "gp-ER1-10", "standardized": False, "seed": 1000, "method": "MCSL-MLP"}
    line = json.dumps({**run, "status": "ok", "shd": 3, "tpr": 0.5, "acyclic": True})
    (tmp_path / "mine.jsonl").write_text(f"{line}\n")
    monkeypatch.setattr(tables, "PAGE", tmp_path / "index.md")
    monkeypatch.setattr(sys, "argv", ["tables", "--results", str(tmp_path / "mine.jsonl")])
    tables.main()
    assert capsys.readouterr().out.splitlines() == [
        "Table 1. Raw data. Sortability by variance and R²: not recorded.",
        "",
        "| method | gp-ER1-10 |",
        "| --- | --- |",
        "| MCSL-MLP | 3.0 ± 0.0, 0.50 (1) |",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["mine.jsonl"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "mine.jsonl has no lines. Name the file that benchmarks.run wrote with --results."),
        ("a,b\n", "mine.jsonl, line 1, is no line of a benchmark."),
        ('{"seed": 1000}\n', "mine.jsonl, line 1, has no 'method'."),
    ],
)
def test_other_files_are_refused_in_words(text, message, tmp_path, monkeypatch, capsys):
    tables = import_module("benchmarks.tables")
    (tmp_path / "mine.jsonl").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["tables", "--results", "mine.jsonl"])
    with pytest.raises(SystemExit, match="2"):
        tables.main()
    assert message in capsys.readouterr().err


def test_a_run_that_was_given_more_time_counts_once():
    tables = import_module("benchmarks.tables")
    run = {"scenario": "gp-ER1-10", "standardized": False, "seed": 1000, "method": "MCSL-MLP"}
    first, second = {**run, "status": "timeout", "limit": 1}, {**run, "status": "ok", "shd": 3}
    assert tables.by_cell([first, second]) == {("gp-ER1-10", False, "MCSL-MLP"): [second]}


def test_units_are_compared_on_the_same_tables():
    tables = import_module("benchmarks.tables")
    raw = {"scenario": "gp-ER1-10", "method": "MCSL-MLP", "standardized": False, "status": "ok"}
    raw |= {"shd": 1, "tpr": 0.9}
    bare = {**raw, "standardized": True, "shd": 4, "tpr": 0.5}
    alone = {**raw, "seed": 1001, "shd": 100}
    cells = tables.by_cell([{**raw, "seed": 1000}, alone, {**bare, "seed": 1000}])
    assert tables.owed_to_units(cells).splitlines()[2:] == [
        "| gp-ER1-10 | 1.0 → 4.0, 0.90 → 0.50 (1) |  |  |  |  |"
    ]


def test_who_ran_on_fewer_tables_than_the_default_is_not_first():
    tables = import_module("benchmarks.tables")
    run = {"scenario": "gp-ER1-10", "standardized": False, "status": "ok"}
    shd = {"default": (0, 2), "MCSL-MLP": (0,), "GES": (3, 3), "NOTEARS": (1,)}
    rows = [
        {**run, "method": method, "seed": 1000 + place, "shd": found}
        for method, distances in shd.items()
        for place, found in enumerate(distances)
    ]
    told = tables.first(tables.by_cell(rows)).splitlines()
    assert told[2] == "| gp-ER1-10 | raw | default | 1.0 | 1.0 | NOTEARS 1.0 (1 of 2 tables, default 0.0) |"
    assert told[-1] == "The default is first, alone or with others, in 2 of 2 columns."


def test_the_default_is_not_first_where_another_method_makes_fewer_mistakes():
    tables = import_module("benchmarks.tables")
    run = {"scenario": "gp-ER1-10", "standardized": False, "status": "ok", "seed": 1000}
    rows = [{**run, "method": method, "shd": shd} for method, shd in (("default", 2), ("CAM", 1))]
    told = tables.first(tables.by_cell(rows))
    assert (
        "in 0 of 2 columns. Before it are CAM on gp-ER1-10, 1.0 against 2.0 (raw and standardized)." in told
    )


@pytest.mark.parametrize(
    ("ended", "limits", "shown"),
    [
        ([2, 4], [], "3"),
        ([2, 4], [360], "4"),
        ([852], [360], "over 360"),
        ([], [360, 1800], "over 360"),
        ([], [], ""),
    ],
)
def test_a_median_of_seconds_is_never_that_of_a_run_that_was_stopped(ended, limits, shown):
    tables = import_module("benchmarks.tables")
    runs = [{"status": "ok", "cpu_seconds": seconds} for seconds in ended]
    runs += [{"status": "timeout", "limit": limit} for limit in limits]
    assert tables._seconds(runs) == shown


def test_every_run_on_the_page_says_what_it_found_and_what_it_took():
    what = {"scenario", "standardized", "seed", "method", "package", "version", "status"}
    found = {"shd", "tpr", "fdr", "f1", "sid", "n_edges", "acyclic"}
    took = {"seconds", "cpu_seconds", "peak_memory_mib"}
    runs = [run for listed in import_module("benchmarks.cells").read().values() for run in listed]
    ended = [run for run in runs if run["status"] == "ok"]
    assert [run for run in runs if not run.keys() >= what] == []
    assert [run for run in ended if not run.keys() >= found | took] == []
    assert all(run["limit"] >= 360 for run in runs if run not in ended)


def test_no_line_of_the_comparison_is_stored_twice():
    path = import_module("benchmarks.run").RESULTS
    stored = path.read_text(encoding="utf-8").splitlines()
    assert len(set(stored)) == len(stored)


def test_a_page_without_the_marks_is_refused(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("no place")
    with pytest.raises(SystemExit, match="no place for the table 'size'"):
        import_module("benchmarks.readme").put_table(page, "size", "| |")


@pytest.mark.parametrize(
    ("shds", "limits", "told"),
    [
        ([], [], "not run"),
        ([], [360], "timeout"),
        ([1, 2], [], "1.5, 0.50, within"),
        ([5, 5], [360], "5.0, 0.50, worse, 2 of 3 ended"),
    ],
)
def test_every_figure_of_the_paper_stands_beside_what_became_of_it_here(shds, limits, told):
    paper = import_module("benchmarks.paper")
    runs = [{"status": "ok", "shd": shd, "tpr": 0.5} for shd in shds]
    runs += [{"status": "timeout", "limit": limit} for limit in limits]
    row = paper.reproduction({("gp-ER1-10", False, "MCSL-MLP"): runs}).splitlines()[2]
    assert row == f"| MCSL-MLP | gp-ER1-10 | 1.4 ± 1.7, 0.87 | {told} | not run |"
    assert len(paper.reproduction({}).splitlines()) == 2 + len(paper.papers_lines())


def test_readings_are_compared_on_the_same_tables(tmp_path, monkeypatch):
    paper = import_module("benchmarks.paper")
    reading = {"ambiguity": "level of PC", "reading": "0.01", "scenario": "gp-ER1-10", "method": "PC"}
    run = {"status": "ok", "shd": 4, "tpr": 0.5, "fdr": 0.0, "n_edges": 5, "true_edges": 9}
    (tmp_path / "lines.jsonl").write_text(json.dumps(reading | run | {"seed": 1001}) + "\n")
    monkeypatch.setattr(paper, "RESULTS", tmp_path / "lines.jsonl")
    cells = {("gp-ER1-10", False, "PC"): [run | {"seed": 1000, "shd": 90}, run | {"seed": 1001, "shd": 6}]}
    for scenario in ("gp-ER1-10", "gp-ER4-10", "gp-add-ER4-10"):
        for method in ("MCSL-MLP", "CAM", "GES", "PC"):
            cells.setdefault((scenario, False, method), [run | {"seed": 1000, "before_pruning": run}])
    told = [row for row in paper.ambiguities(cells).splitlines() if row.startswith("| level of PC")]
    assert told == [
        "| level of PC | gp-ER1-10 | PC | 4.8 ± 1.9 | 0.05: 6.0 ± 0.0, 0.50 (1) | 0.01: 4.0 ± 0.0, 0.50 (1) |"
    ]
