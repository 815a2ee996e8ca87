import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsl.data import Dataset, SeriesTable
from mcsl.errors import DataError, SettingsError
from mcsl.problem import Problem, cut_windows


def table(lengths=(30,), n_columns: int = 2) -> SeriesTable:
    """Numbers that say where they stand: series * 1000 + row * 10 + column."""
    blocks = [
        k * 1000 + 10 * np.arange(length)[:, None] + np.arange(n_columns) for k, length in enumerate(lengths)
    ]
    names = tuple("abcdef"[:n_columns])
    starts = (0, *np.cumsum(lengths).tolist())
    return SeriesTable(
        Dataset(np.concatenate(blocks), names), starts, tuple(f"m{k}" for k in range(len(lengths)))
    )


@given(st.lists(st.integers(12, 30), min_size=3, max_size=5), st.integers(0, 4), st.integers(2, 4))
@settings(deadline=None, max_examples=25)
def test_windows_hold_the_past_and_never_cross_a_boundary(lengths, lags, n_columns):
    problem, summary = cut_windows(table(lengths, n_columns), lags=lags)
    values = problem.dataset.values
    assert len(values) == sum(length - lags for length in lengths)
    assert summary.n_series == len(lengths)
    for column, variable in enumerate(problem.variables):
        assert variable.outputs == (column,)
        assert len(variable.inputs) == lags + 1
        for lag, (at,) in enumerate(variable.by_lag):
            assert np.array_equal(values[:, at], values[:, column] - 10 * lag)
    assert (values // 1000 == values[:, :1] // 1000).all()


def test_without_lags_the_problem_is_that_of_the_table():
    plain = Problem.from_dataset(table().dataset)
    problem, _ = cut_windows(table())
    assert np.array_equal(problem.dataset.values, plain.dataset.values)
    assert problem.variables == plain.variables
    assert np.array_equal(problem.candidates, plain.candidates)


def test_groups_and_lags_compose():
    problem, _ = cut_windows(table(n_columns=3), lags=2, groups={"g": ["a", "c"]})
    group, scalar = problem.variables
    assert group.by_lag == ((0, 2), (3, 5), (6, 8))
    assert (group.outputs, group.own_past) == ((0, 2), (3, 5, 6, 8))
    assert scalar.by_lag == ((1,), (4,), (7,))
    assert problem.dataset.names[5] == "c[t-1]"
    assert not problem.is_scalar


def test_windows_with_missing_values_are_left_out_and_counted():
    holed = table((40,))
    values = holed.dataset.values.copy()
    values[10, 1] = np.nan
    problem, summary = cut_windows(
        SeriesTable(Dataset(values, ("a", "b")), (0, 40), ("",), n_filled=5), lags=2
    )
    assert np.isfinite(problem.dataset.values).all()
    assert (summary.n_left_out, summary.n_filled, summary.lags) == (3, 5, 2)
    assert problem.n_samples == 35


def test_too_little_is_refused_in_a_sentence():
    with pytest.raises(DataError) as short:
        cut_windows(table((30, 3)), lags=3)
    assert str(short.value) == (
        "The series 'm1' has 3 samples, and with 3 lags a window needs 4; "
        "use fewer lags, or leave the series out."
    )
    with pytest.raises(
        DataError, match="only 18 complete windows, and learning needs at least 20; use fewer"
    ):
        cut_windows(table((20,)), lags=2)
    values = table().dataset.values.copy()
    values[::3, 1] = np.nan
    with pytest.raises(DataError, match="; 28 more have missing values, and the column 'b' lacks 33%: leave"):
        cut_windows(SeriesTable(Dataset(values, ("a", "b")), (0, 30), ("",)), lags=2)
    with pytest.raises(SettingsError, match="`lags` must be a whole number >= 0"):
        cut_windows(table(), lags=-1)


def test_a_column_that_stands_still_after_the_first_row_is_refused():
    values = np.random.default_rng(0).normal(size=(30, 2))
    values[1:, 1] = 0.0
    with pytest.raises(DataError, match="'b' has the same value in every complete window"):
        cut_windows(SeriesTable.of(Dataset(values, ("a", "b"))), lags=1)


def test_a_column_called_like_the_past_of_another_is_refused():
    table = SeriesTable.of(Dataset(np.random.default_rng(0).standard_normal((50, 2)), ("a", "a[t-1]")))
    with pytest.raises(DataError, match=r"The column 'a\[t-1\]' is called as the past of another would be"):
        cut_windows(table, lags=1)
    assert cut_windows(table)[0].names == ("a", "a[t-1]")
