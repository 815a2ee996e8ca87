import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsl.errors import SettingsError
from mcsl.graph import CausalGraph
from mcsl.simulation import MODELS, Linear, PostNonlinear, longest_path, simulate, simulate_dag, simulate_from
from mcsl.simulation.mechanisms import HALF_NORMAL_DEVIATION

CHAIN = CausalGraph.from_edges([("b", "a"), ("a", "c")], ["a", "b", "c"])
COLLIDER = CausalGraph.from_edges([("a", "c"), ("b", "c")], ["a", "b", "c"])


def small(model, seed=0, **options):
    return simulate(model, **{"n_variables": 6, "degree": 1.5, "seed": seed, "n_samples": 80, **options})


@pytest.mark.parametrize("model", sorted(MODELS))
def test_a_seed_fixes_everything(model):
    first, again, other = small(model), small(model), small(model, seed=1)
    assert first.graph == again.graph
    assert first.dataset.fingerprint() == again.dataset.fingerprint()
    assert first.dataset.fingerprint() != other.dataset.fingerprint()


@pytest.mark.parametrize("model", sorted(MODELS))
def test_more_samples_keep_the_graph_and_the_noise_levels(model):
    few, many = small(model, noise="unequal"), small(model, noise="unequal", n_samples=200)
    assert few.graph == many.graph
    assert few.noise_deviations == many.noise_deviations
    if not model.startswith("gp"):
        np.testing.assert_allclose(many.dataset.values[:80], few.dataset.values, rtol=1e-10)


def test_graph_and_functions_do_not_depend_on_the_noise():
    gaussian, laplace = small("linear"), small("linear", noise_distribution="laplace")
    assert gaussian.graph == laplace.graph
    assert not np.allclose(gaussian.dataset.values, laplace.dataset.values)


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(sorted(MODELS)), st.integers(0, 10_000), st.sampled_from(["equal", "unequal"]))
def test_tables_fit_their_graphs(model, seed, noise):
    simulation = small(model, seed=seed, noise=noise, n_samples=20)
    columns = [column for name in simulation.graph.names for column in simulation.groups[name]]
    assert simulation.dataset.names == tuple(columns)
    assert simulation.dataset.values.shape == (20, 6 * simulation.model.dimension)
    assert np.isfinite(simulation.dataset.values).all()
    assert set(simulation.noise_deviations) == set(simulation.graph.names)


def test_vector_variables_own_their_columns():
    simulation = small("gp-vec", dimension=2)
    assert simulation.graph.names == ("x1", "x2", "x3", "x4", "x5", "x6")
    assert simulation.groups["x2"] == ("x2.1", "x2.2")
    assert small("gp").groups["x2"] == ("x2",)


def residual_deviations(simulation):
    """Deviation of each column around its linear fit on the true parents."""
    values, adjacency = simulation.dataset.values, simulation.graph.adjacency
    out = {}
    for i, name in enumerate(simulation.graph.names):
        design = np.column_stack([np.ones(len(values)), values[:, adjacency[:, i]]])
        out[name] = np.std(values[:, i] - design @ np.linalg.lstsq(design, values[:, i], rcond=None)[0])
    return out


@pytest.mark.parametrize("distribution", ["gaussian", "laplace", "half-normal", "uniform", "exponential"])
@pytest.mark.parametrize("noise", ["equal", "unequal"])
def test_residuals_have_the_noise_deviation(distribution, noise):
    simulation = small("linear", noise=noise, noise_distribution=distribution, n_samples=20_000)
    expected = simulation.noise_deviations
    assert residual_deviations(simulation) == pytest.approx(expected, rel=0.03)
    assert (set(expected.values()) == {1.0}) == (noise == "equal")


