"""What the programs of the benchmarks read from their command lines."""

import os
from argparse import ArgumentTypeError

import pytest

from benchmarks import options


def test_seeds_are_a_range_with_both_ends():
    assert options.seeds("1000-1004") == range(1000, 1005)
    assert options.seeds("7-7") == range(7, 8)
    assert not options.seeds("none")


@pytest.mark.parametrize("text", ["5", "5-3", "5-3-1", "-5", "a-b", ""])
def test_other_seeds_are_refused_in_words(text):
    with pytest.raises(ArgumentTypeError, match=rf"must be first-last, such as .* Got {text} instead\."):
        options.seeds(text)


def test_a_count_begins_at_one():
    assert options.at_least_one("12") == 12
    for text in ("0", "-1", "1.5", "many", ""):
        with pytest.raises(ArgumentTypeError, match=rf"from 1 up\. Got {text} instead\."):
            options.at_least_one(text)


def test_a_path_means_the_same_elsewhere_and_a_name_is_looked_up(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert options.from_here("bin/python") == os.fspath(tmp_path / "bin" / "python")
    assert options.from_here("python3") == "python3"
