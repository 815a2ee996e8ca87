import importlib.util
from dataclasses import replace
from functools import partial
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from mcsl.data import Dataset, SeriesTable
from mcsl.errors import SettingsError
from mcsl.model import MLP, Layout, Linear, LocationScale, MaskedSEM, Mechanism, Quadratic
from mcsl.model.mlp import _leaky_relu
from mcsl.problem import cut_windows

_spec = importlib.util.spec_from_file_location(
    "mechanism_contract", Path(__file__).with_name("mechanism_contract.py")
)
contract = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(contract)


@pytest.mark.parametrize(
    "init", [MLP.init, partial(MLP.init, width=8, depth=2), Quadratic.init, Linear.init], ids=str
)
@pytest.mark.parametrize("d", [2, 5])
def test_contract(init, d):
    contract.check_mechanism(init, d)


@pytest.mark.parametrize("init", [MLP.init, Quadratic.init, Linear.init], ids=str)
def test_contract_with_groups_and_lags(init):
    contract.check_mechanism(init, problem=contract.lagged_groups())


def test_locations_and_scales_come_from_two_mechanisms_behind_one_mask():
    problem = contract.lagged_groups()
    start = partial(LocationScale.init, part=Linear.init)
    model = MaskedSEM.init(np.random.default_rng(0), problem, start, 0.2)
    inputs = jnp.asarray(problem.dataset.values.T, jnp.float32)
    soft_mask = jnp.asarray(problem.candidates, jnp.float32)
    predicted = model.mechanism.predict(inputs, soft_mask)
    parts = (model.mechanism.location, model.mechanism.log_scale)
    assert predicted.shape == (2, 6, problem.n_samples)
    for found, part in zip(predicted, parts, strict=True):
        assert np.array_equal(found, part.predict(inputs, soft_mask))
    assert not np.allclose(*predicted)


@pytest.mark.parametrize("init", [MLP.init, Quadratic.init, Linear.init], ids=str)
def test_contract_with_few_candidates(init):
    contract.check_mechanism(init, problem=contract.few_candidates())


@pytest.mark.parametrize("init", [MLP.init, Quadratic.init, Linear.init], ids=str)
def test_contract_with_lags(init):
    contract.check_mechanism(init, problem=contract.lags())


@pytest.mark.parametrize(
    "problem",
    [contract.problem_of(5), contract.lags(), contract.few_candidates()],
    ids=["plain", "lags", "few"],
)
def test_networks_of_one_column_each_can_be_parted(problem):
    for init in (MLP.init, LocationScale.init):
        assert init(np.random.default_rng(0), problem).is_divisible
    assert not MLP.init(np.random.default_rng(0), contract.lagged_groups()).is_divisible


def test_who_predicts_otherwise_than_mlps_is_not_parted():
    class Own(MLP):
        def predict(self, inputs, soft_mask):
            return super().predict(inputs, soft_mask * (1 - jnp.eye(*soft_mask.shape)))

    class Same(MLP):
        pass

    problem = contract.problem_of(5)
    assert not Own.init(np.random.default_rng(0), problem).is_divisible
    assert Same.init(np.random.default_rng(0), problem).is_divisible


def test_a_part_of_a_part_reads_its_own_columns():
    problem = contract.few_candidates()
    mechanism = MLP.init(np.random.default_rng(0), problem)
    inputs = jnp.asarray(problem.dataset.values.T, jnp.float32)
    soft_mask = jnp.asarray(problem.candidates, jnp.float32)
    part = mechanism.for_effects(jnp.array([7, 4, 5])).for_effects(jnp.array([2, 0]))
    some = np.array([5, 7])
    expected = mechanism.predict(inputs, soft_mask)[some]
    assert np.allclose(part.predict(inputs, soft_mask[:, some]), expected, atol=1e-5)


def test_leaky_units_have_the_usual_gradient():
    def network(weights, unit):
        hidden = jnp.linspace(-2, 2, 9)[:, None] * weights
        return jnp.sum(unit(hidden) ** 2)

    weights = jnp.linspace(-1, 1, 5)
    found, expected = (jax.grad(network)(weights, unit) for unit in (_leaky_relu, jax.nn.leaky_relu))
    assert np.array_equal(found, expected)
    assert len(np.unique(np.abs(expected))) > 2


def test_gathered_inputs_predict_what_all_columns_do():
    problem = contract.few_candidates()
    gathered = Linear.init(np.random.default_rng(0), problem)
    assert gathered.weights.shape == (12, 1, 2)
    dense = Linear.init(np.random.default_rng(0), contract.problem_of(12))
    assert dense.weights.shape == (12, 1, 12)
    weights = np.zeros(dense.weights.shape, np.float32)
    for effect in range(12):
        causes = np.flatnonzero(problem.candidates[:, effect])
        weights[effect, 0, causes] = gathered.weights[effect, 0, : len(causes)]
    dense = eqx.tree_at(lambda linear: linear.weights, dense, jnp.asarray(weights))
    soft_mask = jnp.asarray(problem.candidates * 0.7, jnp.float32)
    inputs = jnp.asarray(problem.dataset.values.T, jnp.float32)
    assert np.allclose(gathered.predict(inputs, soft_mask), dense.predict(inputs, soft_mask), atol=1e-5)


