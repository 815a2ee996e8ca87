from itertools import permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsl.graph.causal_graph import closure, topological_order
from mcsl.order.completion import complete_order


def worth(order, gains) -> float:
    place = np.argsort(order)
    return float(gains[place[:, None] < place].sum())


def random_case(seed: int, d: int):
    rng = np.random.default_rng(seed)
    names = rng.permutation(d)
    dag = np.triu(rng.random((d, d)) < 0.3, 1)[np.ix_(names, names)]
    return dag, rng.standard_normal((d, d)) * (1 - np.eye(d))


@given(st.integers(0, 10_000), st.integers(1, 9))
@settings(deadline=None)
def test_the_order_agrees_with_the_graph_and_moving_one_variable_does_not_help(seed, d):
    dag, gains = random_case(seed, d)
    order = complete_order(topological_order(dag), dag, gains)
    assert sorted(order) == list(range(d))
    place = np.argsort(order)
    assert (place[:, None] < place)[dag].all()
    for variable in order:
        others = [v for v in order if v != variable]
        for k in range(d):
            moved = [*others[:k], variable, *others[k:]]
            if (np.argsort(moved)[:, None] < np.argsort(moved))[dag].all():
                assert worth(moved, gains) <= worth(order, gains) + 1e-8


def test_an_empty_graph_is_ordered_by_the_gains_alone():
    # A tournament of gains without cycles has one best order, and moves reach it.
    true = [2, 0, 3, 1]
    place = np.argsort(true)
    gains = np.where(place[:, None] < place, 1.0, -1.0)
    assert complete_order(range(4), np.zeros((4, 4), bool), gains) == true


def test_most_cases_reach_the_best_of_all_orders():
    reached = 0
    for seed in range(20):
        dag, gains = random_case(seed, 6)
        allowed = [
            order
            for order in permutations(range(6))
            if (np.argsort(order)[:, None] < np.argsort(order))[dag].all()
        ]
        best = max(worth(order, gains) for order in allowed)
        reached += worth(complete_order(topological_order(dag), dag, gains), gains) > best - 1e-9
    assert reached >= 12


def by_reachability(adjacency, gains):
    """Complete an order with every pair of variables looked at."""
    reaches, advantage, order = closure(adjacency), gains - gains.T, topological_order(adjacency)
    moved = True
    while moved:
        moved = False
        for variable in tuple(order):
            place = order.index(variable)
            worth, there = max(
                steps(order[:place][::-1], reaches[:, variable], advantage[variable], place, -1),
                steps(order[place + 1 :], reaches[variable], -advantage[variable], place, 1),
            )
            if worth > 1e-9:
                order.remove(variable)
                order.insert(there, variable)
                moved = True
    return order


def steps(passed, blocks, advantage, place, direction):
    best, worth = (0.0, place), 0.0
    for count, other in enumerate(passed, start=1):
        if blocks[other]:
            break
        worth += advantage[other]
        best = max(best, (worth, place + direction * count), key=lambda step: step[0])
    return best


def test_looking_at_neighbours_alone_changes_nothing():
    for seed in range(30):
        dag, gains = random_case(seed, 12)
        sparse = np.where(np.random.default_rng(seed).random((12, 12)) < 0.3, gains, 0.0)
        order = complete_order(topological_order(dag), dag, sparse)
        assert order == by_reachability(dag, sparse)


def test_an_edge_that_does_not_bind_gives_way_to_stronger_ones():
    # 0 -> 1 gains little, and 1 -> 2 -> 0 would gain more.
    gains = np.zeros((3, 3))
    gains[0, 1], gains[1, 2], gains[2, 0] = 3.0, 5.0, 5.0
    none, binding = np.zeros((3, 3), bool), np.zeros((3, 3), bool)
    binding[0, 1] = True
    assert complete_order([0, 1, 2], none, gains) == [1, 2, 0]
    assert complete_order([0, 1, 2], binding, gains) in ([2, 0, 1], [0, 1, 2])
