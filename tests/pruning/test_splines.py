import numpy as np

from mcsl.pruning.splines import SplineTable, shared_splines


def test_a_table_is_built_once_in_a_row_within_its_context():
    values, other = np.random.default_rng(0).standard_normal((2, 100, 3))
    with shared_splines():
        table = SplineTable.of(values)
        assert SplineTable.of(values) is table
        assert SplineTable.of(values, n_basis=5) is not table
        assert SplineTable.of(values) is not table
        last = SplineTable.of(other)
        assert SplineTable.of(other) is last
        np.testing.assert_array_equal(SplineTable.of(values).design, table.design)
    assert SplineTable.of(values) is not SplineTable.of(values)


def test_the_smoothest_functions_of_each_column_are_its_first():
    rng = np.random.default_rng(0)
    # One column has a single function and one has none.
    values = np.column_stack([rng.standard_normal(50), rng.integers(0, 2, 50), np.ones(50)])
    table = SplineTable.of(values, n_basis=6)
    smooth = table.smoothest(3)
    assert [place.stop - place.start for place in smooth.slices] == [3, 1, 0]
    assert np.array_equal(smooth.design, table.design[:, [0, 1, 2, 5]])
    assert np.array_equal(smooth.penalties, table.penalties[[0, 1, 2, 5]])
    assert np.array_equal(smooth.functions([1]), [3])
