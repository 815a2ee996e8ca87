import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsl.outputs.layout import Layout, layered_layout, port_width
from mcsl.simulation.graphs import simulate_dag


def random_case(n_variables: int, degree: float, seed: int):
    rng = np.random.default_rng(seed)
    adjacency = simulate_dag(n_variables, min(degree, (n_variables - 1) / 2), rng).adjacency
    sizes = np.stack([rng.uniform(34, 130, n_variables), rng.choice([24.0, 35.0, 48.0], n_variables)], axis=1)
    sizes[:, 0] = np.maximum(sizes[:, 0], port_width(adjacency) + 18)
    return adjacency, sizes


def crossings(layout: Layout) -> int:
    lines = [route for route in layout.routes.values() if len(route) == 2]
    return sum(
        (a[0, 0] - b[0, 0]) * (a[1, 0] - b[1, 0]) < -1e-9 and a[0, 1] == b[0, 1] and a[1, 1] == b[1, 1]
        for k, a in enumerate(lines)
        for b in lines[:k]
    )


@settings(deadline=None, max_examples=15)
@given(n_variables=st.integers(2, 20), degree=st.floats(0, 4), seed=st.integers(0, 10**6))
def test_boxes_are_apart_and_edges_run_down_from_border_to_border(n_variables, degree, seed):
    adjacency, sizes = random_case(n_variables, degree, seed)
    layout = layered_layout(adjacency, sizes)
    low, high = layout.centres - sizes / 2, layout.centres + sizes / 2
    assert low.min() >= -1e-6
    assert (high <= (layout.width + 1e-6, layout.height + 1e-6)).all()
    overlaps = ((low[:, None] < high - 1e-6) & (low < high[:, None] - 1e-6)).all(axis=2)
    assert not overlaps[~np.eye(n_variables, dtype=bool)].any()
    assert set(layout.routes) == {tuple(edge) for edge in np.argwhere(adjacency).tolist()}
    for (cause, effect), route in layout.routes.items():
        assert (np.diff(route[:, 1]) < 0).all()
        np.testing.assert_allclose([route[0, 1], route[-1, 1]], [low[cause, 1], high[effect, 1]], atol=1e-6)
        assert low[cause, 0] < route[0, 0] < high[cause, 0]
        assert low[effect, 0] < route[-1, 0] < high[effect, 0]


@settings(deadline=None, max_examples=15)
@given(n_variables=st.integers(3, 15), degree=st.floats(0.5, 3), seed=st.integers(0, 10**6))
def test_edges_pass_between_the_boxes(n_variables, degree, seed):
    adjacency, sizes = random_case(n_variables, degree, seed)
    layout = layered_layout(adjacency, sizes)
    for (cause, effect), route in layout.routes.items():
        for node in set(range(n_variables)) - {cause, effect}:
            inside = np.abs(route - layout.centres[node]) < sizes[node] / 2 - 1e-6
            assert not inside.all(axis=1).any()


def test_the_same_graph_is_always_laid_out_alike():
    adjacency, sizes = random_case(20, 2, 0)
    first, second = layered_layout(adjacency, sizes), layered_layout(adjacency, sizes)
    np.testing.assert_array_equal(first.centres, second.centres)


def test_two_layers_that_can_be_untangled_are():
    adjacency = np.zeros((8, 8), dtype=bool)
    for cause, effect in [(0, 7), (1, 6), (2, 5), (3, 4), (0, 6), (1, 5), (2, 4)]:
        adjacency[cause, effect] = True
    assert crossings(layered_layout(adjacency, np.full((8, 2), 24.0))) == 0


def test_a_root_stands_just_above_its_first_effect():
    adjacency = np.zeros((4, 4), dtype=bool)
    adjacency[[0, 1, 3], [1, 2, 2]] = True
    layout = layered_layout(adjacency, np.full((4, 2), 24.0))
    assert layout.centres[3, 1] == layout.centres[1, 1] < layout.centres[0, 1]
