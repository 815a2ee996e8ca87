import numpy as np
import pytest

from mcsl.data import read_metrics
from mcsl.errors import DataError

THREE = """service,shop,shop,shop,cart,cart
metric,latency,latency,errors,latency,errors
statistic,p50,p90,p50,p90,p50
unix_timestamp,,,,,
1681855320.0,1.0,2.0,0,3.5,0
1681855620.0,1.5,,0,4.0,1
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "metrics.csv"
    path.write_text(THREE)
    return path


def test_one_metric_and_statistic_of_every_component(file):
    table = read_metrics(file, metric="latency", statistic="p90")
    assert table.names == ("shop", "cart")
    np.testing.assert_array_equal(table.values, [[2.0, 3.5], [np.nan, 4.0]])


def test_the_only_statistic_needs_no_name(file):
    assert read_metrics(file, metric="errors").names == ("shop", "cart")


def test_two_rows_of_names_are_enough(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("time,a,b,b\n,cpu,cpu,disk\n0,1,2,3\n1,4,5,6\n")
    np.testing.assert_array_equal(read_metrics(path, metric="cpu").values, [[1, 2], [4, 5]])


def test_a_choice_that_is_missing_or_wrong_is_explained(file, tmp_path):
    with pytest.raises(DataError, match="has no metric 'load'; it has the metrics 'latency' and 'errors'"):
        read_metrics(file, metric="load")
    with pytest.raises(DataError, match="has the statistics 'p50' and 'p90'; choose one by --statistic"):
        read_metrics(file, metric="latency")
    plain = tmp_path / "plain.csv"
    plain.write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="has 1 rows of names above 1 rows of numbers"):
        read_metrics(plain, metric="latency")


def test_the_first_column_may_hold_dates(tmp_path):
    path = tmp_path / "metrics.csv"
    path.write_text("time,a,b\n,cpu,cpu\n2024-05-01 12:00,1,2\n2024-05-01 12:05,4,5\n")
    table = read_metrics(path, metric="cpu")
    assert table.names == ("a", "b")
    np.testing.assert_array_equal(table.values, [[1, 2], [4, 5]])


def test_the_newest_row_may_come_first(file):
    *names, first, second = file.read_text().splitlines()
    file.write_text("\n".join([*names, second, first]) + "\n")
    np.testing.assert_array_equal(read_metrics(file, metric="errors").values, [[0, 0], [0, 1]])


@pytest.mark.parametrize("cell", ["12ms", '"1,257"', "timeout"])
def test_a_word_is_no_missing_value(tmp_path, cell):
    path = tmp_path / "metrics.csv"
    path.write_text(f"time,a,b\n,cpu,cpu\n0,1,N/A\n1,{cell},5\n")
    with pytest.raises(DataError, match=r"Line 4 of .* for 'a', which is no number; write a plain number"):
        read_metrics(path)


def test_cells_that_say_so_are_missing(tmp_path):
    path = tmp_path / "metrics.csv"
    path.write_text("time,a,b\n,cpu,cpu\n0,1,N/A\n1,-,5\n2, ,nan\n")
    np.testing.assert_array_equal(np.isnan(read_metrics(path).values), [[0, 1], [1, 0], [1, 1]])
