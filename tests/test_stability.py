"""Half-samples: how they are drawn, kept, resumed and counted."""

import json
from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest
from joblib._parallel_backends import ThreadingBackend

import mcsl
from mcsl.data import SeriesTable
from mcsl.pruning import KeepAll
from mcsl.stability import LEDGER, _blocks, _pair, _part

FAST = mcsl.Recipe.additive()


def table(seed=0, *, n_variables=4, n_samples=200, degree=1):
    return mcsl.simulate("gp-add", n_variables=n_variables, degree=degree, n_samples=n_samples, seed=seed)


@pytest.fixture
def refits(monkeypatch):
    """The half-samples that are learned from."""
    seen = []

    def learn(data, recipe, **settings):
        seen.append(data)
        return mcsl.learn(data, recipe, **settings)

    monkeypatch.setattr("mcsl.stability.learn", learn)
    return seen


def test_halves_are_complementary_and_differ_between_pairs_and_seeds():
    dataset = mcsl.Dataset(np.column_stack([np.arange(101.0), np.arange(101.0) ** 2]), ("a", "b"))
    pairs = [list(_pair(dataset, np.arange(101), seeds)) for seeds in [(0, 0), (0, 1), (1, 0), (0, 0)]]
    rows = [[set(half) for half in pair] for pair in pairs]
    for first, second in rows:
        assert len(first) == len(second) == 50
        assert not first & second
    assert rows[0] == rows[3]
    assert rows[0][0] not in (rows[1][0], rows[2][0])


def test_halves_of_series_are_blocks_and_no_window_spans_two():
    values = np.column_stack([np.arange(230.0), np.sqrt(np.arange(230.0))])
    series = SeriesTable(mcsl.Dataset(values, ("a", "b")), (0, 30, 230), ("u", "v"))
    blocks = _blocks(series, lags=2)
    assert blocks[29] != blocks[30]
    assert np.bincount(blocks).min() >= 15
    for rows in _pair(series.dataset, blocks, (0, 0)):
        half = _part(series, rows, blocks)
        times, lengths = half.dataset.values[:, 0], np.diff(half.starts)
        places = np.split(times, half.starts[1:-1])
        assert all((np.diff(place) == 1).all() for place in places)
        assert not any({29, 30} <= set(place) for place in places)
        assert lengths.min() >= 15
        assert 60 <= half.dataset.n_samples <= 170


def test_frequencies_are_shares_of_the_graphs_of_the_halves(refits):
    simulation = table(1)
    found = mcsl.assess_stability(simulation.dataset, FAST, n_halves=4)
    assert len(refits) == 4
    graphs = [mcsl.learn(half, FAST).graph.adjacency for half in refits]
    assert np.allclose(found.frequencies, np.mean(graphs, axis=0))
    assert found.n_halves == 4
    assert found.candidates.sum() == 12


def test_strong_edges_return_and_strangers_do_not():
    simulation = table(2, n_samples=600)
    found = mcsl.assess_stability(simulation.dataset, FAST, n_halves=6)
    truth = simulation.graph.adjacency
    assert found.frequencies[truth].mean() > 0.8
    assert found.frequencies[~truth].max() < 0.5
    assert found.consensus.adjacency[~truth].sum() == 0


@pytest.mark.parametrize("backend", ["sequential", "threading"])
def test_backends_agree(backend):
    dataset = table(3).dataset
    expected = mcsl.assess_stability(dataset, FAST, n_halves=4)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        found = mcsl.assess_stability(dataset, FAST, n_halves=4)
    assert np.array_equal(found.frequencies, expected.frequencies)


def test_pools_that_hand_over_everything_at_the_end_will_do(tmp_path):
    class Pool(ThreadingBackend):
        supports_return_generator = False

    dataset = table(3).dataset
    expected = mcsl.assess_stability(dataset, FAST, n_halves=4)
    with joblib.parallel_config(Pool(), n_jobs=2):
        found = mcsl.assess_stability(dataset, FAST, n_halves=4, directory=tmp_path)
    assert np.array_equal(found.frequencies, expected.frequencies)
    assert len((tmp_path / LEDGER).read_text().splitlines()) == 4


