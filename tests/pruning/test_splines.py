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
