"""Several seeds a scenario and a bound on the mean SHD: run by hand with `pytest -m slow`."""

import csv
from pathlib import Path

import numpy as np
import pytest

import mcsl

pytestmark = pytest.mark.slow
SACHS = Path(__file__).parents[3] / "shared" / "data" / "sachs"


def mean_shd(recipe: mcsl.Recipe, **scenario) -> float:
    distances = []
    for seed in range(3):
        simulation = mcsl.simulate(**scenario, seed=seed)
        result = mcsl.learn(simulation.dataset, recipe)
        distances.append(mcsl.evaluate(result.graph, simulation.graph).shd)
    return float(np.mean(distances))


@pytest.mark.parametrize(
    ("model", "n_variables", "degree", "bound"),
    [
        ("gp-add", 10, 1, 0.7),
        ("gp-add", 10, 4, 2),
        ("gp", 10, 1, 1),
        ("gp", 10, 4, 8),
        ("quadratic", 10, 1, 3),
        ("pnl", 10, 1, 4),
    ],
)
def test_the_default_recovers_the_papers_models(model, n_variables, degree, bound):
    scenario = {"model": model, "n_variables": n_variables, "degree": degree}
    assert mean_shd(mcsl.Recipe.default(), **scenario) <= bound


@pytest.mark.parametrize(("degree", "bound"), [(1, 1), (4, 2)])
def test_the_additive_recipe_recovers_fifty_additive_variables(degree, bound):
    assert mean_shd(mcsl.Recipe.additive(), model="gp-add", n_variables=50, degree=degree) <= bound


def test_the_papers_recipe_recovers_sparse_graphs():
    assert mean_shd(mcsl.Recipe.paper(10), model="gp", n_variables=10, degree=1) <= 3


def test_masked_networks_from_the_order_recover_dense_graphs():
    assert mean_shd(mcsl.Recipe.masked(), model="gp", n_variables=10, degree=4) <= 12


@pytest.mark.parametrize(("share", "bound"), [(0.1, 2), (0.3, 4)])
def test_masking_loses_little_to_gaps(share, bound):
    distances = []
    for seed in range(3):
        simulation = mcsl.simulate("gp-add", n_variables=10, degree=1, n_samples=1000, seed=seed)
        values = simulation.dataset.values.copy()
        values[np.random.default_rng(seed).random(values.shape) < share] = np.nan
        result = mcsl.learn(mcsl.Dataset(values, simulation.graph.names), missing="mask")
        distances.append(mcsl.evaluate(result.graph, simulation.graph).shd)
    assert np.mean(distances) <= bound


@pytest.mark.skipif(not SACHS.exists(), reason="the Sachs data are not beside the checkout")
def test_sachs():
    data = mcsl.read_table(SACHS / "sachs_observational.csv")
    with (SACHS / "consensus_edges.csv").open() as file:
        edges = [tuple(row[:2]) for row in csv.reader(file)][1:]
    truth = mcsl.CausalGraph.from_edges(edges, data.names)
    assert mcsl.evaluate(mcsl.learn(data).graph, truth).shd <= 16
