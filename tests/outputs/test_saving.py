import io
import json
import zipfile
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import load, save

import mcsl
from mcsl.graph import Stability
from mcsl.outputs.saving import FORMAT, load_result, save_result, to_bytes
from mcsl.scales import Logarithm
from mcsl.sem.scale import Scale
from mcsl.sem.storage import _scale

REFERENCE = Path(__file__).parents[1] / "reference" / "format_1.mcsl"
PARTS = ("result.json", "arrays.safetensors")


@pytest.fixture(scope="module")
def result():
    simulation = mcsl.simulate("gp", n_variables=4, degree=1.5, n_samples=150, seed=3)
    found = mcsl.learn(simulation.dataset, mcsl.Recipe.additive(), seed=5)
    frequencies = np.random.default_rng(0).uniform(size=(4, 4))
    stability = Stability(found.graph.names, frequencies, 20, ~np.eye(4, dtype=bool))
    row = mcsl.TraceRow(1, 1e-3, float("inf"), 2.0, 3.0, float("nan"), 1.0, 2.0, 7, 0.5, 0.1, 500)
    restart = mcsl.Restart(7, mcsl.StopReason.NOT_FINITE, float("inf"), True)
    return replace(found, stability=stability, trace=(row,), cut_edges=(("x1", "x2"),), restarts=(restart,))


def members(result):
    with zipfile.ZipFile(io.BytesIO(to_bytes(result))) as archive:
        return {name: archive.read(name) for name in PARTS}


def write(path, parts, **options):
    with zipfile.ZipFile(path, "w", **options) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def test_a_result_comes_back_as_it_was(result, tmp_path):
    back = load_result(result.save(tmp_path / "run.mcsl"))
    assert back.graph == result.graph
    assert np.array_equal(back.edge_probabilities, result.edge_probabilities)
    assert np.array_equal(back.directions, result.directions)
    assert repr(back.trace) == repr(result.trace)
    assert back.stop_reason is result.stop_reason
    assert back.recipe.name == "additive"
    assert json.dumps(back.recipe.describe()) == json.dumps(result.recipe.describe())
    assert np.array_equal(back.stability.frequencies, result.stability.frequencies)
    for name in ("cut_edges", "tests", "seed", "n_samples", "fingerprint", "versions", "timings",
                 "edge_counts", "knowledge", "groups", "lag_tests", "series", "missing",
                 "restarts", "trust"):  # fmt: skip
        assert getattr(back, name) == getattr(result, name), name


def test_every_field_of_a_result_is_saved_or_stands_for_what_is():
    handled = {
        "graph", "edge_probabilities", "directions", "trace", "stop_reason", "cut_edges", "tests", "recipe",
        "seed",
        "n_samples", "n_drawn", "fingerprint", "versions", "timings", "edge_counts", "knowledge", "stability",
        "groups", "lag_tests", "series", "missing", "restarts", "problem", "stored_sem", "stored_trust",
    }  # fmt: skip
    assert {field.name for field in fields(mcsl.Result)} == handled


def test_the_model_answers_as_before(result, tmp_path):
    back = load_result(save_result(result, tmp_path / "run.mcsl"))
    assert back.sem.sample(50, seed=1).equals(result.sem.sample(50, seed=1))
    cause, effect = result.graph.edges[0]
    assert back.sem.effect(cause, effect, 0.0, 1.0) == result.sem.effect(cause, effect, 0.0, 1.0)
    assert back.sem.held_out == result.sem.held_out
    again = load_result(back.save(tmp_path / "again.mcsl"))
    assert again.sem.sample(5).equals(back.sem.sample(5))
    assert again.trust == result.trust


def test_without_its_model_a_result_holds_no_rows(result, tmp_path):
    path = result.save(tmp_path / "run.mcsl", sem=False)
    back = load_result(path)
    assert back.trust == result.trust
    with pytest.raises(mcsl.DataError, match="saved without its fitted model"):
        _ = back.sem
    with zipfile.ZipFile(path) as archive:
        assert set(load(archive.read("arrays.safetensors"))) == {
            "adjacency", "edge_probabilities", "directions", "trace", "stability/frequencies",
            "stability/candidates",
        }  # fmt: skip


def test_the_same_result_gives_the_same_bytes(result):
    assert to_bytes(result) == to_bytes(result)


