import numpy as np
import pytest

from mcsl.errors import SettingsError
from mcsl.simulation import MODELS, AdditiveGaussianProcess, GaussianProcess, Linear, PostNonlinear, Quadratic

FIXED = ["linear", "mlp", "monotone", "pnl", "quadratic"]


def grid(side=12):
    axis = np.linspace(-2, 2, side)
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)


def interaction(values, side=12):
    """f(a, b) - f(a, b0) - f(a0, b) + f(a0, b0), zero everywhere for additive functions only."""
    table = values.reshape(side, side)
    return table - table[:, :1] - table[:1] + table[0, 0]


@pytest.mark.parametrize("name", sorted(MODELS))
@pytest.mark.parametrize("n_parents", [1, 4])
def test_a_mechanism_maps_rows_of_parents_to_values(name, n_parents):
    model = MODELS[name]
    mechanism = model.draw(n_parents, np.random.default_rng(0))
    inputs = np.random.default_rng(1).uniform(0.1, 2, (30, n_parents * model.dimension))
    values = mechanism(inputs)
    assert values.shape == ((30,) if model.dimension == 1 else (30, model.dimension))
    assert np.isfinite(values).all()
    assert mechanism.reads.shape == (n_parents,)


@pytest.mark.parametrize("name", FIXED)
@pytest.mark.parametrize("seed", range(8))
def test_a_mechanism_depends_on_exactly_the_parents_it_reads(name, seed):
    mechanism = MODELS[name].draw(3, np.random.default_rng(seed))
    inputs = np.random.default_rng(100).uniform(0.5, 1.5, (20, 3))
    for parent in range(3):
        moved = inputs.copy()
        moved[:, parent] += 0.3
        assert np.any(mechanism(moved) != mechanism(inputs)) == mechanism.reads[parent]


@pytest.mark.parametrize("name", FIXED)
def test_fixed_mechanisms_can_be_evaluated_again(name):
    mechanism = MODELS[name].draw(2, np.random.default_rng(4))
    inputs = np.random.default_rng(5).uniform(0.5, 1.5, (40, 2))
    np.testing.assert_allclose(mechanism(inputs)[10:20], mechanism(inputs[10:20]), rtol=1e-12)


def test_gp_is_joint_and_gp_add_is_additive():
    joint = GaussianProcess().draw(2, np.random.default_rng(0))(grid())
    additive = AdditiveGaussianProcess().draw(2, np.random.default_rng(0))(grid())
    assert np.abs(interaction(joint)).max() > 0.5
    assert np.abs(interaction(additive)).max() < 1e-4


def test_gp_add_has_variance_one_a_parent():
    rng = np.random.default_rng(8)
    inputs = rng.standard_normal((2, 5))
    draws = np.array([AdditiveGaussianProcess().draw(5, rng)(inputs) for _ in range(3000)])
    # Variance 5 with standard error 5 sqrt(2 / 3000) = 0.13.
    assert np.abs(draws.var(axis=0) - 5).max() < 0.5
    expected = np.exp(-((inputs[0] - inputs[1]) ** 2) / 2).sum()
    assert np.cov(draws.T)[0, 1] == pytest.approx(expected, abs=0.5)


def test_some_parents_of_gp_add_act_along_straight_lines():
    inputs = np.random.default_rng(0).standard_normal((200, 4))
    function = AdditiveGaussianProcess(straight=0.5).draw(4, np.random.default_rng(1))
    design = np.column_stack([np.ones(200), inputs])
    alone = [np.where(np.arange(4) == j, inputs, 0.0) for j in range(4)]
    left = [np.linalg.lstsq(design, function(x), rcond=None)[1] for x in alone]
    assert 0 < sum(bool(error[0] < 1e-6) for error in left) < 4
    vectors = AdditiveGaussianProcess(dimension=2, straight=1).draw(2, np.random.default_rng(1))(inputs)
    assert np.linalg.lstsq(inputs, vectors, rcond=None)[1] == pytest.approx(0, abs=1e-9)
    plain, none = (
        model.draw(2, np.random.default_rng(3))
        for model in (AdditiveGaussianProcess(), AdditiveGaussianProcess(straight=0.0))
    )
    np.testing.assert_array_equal(plain(inputs[:, :2]), none(inputs[:, :2]))


def test_gp_vec_reads_all_dimensions_of_all_parents_and_draws_each_output_alone():
    rng = np.random.default_rng(9)
    inputs = rng.standard_normal((2, 6)) / 2
    draws = np.array([GaussianProcess(dimension=3).draw(2, rng)(inputs) for _ in range(4000)])
    covariance = np.cov(draws.reshape(4000, 6).T).reshape(2, 3, 2, 3)
    similarity = np.exp(-((inputs[0] - inputs[1]) ** 2).sum() / 2)
    expected = np.einsum("ab,jk->ajbk", [[1, similarity], [similarity, 1]], np.eye(3))
    assert np.abs(covariance - expected).max() < 0.12