def test_unequal_variances_fill_their_range():
    variances = np.square(
        [list(small("linear", seed=s, noise="unequal").noise_deviations.values()) for s in range(60)]
    )
    assert 1 < variances.min() < 1.05
    assert 1.95 < variances.max() < 2
    narrow = small("linear", noise="unequal", unequal_variances=(0.4, 0.8)).noise_deviations
    assert 0.4 < np.square(list(narrow.values())).mean() < 0.8


def test_noise_has_the_shape_of_its_distribution():
    def roots(distribution):
        empty = CausalGraph(np.zeros((2, 2)), ("a", "b"))
        rng = np.random.default_rng(3)
        options = {"n_samples": 50_000, "noise_distribution": distribution, "rng": rng}
        return simulate_from(empty, "linear", **options).dataset.values

    def kurtosis(values):
        return np.mean((values - values.mean()) ** 4) / values.var() ** 2

    assert kurtosis(roots("gaussian")) == pytest.approx(3, abs=0.15)
    assert kurtosis(roots("laplace")) == pytest.approx(6, abs=0.5)
    half = roots("half-normal")
    assert half.min() >= 0
    assert half.var() == pytest.approx(1, abs=0.02)
    # E|z| / sd|z| for a standard normal z.
    assert half.mean() == pytest.approx(np.sqrt(2 / np.pi) / np.sqrt(1 - 2 / np.pi), abs=0.02)


def test_gp_roots_are_noise_and_children_add_a_function_of_variance_one():
    simulation = simulate_from(CHAIN, "gp", rng=np.random.default_rng(5), n_samples=2000)
    a, b, _ = simulation.dataset.values.T
    assert b.std() == pytest.approx(1, abs=0.07)
    # Neighbours in b share f(b), so half the mean squared difference of their effects is the noise.
    by_cause = a[np.argsort(b)]
    assert np.mean(np.diff(by_cause) ** 2) / 2 == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("seed", range(30))
def test_quadratic_graphs_are_shallow_and_lose_unused_edges(seed):
    simulation = simulate("quadratic", n_variables=20, degree=1, seed=seed, n_samples=50)
    assert longest_path(simulation.graph.adjacency) <= 3


def test_quadratic_drops_about_one_edge_in_four_from_lone_parents():
    pairs = CausalGraph.from_edges(
        [(f"c{i}", f"e{i}") for i in range(300)], [f"{k}{i}" for i in range(300) for k in "ce"]
    )
    simulation = simulate_from(pairs, "quadratic", rng=np.random.default_rng(0), n_samples=500)
    assert simulation.graph.n_edges == pytest.approx(225, abs=30)
    values = simulation.dataset.values
    gone = ~simulation.graph.adjacency[np.arange(0, 600, 2), np.arange(1, 600, 2)]
    # Without its edge an effect is noise alone, of variance one with standard error 0.063.
    assert np.abs(values[:, 1::2][:, gone].var(axis=0) - 1).max() < 0.3


def test_pnl_is_the_parents_mean_times_exponential_noise():
    simulation = simulate_from(COLLIDER, "pnl", rng=np.random.default_rng(1), n_samples=20_000)
    a, b, c = simulation.dataset.values.T
    noise = np.log(c / ((a + b) / 2))
    assert simulation.dataset.values.min() >= 1
    assert 0 <= noise.min() < 0.01
    for eps in (noise, np.log(a), np.log(b)):
        assert eps.var() == pytest.approx(1, abs=0.04)
    assert abs(np.corrcoef(noise, np.log(a))[0, 1]) < 0.03


def test_pnl_readings_are_options():
    rng = np.random.default_rng(1)
    unit_scale = simulate_from(COLLIDER, "pnl", rng=rng, n_samples=20_000, half_normal="unit-scale")
    a = unit_scale.dataset.values[:, 0]
    assert np.log(a).std() == pytest.approx(HALF_NORMAL_DEVIATION, rel=0.02)
    assert unit_scale.noise_deviations["a"] == pytest.approx(HALF_NORMAL_DEVIATION)
    plain = simulate_from(COLLIDER, PostNonlinear(roots="noise"), rng=rng, n_samples=20_000)
    assert plain.dataset.values[:, 0].var() == pytest.approx(1, abs=0.04)
    assert plain.dataset.values.min() > 0


