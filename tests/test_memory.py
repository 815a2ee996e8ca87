import pytest

from mcsl.errors import SettingsError
from mcsl.memory import FEWEST_ROWS, parse_memory, rows_held


@pytest.mark.parametrize(
    ("said", "size"),
    [("2GB", 2 * 10**9), ("500mb", 5 * 10**8), ("1.5 GiB", 3 * 2**29), ("64K", 64_000), (10**6, 10**6)],
)
def test_sizes_are_read_as_people_write_them(said, size):
    assert parse_memory(said) == size


@pytest.mark.parametrize("said", ["much", "-2GB", "2XB", "", "2iB", "GB"])
def test_what_is_no_size_is_refused(said):
    with pytest.raises(SettingsError, match="a size such as 500MB or 2GB"):
        parse_memory(said)


def test_more_memory_holds_more_rows_and_more_columns_hold_fewer():
    held = rows_held(10**9, 30, 2 * 10**9)
    assert held < rows_held(10**9, 30, 3 * 10**9)
    assert held > rows_held(10**9, 40, 2 * 10**9)


def test_short_tables_are_held_whole_whatever_the_memory():
    assert rows_held(FEWEST_ROWS, 1000, 1) == FEWEST_ROWS


def test_too_little_memory_says_how_much_suffices():
    with pytest.raises(SettingsError, match=r"`memory` must be at least 555MB .* 30 columns. Got 50MB"):
        rows_held(10**6, 30, 50 * 10**6)
    assert rows_held(10**6, 30, 555 * 10**6) >= FEWEST_ROWS
