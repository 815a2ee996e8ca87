import datetime
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mcsl
from mcsl.data import to_series
from mcsl.errors import DataError, SettingsError


def frame(n: int = 40, **columns) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)} | columns)


def five_minutes(n: int = 40) -> list[pd.Timestamp]:
    return list(pd.date_range("2024-05-01", periods=n, freq="5min"))


def test_rows_without_time_keep_their_order():
    data = frame()
    table = to_series(data)
    assert np.array_equal(table.dataset.values, data.to_numpy())
    assert table.starts == (0, 40)


@pytest.mark.parametrize("ids", [["m10", "m9"], [7, 3], [1.5, 2.5], [True, False]], ids=str)
def test_series_ids_may_be_anything(ids):
    data = frame(machine=np.repeat(ids, [15, 25]))
    table = to_series(data, series="machine")
    assert table.dataset.names == ("a", "b")
    assert sorted(np.diff(table.starts)) == [15, 25]
    assert len(set(table.labels)) == 2


LONG_IDS = {
    "sixteen digits": (1234567890123456, 1234567890123457),
    "nineteen digits": (1234567890123456788, 1234567890123456789),
    "beyond int64": (2**63, 2**63 + 1),
}


@pytest.mark.parametrize("ids", LONG_IDS.values(), ids=LONG_IDS.keys())
@pytest.mark.parametrize("form", ["pandas", "objects", "polars", "pyarrow", "csv", "parquet", "category"])
def test_long_numbers_tell_series_apart(tmp_path, form, ids):
    data = frame(machine=np.repeat(np.array(ids, dtype="uint64"), [15, 25]))
    if form in ("csv", "parquet"):
        path = tmp_path / f"data.{form}"
        data.to_csv(path, index=False) if form == "csv" else pl.from_pandas(data).write_parquet(path)
        data = path
    elif form == "objects":
        data["machine"] = pd.Series(data["machine"].tolist(), dtype=object)
    elif form == "category":
        data["machine"] = data["machine"].astype("category")
    elif form != "pandas":
        data = pl.from_pandas(data) if form == "polars" else pl.from_pandas(data).to_arrow()
    table = to_series(data, series="machine")
    assert table.starts == (0, 15, 40)
    assert table.labels == tuple(map(str, ids))


def test_long_numbers_in_arrays_tell_series_apart():
    values = np.random.default_rng(0).integers(1, 1000, size=(40, 3))
    values[:, 2] = np.repeat([2**60, 2**60 + 1], [15, 25])
    assert to_series(values, series="x3").starts == (0, 15, 40)
    assert refused(values.astype(float), series="x3") == (
        "The series column 'x3' of the table holds 1.15292e+18 in row 0 (counting from 0), a float too large "
        "to be told from its neighbours; write the names of series as integers or text."
    )


def test_long_numbers_may_be_data(tmp_path):
    data = frame(bytes=np.arange(40) + 2**60 + 2**50 * (np.arange(40) % 7), when=five_minutes())
    expected = data[["a", "b", "bytes"]].to_numpy(dtype=float)
    assert np.array_equal(to_series(data[::-1]).dataset.values, expected)
    data[::-1].to_csv(tmp_path / "data.csv", index=False)
    assert np.allclose(to_series(tmp_path / "data.csv").dataset.values, expected, rtol=1e-15)


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=10)
def test_the_order_of_rows_does_not_matter_where_there_is_time(seed):
    data = frame(machine=np.repeat(["x", "y"], 20), when=five_minutes(20) * 2)
    shuffled = data.sample(frac=1, random_state=seed)
    first, second = to_series(data, series="machine"), to_series(shuffled, series="machine")
    assert np.array_equal(first.dataset.values, second.dataset.values)
    assert (first.starts, first.labels) == (second.starts, second.labels)


