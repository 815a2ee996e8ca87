"""How sure directions are: against all graphs there are, and on tables whose directions little tells."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.order.test_climb import random_case, total

import mcsl
from mcsl.graph.causal_graph import closure, is_acyclic
from mcsl.order import directions
from mcsl.order.climb import GrowingDag, climb
from mcsl.order.directions import _turned, _turns, margins, turn_to_better


def all_dags(n_variables):
    pairs = list(combinations(range(n_variables), 2))
    for ways in product((0, 1, 2), repeat=len(pairs)):
        graph = np.zeros((n_variables, n_variables), dtype=bool)
        for (a, b), way in zip(pairs, ways, strict=True):
            graph[a, b], graph[b, a] = way == 1, way == 2
        if is_acyclic(graph):
            yield graph


def lines_score(rng, n_variables, n_samples=400):
    """Akaike's criterion of straight lines with Gaussian noise, which a line and its reverse fit alike."""
    weights = np.triu(rng.uniform(0.5, 1.5, (n_variables,) * 2) * rng.choice([-1, 1], (n_variables,) * 2), 1)
    weights *= rng.random(weights.shape) < 0.6
    values = rng.standard_normal((n_samples, n_variables)) @ np.linalg.inv(np.eye(n_variables) - weights)
    covariance = np.cov(values.T)

    def score(effect, parents):
        causes = sorted(parents)
        within, across = covariance[np.ix_(causes, causes)], covariance[causes, effect]
        left = covariance[effect, effect] - across @ np.linalg.solve(within, across)
        return -n_samples / 2 * np.log(left) - len(causes)

    return score


@pytest.mark.parametrize("seed", range(8))
def test_no_graph_with_the_reverse_is_much_better_than_that_found(seed):
    dags = list(all_dags(4))
    score = lines_score(np.random.default_rng(seed), 4)
    totals = np.array([total(dag, score) for dag in dags])
    best, nothing = dags[int(totals.argmax())], np.zeros((4, 4), dtype=bool)
    found = margins(best, ~np.eye(4, dtype=bool), score, nothing)
    for cause, effect in np.argwhere(best):
        expected = totals.max() - max(
            value for dag, value in zip(dags, totals, strict=True) if dag[effect, cause]
        )
        assert expected - 1e-6 <= found[cause, effect] <= expected + 2.5


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10_000), n_variables=st.integers(2, 6))
def test_edges_turn_only_for_the_better(seed, n_variables):
    rng = np.random.default_rng(seed)
    score = lines_score(rng, n_variables)
    possible = ~np.eye(n_variables, dtype=bool) & (rng.random((n_variables, n_variables)) < 0.9)
    ended = climb(possible, score)
    required = ended & (rng.random(ended.shape) < 0.2)
    turned = turn_to_better(ended.copy(), possible, score, required)
    assert is_acyclic(turned)
    assert not np.any(required & ~turned)
    assert not np.any(turned & ~possible)
    assert turned.sum() <= ended.sum()
    assert total(turned, score) >= total(ended, score)
    np.testing.assert_array_equal(turn_to_better(turned, possible, score, required), turned)


def graph_of(n_variables, *edges):
    graph = np.zeros((n_variables, n_variables), dtype=bool)
    for edge in edges:
        graph[edge] = True
    return graph


def test_of_two_turns_that_close_a_cycle_together_the_better_is_taken(monkeypatch):
    # 0 -> 1 and 2 -> 3 have no neighbours in common, but paths from each to the other's end.
    edges = [(0, 1), (2, 3), (0, 4), (4, 5), (5, 3), (2, 6), (6, 7), (7, 1)]
    graph, nothing = graph_of(8, *edges), graph_of(8)
    worth = np.where(graph, 10.0, -5.0)
    worth[1, 0], worth[3, 2] = 11, 12
    looks = []

    def is_acyclic_at_most_fifty_times(proposed):
        looks.append(proposed)
        assert len(looks) <= 50
        return is_acyclic(proposed)

    monkeypatch.setattr(directions, "is_acyclic", is_acyclic_at_most_fifty_times)
    turned = turn_to_better(
        graph, ~np.eye(8, dtype=bool), lambda effect, causes: sum(worth[[*causes], effect]), nothing
    )
    np.testing.assert_array_equal(turned, graph_of(8, (3, 2), *(edge for edge in edges if edge != (2, 3))))


