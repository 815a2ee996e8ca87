import csv
import json
import sys

import pytest

from mcsl.cli import main
from mcsl.errors import OutputError

METRICS = """service,{names},{names}
metric,{latency},{errors}
statistic,{averages},{averages}
unix_timestamp,{blank}
"""


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    place = tmp_path_factory.mktemp("incident") / "sim"
    options = ["--variables", "6", "--seed", "3", "--missing", "0.1"]
    assert main(["simulate-incident", *options, "--out", str(place)]) == 0
    return place, json.loads((place / "answer.json").read_text())


@pytest.fixture(scope="module")
def ranked(simulated, tmp_path_factory):
    place, answer = simulated
    out = tmp_path_factory.mktemp("ranked") / "out"
    arguments = [place / "incident.csv", "--baseline", place / "baseline.csv", "--target", answer["target"]]
    arguments += ["--lags", "1", "--known-graph", place / "truth.csv", "--out", out]
    assert main(["root-cause", *map(str, arguments)]) == 0
    return out


def test_a_simulated_incident_is_written_and_explained(simulated, ranked):
    told = json.loads((ranked / "ranking.json").read_text())
    assert told["root_cause"] == simulated[1]["root_cause"]
    assert told["ranking"][0]["path"][-1] == told["target"] == simulated[1]["target"]
    assert told["n_missing"] > 0
    assert told["command"].startswith("mcsl root-cause")
    with (ranked / "ranking.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == [candidate["name"] for candidate in told["ranking"]]
    assert rows[0]["reason"].endswith(".")


def test_the_pictures_are_there(ranked):
    assert (ranked / "graph.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (ranked / "graph.svg").read_text()


def test_without_matplotlib_the_ranking_comes_without_pictures(simulated, tmp_path, capsys, monkeypatch):
    place, answer = simulated
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    arguments = [place / "incident.csv", "--baseline", place / "baseline.csv", "--target", answer["target"]]
    arguments += ["--known-graph", place / "truth.csv", "--out", tmp_path / "out"]
    assert main(["root-cause", *map(str, arguments)]) == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "ranking.json",
        "ranking.csv",
        "adjacency.csv",
    }
    said = capsys.readouterr()
    assert said.err.startswith("graph.png and graph.svg are left out. Pictures need matplotlib")
    assert "pip install '.[plots]'" in said.err
    assert "own-noise" in said.out
    assert said.out.endswith(f"Results are in {tmp_path / 'out'}.\n")


def test_a_picture_that_fails_leaves_everything_as_it_was(simulated, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OutputError("No ink.")

    place, _ = simulated
    monkeypatch.setattr("mcsl.outputs.plots.graph_pictures", fail)
    arguments = [place / "incident.csv", "--baseline", place / "baseline.csv"]
    arguments += ["--known-graph", place / "truth.csv", "--out", tmp_path / "out"]
    assert main(["root-cause", *map(str, arguments)]) == 2
    assert not (tmp_path / "out").exists()


def test_the_ranking_is_printed(simulated, tmp_path, capsys):
    place, _ = simulated
    arguments = [place / "incident.csv", "--baseline", place / "baseline.csv", "--cannot-be-root", "x1"]
    arguments += ["--known-graph", place / "truth.csv", "--out", tmp_path / "out"]
    assert main(["root-cause", *map(str, arguments)]) == 0
    printed = capsys.readouterr().out
    assert "variables are anomalous in 20 rows, compared with 600 normal ones." in printed
    assert "own-noise" in printed
    assert not any(line.split()[1:2] == ["x1"] for line in printed.splitlines())


def test_variables_that_were_named_are_not_said_to_be_anomalous(simulated, tmp_path, capsys):
    place, _ = simulated
    arguments = [place / "baseline.csv", "--baseline", "580", "--anomalous", "x1,x2"]
    arguments += ["--known-graph", place / "truth.csv", "--out", tmp_path / "out"]
    assert main(["root-cause", *map(str, arguments)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(
        "You named 2 of 6 variables as anomalous in 20 rows, compared with 580 normal ones.\n"
    )


def test_signs_that_the_font_lacks_are_told_once(simulated, tmp_path, capsys):
    place, _ = simulated
    for name in ("baseline.csv", "incident.csv", "truth.csv"):
        (tmp_path / name).write_text((place / name).read_text().replace("x2", "🌧 rain"))
    arguments = [tmp_path / "incident.csv", "--baseline", tmp_path / "baseline.csv", "--target", "🌧 rain"]
    arguments += ["--known-graph", tmp_path / "truth.csv", "--out", tmp_path / "out"]
    assert main(["root-cause", *map(str, arguments)]) == 0
    assert capsys.readouterr().err == (
        "The font of pictures lacks sign '🌧', drawn as a box; "
        "set matplotlib's font.family to one that has all.\n"
    )


def test_the_baseline_may_be_leading_rows(simulated, tmp_path):
    place, answer = simulated
    normal, broken = ((place / name).read_text() for name in ("baseline.csv", "incident.csv"))
    (tmp_path / "all.csv").write_text(normal + broken.partition("\n")[2])
    arguments = [tmp_path / "all.csv", "--baseline", "600", "--target", answer["target"], "--lags", "1"]
    arguments += ["--known-graph", place / "truth.csv", "--out", tmp_path / "out"]
    assert main(["root-cause", *map(str, arguments)]) == 0
    assert json.loads((tmp_path / "out" / "ranking.json").read_text())["n_incident"] == 20


def test_several_columns_of_dates_are_left_out_and_named(simulated, tmp_path, capsys):
    place, _ = simulated
    names, *rows = (place / "incident.csv").read_text().splitlines()
    dated = [f"begun,ended,{names}", *(f"2024-05-01,2024-05-02,{row}" for row in rows)]
    (tmp_path / "dated.csv").write_text("\n".join(dated) + "\n")
    arguments = [tmp_path / "dated.csv", "--baseline", place / "baseline.csv"]
    arguments += ["--known-graph", place / "truth.csv", "--out", tmp_path / "out"]
    assert main(["root-cause", *map(str, arguments)]) == 0
    assert (
        "Left out columns 'begun' and 'ended', which cannot be judged; see ranking.json."
        in capsys.readouterr().out
    )
    told = json.loads((tmp_path / "out" / "ranking.json").read_text())
    assert told["left_out"] == {"begun": "it holds dates", "ended": "it holds dates"}


def test_a_word_among_numbers_costs_its_column_and_is_told(simulated, tmp_path, capsys):
    place, _ = simulated
    lines = (place / "incident.csv").read_text().splitlines()
    lines[3] = ",".join(["timeout", *lines[3].split(",")[1:]])
    (tmp_path / "incident.csv").write_text("\n".join(lines) + "\n")
    arguments = [tmp_path / "incident.csv", "--baseline", place / "baseline.csv"]
    arguments += ["--known-graph", place / "truth.csv", "--out", tmp_path / "out"]
    assert main(["root-cause", *map(str, arguments)]) == 0
    assert "Left out column 'x1', which cannot be judged; see ranking.json." in capsys.readouterr().out
    told = json.loads((tmp_path / "out" / "ranking.json").read_text())
    assert told["left_out"] == {"x1": "it holds text, for example 'timeout' in line 4"}


def test_one_metric_of_a_table_with_several_rows_of_names(simulated, tmp_path):
    place, answer = simulated
    for name in ("baseline", "incident"):
        names, *rows = (place / f"{name}.csv").read_text().splitlines()
        n = names.count(",") + 1
        head = METRICS.format(
            names=names,
            latency=",".join(["latency"] * n),
            errors=",".join(["errors"] * n),
            averages=",".join(["Average"] * n),
            blank="," * (2 * n - 1),
        )
        body = [f"{300 * k},{row},{','.join(['0'] * n)}" for k, row in enumerate(rows)]
        (tmp_path / f"{name}.csv").write_text(head + "\n".join(body) + "\n")
    arguments = [tmp_path / "incident.csv", "--baseline", tmp_path / "baseline.csv", "--metric", "latency"]
    arguments += ["--statistic", "Average", "--target", answer["target"], "--lags", "1"]
    arguments += ["--known-graph", place / "truth.csv", "--out", tmp_path / "out"]
    assert main(["root-cause", *map(str, arguments)]) == 0
    assert json.loads((tmp_path / "out" / "ranking.json").read_text())["root_cause"] == answer["root_cause"]


def test_names_may_hold_commas(simulated, tmp_path):
    place, _ = simulated
    for name in ("baseline.csv", "incident.csv", "truth.csv"):
        head, _, body = (place / name).read_text().partition("\n")
        head = head.replace("x2", '"x2, total"')
        (tmp_path / name).write_text(f"{head}\n{body}".replace("\nx2,", '\n"x2, total",'))
    arguments = [tmp_path / "incident.csv", "--baseline", tmp_path / "baseline.csv", "--anomalous"]
    arguments += ["x1,x2, total,x3", "--cannot-be-root", "x2, total,x1", "--out", tmp_path / "out"]
    arguments += ["--known-graph", tmp_path / "truth.csv"]
    assert main(["root-cause", *map(str, arguments)]) == 0
    told = json.loads((tmp_path / "out" / "ranking.json").read_text())
    assert set(told["anomalous"]) == {"x1", "x2, total", "x3"}
    assert [candidate["name"] for candidate in told["ranking"]] == ["x3"]


def test_mistakes_exit_with_2_and_a_sentence(simulated, tmp_path, capsys):
    place, _ = simulated
    arguments = ["root-cause", str(place / "incident.csv"), "--baseline", str(place / "baseline.csv")]
    assert main([*arguments, "--target", "y", "--out", str(tmp_path / "out")]) == 2
    assert "`target` names 'y', which is no column; there are x1, x2" in capsys.readouterr().err
    assert main([*arguments, "--metric", "latency", "--out", str(tmp_path / "out")]) == 2
    assert "rows of names above" in capsys.readouterr().err
    assert main([*arguments, "--lags", "620", "--out", str(tmp_path / "out")]) == 2
    assert "`lags` must be at most 580, so that 20 of the 600 rows" in capsys.readouterr().err
    simulate = ["simulate-incident", "--variables", "5", "--seed", "1", "--lags", "1000"]
    assert main([*simulate, "--out", str(tmp_path / "out")]) == 2
    assert "`lags` must be below the 620 rows of baseline and incident. Got 1000" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
