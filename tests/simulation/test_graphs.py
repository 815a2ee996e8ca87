import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsl.errors import CyclicGraphError, SettingsError
from mcsl.graph import is_acyclic
from mcsl.simulation import longest_path, simulate_dag
from mcsl.simulation.graphs import longest_shortest_path


def draw(n_graphs, n_variables, degree, **options):
    rng = np.random.default_rng(7)
    return np.array([simulate_dag(n_variables, degree, rng, **options).adjacency for _ in range(n_graphs)])


@pytest.mark.parametrize("kind", ["er", "sf"])
@pytest.mark.parametrize(("n_variables", "degree"), [(10, 1), (10, 4), (20, 1.5), (50, 4)])
def test_the_degree_is_the_mean_number_of_edges_a_variable(kind, n_variables, degree):
    edges = draw(300, n_variables, degree, kind=kind).sum(axis=(1, 2))
    # At most n p (1 - p) < degree * d of variance, four standard errors of a mean over 300 graphs.
    assert abs(edges.mean() - degree * n_variables) < 4 * np.sqrt(degree * n_variables / 300)


def test_er4_with_ten_variables_keeps_eight_of_nine_pairs():
    adjacency = draw(500, 10, 4)
    assert (adjacency | adjacency.transpose(0, 2, 1)).sum() / (500 * 90) == pytest.approx(8 / 9, abs=0.01)


@pytest.mark.parametrize("kind", ["er", "sf"])
def test_labels_say_nothing_about_the_causal_order(kind):
    adjacency = draw(1500, 6, 1, kind=kind)
    frequency = adjacency.mean(axis=0)[~np.eye(6, dtype=bool)]
    # Each ordered pair is an edge with probability 6 / 30, standard error 0.0103.
    assert np.abs(frequency - 0.2).max() < 0.042


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 15), st.floats(0, 1), st.sampled_from(["er", "sf"]), st.integers(0, 2**32 - 1))
def test_every_graph_is_a_dag_with_names(n_variables, density, kind, seed):
    degree = density * (n_variables - 1) / 2
    graph = simulate_dag(n_variables, degree, np.random.default_rng(seed), kind=kind)
    assert is_acyclic(graph.adjacency)
    assert graph.names == tuple(f"x{i}" for i in range(1, n_variables + 1))


@pytest.mark.parametrize("kind", ["er", "sf"])
def test_the_extremes_are_the_empty_and_the_complete_dag(kind):
    rng = np.random.default_rng(0)
    assert simulate_dag(9, 0, rng, kind=kind).n_edges == 0
    assert simulate_dag(9, 4, rng, kind=kind).n_edges == 36


def test_scale_free_graphs_have_hubs_on_the_side_asked_for():
    effects = draw(40, 60, 1, kind="sf")
    causes = draw(40, 60, 1, kind="sf", hubs="causes")
    er = draw(40, 60, 1)
    most = {"in": er.sum(axis=1).max(axis=1).mean(), "out": er.sum(axis=2).max(axis=1).mean()}
    assert effects.sum(axis=1).max(axis=1).mean() > 2 * most["in"]
    assert effects.sum(axis=2).max() <= 2
    assert causes.sum(axis=2).max(axis=1).mean() > 2 * most["out"]
    assert causes.sum(axis=1).max() <= 2


def test_whole_graphs_are_redrawn_until_accepted():
    shallow = draw(100, 20, 1, accepts=lambda adjacency: longest_path(adjacency) <= 3)
    assert max(longest_path(adjacency) for adjacency in shallow) == 3
    assert max(longest_path(adjacency) for adjacency in draw(100, 20, 1)) > 3


def test_an_acceptance_that_never_comes_is_an_error():
    with pytest.raises(SettingsError, match="None of 10000 graphs with 3 variables"):
        simulate_dag(3, 1, np.random.default_rng(0), accepts=lambda adjacency: False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((10, 4.6), r"`degree` must be between 0 and \(n_variables - 1\) / 2 = 4.5"),
        ((10, -1), "Got -1 instead"),
        ((10, float("nan")), "Got nan instead"),
        ((1, 0), "`n_variables` must be a whole number >= 2. Got 1 instead"),
    ],
)
def test_impossible_settings_are_refused(arguments, message):
    with pytest.raises(SettingsError, match=message):
        simulate_dag(*arguments, np.random.default_rng(0))


def test_unknown_kinds_are_refused():
    with pytest.raises(SettingsError, match=r"`kind` must be 'er' or 'sf'. Got 'ba' instead"):
        simulate_dag(5, 1, np.random.default_rng(0), kind="ba")
    with pytest.raises(SettingsError, match="`hubs` must be 'effects' or 'causes'"):
        simulate_dag(5, 1, np.random.default_rng(0), hubs="both")


def test_path_lengths_by_hand():
    # 0 -> 1 -> 2 -> 3 with the shortcut 0 -> 3: four nodes apart the long way, two at most the short way.
    adjacency = np.zeros((5, 5))
    adjacency[[0, 1, 2, 0], [1, 2, 3, 3]] = 1
    assert longest_path(adjacency) == 3
    assert longest_shortest_path(adjacency) == 2
    assert longest_path(np.zeros((4, 4))) == longest_shortest_path(np.zeros((4, 4))) == 0


def test_cycles_have_no_longest_path():
    with pytest.raises(CyclicGraphError):
        longest_path([[0, 1], [1, 0]])
