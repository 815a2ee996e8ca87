"""What is written is complete, can be read back, and never half replaces what was there."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from mcsl.data import Dataset, read_table
from mcsl.errors import OutputError
from mcsl.graph import CausalGraph
from mcsl.outputs import check_directory, read_adjacency, write_adjacency, write_result, write_simulation
from mcsl.pruning import EdgeTest, LagTest
from mcsl.recipe import Recipe
from mcsl.result import Result
from mcsl.search import Restart, StopReason, TraceRow
from mcsl.simulation import simulate

NAMES = ("a, b", 'say "hi"', "Größe\n温度", " d ")
FILES = {"adjacency.csv", "edges.csv", "probabilities.csv", "trace.csv", "result.json", "result.mcsl"}


def row(stage):
    names = TraceRow.__dataclass_fields__
    return TraceRow(
        **{name: stage if name in {"stage", "n_edges", "n_steps"} else stage + 1 / 3 for name in names}
    )


@pytest.fixture
def result():
    probabilities = np.full((4, 4), 0.01)
    np.fill_diagonal(probabilities, 0)
    probabilities[0, 1], probabilities[0, 2], probabilities[1, 3], probabilities[3, 0] = 0.7, 0.9, 1 / 3, 0.6
    directions = np.full((4, 4), 0.5)
    directions[0, 2] = 0.8
    return Result(
        graph=CausalGraph.from_edges([(NAMES[0], NAMES[1]), (NAMES[0], NAMES[2])], NAMES),
        directions=directions,
        edge_probabilities=probabilities,
        trace=(row(1), row(2)),
        stop_reason=StopReason.CONVERGED,
        cut_edges=((NAMES[3], NAMES[0]),),
        tests=(
            EdgeTest(NAMES[0], NAMES[1], True, "additive", "p_value", 1e-12),
            EdgeTest(NAMES[1], NAMES[3], False, "quadratic", "coefficient", 0.05),
        ),
        restarts=(Restart(3, StopReason.CONVERGED, 0.5, True),),
        recipe=Recipe.paper(4),
        seed=3,
        n_samples=100,
        fingerprint="abc",
        versions={"mcsl": "0"},
        timings={"train": 1.5, "lost": float("nan")},
    )


def content(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_result_files(result, tmp_path):
    out = write_result(result, tmp_path / "deep" / "out", command="mcsl learn x")
    assert set(content(out)) == FILES
    assert [path.name for path in out.parent.iterdir()] == ["out"]

    matrix, names = read_adjacency(out / "adjacency.csv")
    assert CausalGraph(matrix, names) == result.graph
    probabilities = pd.read_csv(out / "probabilities.csv", index_col=0)
    assert tuple(probabilities.columns) == tuple(probabilities.index) == NAMES
    np.testing.assert_array_equal(probabilities.to_numpy(), result.edge_probabilities)

    trace = pl.read_csv(out / "trace.csv")
    assert trace.columns == list(TraceRow.__dataclass_fields__)
    assert trace["acyclicity"].to_list() == [1 + 1 / 3, 2 + 1 / 3]

    record = json.loads((out / "result.json").read_text(encoding="utf-8"))
    assert record["variables"] == list(NAMES)
    assert record["recipe"]["name"] == "paper"
    assert record["stop_reason"] == "converged"
    assert record["restarts"] == [{"seed": 3, "stop_reason": "converged", "score": 0.5, "chosen": True}]
    assert record["stop_sentence"] == StopReason.CONVERGED.sentence
    assert (record["seed"], record["n_samples"], record["fingerprint"]) == (3, 100, "abc")
    assert record["timings"] == {"train": 1.5, "lost": "nan"}
    assert record["command"] == "mcsl learn x"


def test_edges_list_what_was_kept_dropped_and_cut(result, tmp_path):
    write_result(result, tmp_path / "out")
    edges = pl.read_csv(tmp_path / "out" / "edges.csv").rows()
    assert edges == [
        (NAMES[0], NAMES[2], 1, 0.9, 0.8, None, None, None, None, None),
        (NAMES[0], NAMES[1], 1, 0.7, 0.5, "additive", 1e-12, None, None, None),
        (NAMES[3], NAMES[0], 0, 0.6, 0.5, "acyclicity", None, None, None, None),
        (NAMES[1], NAMES[3], 0, 1 / 3, 0.5, "quadratic", None, 0.05, None, None),
    ]


def test_lags_are_listed_with_their_tests(result, tmp_path):
    tests = tuple(LagTest(NAMES[0], NAMES[2], lag, p) for lag, p in enumerate((1e-9, 0.5, 1e-4)))
    write_result(replace(result, lag_tests=tests), tmp_path / "out")
    lags = pl.read_csv(tmp_path / "out" / "lags.csv")
    assert lags.columns == ["cause", "effect", "lag", "p_value", "matters"]
    assert lags["matters"].to_list() == [1, 0, 1]
    edges = pl.read_csv(tmp_path / "out" / "edges.csv")
    assert edges["lags"].to_list() == ["0 2", None, None, None]


def test_an_empty_directory_may_be_filled(result, tmp_path):
    write_result(result, tmp_path)
    assert set(content(tmp_path)) == FILES


def test_files_are_refused_without_force_and_kept_unless_ours_with_it(result, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "edges.csv").write_text("old")
    before = content(tmp_path)
    with pytest.raises(OutputError, match=r"is not empty; .*--force\.$"):
        write_result(result, tmp_path)
    assert content(tmp_path) == before
    write_result(result, tmp_path, force=True)
    after = content(tmp_path)
    assert set(after) == FILES | {"notes.txt"}
    assert after["notes.txt"] == b"mine"
    assert after["edges.csv"] != b"old"


@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize("failing", sorted(FILES))
def test_a_failure_half_way_leaves_everything_as_it_was(result, tmp_path, monkeypatch, failing, exists):
    out = tmp_path / "out"
    if exists:
        write_result(result, out)
        (out / "edges.csv").write_text("old")
    before = content(out) if exists else None

    def full_disk(path, content):
        path.write_bytes(content[: len(content) // (2 if path.name == failing else 1)])
        if path.name == failing:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("mcsl.writing._write_through", full_disk)
    with pytest.raises(OutputError, match="No space left on device"):
        write_result(result, out, force=True)
    assert (content(out) == before) if exists else not out.exists()
    assert {path.name for path in tmp_path.iterdir()} == ({"out"} if exists else set())


def test_an_interrupt_leaves_nothing_behind(result, tmp_path, monkeypatch):
    def interrupt(path, content):
        raise KeyboardInterrupt

    monkeypatch.setattr("mcsl.writing._write_through", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_result(result, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_what_was_killed_while_it_was_written_is_cleared_away(result, tmp_path):
    (tmp_path / ".edges.csv.0123abcd.partial").write_text("a,b")
    (tmp_path / ".out.4567cdef.partial").mkdir()
    (tmp_path / ".out.4567cdef.partial" / "edges.csv").write_text("a,b")
    write_result(result, tmp_path)
    assert set(content(tmp_path)) == FILES


def test_hidden_files_of_others_are_left_alone(result, tmp_path):
    (tmp_path / ".download.partial").write_text("somebody's")
    with pytest.raises(OutputError, match="is not empty"):
        write_result(result, tmp_path)
    write_result(result, tmp_path, force=True)
    assert (tmp_path / ".download.partial").read_text() == "somebody's"


def test_what_an_earlier_result_had_and_this_one_lacks_is_removed(result, tmp_path):
    for name in ("consensus.csv", "stability.csv", "lags.csv", "report.html", "notes.txt"):
        (tmp_path / name).write_text("of an earlier run")
    write_result(result, tmp_path, force=True)
    assert set(content(tmp_path)) == {*FILES, "notes.txt"}


def test_a_file_in_the_way_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OutputError, match="directory"):
            check_directory(place, force=True)


def test_simulation_files_hold_every_digit(tmp_path):
    simulation = simulate("linear", n_variables=4, degree=1, n_samples=50, seed=0)
    write_simulation(simulation, tmp_path / "out")
    assert set(content(tmp_path / "out")) == {"data.csv", "truth.csv"}
    table = read_table(tmp_path / "out" / "data.csv")
    assert table.fingerprint() == simulation.dataset.fingerprint()
    assert CausalGraph(*read_adjacency(tmp_path / "out" / "truth.csv")) == simulation.graph


def test_data_with_difficult_names_are_read_back(tmp_path):
    simulation = simulate("linear", n_variables=3, degree=1, n_samples=50, seed=0)
    dataset = Dataset(simulation.dataset.values, NAMES[:3])
    object.__setattr__(simulation, "dataset", dataset)
    write_simulation(simulation, tmp_path / "out")
    assert read_table(tmp_path / "out" / "data.csv").fingerprint() == dataset.fingerprint()


def test_write_adjacency_replaces_one_file(tmp_path):
    path = write_adjacency(np.eye(2, k=1), ["a", "b"], tmp_path / "graph.csv")
    write_adjacency(np.eye(2, k=-1), ["a", "b"], path)
    matrix, names = read_adjacency(path)
    assert (matrix.tolist(), names) == ([[False, False], [True, False]], ("a", "b"))
    assert [file.name for file in tmp_path.iterdir()] == ["graph.csv"]
    with pytest.raises(OutputError, match="could not be written"):
        write_adjacency(np.eye(2), ["a", "b"], tmp_path / "none" / "graph.csv")


def test_frames_carry_the_names_and_what_is_known_of_each_edge(result):
    matrix = result.adjacency_frame()
    assert matrix.columns == ["cause\\effect", *result.graph.names]
    assert np.array_equal(matrix.drop("cause\\effect").to_numpy(), result.graph.adjacency)
    edges = result.edges
    assert set(edges.filter(pl.col("kept")).select("cause", "effect").rows()) == set(result.graph.edges)
    assert edges["probability"].is_between(0, 1).all()