def test_groups_and_lags_come_back(tmp_path):
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 200))
    y[1:] += np.sin(2 * x[:-1])
    result = mcsl.learn(np.column_stack([x, y]), mcsl.Recipe.additive(), lags=1)
    back = load_result(result.save(tmp_path / "run.mcsl"))
    assert back.lag_tests == result.lag_tests
    assert back.sem.columns == ("x1", "x2", "x1[t-1]", "x2[t-1]")
    assert back.sem.predict(result.problem.dataset).equals(result.sem.predict(result.problem.dataset))


def test_scales_of_every_kind_come_back(tmp_path):
    rng = np.random.default_rng(6)
    z = rng.standard_normal((800, 4))
    z[:, 1:] += z[:, :1]
    values = np.column_stack([z[:, 0], np.exp(z[:, 1]), np.arctan(2 * z[:, 2]), z[:, 3] ** 3])
    knowledge = mcsl.Knowledge(tiers=[["x1"], ["x2", "x3", "x4"]])
    result = mcsl.learn(values, "additive", knowledge=knowledge)
    back = load_result(result.save(tmp_path / "run.mcsl"))
    assert back.sem.scales == result.sem.scales
    assert [type(scale.curve).__name__ for scale in back.sem.scales] == [
        "NoneType", "Logarithm", "LogOdds", "InverseSinh",
    ]  # fmt: skip


def test_a_file_of_format_1_keeps_loading():
    back = load_result(REFERENCE)
    assert back.graph.edges == (("dose", "response"),)
    assert back.stop_reason is mcsl.StopReason.SETTLED
    assert back.sem.columns == ("dose", "response", "noise")
    effect = back.sem.effect("dose", "response", 0.0, 1.0)
    assert effect.low < 1.0 < effect.high
    assert [finding.name for finding in back.trust][:2] == ["search", "units"]


def test_logarithms_of_format_1_are_read():
    part = {"centre": 1.0, "deviation": 2.0, "sign": -1.0, "origin": 5.0, "nearest": 0.5}
    assert _scale(part) == Scale(1.0, 2.0, Logarithm(-1.0, 5.0, 0.5))
    assert _scale({**part, "sign": 0.0, "origin": 0.0}) == Scale(1.0, 2.0)


@pytest.mark.parametrize(
    "curve",
    [
        {"kind": "logarithm", "sign": 1.0, "origin": 0.0, "nearest": -1.0},
        {"kind": "log-odds", "lower": 1.0, "upper": 0.0, "nearest": 0.1},
        {"kind": "inverse hyperbolic sine", "middle": 0.0, "width": float("nan")},
    ],
)
def test_scales_that_do_not_rise_are_refused(curve):
    with pytest.raises(ValueError, match="does not rise"):
        _scale({"centre": 0.0, "deviation": 1.0, **curve})


def _document(parts, **changes):
    return {**parts, "result.json": json.dumps({**json.loads(parts["result.json"]), **changes})}


def _without(parts, name):
    return {key: value for key, value in parts.items() if key != name}


def _arrays(parts, **changes):
    arrays = {**load(parts["arrays.safetensors"]), **changes}
    kept = {name: array for name, array in arrays.items() if array is not None}
    return {**parts, "arrays.safetensors": save(kept)}


def _sem(parts, **changes):
    return _document(parts, sem={**json.loads(parts["result.json"])["sem"], **changes})