@pytest.mark.parametrize(
    "times",
    [
        five_minutes(),
        [t.strftime("%Y-%m-%d %H:%M:%S") for t in five_minutes()],
        [t.strftime("%Y-%m-%dT%H:%M:%SZ") for t in five_minutes()],
        [datetime.date(2024, 2, 1) + datetime.timedelta(days=k) for k in range(40)],
        list(pd.date_range("2020-01-31", periods=40, freq="ME")),
    ],
    ids=["timestamps", "text", "zones", "days", "months"],
)
def test_dates_are_recognised_sorted_and_left_out(times):
    data = frame(when=times)
    turned = data.iloc[::-1]
    for form in (turned, pl.from_pandas(turned)):
        table = to_series(form)
        assert table.dataset.names == ("a", "b")
        assert np.array_equal(table.dataset.values, data[["a", "b"]].to_numpy())


@pytest.mark.parametrize(
    "index",
    [
        pd.date_range("2024-05-01", periods=40, freq="1h"),
        pd.date_range("2024-05-01", periods=40, freq="1h", tz="Europe/Oslo", name="when"),
        pd.period_range("2020-01", periods=40, freq="M", name="when"),
        pd.timedelta_range("0h", periods=40, freq="1h"),
        pd.date_range("2024-05-01", periods=40, freq="1D").strftime("%Y-%m-%d"),
        pd.Index(np.arange(40) * 5, name="time"),
        pd.MultiIndex.from_product([["north"], pd.date_range("2024-05-01", periods=40)]),
    ],
    ids=["hours", "zones", "months", "durations", "text", "numbers called time", "levels"],
)
def test_an_index_of_times_is_read_like_a_column(index):
    data = frame().set_axis(index)
    # A rising column of numbers is time only where it rises.
    turned = data if index.name == "time" else data.iloc[::-1]
    table = to_series(turned)
    assert table.names == ("a", "b")
    assert np.array_equal(table.dataset.values, data.to_numpy())
    assert "There is a gap in the time column" in refused(turned.drop(index=index[7:20]))


def test_an_index_is_never_a_variable_and_gives_way_to_columns():
    data = frame(when=five_minutes()).set_index("when", drop=False)[::-1]
    assert np.array_equal(to_series(data).dataset.values, data[["a", "b"]].to_numpy()[::-1])
    by_number = frame(clock=np.arange(40.0)).set_axis(pd.Index(five_minutes()[::-1]))
    assert to_series(by_number, time="clock").names == ("a", "b")
    assert np.array_equal(to_series(by_number, time="clock").dataset.values, by_number[["a", "b"]].to_numpy())
    assert to_series(by_number, drop=["index"]).names == ("a", "b", "clock")
    for index in (np.arange(40)[::-1], pd.Index(np.arange(40)[::-1], name="id"), list("abcd") * 10):
        assert np.array_equal(to_series(frame().set_axis(index)).dataset.values, frame().to_numpy())
    dated = frame(then=five_minutes()).set_axis(pd.Index(five_minutes()))
    assert refused(dated) == (
        "Columns 'then' and 'index' of the table hold dates; name the time column by `time=`."
    )
    assert to_series(dated.drop(columns="then"), time="index").names == ("a", "b")


def test_an_index_is_read_from_parquet_as_pandas_wrote_it(tmp_path):
    path = tmp_path / "data.parquet"
    expected = frame().to_numpy()
    for index in (pd.Index(five_minutes()), pd.Index(five_minutes(), name="when")):
        frame().set_axis(index)[::-1].to_parquet(path)
        for data in (path, pl.read_parquet(path)):
            assert to_series(data).names == ("a", "b")
            assert np.array_equal(to_series(data).dataset.values, expected)
    frame().set_axis(np.arange(40)[::-1]).to_parquet(path)
    assert np.array_equal(to_series(path).dataset.values, expected)
    assert np.array_equal(to_series(path, time="__index_level_0__").dataset.values, expected[::-1])


