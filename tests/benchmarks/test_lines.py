"""Stored lines: one a run, and what is left of a write that was cut off is none."""

import json

import pytest

from benchmarks import lines


@pytest.mark.parametrize("torn", ["", '{"seed": 10', '{"seed": 1002}'])
def test_a_line_that_was_cut_off_is_none_and_makes_room(torn, tmp_path):
    path = tmp_path / "lines.jsonl"
    assert lines.read(path) == []
    # A separator of lines in Unicode is none here.
    rows = [{"seed": 1000}, {"seed": 1001, "message": "first\u2028second"}]
    for row in rows:
        lines.append(path, row)
    with path.open("a") as file:
        file.write(torn)
    assert lines.read(path) == rows
    lines.append(path, {"seed": 1003})
    assert lines.read(path) == [*rows, {"seed": 1003}]
    assert [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]] == lines.read(path)