def test_half_samples_take_one_thread_each(monkeypatch):
    asked = []

    class Curious:
        def prune(self, graph, problem):
            asked.append(joblib.Parallel(n_jobs=-1, prefer="threads")._effective_n_jobs())
            return KeepAll().prune(graph, problem)

    mcsl.assess_stability(table().dataset, replace(FAST, pruner=Curious()), n_halves=2)
    assert asked == [1, 1]


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path, refits):
    dataset = table(4).dataset

    def stop(n_done, n_halves):
        if n_done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mcsl.assess_stability(dataset, FAST, n_halves=6, directory=tmp_path, observers=[stop])
    assert len((tmp_path / LEDGER).read_text().splitlines()) == 3
    refits.clear()
    seen = []
    found = mcsl.assess_stability(
        dataset, FAST, n_halves=6, directory=tmp_path, observers=[lambda *done: seen.append(done)]
    )
    assert len(refits) == 3
    assert seen == [(3, 6), (4, 6), (5, 6), (6, 6)]
    assert np.array_equal(found.frequencies, mcsl.assess_stability(dataset, FAST, n_halves=6).frequencies)
    assert [path.name for path in tmp_path.iterdir()] == [LEDGER]


def test_more_half_samples_use_the_earlier_ones(tmp_path, refits):
    dataset = table(4).dataset
    mcsl.assess_stability(dataset, FAST, n_halves=4, directory=tmp_path)
    refits.clear()
    mcsl.assess_stability(dataset, FAST, n_halves=6, directory=tmp_path)
    assert len(refits) == 2
    refits.clear()
    mcsl.assess_stability(dataset, FAST, n_halves=2, directory=tmp_path)
    assert not refits


