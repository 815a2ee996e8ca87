from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

import mcsl
from mcsl.errors import GraphError, OutputError


@pytest.fixture(scope="module")
def result():
    simulation = mcsl.simulate("gp-add", n_variables=4, degree=1.25, n_samples=150, seed=3)
    dataset = mcsl.Dataset(simulation.dataset.values, ("$a$", "b", "c", "d"))
    return mcsl.learn(dataset, mcsl.Recipe.additive())


@pytest.fixture(autouse=True)
def _no_window():
    with mpl.rc_context({"backend": "agg"}):
        yield
    plt.close("all")


def test_the_matrix_is_in_causal_order_and_frames_its_edges(result):
    ax = mcsl.plot_adjacency(result)
    order = [label.get_text() for label in ax.get_yticklabels()]
    assert order == list(result.graph.order) == [label.get_text() for label in ax.get_xticklabels()]
    frames = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    framed = {(order[round(f.get_y() + 0.5)], order[round(f.get_x() + 0.5)]) for f in frames}
    assert framed == set(result.graph.edges)
    place = [result.graph.names.index(name) for name in order]
    assert np.array_equal(ax.images[0].get_array(), result.confidence[np.ix_(place, place)])


LONG = ("Annual mean temperature anomaly (degrees Celsius)", "precipitation_total_mm_per_year_station_042")


@pytest.mark.parametrize("n_others", [1, 30])
def test_long_names_stay_within_the_figure_of_a_matrix(n_others):
    names = (*LONG, "q" * 300, *(f"x{k}" for k in range(n_others)))
    ax = mcsl.plot_adjacency(mcsl.CausalGraph(np.zeros((len(names), len(names))), names))
    ax.figure.draw_without_rendering()
    labels = [*ax.get_xticklabels(), *ax.get_yticklabels()]
    whole = ax.figure.bbox
    for text in (ax.xaxis.label, ax.yaxis.label, *labels):
        box = text.get_window_extent()
        assert whole.x0 <= box.x0 < box.x1 <= whole.x1
        assert whole.y0 <= box.y0 < box.y1 <= whole.y1
    heights = [label.get_window_extent().height for label in ax.get_yticklabels()]
    assert max(heights) < ax.bbox.height / len(names)
    shown = [label.get_text() for label in labels[:3]]
    assert [text[-1] for text in shown] == [")", "2", "q"]
    assert shown[2] == "q" * 12 + "…" + "q" * 11


def test_signs_that_the_font_lacks_are_boxes(caplog):
    ax = mcsl.plot_adjacency(mcsl.CausalGraph(np.zeros((2, 2)), ("🌧 rain", "b")))
    ax.figure.draw_without_rendering()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["□ rain", "b"]
    assert len(caplog.records) == 1


def test_a_bare_graph_is_black_and_white(result):
    ax = mcsl.plot_adjacency(result.graph, title="$x")
    assert set(np.unique(ax.images[0].get_array())) == {0, 1}
    assert len(ax.figure.axes) == 1


def test_training_is_drawn_by_stage(result, tmp_path):
    rows = [mcsl.TraceRow(k, 10.0**-k, 0.0, 2.0 + k, 3.0, 9.0, 1, 2, 7, 0.5, 0.1) for k in range(4)]
    figure = mcsl.plot_training(replace(result, trace=tuple(rows)))
    left, right = figure.axes
    assert left.lines[0].get_ydata().tolist() == [2, 3, 4, 5]
    assert right.get_yscale() == "log"
    assert to_hex(left.lines[0].get_color()) != to_hex(left.lines[1].get_color())
    for kind in ("svg", "png"):
        figure.savefig(tmp_path / f"training.{kind}")


def test_no_training_is_said_in_one_sentence(result):
    with pytest.raises(OutputError, match="The recipe 'additive' trains no networks"):
        mcsl.plot_training(result)


def test_effects_have_a_panel_an_edge(result, tmp_path):
    figure = mcsl.plot_effects(result)
    drawn = [(ax.get_xlabel(), ax.get_ylabel()) for ax in figure.axes if ax.lines]
    assert drawn == [(cause, f"mean of {effect}") for cause, effect in result.graph.edges]
    figure.savefig(tmp_path / "effects.svg")
    name = result.graph.edges[0][1]
    some = [ax for ax in mcsl.plot_effects(result, name).axes if ax.lines]
    assert len(some) == sum(name in edge for edge in result.graph.edges)


def test_long_names_stay_within_their_panels():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 3))
    values[:, 1] += np.sin(2 * values[:, 0])
    values[:, 2] += values[:, 1] ** 2
    found = mcsl.learn(mcsl.Dataset(values, (*LONG, "W" * 100)), mcsl.Recipe.additive())
    figure = mcsl.plot_effects(found)
    figure.draw_without_rendering()
    assert len(figure.axes) > 1
    for ax in figure.axes:
        assert ax.xaxis.label.get_window_extent().width <= ax.bbox.width
        assert ax.yaxis.label.get_window_extent().height <= ax.bbox.height


def test_effects_that_are_not_there_are_refused(result):
    with pytest.raises(GraphError, match="no variable 'z'"):
        mcsl.plot_effects(result, "z")
    with pytest.raises(GraphError, match="has no edges"):
        mcsl.plot_effects(replace(result, graph=mcsl.CausalGraph(np.zeros((4, 4)), result.graph.names)))
