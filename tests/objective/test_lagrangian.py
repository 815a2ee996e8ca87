import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from mcsl.data import Dataset, SeriesTable
from mcsl.model import MLP, Linear, LocationScale
from mcsl.objective import (
    RowBlocks,
    gaussian_likelihood,
    lagrangian,
    least_squares,
    location_scale_likelihood,
    log_trace_exponential,
    mean_losses,
)
from mcsl.problem import Problem, cut_windows

SCORES = [least_squares, gaussian_likelihood]


def setting(n: int = 37, d: int = 4):
    rng = np.random.default_rng(0)
    values = rng.standard_normal((n, d))
    problem = Problem.from_dataset(Dataset(values, tuple("abcd"[:d])))
    soft_mask = jnp.asarray(rng.random((d, d)) * (1 - np.eye(d)), jnp.float32)
    return values, MLP.init(rng, problem), soft_mask


def assert_same_value_and_gradient(function, plain, parts):
    value, gradient = eqx.filter_value_and_grad(function)(parts)
    expected_value, expected_gradient = eqx.filter_value_and_grad(plain)(parts)
    assert float(value) == pytest.approx(float(expected_value), rel=1e-5)
    for got, expected in zip(jax.tree.leaves(gradient), jax.tree.leaves(expected_gradient), strict=True):
        assert np.allclose(got, expected, atol=2e-6)


@pytest.mark.parametrize("score", SCORES, ids=lambda s: s.name)
@pytest.mark.parametrize("rows_per_block", [37, 10, 1, 1000])
def test_blocks_of_rows_give_the_plain_value_and_gradient(score, rows_per_block):
    values, mechanism, soft_mask = setting()
    x = jnp.asarray(values.T, jnp.float32)

    def plain(parts):
        mechanism, soft_mask = parts
        losses = jnp.mean((x - mechanism.predict(x, soft_mask)) ** 2, axis=1)
        return score.of_mean_losses(losses)

    def blocked(parts):
        rows = RowBlocks.of(values, rows_per_block)
        return score.of_mean_losses(mean_losses(*parts, rows, score.row_loss))

    assert_same_value_and_gradient(blocked, plain, (mechanism, soft_mask))


def seven_variables(kind: str) -> Problem:
    values = np.random.default_rng(0).standard_normal((38, 7))
    dataset = Dataset(values, tuple("abcdefg"))
    if kind == "lags":
        return cut_windows(SeriesTable.of(dataset), lags=1)[0]
    candidates = np.roll(np.eye(7, dtype=bool), 1, axis=0) if kind == "one candidate each" else None
    return Problem.from_dataset(dataset, candidates)