TEST = {"cause": "x1", "effect": "x2", "kept": True, "test": "a", "statistic": "p_value", "value": 1}
WRONG = {
    "no document": (lambda p: _without(p, "result.json"), "must hold result.json once"),
    "no arrays": (lambda p: _without(p, "arrays.safetensors"), "must hold arrays.safetensors once"),
    "a path instead": (lambda p: {f"../{k}": v for k, v in p.items()}, "must hold result.json once"),
    "a newer format": (lambda p: _document(p, format=FORMAT + 1), "this mcsl reads up to 2; update mcsl"),
    "format of another type": (lambda p: _document(p, format="1"), "the format '1'"),
    "a list for a document": (lambda p: {**p, "result.json": "[1]"}, "no result of mcsl"),
    "no JSON": (lambda p: {**p, "result.json": "{"}, "no result of mcsl"),
    "deep JSON": (lambda p: {**p, "result.json": "[" * 100_000}, "no result of mcsl"),
    "a huge number": (
        lambda p: {**p, "result.json": '{"format": ' + "9" * 10_000 + "}"},
        "no result of mcsl",
    ),
    "a missing field": (lambda p: {**p, "result.json": '{"format": 1}'}, "'variables' is missing"),
    "names that are numbers": (lambda p: _document(p, variables=[1, 2, 3, 4]), "text is expected"),
    "a name twice": (lambda p: _document(p, variables=["a", "a", "b", "c"]), "more than one variable"),
    "an unknown stop reason": (lambda p: _document(p, stop_reason="bored"), "not a valid StopReason"),
    "an unknown field of a test": (lambda p: _document(p, tests=[{**TEST, "call": "rm"}]), "unexpected"),
    "a test of nothing": (lambda p: _document(p, tests=[{**TEST, "cause": None}]), "text is expected"),
    "a test of a stranger": (lambda p: _document(p, tests=[{**TEST, "effect": "y"}]), "does not have"),
    "a cut edge of a stranger": (lambda p: _document(p, cut_edges=[["x1", "y"]]), "does not have"),
    "an unknown verdict": (
        lambda p: _document(p, trust=[{"name": "a", "verdict": "fine", "figures": {}}]),
        "unknown verdict",
    ),
    "no safetensors": (lambda p: {**p, "arrays.safetensors": b"\x80\x04K\x01."}, "no result of mcsl"),
    "a header of absurd size": (
        lambda p: {**p, "arrays.safetensors": b"\xff" * 8 + b"{}"},
        "no result of mcsl",
    ),
    "a cyclic graph": (lambda p: _arrays(p, adjacency=np.ones((4, 4), bool)), "cycle"),
    "a matrix of another type": (lambda p: _arrays(p, adjacency=np.zeros((4, 4))), "another shape or type"),
    "a matrix of another shape": (
        lambda p: _arrays(p, edge_probabilities=np.zeros((4, 3))),
        "another shape or type",
    ),
    "a trace of another shape": (lambda p: _arrays(p, trace=np.zeros((2, 3))), "trace"),
    "a mechanism without coefficients": (lambda p: _arrays(p, **{"sem/0/coefficients": None}), "is missing"),
    "coefficients that are not finite": (
        lambda p: _arrays(p, **{"sem/values": np.full((150, 4), np.nan)}),
        "not finite",
    ),
    "a column that is not there": (
        lambda p: _sem(p, variables=[{"name": f"x{k}", "inputs": [k], "outputs": [k]} for k in range(1, 5)]),
        "column that is not there",
    ),
    "another graph's variables": (lambda p: _sem(p, variables=[]), "not the graph's"),
    "too few scales": (lambda p: _sem(p, scales=[]), "no scale"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_is_refused_in_one_sentence(result, tmp_path, case):
    change, message = WRONG[case]
    with pytest.raises(mcsl.DataError, match=message) as caught:
        load_result(write(tmp_path / "wrong.mcsl", change(members(result))))
    assert str(caught.value).count("\n") == 0
    assert str(caught.value).startswith(str(tmp_path / "wrong.mcsl"))


def test_members_that_swell_are_not_unpacked(result, tmp_path):
    swollen = {**members(result), "result.json": b" " * 2**27}
    path = write(tmp_path / "bomb.mcsl", swollen, compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(mcsl.DataError, match="unpacks to more than can be right"):
        load_result(path)


def test_what_is_no_zip_is_refused(tmp_path):
    path = tmp_path / "text.mcsl"
    path.write_text("hello")
    with pytest.raises(mcsl.DataError, match="no result of mcsl"):
        load_result(path)
    with pytest.raises(mcsl.DataError, match="There is no file"):
        load_result(tmp_path / "absent.mcsl")


@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_file_is_refused_or_read_but_never_anything_else(result, tmp_path, data):
    content = bytearray(to_bytes(result))
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    path = tmp_path / "damaged.mcsl"
    path.write_bytes(bytes(content[:cut]) if data.draw(st.booleans()) else bytes(content))
    with suppress(mcsl.DataError):
        assert isinstance(load_result(path), mcsl.Result)


def test_a_failed_save_leaves_the_old_file(result, tmp_path):
    with pytest.raises(mcsl.OutputError, match="could not be written"):
        result.save(tmp_path / "absent" / "run.mcsl")
    assert list(tmp_path.iterdir()) == []