@pytest.mark.parametrize(
    "other",
    [
        {"data": table(5).dataset},
        {"recipe": replace(FAST, pruner=mcsl.AdditivePruner())},
        {"seed": 1},
        {"knowledge": mcsl.Knowledge(required=(("x1", "x2"),))},
        {"groups": {"both": ("x1", "x2")}},
        {"memory": "1GB"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_half_samples_of_something_else_are_refused_or_replaced(tmp_path, other, refits):
    call = {"data": table(4).dataset, "recipe": FAST, "n_halves": 2, "directory": tmp_path}
    mcsl.assess_stability(**call)
    refits.clear()
    with pytest.raises(mcsl.OutputError, match=r"halves\.jsonl holds half-samples of other data"):
        mcsl.assess_stability(**(call | other))
    assert not refits
    found = mcsl.assess_stability(**(call | other), force=True)
    assert len(refits) == 2
    directory = {"directory": None}
    assert np.array_equal(found.frequencies, mcsl.assess_stability(**(call | other | directory)).frequencies)


@pytest.mark.parametrize("content", ["{", "[]\n", '{"half": 0}\n', "\x00"])
def test_a_broken_file_is_refused(tmp_path, content):
    (tmp_path / LEDGER).write_text(content)
    with pytest.raises(mcsl.OutputError, match="choose another directory"):
        mcsl.assess_stability(table().dataset, FAST, n_halves=2, directory=tmp_path)


def test_the_file_holds_plain_json(tmp_path):
    mcsl.assess_stability(table(1).dataset, FAST, n_halves=2, directory=tmp_path / "new")
    rows = [json.loads(line) for line in (tmp_path / "new" / LEDGER).read_text().splitlines()]
    assert [row["half"] for row in rows] == [0, 1]
    assert all(len(edge) == 2 for row in rows for edge in row["edges"])


def test_knowledge_holds_and_stays_out_of_the_candidates():
    knowledge = mcsl.Knowledge(required=(("x1", "x2"),), forbidden=(("x3", "x4"),))
    found = mcsl.assess_stability(table(6).dataset, FAST, n_halves=2, knowledge=knowledge)
    assert found.frequencies[0, 1] == 1
    assert found.frequencies[2, 3] == 0
    assert not found.candidates[[0, 2, 1], [1, 3, 0]].any()
    assert found.candidates.sum() == 9


def test_groups_and_lags():
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((400, 3))
    values = noise.copy()
    for t in range(1, 400):
        values[t] = 0.3 * values[t - 1] + noise[t]
        values[t, 2] += np.tanh(2 * values[t - 1, 0])
    found = mcsl.assess_stability(values, FAST, n_halves=4, lags=1, groups={"pair": ("x1", "x2")})
    assert found.names == ("pair", "x3")
    assert found.frequencies[0, 1] == 1


def test_series_are_told_apart_by_a_column():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 400))
    y[1:] += np.tanh(2 * x[:-1])
    frame = pd.DataFrame({"machine": ["a"] * 200 + ["b"] * 200, "x": x, "y": y})
    found = mcsl.assess_stability(frame, "additive", n_halves=2, lags=1, series="machine")
    table = mcsl.to_series(frame, series="machine")
    np.testing.assert_array_equal(
        found.frequencies, mcsl.assess_stability(table, FAST, n_halves=2, lags=1).frequencies
    )
    assert found.frequencies[0, 1] == 1
    with pytest.raises(mcsl.SettingsError, match="`missing` is a rule for tables"):
        mcsl.assess_stability(frame, n_halves=2, lags=1, series="machine", missing="drop")


@pytest.mark.parametrize("n_halves", [0, 1, 3, -2])
def test_odd_numbers_of_halves_are_refused(n_halves):
    with pytest.raises(mcsl.SettingsError, match=f"must be .*. Got {n_halves} instead"):
        mcsl.assess_stability(table().dataset, FAST, n_halves=n_halves)


def test_too_few_rows_and_rare_values_are_refused():
    values = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.raises(mcsl.DataError, match="Half of the rows are 15"):
        mcsl.assess_stability(values[:30], FAST, n_halves=2)
    rare = np.column_stack([values, np.arange(60) == 7])
    with pytest.raises(mcsl.DataError, match="'x3' has a single value in half of the rows"):
        mcsl.assess_stability(rare, FAST, n_halves=2)
    values[:25, 0] = np.nan
    message = "A half-sample cannot be learned from: .* of 30 rows .*, or do without half-samples.$"
    with pytest.raises(mcsl.DataError, match=message):
        mcsl.assess_stability(values, FAST, n_halves=2, missing="drop")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"missing": "drop"}, r"Only \d+ of 30 rows have no missing values"),
        ({"missing": "impute"}, r"Column 'x1' has only \d+ values that are not missing"),
        ({"missing": "mask"}, r"Column 'x1' has only \d+ values that are not missing"),
        ({"missing": "mask", "groups": {"pair": ["x2", "x3"]}}, "The variable 'pair' was measured in"),
        ({"lags": 1}, r"The series have only \d+ complete windows"),
    ],
    ids=str,
)
def test_gaps_that_leave_too_little_of_a_half_are_refused_before_any_work(refits, settings, message):
    values = np.random.default_rng(0).normal(size=(60, 3))
    if "groups" in settings:
        values[:14, 1] = values[14:28, 2] = np.nan
    else:
        values[20:50, 0] = np.nan
    assert mcsl.learn(values, FAST, **settings).graph
    with pytest.raises(mcsl.DataError, match=f"A half-sample cannot be learned from: {message}") as caught:
        mcsl.assess_stability(values, FAST, n_halves=2, **settings)
    assert str(caught.value).endswith(", or do without half-samples.")
    assert not refits


def test_a_column_without_any_value_in_half_of_the_rows_is_refused():
    values = np.random.default_rng(0).normal(size=(400, 2))
    series = SeriesTable(mcsl.Dataset(values, ("a", "b")), (0, 200, 400), ("u", "v"))
    gappy = np.where(_half_of(series)[:, None] & [True, False], np.nan, values)
    table = SeriesTable(mcsl.Dataset(gappy, ("a", "b")), series.starts, series.labels)
    with pytest.raises(mcsl.DataError, match="The series have only 0 complete windows"):
        mcsl.assess_stability(table, FAST, n_halves=2)


def _half_of(series):
    blocks = _blocks(series, 0)
    rows = next(_pair(series.dataset, blocks, (0, 0)))
    return np.isin(np.arange(series.dataset.n_samples), rows)


def test_half_samples_hold_as_many_rows_as_memory_allows(monkeypatch):
    drawn = []

    def learn(data, recipe, **settings):
        result = mcsl.learn(data, recipe, **settings)
        drawn.append(result.n_drawn)
        return result

    monkeypatch.setattr("mcsl.stability.learn", learn)
    mcsl.assess_stability(table(n_variables=3, n_samples=8000).dataset, FAST, n_halves=2, memory="27MB")
    assert drawn == [3102, 3102]
