"""Arrays and frames to a Dataset, and the ones that are refused."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import mcsl
from mcsl.data import Dataset, to_dataset
from mcsl.errors import DataError

VALUES = np.random.default_rng(0).normal(size=(25, 3))
COLUMNS = dict(zip("abc", VALUES.T, strict=True))


def with_column(cells):
    return pl.DataFrame({"a": VALUES[:, 0], "b": cells}, strict=False)


@pytest.mark.parametrize(
    "data",
    [
        Dataset(VALUES, ("a", "b", "c")),
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS, index=pd.date_range("2020", periods=25)),
        pl.DataFrame(COLUMNS),
        pl.LazyFrame(COLUMNS),
        pa.table(COLUMNS),
    ],
    ids=["Dataset", "pandas", "pandas with index", "polars", "polars lazy", "pyarrow"],
)
def test_frames_keep_names_and_values(data):
    table = to_dataset(data)
    assert table.names == ("a", "b", "c")
    np.testing.assert_array_equal(table.values, VALUES)
    assert to_dataset(data, drop=["b"]).names == ("a", "c")


@pytest.mark.parametrize("data", [VALUES, np.asfortranarray(VALUES), VALUES.tolist(), np.matrix(VALUES)])
def test_columns_of_arrays_are_numbered_from_one(data):
    table = to_dataset(data)
    assert table.names == ("x1", "x2", "x3")
    np.testing.assert_array_equal(table.values, VALUES)


def test_a_path_is_read(tmp_path):
    pl.DataFrame(COLUMNS).write_csv(tmp_path / "t.csv")
    for path in (tmp_path / "t.csv", str(tmp_path / "t.csv")):
        np.testing.assert_array_equal(to_dataset(path).values, VALUES)


def test_numbers_as_names_become_text():
    assert to_dataset(pd.DataFrame(VALUES)).names == ("0", "1", "2")


@pytest.mark.parametrize(
    "cells",
    [
        pd.array(range(25), dtype="Int64"),
        pd.array([i % 2 == 0 for i in range(25)], dtype="boolean"),
        [Decimal(i) / 3 for i in range(25)],
        np.arange(25, dtype=np.uint8),
        np.arange(25) % 2 == 0,
        pd.arrays.SparseArray(np.arange(25) % 3),
    ],
    ids=["Int64", "boolean", "Decimal", "uint8", "bool", "sparse"],
)
def test_integers_booleans_and_decimals_become_floats(cells):
    expected = np.array([float(cell) for cell in cells])
    for frame in (pd.DataFrame({"a": VALUES[:, 0], "b": cells}), with_column(list(cells))):
        values = to_dataset(frame).values
        assert values.dtype == np.float64
        np.testing.assert_allclose(values[:, 1], expected, rtol=1e-15)


def test_whole_numbers_that_are_no_floats_are_rounded():
    numbers = 2**60 + 1 + 2**50 * np.arange(25)
    columns = {"a": VALUES[:, 0], "b": numbers}
    for frame in (pd.DataFrame(columns), pa.table(columns)):
        np.testing.assert_array_equal(to_dataset(frame).values[:, 1], numbers.astype(float))


def test_collinear_columns_are_fine():
    assert to_dataset(np.c_[VALUES, 2 * VALUES[:, 0], -VALUES[:, 0]]).n_variables == 5


def test_the_callers_array_is_neither_shared_nor_changed():
    values = VALUES.copy()
    table = to_dataset(values)
    values[0, 0] = 99
    assert table.values[0, 0] == VALUES[0, 0]
    with pytest.raises(ValueError, match="read-only"):
        table.values[0, 0] = 1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(None, ["Got NoneType"], id="none"),
        pytest.param(3.5, ["Got float"], id="number"),
        pytest.param({"a": [1, 2]}, ["Got dict"], id="dict"),
        pytest.param(VALUES[:, 0], ["shape (25,)"], id="1-D"),
        pytest.param(VALUES[None], ["shape (1, 25, 3)"], id="3-D"),
        pytest.param(pd.Series(VALUES[:, 0]), ["shape (25,)"], id="series"),
        pytest.param([[1, 2], [3]], ["differ in length"], id="ragged"),
        pytest.param(scipy.sparse.csr_matrix(VALUES), ["sparse", "toarray()"], id="sparse"),
        pytest.param(VALUES + 1j, ["'x1', 'x2' and 'x3'", "complex numbers"], id="complex"),
        pytest.param(pd.DataFrame(VALUES + 1j), ["complex numbers"], id="complex frame"),
        pytest.param(VALUES.astype(str), ["text"], id="text array"),
        pytest.param(np.full((25, 2), object()), ["object objects"], id="objects"),
        pytest.param(VALUES[:0], ["no rows"], id="no rows"),
        pytest.param(VALUES[:, :1], ["only the column 'x1'"], id="one column"),
        pytest.param(pd.DataFrame(), ["no columns"], id="no columns"),
        pytest.param(VALUES[:19], ["19 rows", "at least 20"], id="few rows"),
        pytest.param(pd.DataFrame(VALUES, columns=["a", "b", "a"]), ["named 'a'"], id="duplicate"),
        pytest.param(np.c_[VALUES, VALUES[:, 1]], ["'x2' and 'x4'", "identical"], id="copy"),
        pytest.param(np.c_[VALUES, np.ones(25)], ["'x4'", "same value"], id="constant"),
        pytest.param(np.c_[VALUES, 1e18 + VALUES[:, 0]], ["'x4'", "same value"], id="lost"),
        pytest.param(np.c_[VALUES, 1e18 + 1e3 * VALUES[:, 0]], ["'x4'", "rounding"], id="rounding"),
        pytest.param(1e39 * VALUES, ["'x1'", "largest float32"], id="large"),
        pytest.param(1e-42 * VALUES, ["'x1'", "smallest float32"], id="small"),
        pytest.param(
            np.ma.masked_equal(np.eye(25), 1), ["25 missing values in 25 of 25 rows", "20 more"], id="masked"
        ),
        pytest.param(with_column(["x"] * 25), ["'b'", "text", "'x' in row 0", "drop=['b']"], id="text"),
        pytest.param(with_column([None, "u"] + ["v"] * 23), ["'u' in row 1"], id="text after null"),
        pytest.param(with_column([datetime.date(2020, 1, 1)] * 25), ["dates", "'2020-01-01'"], id="dates"),
        pytest.param(
            with_column([datetime.date(2020, 1, 1)] * 25),
            ["follow each other in time", "with `mcsl.learn(data, lags=1, time='b')`."],
            id="dates of a series",
        ),
        pytest.param(with_column([[1]] * 25), ["list objects"], id="lists"),
        pytest.param(with_column([None] * 25), ["has no values", "leave it out"], id="all null"),
        pytest.param(with_column([1.0] * 7 + [None] * 18), ["18 missing", "the first in row 7"], id="null"),
        pytest.param(with_column([1.0] * 7 + [float("nan")] * 18), ["18 missing", "row 7"], id="nan"),
        pytest.param(
            pd.DataFrame({"a": VALUES[:, 0], "b": pd.array([1, None] * 12 + [2], dtype="Int64")}),
            ["12 missing", "row 1 (counting from 0), column 'b'"],
            id="nullable",
        ),
        pytest.param(pd.DataFrame({"a": [1, "u"] * 15, "b": range(30)}), ["'u' in row 1"], id="mixed"),
        pytest.param(
            pd.DataFrame({"a": pd.Categorical(["u"] * 30), "b": range(30)}), ["text"], id="category"
        ),
        pytest.param(
            pd.DataFrame({"a": pd.Categorical([3, 1, 2] * 10), "b": range(30)}),
            ["Column 'a'", "holds categories, for example '3' in row 0", "turn it into plain numbers"],
            id="category of numbers",
        ),
        pytest.param(
            pa.table({"a": pa.array([1.5, 2.5] * 15).dictionary_encode(), "b": range(30)}),
            ["holds categories, for example '1.5'"],
            id="dictionary of numbers",
        ),
    ],
)
def test_refused(data, words):
    with pytest.raises(DataError) as caught:
        to_dataset(data)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message


def test_the_hint_to_leave_a_column_out_keeps_gaps():
    frame = pd.DataFrame({**COLUMNS, "d": 1.0}).mask(np.eye(25, 4, dtype=bool))
    with pytest.raises(DataError, match=r"'d' .* out with mcsl\.data\.to_dataset\(.*\)\.$") as caught:
        to_dataset(frame, allow_missing=True)
    hint = str(caught.value).split(" out with ")[1].rstrip(".")
    assert eval(hint, {"mcsl": mcsl, "data": frame}).names == ("a", "b", "c")


def test_constant_float32_columns_are_found_after_conversion():
    with pytest.raises(DataError, match="same value"):
        to_dataset(np.c_[VALUES, np.full(25, 0.1)].astype(np.float32))
