import tracemalloc

import numpy as np
import pytest

from mcsl.data import Dataset, Rows
from mcsl.graph import CausalGraph
from mcsl.problem import Problem
from mcsl.pruning import AdditivePruner
from mcsl.pruning.long_splines import LongSplineTable
from mcsl.pruning.splines import SplineTable


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr("mcsl.data.long_table._BLOCK_VALUES", 2 * 700)
    monkeypatch.setattr("mcsl.pruning.long_splines._BLOCK_VALUES", 2 * 300)


def draw(n_rows, strength=1.0, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n_rows)
    return np.column_stack([x, strength * np.sin(2 * x) + rng.standard_normal(n_rows)])


def explained(table):
    """The share of the second column that functions of the first explain."""
    gram, moments, square = table.inner_products(table.functions([0]), [1])
    return float(moments[:, 0] @ np.linalg.solve(gram, moments[:, 0]) / square[0, 0])


def test_sums_over_blocks_are_those_of_a_table_in_memory():
    values = draw(4000)
    long = LongSplineTable.over(Rows.of(values, np.arange(4000)), values)
    assert long.n_samples == 4000
    assert explained(long) == pytest.approx(explained(SplineTable.of(values)), abs=1e-3)
    gram = long.inner_products(long.functions([0]), [1])[0]
    np.testing.assert_allclose(gram, np.eye(len(gram)), atol=0.1)


def test_rows_that_were_not_drawn_count():
    values, drawn = draw(20_000), np.arange(0, 20_000, 20)
    long = LongSplineTable.over(Rows.of(values, drawn), values[drawn])
    assert explained(long) == pytest.approx(explained(SplineTable.of(values)), abs=2e-3)


def test_a_straightened_column_is_straightened_in_all_rows():
    values, drawn = draw(20_000), np.arange(0, 20_000, 10)
    given = np.exp(values)
    long = LongSplineTable.over(Rows.of(given, drawn), values[drawn])
    assert explained(long) == pytest.approx(explained(SplineTable.of(values)), abs=3e-3)


def test_a_weak_cause_shows_in_all_rows_and_not_in_some():
    values, drawn = draw(30_000, strength=0.08), np.arange(0, 30_000, 20)
    some = Problem.from_dataset(Dataset(values[drawn], ("x", "y")))
    whole = Problem(some.dataset, some.variables, some.candidates, whole=Rows.of(values, drawn))
    graph = CausalGraph.from_edges([("x", "y")], ("x", "y"))
    pruner = AdditivePruner(mode="f")
    assert pruner.prune(graph, some).graph.n_edges == 0
    assert pruner.prune(graph, whole).graph.n_edges == 1


def test_functions_grow_with_the_rows_so_that_a_misfit_is_no_cause(monkeypatch):
    monkeypatch.setattr("mcsl.pruning.long_splines._BLOCK_VALUES", 2**16)
    rng, drawn = np.random.default_rng(1), np.arange(0, 100_000, 30)
    cause = rng.standard_normal(100_000)
    effects = [np.sin(2.5 * cause + shift) + 0.5 * rng.standard_normal(len(cause)) for shift in (0.0, 0.3)]
    values = np.column_stack([cause, *effects])
    some = Problem.from_dataset(Dataset(values[drawn], ("c", "x", "y")))
    whole = Problem(some.dataset, some.variables, some.candidates, whole=Rows.of(values, drawn))
    graph = CausalGraph.from_edges([("c", "y"), ("x", "y")], ("c", "x", "y"))
    pruner = AdditivePruner(mode="f")
    assert pruner.prune(graph, whole).graph.edges == (("c", "y"),)
    monkeypatch.setattr(
        "mcsl.pruning.additive.summed_splines",
        lambda problem, n_basis: LongSplineTable.over(problem.whole, problem.dataset.values, n_basis=n_basis),
    )
    assert pruner.prune(graph, whole).graph.edges == graph.edges


def test_memory_does_not_grow_with_the_rows(monkeypatch):
    monkeypatch.setattr("mcsl.pruning.long_splines._BLOCK_VALUES", 2**15)
    block = draw(2**14)
    rows = Rows(
        lambda: (block for _ in range(20)), 20 * len(block), block[:3000], *np.sort(block, axis=0)[[0, -1]]
    )
    tracemalloc.start()
    try:
        LongSplineTable.over(rows, rows.drawn)
        assert tracemalloc.get_traced_memory()[1] < 30 * 2**20
    finally:
        tracemalloc.stop()