def test_models_can_be_passed_as_objects():
    by_name = simulate_from(CHAIN, "linear", rng=np.random.default_rng(2), n_samples=10)
    by_object = simulate_from(CHAIN, Linear(), rng=np.random.default_rng(2), n_samples=10)
    np.testing.assert_array_equal(by_name.dataset.values, by_object.dataset.values)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "gauss"}, "`model` must be one of gp, gp-add, .* Got 'gauss' instead"),
        ({"model": "quadratic", "dimension": 2}, "Quadratic has no option 'dimension'; it has max_diameter"),
        ({"model": "linear", "dimension": 2}, "Linear has no option 'dimension'; it has none"),
        ({"n_samples": 0}, "`n_samples` must be a whole number >= 1. Got 0 instead"),
        ({"noise": "same"}, "`noise` must be 'equal' or 'unequal'. Got 'same' instead"),
        (
            {"noise_distribution": "cauchy"},
            "`noise_distribution` must be 'gaussian', 'laplace', 'half-normal', 'uniform' or 'exponential'",
        ),
        ({"unequal_variances": (2.0, 1.0)}, r"`unequal_variances` must be 0 < low <= high. Got \(2.0, 1.0\)"),
        ({"degree": 9}, "`degree` must be between"),
    ],
)
def test_bad_settings_are_refused(options, message):
    with pytest.raises(SettingsError, match=message):
        small(**{"model": "gp", **options})


def test_values_beyond_floating_point_are_refused():
    deep = simulate_dag(40, 19.5, np.random.default_rng(0))
    with pytest.raises(SettingsError, match="left the range of floating point"):
        simulate_from(deep, "quadratic", rng=np.random.default_rng(0), noise_distribution="laplace")


def test_jax_is_not_needed():
    code = "import sys, mcsl.simulation, mcsl.evaluation; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("model", sorted(MODELS))
def test_interventions_change_descendants_alone_and_keep_the_noise(model):
    worlds = [{"a": 2.0}, {"b": lambda b: b + 1}, {}]
    simulation = simulate_from(CHAIN, model, rng=np.random.default_rng(0), n_samples=30, interventions=worlds)
    shape = (30, 3, simulation.model.dimension)
    observed, *others = (
        table.values.reshape(shape) for table in (simulation.dataset, *simulation.interventional)
    )
    set_a, shifted_b, untouched = others
    assert np.array_equal(untouched, observed)
    assert np.array_equal(set_a[:, 1], observed[:, 1])
    assert (set_a[:, 0] == 2.0).all()
    # Quadratic mechanisms may not use an edge.
    unused = [edge for edge in CHAIN.edges if edge not in simulation.graph.edges]
    assert np.isclose(set_a[:, 2], observed[:, 2]).all() == (("a", "c") in unused)
    assert np.allclose(shifted_b[:, 1], observed[:, 1] + 1)
    assert np.isclose(shifted_b[:, 2], observed[:, 2]).all() == bool(unused)


def test_a_true_effect_is_the_weight_of_a_linear_path():
    worlds = [{"b": 0.0}, {"b": 1.0}]
    simulation = simulate_from(
        CHAIN, "linear", rng=np.random.default_rng(1), n_samples=40, interventions=worlds
    )
    low, high = (table.values for table in simulation.interventional)
    first, second = (high - low)[:, 0], (high - low)[:, 2]
    assert np.ptp(first) < 1e-12
    assert np.ptp(second) < 1e-12
    assert 0.25 <= abs(second[0]) <= 4
    with pytest.raises(SettingsError, match="names 'z'"):
        simulate_from(CHAIN, "linear", rng=np.random.default_rng(1), interventions=[{"z": 0.0}])
