"""The competitors that no package has, and what is set right in one that a package has."""

import numpy as np
import pytest
from benchmarks.methods import Data, additive, cam, ges_gs, notears_quad
from benchmarks.run import pruned
from benchmarks.scenarios import Case
from scipy.optimize import check_grad

import mcsl


def learn(method, values):
    return method.METHOD.learn(Data(values, seed=0), **method.METHOD.settings)


def test_cam_finds_an_additive_graph_in_any_units():
    simulation = mcsl.simulate("gp-add", n_variables=8, degree=1, n_samples=1000, seed=0)
    values, truth = simulation.dataset.values, simulation.graph.adjacency
    full = learn(cam, values)
    assert full.sum() == 8 * 7 / 2
    assert np.array_equal(full, learn(cam, values * np.geomspace(0.01, 100, 8)))
    kept = pruned(full, Case(values[:, :, None], truth, {}), quadratic=False)
    assert mcsl.evaluate(kept, truth).shd <= 1


def test_the_gain_of_a_cause_is_that_of_a_regression_with_it():
    values = np.random.default_rng(0).normal(size=(200, 3))
    values[:, 2] += values[:, 0] ** 2 + values[:, 1]
    splines = mcsl.pruning.splines.SplineTable.of(values)
    regression = cam.Regression(2, splines)
    regression.add(0)

    def residual_variance(causes):
        design = splines.design[:, splines.functions(causes)]
        target = values[:, 2] - values[:, 2].mean()
        return np.var(target - design @ np.linalg.lstsq(design, target, rcond=None)[0])

    expected = np.log(residual_variance([0]) / residual_variance([0, 1]))
    assert np.isclose(regression.gain(1), expected)


def test_forward_selection_keeps_the_neighbours():
    simulation = mcsl.simulate("gp-add", n_variables=8, degree=1, n_samples=1000, seed=1)
    splines = mcsl.pruning.splines.SplineTable.of(simulation.dataset.values)
    chosen = cam.neighbours(splines, 5)
    assert (chosen.sum(axis=0) == 5).all()
    assert chosen[simulation.graph.adjacency].all()


def test_quadratic_notears_finds_causes_that_act_together():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 2000))
    z = x + 0.8 * x * y + rng.normal(size=2000)
    found = learn(notears_quad, np.column_stack([x, y, z]))
    assert np.argwhere(found).tolist() == [[0, 2], [1, 2]]


def test_the_gradient_of_the_acyclicity():
    start = np.random.default_rng(0).uniform(size=16)
    acyclicity = notears_quad.trace_exponential
    error = check_grad(
        lambda w: acyclicity(w.reshape(4, 4))[0], lambda w: acyclicity(w.reshape(4, 4))[1].ravel(), start
    )
    assert error < 1e-4


def test_recipes_read_vectors():
    simulation = mcsl.simulate("gp-vec", n_variables=4, degree=1, n_samples=300, seed=0)
    values = simulation.dataset.values.reshape(300, 4, 3)
    found = learn(additive, values)
    expected = mcsl.learn(simulation.dataset, mcsl.Recipe.additive(), groups=simulation.groups)
    assert np.array_equal(found, expected.graph.adjacency)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_kernels_are_centred_by_matrix_products():
    values = np.random.default_rng(0).normal(size=(5, 5))
    centre = np.eye(5) - 1 / 5
    kernel, width = ges_gs.multiplying(lambda bandwidth: (values, bandwidth))(2.0)
    assert width == 2.0
    assert np.allclose(centre * kernel * centre, centre @ values @ centre)
    assert np.allclose(centre * np.multiply(np.ones((5, 5)), kernel) * centre, centre @ values @ centre)