def test_levels_of_an_index_name_series_and_time():
    data = frame(when=five_minutes(20) * 2, machine=np.repeat(["x", "y"], 20))
    levels = data.set_index(["machine", "when"]).sample(frac=1, random_state=0)
    table, expected = to_series(levels, series="machine"), to_series(data, series="machine")
    assert (table.starts, table.labels) == (expected.starts, expected.labels)
    assert np.array_equal(table.dataset.values, expected.dataset.values)
    assert "Two rows have the same time in the time column 'when'" in refused(levels)
    counted = data.assign(k=[*range(20)] * 2).drop(columns="when").set_index("k")[::-1]
    table = to_series(counted, series="machine", time="k")
    assert np.array_equal(table.dataset.values, expected.dataset.values)


def test_rising_or_falling_numbers_are_time_if_they_are_called_so():
    assert to_series(frame(Time=np.arange(40) * 0.5)).dataset.names == ("a", "b")
    assert to_series(frame(height=np.arange(40.0))).dataset.names == ("a", "b", "height")
    assert to_series(frame(time=[*range(20), *range(20)])).dataset.names == ("a", "b", "time")
    falling = frame(time=np.arange(40)[::-1])
    for newest_first in (falling, falling.set_index("time")):
        table = to_series(newest_first)
        assert table.dataset.names == ("a", "b")
        assert np.array_equal(table.dataset.values, falling[["a", "b"]].to_numpy()[::-1])


def test_csv_files_give_the_same_series(tmp_path):
    data = frame(machine=np.repeat(["x", "y"], 20), when=five_minutes(20) * 2)
    path = tmp_path / "data.csv"
    data.to_csv(path, index=False)
    table = to_series(path, series="machine")
    assert np.allclose(table.dataset.values, data[["a", "b"]].to_numpy())


def refused(data, **options) -> str:
    with pytest.raises((DataError, SettingsError)) as caught:
        to_series(data, **options)
    return str(caught.value)


def test_a_gap_is_named_with_its_remedy(tmp_path):
    path = tmp_path / "data.csv"
    frame(when=five_minutes()).drop(index=[7, 8, 20]).to_csv(path, index=False)
    assert refused(path) == (
        f"There is a gap in the time column 'when' of {path}: line 9 comes 15min after line 8, where the "
        "usual step is 5min; make the rows equally spaced by --resample 5min."
    )
    assert refused(frame(time=[*range(20), *range(25, 45)])).endswith(
        "row 20 (counting from 0) comes 6 after row 19 (counting from 0), where the usual step is 1; "
        "make the rows equally spaced by `resample='1'`."
    )


def test_rows_that_are_too_close_are_no_gap(tmp_path):
    path = tmp_path / "data.csv"
    times = five_minutes()
    times[7] -= datetime.timedelta(minutes=3)
    frame(when=times).to_csv(path, index=False)
    assert refused(path) == (
        f"Two rows are too close in the time column 'when' of {path}: line 9 comes 2min after line 8, where "
        "the usual step is 5min; make the rows equally spaced by --resample 5min."
    )


def test_what_a_message_suggests_works():
    table = to_series(frame(time=[*range(20), *range(25, 45)]), resample="1")
    assert table.dataset.n_samples == 45
    assert np.isnan(table.dataset.values[20:25]).all()


def test_the_same_time_twice_is_refused_but_not_in_two_series():
    data = frame(when=five_minutes(20) * 2, machine=np.repeat(["x", "y"], 20))
    assert "Two rows have the same time" in refused(data.drop(columns="machine"))
    assert "`series=`" in refused(data.drop(columns="machine"))
    assert to_series(data, series="machine").starts == (0, 20, 40)


def test_resampling_takes_means_within_steps():
    data = frame(when=five_minutes())
    table = to_series(data, resample="10min")
    assert np.allclose(table.dataset.values, data[["a", "b"]].to_numpy().reshape(20, 2, 2).mean(axis=1))