@pytest.mark.parametrize("kind", ["plain", "lags", "gaps", "one candidate each"])
@pytest.mark.parametrize(
    ("init", "score"),
    [(MLP.init, gaussian_likelihood), (LocationScale.init, location_scale_likelihood)],
    ids=["networks", "with scales"],
)
def test_some_networks_at_a_time_give_the_value_and_gradient_of_all(init, score, kind, monkeypatch):
    problem = seven_variables(kind)
    mechanism = init(np.random.default_rng(2), problem)
    values = problem.dataset.values
    soft_mask = jnp.asarray(np.random.default_rng(3).random((7, 7)) * problem.candidates, jnp.float32)
    observed = np.random.default_rng(1).random(values.shape) < 0.7 if kind == "gaps" else None
    outputs = tuple(column for variable in problem.variables for column in variable.outputs)
    rows = RowBlocks.of(values, 10, outputs, observed)

    def loops_and_gradient(n_networks):
        for most in ("_CACHE_VARIABLES", "_MOST_TOGETHER"):
            monkeypatch.setattr(f"mcsl.objective.row_blocks.{most}", n_networks)
        parts, rest = eqx.partition((mechanism, soft_mask), eqx.is_inexact_array)

        def value(parts):
            return score.of_mean_losses(mean_losses(*eqx.combine(parts, rest), rows, score.row_loss))

        gradient = jax.value_and_grad(value)
        return str(jax.make_jaxpr(gradient)(parts)).count("scan["), gradient(parts)

    n_loops, all_at_once = loops_and_gradient(7)
    # Seven in groups of three leave two places to fill up.
    n_loops_of_groups, in_groups = loops_and_gradient(3)
    assert n_loops_of_groups == n_loops + 1
    for got, expected in zip(jax.tree.leaves(in_groups), jax.tree.leaves(all_at_once), strict=True):
        assert np.abs(expected).max() > 1e-3
        assert np.allclose(got, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("score", SCORES, ids=lambda s: s.name)
@pytest.mark.parametrize("rows_per_block", [1000, 10])
@pytest.mark.parametrize("groups", [None, {"g": ["a", "c"]}], ids=["lags", "lags and groups"])
def test_windows_and_groups_give_the_plain_value_and_gradient(score, rows_per_block, groups):
    values, _, _ = setting(n=38)
    problem, _ = cut_windows(SeriesTable.of(Dataset(values, tuple("abcd"))), lags=1, groups=groups)
    d = problem.n_variables
    mechanism = MLP.init(np.random.default_rng(0), problem)
    soft_mask = jnp.asarray(np.random.default_rng(1).random((d, d)) * (1 - np.eye(d)), jnp.float32)
    outputs = tuple(column for variable in problem.variables for column in variable.outputs)
    x = jnp.asarray(problem.dataset.values.T, jnp.float32)

    def plain(parts):
        mechanism, soft_mask = parts
        losses = jnp.mean((x[np.array(outputs)] - mechanism.predict(x, soft_mask)) ** 2, axis=1)
        return score.of_mean_losses(losses)

    def blocked(parts):
        rows = RowBlocks.of(problem.dataset.values, rows_per_block, outputs)
        return score.of_mean_losses(mean_losses(*parts, rows, score.row_loss))

    assert_same_value_and_gradient(blocked, plain, (mechanism, soft_mask))


@pytest.mark.parametrize("rows_per_block", [37, 10])
def test_only_observed_outputs_count(rows_per_block):
    values, mechanism, soft_mask = setting()
    observed = np.random.default_rng(1).random(values.shape) < 0.7
    leaf = 3
    soft_mask = soft_mask.at[leaf].set(0.0)
    losses = []
    for junk in (0.0, 100.0):
        filled = values.copy()
        filled[~observed[:, leaf], leaf] = junk
        rows = RowBlocks.of(filled, rows_per_block, observed=observed)
        losses.append(np.asarray(mean_losses(mechanism, soft_mask, rows, least_squares.row_loss)))
    assert np.allclose(*losses, rtol=1e-5)
    x = jnp.asarray(values.T, jnp.float32)
    errors = np.asarray((x - mechanism.predict(x, soft_mask)) ** 2)
    assert losses[0][leaf] == pytest.approx(errors[leaf, observed[:, leaf]].mean(), rel=1e-5)


def test_a_block_of_gaps_alone_is_finite():
    values, mechanism, soft_mask = setting()
    rows = RowBlocks.of(values, 10, observed=np.zeros(values.shape, bool))
    losses = mean_losses(mechanism, soft_mask, rows, least_squares.row_loss)
    assert np.array_equal(losses, np.zeros(4))


def test_the_lagrangian_adds_its_terms_up():
    values, mechanism, soft_mask = setting()
    rows = RowBlocks.of(values, 512)
    multiplier, penalty, weight = 0.7, 0.3, 0.05
    total, terms = lagrangian(
        mechanism,
        soft_mask,
        rows,
        score=least_squares,
        sparsity_weight=np.float32(weight),
        acyclicity=log_trace_exponential,
        log_multiplier=np.float32(np.log(multiplier)),
        log_penalty=np.float32(np.log(penalty)),
    )
    s = np.exp(float(terms.log_acyclicity))
    # The L1 norm is the sum over all entries, not the largest column sum.
    assert float(terms.sparsity) == pytest.approx(weight * np.abs(np.asarray(soft_mask)).sum(), rel=1e-5)
    expected = float(terms.score) + float(terms.sparsity) + multiplier * s + penalty * s**2 / 2
    assert float(total) == pytest.approx(expected, rel=1e-5)


def test_a_zero_multiplier_is_no_price():
    values, mechanism, soft_mask = setting()
    rows = RowBlocks.of(values, 512)

    def total(soft_mask):
        return lagrangian(
            mechanism,
            soft_mask,
            rows,
            score=least_squares,
            sparsity_weight=np.float32(0),
            acyclicity=log_trace_exponential,
            log_multiplier=np.float32(-np.inf),
            log_penalty=np.float32(-np.inf),
        )[0]

    value, gradient = jax.value_and_grad(total)(soft_mask)
    fit = least_squares.of_mean_losses(mean_losses(mechanism, soft_mask, rows, least_squares.row_loss))
    assert float(value) == pytest.approx(float(fit))
    assert np.isfinite(np.asarray(gradient)).all()


def test_scores_on_known_residuals():
    losses = jnp.asarray([1.0, 4.0])
    assert float(least_squares.of_mean_losses(losses)) == pytest.approx(2.5)
    assert float(gaussian_likelihood.of_mean_losses(losses)) == pytest.approx(0.5 * np.log(4.0))


def test_rescaling_a_variable_shifts_the_likelihood_by_a_constant():
    values, _, soft_mask = setting()
    problem = Problem.from_dataset(Dataset(values, tuple("abcd")))
    differences = []
    for seed in range(3):
        plain = Linear.init(np.random.default_rng(seed), problem)
        # The same functions in the new units: x_0 counts a thousandfold.
        units = jnp.asarray([1000.0, 1.0, 1.0, 1.0])
        rescaled = Linear(
            plain.weights * units[:, None, None] / units, plain.bias * units[:, None, None], plain.layout
        )
        score = [
            gaussian_likelihood.of_mean_losses(
                mean_losses(m, soft_mask, RowBlocks.of(v, 512), gaussian_likelihood.row_loss)
            )
            for m, v in ((plain, values), (rescaled, values * np.asarray(units)))
        ]
        differences.append(float(score[1] - score[0]))
    assert np.allclose(differences, np.log(1000.0), atol=1e-3)


def test_row_blocks_keep_every_row_once():
    values = np.arange(23 * 3, dtype=float).reshape(23, 3)
    rows = RowBlocks.of(values, 8)
    assert rows.n_blocks == 3
    kept = np.asarray(rows.values.transpose(0, 2, 1))[np.asarray(rows.weights)[:, 0] == 1]
    assert np.array_equal(kept, values.astype(np.float32))
    one = rows.block(jnp.asarray(1))
    assert np.array_equal(one.values[0], rows.values[1])
