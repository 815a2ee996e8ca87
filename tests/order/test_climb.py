import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsl.graph.causal_graph import closure, is_acyclic
from mcsl.order.climb import climb


def random_case(seed, n_variables):
    """Draw candidates and a score for every set of parents."""
    rng = np.random.default_rng(seed)
    candidates = rng.random((n_variables, n_variables)) < 0.7
    np.fill_diagonal(candidates, False)
    table = rng.standard_normal((n_variables, 2**n_variables))
    return candidates, lambda effect, parents: table[effect, sum(2**j for j in parents)]


def total(graph, score):
    return sum(score(i, frozenset(np.flatnonzero(graph[:, i]).tolist())) for i in range(len(graph)))


def neighbours(graph, candidates, required):
    """Yield every DAG that differs from a graph by one edge added, dropped or turned around."""
    for cause, effect in np.argwhere(candidates & ~required):
        toggled = graph.copy()
        toggled[cause, effect] ^= True
        yield toggled
        if graph[cause, effect] and candidates[effect, cause]:
            turned = toggled.copy()
            turned[effect, cause] = True
            yield turned


def steepest(candidates, score, required):
    """Climb by trying every move with every score computed anew."""
    graph = required.copy()
    while True:
        moves = [move for move in neighbours(graph, candidates, required) if is_acyclic(move)]
        best = max(moves, key=lambda move: total(move, score), default=graph)
        if total(best, score) <= total(graph, score) + 1e-6:
            return graph
        graph = best


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10_000), n_variables=st.integers(1, 7))
def test_the_climb_takes_the_steepest_way_that_trying_every_move_takes(seed, n_variables):
    candidates, score = random_case(seed, n_variables)
    required = np.triu(candidates, 1) & (np.random.default_rng(seed).random(candidates.shape) < 0.2)
    candidates &= ~closure(required).T
    assert np.array_equal(climb(candidates, score, required), steepest(candidates, score, required))


def test_without_candidates_there_is_nothing_to_climb():
    assert not climb(np.zeros((3, 3), bool), lambda effect, parents: 0.0).any()


def test_a_climb_from_a_graph_ends_where_no_single_edge_improves():
    candidates, score = random_case(1, 6)
    chain = candidates & np.eye(6, k=1, dtype=bool)
    none = np.zeros_like(candidates)
    found = climb(candidates, score, start=chain)
    assert total(found, score) > total(chain, score)
    better = [total(move, score) for move in neighbours(found, candidates, none) if is_acyclic(move)]
    assert max(better) <= total(found, score)
    assert np.array_equal(climb(candidates, score, start=found), found)