@pytest.mark.parametrize(
    ("step", "max_gap", "apart"), [("1min", 3, "5min"), ("1min", 4, ""), ("5min", 3, ""), ("1h", 3, "")]
)
def test_steps_too_short_for_the_rows_are_remembered(step, max_gap, apart):
    data = frame(when=five_minutes(20) * 2, machine=np.repeat(["x", "y"], 20))
    assert to_series(data, series="machine", resample=step, max_gap=max_gap).apart == apart


def test_steps_shorter_than_the_rows_are_apart_are_named_where_no_window_is_complete():
    data = frame(300, when=pd.date_range("2024-01-01", periods=300, freq="D"))
    with pytest.raises(DataError) as caught:
        mcsl.learn(data, lags=1, resample="1h")
    assert str(caught.value) == (
        "The series have only 0 complete windows, and learning needs at least 20; the rows are 1d apart "
        "(median), and shorter steps leave gaps between them: resample to steps of 1d or longer."
    )
    assert to_series(data, resample="1d").dataset.n_samples == 300


@pytest.mark.parametrize("step", ["1ms", "10ms", "1s"])
def test_stamps_on_the_grid_stay_where_they_are(step):
    times = pd.date_range("2024-05-01 12:34:56.789", periods=4000, freq=step)
    data = pd.DataFrame({"when": times, "a": np.arange(4000.0) % 7, "b": np.arange(4000.0) % 5})
    np.testing.assert_array_equal(to_series(data, resample=step).dataset.values, data[["a", "b"]].to_numpy())


def test_resampling_keeps_series_apart():
    data = frame(when=[*five_minutes(20), *five_minutes(30)[10:]], machine=np.repeat(["x", "y"], 20))
    table = to_series(data, series="machine", resample="15m")
    assert table.starts == (0, 7, 14)
    assert np.allclose(table.dataset.values[0], data[["a", "b"]].to_numpy()[:3].mean(axis=0))


@pytest.mark.parametrize("rule", ["5", "5 parsecs", "", "0min", "-5min"])
def test_wrong_steps_are_refused(rule):
    assert refused(frame(when=five_minutes()), resample=rule) == (
        f"`resample` must be a step such as 30s, 5min, 1h or 1d. Got {rule!r} instead."
    )


def test_a_step_far_too_short_is_refused_before_memory_is_full():
    data = frame(when=pd.date_range("2024-05-01", periods=40, freq="D"))
    assert refused(data, resample="1ms") == (
        "`resample` cuts 40 rows into 3369600001 steps, nearly all of them without a row; take longer ones."
    )
    assert len(to_series(data, resample="10s").dataset.values) == 336961


def test_short_gaps_are_filled_and_long_ones_stay():
    data = frame()
    data.loc[5:7, "a"] = np.nan
    data.loc[10:13, "a"] = np.nan
    data.loc[[0, 39], "b"] = np.nan
    table = to_series(data)
    column = table.dataset.values[:, 0]
    assert np.allclose(column[5:8], np.linspace(column[4], column[8], 5)[1:-1])
    assert np.isnan(column[10:14]).all()
    # Nothing is known beyond the ends.
    assert np.isnan(table.dataset.values[[0, 39], 1]).all()
    assert table.n_filled == 3
    assert to_series(data, max_gap=4).n_filled == 7
    assert to_series(data, max_gap=0).n_filled == 0


def test_lines_never_cross_a_boundary():
    data = frame(machine=np.repeat(["x", "y"], 20))
    data.loc[19:20, "a"] = np.nan
    assert to_series(data, series="machine").n_filled == 0


