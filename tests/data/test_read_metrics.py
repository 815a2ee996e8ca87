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
