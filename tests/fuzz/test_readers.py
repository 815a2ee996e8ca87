"""Whatever a file holds: a sentence or a valid value, in a moment, and nothing written elsewhere."""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from benchmarks.fuzz.cases import KINDS, Case, draw, valid_result
from benchmarks.fuzz.readers import outcome
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

FINE = ("valid", "refused")
TEXT_FILES = {
    "table": "table.csv",
    "series": "table.csv",
    "groups": "groups.json",
    "knowledge": "known.yaml",
    "graph": "graph.gml",
    "metrics": "metrics.csv",
}


def judge(case, seed=0):
    with TemporaryDirectory() as directory:
        return outcome(case, Path(directory), seed)


def test_drawn_cases():
    verdicts = {seed: judge(draw(seed), seed) for seed in range(250)}
    assert {seed: verdict for seed, verdict in verdicts.items() if verdict not in FINE} == {}
    assert set(verdicts.values()) == set(FINE)
    assert {draw(seed).reader for seed in verdicts} == set(KINDS)


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(sorted(TEXT_FILES)), st.text(st.sampled_from("ab1.,;|\t\n\r \"'-[]{}:\0é"), max_size=60)
)
def test_any_text(reader, text):
    assert judge(Case(reader, TEXT_FILES[reader], text.encode())) in FINE


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(["table.parquet", "result.mcsl", "table.csv"]), st.binary(max_size=60))
def test_any_bytes(name, content):
    reader = "result" if name == "result.mcsl" else "table"
    for begin in (b"", b"PAR1", b"PK\x03\x04"):
        assert judge(Case(reader, name, begin + content)) in FINE


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["a", "b", "required", "d.x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "tiers", "x"]), inner),
    max_leaves=8,
)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(["groups", "knowledge"]), JSON)
def test_any_json(reader, document):
    assert judge(Case(reader, f"{reader}.json", json.dumps(document).encode())) in FINE


def archive(document, arrays, **members):
    content = io.BytesIO()
    parts = {"result.json": json.dumps(document).encode(), "arrays.safetensors": save(arrays), **members}
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, part in parts.items():
            packed.writestr(name, part)
    return content.getvalue()


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_any_value_anywhere_in_a_result(data):
    document, arrays = valid_result()
    document = json.loads(json.dumps(document))
    place, key = document, data.draw(st.sampled_from(sorted(document)))
    while isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans()):
        place = place[key]
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
    place[key] = data.draw(JSON)
    assert judge(Case("result", "result.mcsl", archive(document, arrays))) in FINE


def test_a_valid_result_is_valid():
    assert judge(Case("result", "result.mcsl", archive(*valid_result()))) == "valid"


@pytest.mark.parametrize(
    "spoil",
    [
        {"result.json": b" " * 2**27},
        {"arrays.safetensors": b"\0" * 2**28},
        {"../../evil": b"x", "result.json": b"{}"},
        {"result.json": b"[" * 10**6},
    ],
    ids=["document bomb", "array bomb", "path", "depth"],
)
def test_bombs_and_tricks_are_refused(spoil):
    assert judge(Case("result", "result.mcsl", archive(*valid_result(), **spoil))) == "refused"


@pytest.mark.parametrize("shape", [[2**31, 2**31], [-1], [2**63]])
def test_absurd_shapes_are_refused(shape):
    header = json.dumps({"adjacency": {"dtype": "BOOL", "shape": shape, "data_offsets": [0, 8]}}).encode()
    tensors = len(header).to_bytes(8, "little") + header + b"\0" * 8
    content = archive(valid_result()[0], {}, **{"arrays.safetensors": tensors})
    assert judge(Case("result", "result.mcsl", content)) == "refused"


def test_the_real_command_says_one_sentence(tmp_path):
    (tmp_path / "open.csv").write_bytes(b'a,b\n1,"2\n' * 30)
    (tmp_path / "short.parquet").write_bytes(b"PAR1" + os.urandom(50))
    (tmp_path / "twice.csv").write_text("a,a\n" + "".join(f"{k},{k * k}\n" for k in range(30)))
    values = np.random.default_rng(0).normal(size=(30, 2))
    np.savetxt(tmp_path / "good.csv", values, delimiter=",", header="x1,x2", comments="")
    (tmp_path / "known.json").write_text('{"required": [["x1", "x2"], ["x2", "x1"]]}')
    tables = [[tmp_path / name] for name in ("open.csv", "short.parquet", "twice.csv")]
    for arguments in [*tables, [tmp_path / "good.csv", "--knowledge", tmp_path / "known.json"]]:
        command = [sys.executable, "-m", "mcsl", "learn", *map(str, arguments), "--out", tmp_path / "out"]
        process = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert process.returncode == 2
        assert process.stderr.startswith("mcsl: ")
        assert process.stderr.count("\n") == 1
        assert not (tmp_path / "out").exists()