def test_what_is_wrong_is_said_in_a_sentence():
    data = frame(when=five_minutes(), machine=["x"] * 40)
    assert refused(data, series="nobody") == (
        "There is no series column 'nobody' in the table; it has columns 'a', 'b', 'when' and 'machine'."
    )
    assert refused(data, series="machine", time="nobody") == (
        "There is no time column 'nobody' in the table; it has columns 'a', 'b' and 'when'."
    )
    assert refused(data.assign(then=five_minutes()), series="machine") == (
        "Columns 'when' and 'then' of the table hold dates; name the time column by `time=`."
    )
    assert refused(data.assign(machine=[None, *["x"] * 39]), series="machine").startswith(
        "The series column 'machine' of the table is empty in row 0"
    )
    broken = [*five_minutes(39), None]
    assert refused(data.assign(when=broken), series="machine").startswith(
        "The time column 'when' of the table is empty in row 39"
    )
    assert "`time=`" in refused(frame(), resample="5min")
    assert refused(data.assign(a=np.nan), series="machine").startswith(
        "Column 'a' of the table has no values"
    )
    assert "holds text" in refused(data)
    assert "learn from a series" not in refused(frame(when=five_minutes(), then=five_minutes()), time="when")
    assert refused(frame(), max_gap=-1) == "`max_gap` must be a whole number >= 0. Got -1 instead."


@pytest.mark.parametrize(
    "options", [{}, {"series": "machine", "resample": "10min"}, {"time": "when", "max_gap": 1}], ids=str
)
@pytest.mark.parametrize("useless", ["text", 1.0])
def test_the_hint_to_leave_a_column_out_can_be_followed(options, useless):
    data = frame(useless=useless, when=five_minutes(20) * 2, machine=np.repeat([1, 2], 20))
    data = data if "series" in options else data[:20].drop(columns="machine")
    hint = re.search(r"leave it out with (.*)\.$", refused(data, **options))[1]
    assert eval(hint, {"mcsl": mcsl, "data": data}).names == ("a", "b")


@pytest.mark.parametrize(
    "options", [{"series": "x"}, {"time": "x"}, {"resample": "1h"}, {"drop": ["a"]}, {"max_gap": 1}], ids=str
)
def test_series_that_are_ready_are_not_read_again(options):
    table = to_series(frame())
    assert to_series(table) is table
    assert refused(table, **options) == (
        f"`{next(iter(options))}` cannot be given with a SeriesTable, whose rows are in order already; "
        "give the table that it was made from."
    )


def test_text_that_is_no_time_is_named(tmp_path):
    path = tmp_path / "data.csv"
    times = [t.strftime("%Y-%m-%d %H:%M") for t in five_minutes()]
    times[4] = "noon"
    frame(when=times).to_csv(path, index=False)
    assert refused(path).startswith(
        f"The time column 'when' of {path} holds 'noon', which is no time, in line 6"
    )


def test_dates_that_may_have_the_month_first_are_refused_unless_their_steps_say_so():
    hours = pd.date_range("2024-04-12 08:00", periods=40, freq="20min").union(
        pd.date_range("2024-05-01", periods=40, freq="20min")
    )
    data = frame(80)
    assert refused(data.assign(when=hours.strftime("%m/%d/%Y %H:%M")), resample="1h") == (
        "The time column 'when' of the table holds '04/12/2024 08:00' in row 0 (counting from 0), where "
        "the day or the month may come first; write it like 2024-05-01 13:45:00."
    )
    even = pd.date_range("2024-05-10 18:00", periods=80, freq="20min")
    for times in (even, even + pd.Timedelta("5D")):
        table = to_series(data.assign(when=times.strftime("%d/%m/%Y %H:%M"))[::-1], resample="20min")
        assert np.array_equal(table.dataset.values, data.to_numpy())
    one_day = hours[40:].delete(slice(10, 15))
    table = to_series(frame(35, when=one_day.strftime("%m/%d/%Y %H:%M")), resample="20min")
    assert len(table.dataset.values) == 40


def test_a_table_of_nothing_but_names_of_series_has_no_time_column(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text("machine\n" + "a\n" * 30)
    assert refused(path, series="machine", time="when") == (
        f"There is no time column 'when' in {path}; it has no columns."
    )
