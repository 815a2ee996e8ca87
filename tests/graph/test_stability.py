import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsl.errors import SettingsError
from mcsl.graph import Stability

NAMES = ("a", "b", "c")


def stability(entries, **settings):
    frequencies = np.zeros((3, 3))
    for (cause, effect), frequency in entries.items():
        frequencies[NAMES.index(cause), NAMES.index(effect)] = frequency
    settings = {"n_halves": 20, "candidates": ~np.eye(3, dtype=bool), **settings}
    return Stability(NAMES, frequencies, **settings)


def test_the_consensus_has_the_frequent_edges():
    found = stability({("a", "b"): 0.9, ("b", "a"): 0.05, ("b", "c"): 0.55, ("c", "a"): 0.5})
    assert found.consensus.edges == (("a", "b"), ("b", "c"))


def test_the_least_frequent_edge_of_a_cycle_stays_out():
    found = stability({("a", "b"): 0.6, ("b", "c"): 0.55, ("c", "a"): 0.65})
    assert found.consensus.edges == (("a", "b"), ("c", "a"))


def test_a_higher_threshold_keeps_fewer():
    entries = {("a", "b"): 0.9, ("b", "c"): 0.8}
    assert stability(entries, threshold=0.8).consensus.edges == (("a", "b"),)


def test_both_directions_together_count_as_one_adjacency():
    found = stability({("a", "b"): 0.6, ("b", "a"): 0.35})
    assert found.either_direction[0, 1] == found.either_direction[1, 0] == pytest.approx(0.95)


def test_the_bound_by_hand():
    # q = 1.8 edges a half, p = 6 candidates: 1.8^2 / (0.8 * 6).
    found = stability({("a", "b"): 1.0, ("b", "c"): 0.8})
    assert found.false_edge_bound(0.9) == pytest.approx(0.675)
    assert found.false_edge_bound(1.0) == pytest.approx(0.54)
    assert found.false_edge_bound(0.5) == np.inf


def test_what_was_known_beforehand_does_not_enter_the_bound():
    free = ~np.eye(3, dtype=bool)
    free[0] = False
    found = stability({("a", "b"): 1.0, ("b", "c"): 0.8}, candidates=free)
    assert found.false_edge_bound(0.9) == pytest.approx(0.8**2 / (0.8 * 4))
    nothing = stability({}, candidates=np.zeros((3, 3), bool))
    assert nothing.false_edge_bound(0.9) == 0


@given(seed=st.integers(0, 1000), n_variables=st.integers(2, 6))
def test_the_consensus_is_a_dag_that_no_frequent_edge_can_join(seed, n_variables):
    rng = np.random.default_rng(seed)
    upper = rng.uniform(size=(n_variables, n_variables)).round(1)
    frequencies = np.where(np.triu(rng.uniform(size=upper.shape) < 0.5, 1), upper, 0.0)
    frequencies += np.tril(1 - upper.T, -1)
    names = tuple(f"x{k}" for k in range(n_variables))
    graph = Stability(names, frequencies, 10, ~np.eye(n_variables, dtype=bool)).consensus
    reaches = np.linalg.matrix_power(graph.adjacency + np.eye(n_variables), n_variables) > 0
    assert (graph.adjacency | reaches.T)[frequencies > 0.5].all()
    assert (frequencies[graph.adjacency] > 0.5).all()


def test_thresholds_that_no_majority_reaches_are_refused():
    for threshold in (0.4, 1.0):
        with pytest.raises(SettingsError, match=r"`threshold` must be a number >= 0.5 and < 1"):
            stability({}, threshold=threshold)
