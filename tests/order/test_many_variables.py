"""Many variables: what is dense on paper must stay sparse in memory."""

import tracemalloc

import numpy as np

import mcsl
from mcsl.data import Dataset
from mcsl.order import screen
from mcsl.problem import Problem


def chains(n_samples, n_variables):
    """Draw pairs x_2k -> x_2k+1 that know nothing of each other."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal((n_samples, n_variables))
    values[:, 1::2] = np.sin(2 * values[:, ::2]) + 0.4 * values[:, 1::2]
    return Problem.from_dataset(Dataset(values, tuple(f"x{i}" for i in range(n_variables))))


def test_five_times_as_many_variables_as_rows():
    problem = chains(100, 500)
    result = mcsl.learn(problem.dataset, mcsl.Recipe.additive())
    assert result.graph.adjacency[::2, 1::2].diagonal().mean() > 0.8
    assert result.graph.n_edges < 300
    assert result.edge_counts["screened"] < 4 * 500


def test_memory_grows_with_the_functions_and_not_with_their_gram_matrix():
    problem = chains(60, 600)
    n_functions = 4 * 600
    tracemalloc.start()
    try:
        screen(problem, interactions=False)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # The functions themselves, and some matrices of one number a pair of variables.
    assert peak < 8 * (2 * 60 * n_functions + 6 * 600**2) < 8 * n_functions**2


def test_partners_that_matter_are_among_many():
    rng = np.random.default_rng(1)
    values = rng.standard_normal((400, 200))
    values[:, 7] = values[:, 50] * values[:, 150] + 0.5 * rng.standard_normal(400)
    problem = Problem.from_dataset(Dataset(values, tuple(f"x{i}" for i in range(200))))
    candidates = screen(problem)
    assert candidates[[50, 150], 7].all()


def test_columns_that_are_constant_take_no_part(capfd):
    values = np.ones((60, 300))
    values[:, :2] = np.random.default_rng(0).standard_normal((60, 2))
    problem = Problem.from_dataset(Dataset(values, tuple(f"x{i}" for i in range(300))))
    assert not screen(problem)[2:].any()
    assert capfd.readouterr().err == ""
