import numpy as np
import pytest

from mcsl.errors import SettingsError
from mcsl.graph import CausalGraph
from mcsl.simulation import SeriesModel, simulate_series
from mcsl.simulation.series import BURN_IN, Wave


def example(**options):
    return simulate_series(**{"n_variables": 5, "degree": 1.5, "seed": 3, "n_samples": 300} | options)


def test_the_same_seed_gives_the_same_series():
    first, again = example(), example()
    assert np.array_equal(first.dataset.values, again.dataset.values)
    assert first.lags == again.lags
    assert not np.array_equal(first.dataset.values, example(seed=4).dataset.values)


def test_more_samples_keep_the_model_and_the_first_samples():
    short, long = example(), example(n_samples=500)
    assert short.graph == long.graph
    assert np.array_equal(short.dataset.values, long.dataset.values[:300])


def test_every_value_follows_the_equation():
    simulation = example(lags=2)
    model, values = simulation.model, simulation.dataset.values
    place = {name: i for i, name in enumerate(simulation.graph.names)}
    assert all(at and set(at) <= {0, 1, 2} for at in simulation.lags.values())
    streams = np.random.default_rng(3).spawn(2)[1].spawn(5)
    for name, i in place.items():
        noise = streams[i].normal(0, 1, BURN_IN + 300)[BURN_IN:]
        expected = model.persistence[name] * values[1:-1, i] + noise[2:]
        for (cause, effect, lag), function in model.functions.items():
            if effect == name:
                expected = expected + function(values[2 - lag : 300 - lag, place[cause]])
        assert np.allclose(values[2:, i], expected)


def test_series_stay_in_range():
    values = simulate_series(n_variables=20, degree=3, seed=0, n_samples=2000).dataset.values
    assert (values.std(axis=0) < 6).all()
    # The second half looks like the first: the burn-in suffices.
    assert (np.abs(values[:1000].std(axis=0) / values[1000:].std(axis=0) - 1) < 0.25).all()


def test_an_intervention_reaches_descendants_alone():
    def shift(variable, signal, noise):
        if variable == faulty:
            noise[100:] += 5
        return signal, noise

    graph = example().graph
    faulty = next(name for name in graph.names if any(cause == name for cause, _ in graph.edges))
    reached = {faulty}
    for _ in graph.names:
        reached |= {effect for cause, effect in graph.edges if cause in reached}
    before, after = example().dataset.values, example(intervene=shift).dataset.values
    assert np.array_equal(before[:100], after[:100])
    changed = {name for i, name in enumerate(graph.names) if (before[100:, i] != after[100:, i]).any()}
    assert changed == reached


def test_a_new_signal_is_a_new_mechanism():
    normal = example()
    effect = normal.graph.edges[0][1]
    seen = example(intervene=lambda name, signal, noise: (signal * (name != effect), noise))
    i = normal.graph.names.index(effect)
    values = seen.dataset.values[:, i]
    noise = np.random.default_rng(3).spawn(2)[1].spawn(5)[i].normal(0, 1, BURN_IN + 300)[BURN_IN:]
    assert np.allclose(values[1:], normal.model.persistence[effect] * values[:-1] + noise[1:])


def test_waves_have_unit_variance():
    rng = np.random.default_rng(0)
    draws = [Wave.draw(rng)(np.array([0.0, 0.5, 4.0])) for _ in range(2000)]
    assert np.allclose(np.cov(np.array(draws).T)[0], [1, np.exp(-0.125), np.exp(-8)], atol=0.12)


def test_lags_may_be_longer_than_the_series():
    graph = CausalGraph.from_edges([("x", "y")], ("x", "y"))
    still = {"x": 0.0, "y": 0.0}
    model = SeriesModel(graph, {("x", "y"): (300,)}, {("x", "y", 300): np.abs}, still, {"x": 1.0, "y": 0.0})
    values = model.run(50, np.random.default_rng(0)).values
    past = np.random.default_rng(0).spawn(2)[0].normal(0, 1, 50)
    assert np.allclose(values[:, 1], np.abs(past))


def test_lags_that_cannot_be_drawn_are_refused():
    assert all(example(lags=62, n_samples=1).lags.values())
    with pytest.raises(SettingsError, match=r"`lags` must be at most 62\. Got 200 instead\."):
        example(lags=200)