def test_turns_that_share_variables_do_not_undo_each_other():
    # 0 -> 1 and 2 -> 3 turn, and what each leaves as it was, the edge of the other, must stay.
    graph = graph_of(4, (0, 1), (1, 2), (2, 3))
    worth = np.where(graph, 10.0, -5.0)
    worth[1, 0], worth[3, 2] = 11, 12
    turned = turn_to_better(
        graph, ~np.eye(4, dtype=bool), lambda effect, causes: sum(worth[[*causes], effect]), graph_of(4)
    )
    np.testing.assert_array_equal(turned, graph_of(4, (1, 0), (1, 2), (3, 2)))


def test_edges_do_not_turn_where_more_edges_are_needed_for_it():
    # 2 -> 1 <- 0 scores 10, and 2 -> 1 -> 0 <- 2, which has an edge more, 13.
    scores = {(1, (0, 2)): 10, (1, (2,)): 8, (1, (0,)): 1, (0, (1, 2)): 5, (0, (1,)): -5, (0, (2,)): -1}
    graph, possible = graph_of(3, (0, 1), (2, 1)), graph_of(3, (0, 1), (1, 0), (2, 1), (2, 0))

    def score(effect, causes):
        return scores.get((effect, tuple(sorted(causes))), 0)

    assert margins(graph, possible, score, graph_of(3))[0, 1] == -3
    np.testing.assert_array_equal(turn_to_better(graph, possible, score, graph_of(3)), graph)


def test_turning_edges_leads_to_the_best_graph_more_often():
    dags, nothing = list(all_dags(4)), np.zeros((4, 4), dtype=bool)
    n_best = {"climbed": 0, "turned": 0}
    for seed in range(40):
        score = lines_score(np.random.default_rng(seed), 4)
        best = max(total(dag, score) for dag in dags)
        climbed = climb(~np.eye(4, dtype=bool), score)
        turned = turn_to_better(climbed.copy(), ~np.eye(4, dtype=bool), score, nothing)
        n_best["climbed"] += total(climbed, score) > best - 1e-6
        n_best["turned"] += total(turned, score) > best - 1e-6
    assert n_best["turned"] >= n_best["climbed"] + 5, n_best


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10_000), n_variables=st.integers(2, 6))
def test_turned_graphs_are_graphs_that_keep_to_what_is_allowed(seed, n_variables):
    candidates, score = random_case(seed, n_variables)
    required = np.triu(candidates, 1) & (np.random.default_rng(seed).random(candidates.shape) < 0.2)
    candidates &= ~closure(required).T
    graph = climb(candidates, score, required)
    for cause, effect in np.argwhere(graph & candidates.T & ~required).tolist():
        turns = _turns(GrowingDag(graph), cause, effect, required)
        for allowed in (candidates, np.zeros_like(candidates)) if turns else ():
            found = _turned(GrowingDag(graph), turns, allowed)
            turned = found.adjacency
            assert is_acyclic(turned)
            assert np.array_equal(found.reaches, closure(turned))
            assert turned[effect, cause]
            assert turned[required].all()
            assert not (turned & ~candidates & ~graph).any()
    found = margins(graph, candidates, score, required)
    assert np.isinf(found[required | ~graph | ~candidates.T]).all()


def sure_of(edges, recipe="additive", **columns):
    """Return how sure the search is of some arrows, whichever way they point."""
    table = mcsl.Dataset(np.column_stack([*columns.values()]), tuple(columns))
    result = mcsl.learn(table, recipe)
    place = {name: k for k, name in enumerate(table.names)}
    at = [(place[cause], place[effect]) for cause, effect in edges]
    return [max(result.directions[a, b], result.directions[b, a]) for a, b in at]


