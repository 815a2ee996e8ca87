"""Stored lines: one a run, and what is left of a write that was cut off is none."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks import lines


@pytest.mark.parametrize("torn", [b"", b'{"seed": 10', b'{"seed": 1002}', b'{"method": "sort by R\xc2'])
def test_a_line_that_was_cut_off_is_none_and_makes_room(torn, tmp_path):
    path = tmp_path / "lines.jsonl"
    assert lines.read(path) == []
    # A separator of lines in Unicode is none here.
    rows = [{"seed": 1000}, {"seed": 1001, "message": "first\u2028second"}]
    for row in rows:
        lines.append(path, row)
    with path.open("ab") as file:
        file.write(torn)
    assert lines.read(path) == rows
    lines.append(path, {"seed": 1003})
    assert lines.read(path) == [*rows, {"seed": 1003}]
    assert [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]] == lines.read(path)


@pytest.mark.parametrize("text", [b"cause,effect\n", b"[1000]\n", b"\x89PNG\n", b'{"seed": 1000}\n\n'])
def test_what_is_no_line_is_refused_by_its_number(text, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_bytes(text)
    with pytest.raises(lines.LinesError, match=rf"notes\.txt, line {text.count(bytes([10]))}, is no line"):
        lines.read(path)


def test_a_foreign_file_is_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("a file without an end of line")
    with pytest.raises(lines.LinesError, match="Name another file"):
        lines.append(path, {"seed": 1000})
    assert path.read_text() == "a file without an end of line"


def test_two_that_write_lose_no_line(tmp_path):
    path = tmp_path / "lines.jsonl"

    def write(first):
        for seed in range(first, first + 200):
            lines.append(path, {"seed": seed})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(0, 800, 200)))
    assert sorted(row["seed"] for row in lines.read(path)) == list(range(800))
