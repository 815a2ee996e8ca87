import numpy as np

import mcsl
from mcsl.data import SeriesTable
from mcsl.problem import Problem, alike, cut_windows


def table(n=500):
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, n))
    return {"a": a, "b": b, "-a": -a + 0.1 * rng.standard_normal(n), "c": c, "0": np.zeros(n)}


def test_columns_that_correlate_share_a_number_whatever_their_sign():
    columns = table()
    problem = Problem.from_dataset(mcsl.Dataset(np.column_stack([*columns.values()]), tuple(columns)))
    numbers = alike(problem, range(5))
    assert numbers[0] == numbers[2]
    assert len(set(numbers.tolist())) == 4
    assert alike(problem, [1]).tolist() == [0]
    assert len(set(alike(problem, [4, 2, 3]).tolist())) == 3


def test_a_group_resembles_what_any_of_its_columns_does():
    columns = table()
    del columns["0"]
    dataset = mcsl.Dataset(np.column_stack([*columns.values()]), tuple(columns))
    problem, _ = cut_windows(SeriesTable.of(dataset), groups={"both": ("b", "-a")})
    assert problem.names == ("a", "both", "c")
    assert alike(problem, range(3)).tolist() == [0, 0, 1]