def test_curves_and_noise_that_is_not_normal_tell_directions_and_lines_do_not():
    told = {"line": [], "curve": [], "laplace": []}
    for seed in range(4):
        rng = np.random.default_rng(seed)
        x, noise = rng.standard_normal((2, 600))
        told["line"] += sure_of([("x", "y")], x=x, y=x + noise)
        told["curve"] += sure_of([("x", "y")], x=x, y=np.sin(2 * x) + 0.5 * noise)
        skewed = rng.laplace(size=600)
        told["laplace"] += sure_of([("x", "y")], x=skewed, y=skewed + rng.laplace(size=600))
    assert max(told["line"]) < 0.75
    assert min(told["curve"] + told["laplace"]) > 0.99


def test_lines_that_meet_point_there():
    x, z, noise = np.random.default_rng(1).standard_normal((3, 800))
    y = x + z + noise
    meeting = sure_of([("x", "y"), ("z", "y")], x=x, y=y, z=z)
    assert min(meeting) > 0.6


@pytest.mark.parametrize("seed", range(4))
def test_a_chain_of_lines_points_nowhere_whatever_was_screened(seed):
    result = mcsl.learn(np.cumsum(np.random.default_rng(seed).standard_normal((800, 6)), axis=1), "additive")
    assert result.graph.n_edges >= 5
    assert np.median(result.directions[result.graph.adjacency]) < 0.9
    assert result.directions[result.graph.adjacency].max() < 0.999


def test_units_do_not_matter():
    table = mcsl.simulate("gp-add", n_variables=6, degree=1.5, n_samples=300, seed=2, straight=0.7).dataset
    plain = mcsl.learn(table, "additive")
    scaled = mcsl.learn(table.values * [1e3, -2.0, 1e-4, 7.0, -1.0, 50.0] + 5, "additive")
    assert np.allclose(plain.directions, scaled.directions, atol=1e-4)


def test_what_is_known_is_sure():
    x, noise = np.random.default_rng(0).standard_normal((2, 300))
    table = mcsl.Dataset(np.column_stack([x, x + noise]), ("x", "y"))
    required = mcsl.learn(table, "additive", knowledge=mcsl.Knowledge(required=[("y", "x")]))
    forbidden = mcsl.learn(table, "additive", knowledge=mcsl.Knowledge(forbidden=[("x", "y")]))
    assert required.directions[1, 0] == forbidden.directions[1, 0] == 1


def test_lags_and_vectors_have_directions_and_masked_gaps_do_not():
    table = mcsl.simulate("gp-add", n_variables=4, degree=1.5, n_samples=300, seed=5).dataset.values.copy()
    vectors = {"a": ["x1", "x2"], "b": ["x3", "x4"]}
    results = [mcsl.learn(table, "additive", lags=1), mcsl.learn(table, "additive", groups=vectors)]
    for result in results:
        assert (result.directions[result.graph.adjacency] >= 0.5).all()
        assert (result.directions <= 1).all()
        assert not np.isnan(result.directions).any()
    table[::20, 0] = np.nan
    assert mcsl.learn(table, "additive", missing="mask").directions is None
    assert mcsl.learn(table, "additive", missing="drop").directions is not None


def test_an_arrow_is_as_sure_as_its_edge_and_its_direction():
    x, noise = np.random.default_rng(3).standard_normal((2, 400))
    result = mcsl.learn(np.column_stack([x, x + noise]), "additive")
    ((cause, effect),) = np.argwhere(result.graph.adjacency)
    assert result.edge_probabilities[cause, effect] > 0.999
    assert result.confidence[cause, effect] == pytest.approx(result.directions[cause, effect], abs=1e-3)
    assert result.confidence_name == "confidence"
    assert result.edges["direction"][0] == result.directions[cause, effect]
