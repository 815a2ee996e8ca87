"""Moves along the order: never worse, never more edges, and straight lines turn to where they belong."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.order.test_climb import random_case, total

import mcsl
from mcsl.graph.causal_graph import closure, is_acyclic
from mcsl.order import OrderSearch
from mcsl.order.climb import climb
from mcsl.order.rearrange import rearrange
from mcsl.problem import Problem


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10_000), n_variables=st.integers(1, 6), scale=st.sampled_from([1.0, 20.0]))
def test_a_better_graph_without_more_edges_that_keeps_to_what_is_allowed(seed, n_variables, scale):
    candidates, plain = random_case(seed, n_variables)
    required = np.triu(candidates, 1) & (np.random.default_rng(seed).random(candidates.shape) < 0.2)
    candidates &= ~closure(required).T

    def score(effect, parents):
        return scale * plain(effect, parents)

    climbed = climb(candidates, score, required)
    found = rearrange(climbed, candidates, score, required)
    assert is_acyclic(found)
    assert not (found & ~candidates & ~required).any()
    assert (found[required]).all()
    assert found.sum() <= climbed.sum()
    assert total(found, score) >= total(climbed, score) - 1e-9


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_how_columns_are_sorted_does_not_matter(seed):
    candidates, score = random_case(seed, 6)
    shuffle = np.random.default_rng(seed).permutation(6)
    none = np.zeros_like(candidates)
    shuffled = np.ix_(shuffle, shuffle)

    def relabelled(effect, parents):
        return score(int(shuffle[effect]), frozenset(int(shuffle[parent]) for parent in parents))

    found = rearrange(climb(candidates, score), candidates, score, none)
    other = rearrange(climb(candidates[shuffled], relabelled), candidates[shuffled], relabelled, none)
    assert np.array_equal(other, found[shuffled])


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_neither_rounding_nor_sorting_matters_where_all_score_alike_without_causes(seed):
    candidates, plain = random_case(seed, 6)
    rng = np.random.default_rng(seed)
    shuffle, rounding = rng.permutation(6), 1e-12 * rng.standard_normal((2, 6))
    none, shuffled = np.zeros_like(candidates), np.ix_(shuffle, shuffle)
    start = np.triu(candidates)
    start[:, :3] = False

    def rounded(effect, parents):
        return (plain(effect, parents) if parents else -1.0) + rounding[0, effect]

    def relabelled(effect, parents):
        gain = plain(int(shuffle[effect]), frozenset(int(shuffle[parent]) for parent in parents))
        return (gain if parents else -1.0) + rounding[1, effect]

    found = rearrange(start, candidates, rounded, none)
    other = rearrange(start[shuffled], candidates[shuffled], relabelled, none)
    assert np.array_equal(other, found[shuffled])


def fields(seed, n_samples):
    """Rain and sun make plants grow along curves, and the harvest is twice the growth, besides the sun."""
    rng = np.random.default_rng(seed)
    rain, sun, own_growth, own_harvest = rng.standard_normal((4, n_samples))
    growth = np.tanh(rain) + 0.5 * sun**2 + 0.4 * own_growth
    harvest = 2 * growth + np.sin(2 * sun) + 0.4 * own_harvest
    return mcsl.Dataset(np.column_stack([rain, sun, growth, harvest]), ("rain", "sun", "growth", "harvest"))


@pytest.mark.parametrize("seed", range(3))
def test_a_straight_line_among_curves_points_where_fewer_edges_are_needed(seed):
    graph = mcsl.learn(fields(seed, 3000), "additive").graph
    edges = {("rain", "growth"), ("sun", "growth"), ("sun", "harvest"), ("growth", "harvest")}
    assert set(graph.edges) == edges


def test_knowledge_is_kept_even_if_it_costs_edges():
    known = mcsl.Knowledge(required=[("harvest", "growth")])
    graph = mcsl.learn(fields(0, 1000), "additive", knowledge=known).graph
    assert ("harvest", "growth") in graph.edges
    assert ("rain", "harvest") in graph.edges


def test_tables_with_straight_lines_are_learned_better_than_edge_by_edge(monkeypatch):
    n_wrong = {"moved": 0, "edge by edge": 0}
    for seed in range(8):
        drawn = mcsl.simulate(
            "gp-add", straight=0.5, n_variables=10, degree=1.5, n_samples=600, noise="unequal", seed=seed
        )
        problem = Problem.from_dataset(drawn.dataset.standardized())
        n_wrong["moved"] += _n_wrong(problem, drawn)
        with monkeypatch.context() as only:
            for beyond in ("rearrange", "turn_to_better"):
                only.setattr(f"mcsl.order.search.{beyond}", lambda adjacency, *_: adjacency)
            n_wrong["edge by edge"] += _n_wrong(problem, drawn)
    assert n_wrong["moved"] < 0.8 * n_wrong["edge by edge"]


def _n_wrong(problem, drawn):
    learned = OrderSearch(interactions=False).find(problem).learned
    return mcsl.evaluate(learned, drawn.graph).shd