def test_gp_add_vec_adds_functions_of_whole_parents_and_draws_each_output_alone():
    rng = np.random.default_rng(9)
    inputs = rng.standard_normal((2, 6)) / 2
    draws = np.array([AdditiveGaussianProcess(dimension=3).draw(2, rng)(inputs) for _ in range(4000)])
    covariance = np.cov(draws.reshape(4000, 6).T).reshape(2, 3, 2, 3)
    distances = ((inputs[0] - inputs[1]) ** 2).reshape(2, 3).sum(axis=1)
    similarity = np.exp(-distances / 2).sum()
    expected = np.einsum("ab,jk->ajbk", [[2, similarity], [similarity, 2]], np.eye(3))
    assert np.abs(covariance - expected).max() < 0.24


def fitted_quadratic(mechanism, n_parents):
    """Recover all coefficients from values, first-order terms first."""
    inputs = np.random.default_rng(6).standard_normal((200, n_parents))
    left, right = np.triu_indices(n_parents)
    terms = np.concatenate([inputs, inputs[:, left] * inputs[:, right]], axis=1)
    weights, residual, *_ = np.linalg.lstsq(terms, mechanism(inputs), rcond=None)
    assert residual < 1e-20
    return weights


@pytest.mark.parametrize("terms", ["nonzero", "all"])
def test_quadratic_coefficients_follow_the_paper(terms):
    rng = np.random.default_rng(10)
    weights = []
    for _ in range(300):
        mean = fitted_quadratic(Quadratic(terms=terms).draw(3, rng), 3)
        n_terms = 9 if terms == "all" else np.count_nonzero(np.abs(mean) > 1e-9)
        weights.append(mean * n_terms)
    weights = np.abs(np.concatenate(weights))
    is_zero = weights < 1e-8
    assert is_zero.mean() == pytest.approx(0.5, abs=0.04)
    assert weights[~is_zero].min() == pytest.approx(0.5, abs=0.01)
    assert weights[~is_zero].max() == pytest.approx(1.0, abs=0.01)
    assert weights[~is_zero].mean() == pytest.approx(0.75, abs=0.02)


def test_a_quadratic_mechanism_may_read_nothing():
    draws = [Quadratic().draw(1, np.random.default_rng(seed)) for seed in range(200)]
    empty = [mechanism for mechanism in draws if not mechanism.reads.any()]
    # Both terms of a lone parent vanish one time in four.
    assert 30 < len(empty) < 70
    assert not empty[0](np.ones((5, 1))).any()


def test_the_diameter_is_the_longest_path_unless_told_otherwise():
    adjacency = np.zeros((5, 5), bool)
    adjacency[[0, 1, 2, 3, 0, 0], [1, 2, 3, 4, 4, 3]] = True
    assert not Quadratic().accepts(adjacency)
    assert Quadratic(max_diameter=4).accepts(adjacency)
    assert Quadratic(max_diameter=None).accepts(adjacency)
    assert Quadratic(diameter="longest-shortest-path").accepts(adjacency)


def test_linear_weights_have_both_signs_and_the_stated_range():
    rng = np.random.default_rng(11)
    weights = np.concatenate([Linear().draw(5, rng)(np.eye(5)) for _ in range(200)])
    assert np.abs(weights).min() >= 0.5
    assert np.abs(weights).max() <= 2
    assert (weights > 0).mean() == pytest.approx(0.5, abs=0.06)


def test_monotone_curves_never_turn_and_are_no_lines():
    for seed in range(10):
        mechanism = MODELS["monotone"].draw(1, np.random.default_rng(seed))
        values = mechanism(np.linspace(-4, 4, 200)[:, None])
        steps = np.diff(values)
        assert (steps > 0).all() or (steps < 0).all()
        assert np.abs(steps).max() > 1.5 * np.abs(steps).min()


def test_the_mlp_is_sigmoidal():
    mechanism = MODELS["mlp"].draw(1, np.random.default_rng(12))
    far = mechanism(np.array([[-1e4], [0.0], [1e4]]))
    # Far out every unit is 0 or 1, and sigmoid(-x) = 1 - sigmoid(x), so the ends average to the middle.
    assert far[1] == pytest.approx((far[0] + far[2]) / 2)


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (GaussianProcess, {"dimension": 0}, "`dimension` must be a whole number >= 1. Got 0 instead"),
        (AdditiveGaussianProcess, {"dimension": 0}, "`dimension` must be a whole number >= 1. Got 0 instead"),
        (
            AdditiveGaussianProcess,
            {"straight": 2},
            "`straight` must be a number >= 0 and <= 1. Got 2 instead",
        ),
        (Quadratic, {"terms": "some"}, "`terms` must be 'nonzero' or 'all'. Got 'some' instead"),
        (Quadratic, {"diameter": "radius"}, "`diameter` must be"),
        (PostNonlinear, {"half_normal": "half"}, "`half_normal` must be"),
        (PostNonlinear, {"roots": "zero"}, "`roots` must be"),
        (type(MODELS["mlp"]), {"n_hidden": 0}, "`n_hidden` must be a whole number >= 1"),
    ],
)
def test_bad_options_are_refused(model, options, message):
    with pytest.raises(SettingsError, match=message):
        model(**options)
