import numpy as np
import polars as pl
import pytest

from mcsl.data import Dataset, draw_rows, open_long_table, read_table
from mcsl.errors import DataError

MEMORY = 27 * 10**6
N_ROWS = 5000


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr("mcsl.data.long_table._BLOCK_VALUES", 3 * 700)


@pytest.fixture
def values():
    return np.random.default_rng(0).standard_normal((N_ROWS, 3))


def frame_of(values):
    return pl.DataFrame(dict(zip("abc", values.T, strict=True)))


def write(frame, folder):
    path = folder / "table.parquet"
    frame.write_parquet(path, row_group_size=900)
    return path


def test_a_table_that_fits_is_left_to_others(values, tmp_path):
    path = write(frame_of(values), tmp_path)
    assert open_long_table(path, memory=2 * 10**9, seed=0) is None


@pytest.mark.parametrize("source", ["path", "lazy", "polars", "pandas", "array", "dataset"])
def test_rows_are_the_same_wherever_they_lie(values, tmp_path, source):
    frame = frame_of(values)
    path = write(frame, tmp_path)
    data = {
        "path": lambda: path,
        "lazy": lambda: pl.scan_parquet(path),
        "polars": lambda: frame,
        "pandas": lambda: frame.to_pandas(),
        "array": lambda: values,
        "dataset": lambda: Dataset(values, tuple("abc")),
    }[source]()
    table = open_long_table(data, memory=MEMORY, seed=3)
    drawn = draw_rows(N_ROWS, table.sample.n_samples, 3)
    assert 3000 <= len(drawn) < N_ROWS
    np.testing.assert_array_equal(table.sample.values, values[drawn])
    np.testing.assert_array_equal(np.concatenate(list(table.rows.blocks())), values)
    np.testing.assert_array_equal([table.rows.low, table.rows.high], [values.min(axis=0), values.max(axis=0)])
    assert table.fingerprint == Dataset(values, table.names).fingerprint()


def test_another_seed_draws_other_rows(values):
    samples = [open_long_table(values, memory=MEMORY, seed=seed).sample.values for seed in (0, 1)]
    assert not np.array_equal(*samples)


def test_dropped_columns_are_not_read(values, tmp_path):
    path = write(frame_of(values).with_columns(pl.lit("text").alias("word")), tmp_path)
    assert open_long_table(path, memory=MEMORY, seed=0, drop=["word"]).names == ("a", "b", "c")


def test_an_index_that_pandas_wrote_is_no_variable(values, tmp_path):
    frame = frame_of(values).to_pandas().set_axis(np.arange(N_ROWS)[::-1])
    frame.to_parquet(tmp_path / "table.parquet")
    for data in (tmp_path / "table.parquet", pl.scan_parquet(tmp_path / "table.parquet")):
        table = open_long_table(data, memory=MEMORY, seed=0)
        assert table.names == ("a", "b", "c")
        assert table.fingerprint == open_long_table(frame, memory=MEMORY, seed=0).fingerprint


def spoil(values, kind):
    frame = frame_of(values)
    row = pl.int_range(pl.len())
    late = row == N_ROWS - 3
    return {
        "missing": frame.with_columns(pl.when(late).then(None).otherwise("b").alias("b")),
        "several missing": frame.with_columns(pl.when(row % 1999 == 5).then(None).otherwise("b").alias("b")),
        "infinite": frame.with_columns(pl.when(late).then(np.inf).otherwise("c").alias("c")),
        "text": frame.with_columns(pl.when(late).then(pl.lit("four")).alias("a")),
        "dates": frame.with_columns(pl.lit("2020-01-01").str.to_date().alias("a")),
        "constant": frame.with_columns(pl.lit(1.5).alias("c")),
        "copies": frame.with_columns(pl.col("a").alias("c")),
        "huge": frame.with_columns(pl.when(late).then(-1e300).otherwise("c").alias("c")),
        "numbered": frame.select((row + 1).alias("Unnamed: 0"), pl.all()),
    }[kind]


@pytest.mark.parametrize(
    "kind",
    [
        "missing",
        "several missing",
        "infinite",
        "text",
        "dates",
        "constant",
        "copies",
        "huge",
        "numbered",
    ],
)
def test_errors_are_those_of_a_table_in_memory(values, tmp_path, kind):
    path = write(spoil(values, kind), tmp_path)
    with pytest.raises(DataError) as in_memory:
        read_table(path)
    with pytest.raises(DataError) as in_blocks:
        open_long_table(path, memory=MEMORY + 10**7, seed=0)
    assert str(in_blocks.value) == str(in_memory.value)


def test_a_value_too_rare_for_the_rows_drawn_is_refused(values, tmp_path):
    left_out = np.setdiff1d(np.arange(N_ROWS), draw_rows(N_ROWS, 3102, 0))
    values[:, 2] = 0.0
    values[left_out[0], 2] = 1.0
    path = write(frame_of(values), tmp_path)
    with pytest.raises(DataError, match=r"Column 'c' of .* varies so rarely .* --drop c, or allow more"):
        open_long_table(path, memory=MEMORY, seed=0)


def test_a_broken_file_is_one_sentence(values, tmp_path):
    path = write(frame_of(values), tmp_path)
    path.write_bytes(path.read_bytes()[:-5000])
    with pytest.raises(DataError, match="not a complete Parquet file"):
        open_long_table(path, memory=MEMORY, seed=0)


def test_text_larger_than_memory_says_how_to_convert_it(tmp_path):
    path = tmp_path / "it's long.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match=r"turn it into Parquet: python -c .*scan_csv.*sink_parquet"):
        open_long_table(path, memory=5, seed=0)
    assert open_long_table(path, memory=1000, seed=0) is None