def test_gathered_inputs_read_windows_and_the_own_past():
    values = np.random.default_rng(0).standard_normal((40, 8))
    problem, _ = cut_windows(SeriesTable.of(Dataset(values, tuple("abcdefgh"))), lags=1)
    candidates = np.zeros((8, 8), bool)
    candidates[0, 1] = candidates[1, 2] = True
    problem = replace(problem, candidates=candidates)
    layout = Layout.of(problem)
    # The own past, and one cause now and before.
    assert layout.n_inputs == 3
    mask = np.asarray(layout.input_mask(jnp.full((8, 8), 0.5)))
    assert np.array_equal(mask[1], [1.0, 0.5, 0.5])
    assert np.array_equal(mask[0], [1.0, 0.0, 0.0])


def test_mlp_equals_a_loop_over_variables_on_masked_inputs():
    d, n = 4, 10
    mechanism = MLP.init(np.random.default_rng(0), contract.problem_of(d))
    rng = np.random.default_rng(1)
    inputs, soft_mask = rng.standard_normal((d, n)), rng.random((d, d))
    expected = []
    for i in range(d):
        hidden = soft_mask[:, i, None] * inputs
        for layer, (weight, bias) in enumerate(zip(mechanism.weights, mechanism.biases, strict=True)):
            hidden = np.where(hidden > 0, hidden, 0.01 * hidden) if layer else hidden
            hidden = np.asarray(weight[i]) @ hidden + np.asarray(bias[i])
        expected.append(hidden[0])
    got = mechanism.predict(jnp.asarray(inputs, jnp.float32), jnp.asarray(soft_mask, jnp.float32))
    assert np.allclose(got, expected, atol=1e-5)


def test_mlp_reads_and_predicts_groups_and_windows():
    problem = contract.lagged_groups()
    mechanism = MLP.init(np.random.default_rng(0), problem)
    inputs = problem.dataset.values.T
    soft_mask = np.random.default_rng(1).random((3, 3)) * (1 - np.eye(3))
    expected = []
    for i, variable in enumerate(problem.variables):
        seen = np.zeros(len(inputs))
        for j, cause in enumerate(problem.variables):
            seen[list(cause.inputs)] = soft_mask[j, i]
        seen[list(variable.own_past)] = 1.0
        hidden = seen[:, None] * inputs
        for layer, (weight, bias) in enumerate(zip(mechanism.weights, mechanism.biases, strict=True)):
            hidden = np.where(hidden > 0, hidden, 0.01 * hidden) if layer else hidden
            hidden = np.asarray(weight[i]) @ hidden + np.asarray(bias[i])
        expected += list(hidden[: len(variable.outputs)])
    got = mechanism.predict(jnp.asarray(inputs, jnp.float32), jnp.asarray(soft_mask, jnp.float32))
    assert np.allclose(got, expected, atol=1e-5)


def test_mlp_is_the_papers():
    mechanism = MLP.init(np.random.default_rng(0), contract.problem_of(7))
    assert [w.shape for w in mechanism.weights] == [(7, 16, 7), *[(7, 16, 16)] * 3, (7, 1, 16)]
    for weight in mechanism.weights:
        limit = np.sqrt(6 / (weight.shape[1] + weight.shape[2]))
        assert np.abs(weight).max() <= limit
        assert np.std(weight) == pytest.approx(limit / np.sqrt(3), rel=0.15)
    assert all((bias == 0).all() for bias in mechanism.biases)


def test_quadratic_holds_every_first_and_second_order_term():
    d = 3
    mechanism = Quadratic.init(np.random.default_rng(0), contract.problem_of(d))
    assert mechanism.second_order.shape == (d, 1, d * (d + 1) // 2)
    rng = np.random.default_rng(1)
    x, soft_mask = rng.standard_normal((d, 6)), rng.random((d, d))
    got = mechanism.predict(jnp.asarray(x, jnp.float32), jnp.asarray(soft_mask, jnp.float32))
    for i in range(d):
        z = soft_mask[:, i, None] * x
        expected = np.asarray(mechanism.bias[i, 0]) + np.asarray(mechanism.linear[i, 0]) @ z
        pair = 0
        for j in range(d):
            for k in range(j, d):
                expected = expected + float(mechanism.second_order[i, 0, pair]) * z[j] * z[k]
                pair += 1
        assert np.allclose(got[i], expected, atol=1e-5)


def test_shared_parameters_are_refused():
    class Shared(Mechanism):
        scale: jax.Array

        def predict(self, inputs, soft_mask):
            return self.scale[0] * (soft_mask.T @ inputs)

    with pytest.raises(SettingsError, match="Shared must have the 4 variables as its leading axis"):
        MaskedSEM.init(
            np.random.default_rng(0), contract.problem_of(4), lambda rng, problem: Shared(jnp.ones(1)), 0.2
        )


def test_a_mechanism_for_scalars_alone_says_so():
    class Scalar(Mechanism):
        weights: jax.Array

        def predict(self, inputs, soft_mask):
            return (self.weights * soft_mask.T) @ inputs

    problem = contract.lagged_groups()
    with pytest.raises(SettingsError, match="Scalar does not read groups or lags"):
        MaskedSEM.init(np.random.default_rng(0), problem, lambda rng, problem: Scalar(jnp.ones((3, 3))), 0.2)


def test_trained_leaves_candidates_alone():
    sem = MaskedSEM.init(np.random.default_rng(0), contract.problem_of(4), MLP.init, 0.2)
    leaves = jax.tree.leaves(sem.trained())
    assert all(eqx.is_inexact_array(leaf) for leaf in leaves)
    assert len(leaves) == 1 + 2 * 5
