import sys
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon

from mcsl.errors import GraphError, OutputError
from mcsl.graph import CausalGraph
from mcsl.outputs.plots import plot_graph, write_graph_picture
from mcsl.simulation.graphs import simulate_dag

NAMES = ("Umsatz (€)", "température_extérieure_moyenne", "x", "$a$ cost", "total household income", "ж" * 40)
GRAPH = CausalGraph.from_edges([(NAMES[0], NAMES[1]), (NAMES[1], NAMES[5]), (NAMES[0], NAMES[5])], NAMES)


def axes(width: float = 6, height: float = 5):
    return Figure(figsize=(width, height)).add_axes((0, 0, 1, 1))


def patches(ax, kind):
    return [patch for patch in ax.patches if type(patch) is kind]


@pytest.mark.parametrize("size", [(12, 12), (3, 3), (9, 2)])
def test_names_fit_into_their_boxes(size):
    ax = plot_graph(GRAPH, ax=axes(*size))
    boxes = patches(ax, FancyBboxPatch)
    assert len(boxes) == len(ax.texts) == 6
    for box, text in zip(boxes, ax.texts, strict=True):
        outer, inner = box.get_window_extent(), text.get_window_extent()
        assert outer.x0 <= inner.x0
        assert inner.x1 <= outer.x1
        assert outer.y0 <= inner.y0
        assert inner.y1 <= outer.y1
        assert ax.bbox.x0 <= outer.x0
        assert outer.x1 <= ax.bbox.x1
        assert ax.bbox.y0 <= outer.y0
        assert outer.y1 <= ax.bbox.y1
    assert "".join(ax.texts[1].get_text().split("\n")) == NAMES[1]
    assert ax.texts[3].get_text() == "$a$ cost"


def test_a_name_without_end_is_shortened_in_its_box():
    graph = CausalGraph(np.zeros((3, 3)), ("station" + "0" * 300 + "042", "mean of " * 60, "x"))
    ax = plot_graph(graph, ax=axes(12, 12))
    unbroken, words, _ = (text.get_text() for text in ax.texts)
    assert len(unbroken) == 32
    assert unbroken.startswith("station000")
    assert unbroken.endswith("042")
    assert words.count("…") == 1
    assert words.count("\n") == 7
    assert max(box.get_width() for box in patches(ax, FancyBboxPatch)) < 130


@pytest.mark.parametrize("write", [write_graph_picture, lambda graph, path: plot_graph(graph, ax=axes())])
def test_signs_that_the_font_lacks_are_boxes_and_one_warning(write, tmp_path, caplog):
    graph = CausalGraph(np.zeros((3, 3)), ("🌧 rain", "bell \a", "ok"))
    write(graph, tmp_path / "graph.png")
    assert [record.getMessage() for record in caplog.records] == [
        "The font of pictures lacks signs '\\x07' and '🌧', drawn as a box; "
        "set matplotlib's font.family to one that has all."
    ]
    assert [text.get_text() for text in plot_graph(graph, ax=axes()).texts] == ["□ rain", "bell □", "ok"]


def test_arrows_end_on_the_border_of_the_effect():
    ax = plot_graph(GRAPH, ax=axes())
    boxes = patches(ax, FancyBboxPatch)
    heads = patches(ax, Polygon)
    assert len(heads) == len(patches(ax, PathPatch)) == GRAPH.n_edges
    effects = [NAMES.index(effect) for _, effect in GRAPH.edges]
    for head, effect in zip(heads, effects, strict=True):
        tip, box = head.get_xy()[0], boxes[effect]
        assert tip[1] == pytest.approx(box.get_y() + box.get_height())
        assert box.get_x() < tip[0] < box.get_x() + box.get_width()


def test_probable_edges_are_heavier():
    graph = CausalGraph.from_edges([("a", "b"), ("a", "c")], ("a", "b", "c"))
    probabilities = np.array([[0, 0.99, 0.55], [0, 0, 0], [0, 0, 0]])
    ax = plot_graph(SimpleNamespace(graph=graph, confidence=probabilities), ax=axes())
    sure, unsure = patches(ax, PathPatch)
    assert sure.get_linewidth() > unsure.get_linewidth()
    assert sure.get_alpha() > unsure.get_alpha()


def test_edges_are_told_apart_beside_a_truth():
    names = ("a", "b", "c", "d")
    graph = CausalGraph.from_edges([("a", "b"), ("c", "b"), ("a", "d")], names)
    truth = CausalGraph.from_edges([("a", "b"), ("b", "c"), ("d", "c"), ("b", "d")], names[::-1])
    ax = plot_graph(graph, truth=truth, ax=axes())
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["found 1", "reversed 1", "extra 1", "missed 2"]
    looks = {(patch.get_edgecolor()[:3], str(patch.get_linestyle())) for patch in patches(ax, PathPatch)}
    assert len(looks) == 4


def test_a_missed_edge_may_run_upwards():
    graph = CausalGraph.from_edges([("a", "b"), ("b", "c")], ("a", "b", "c"))
    truth = CausalGraph.from_edges([("c", "a")], ("a", "b", "c"))
    ax = plot_graph(graph, truth=truth, ax=axes())
    tips = [head.get_xy()[0, 1] for head in patches(ax, Polygon)]
    assert tips[2] == max(tips)
    box = patches(ax, FancyBboxPatch)[0]
    assert tips[2] == pytest.approx(box.get_y())


def test_a_path_stands_out():
    ax = plot_graph(GRAPH, ax=axes(), highlight=(NAMES[0], NAMES[1], NAMES[5]))
    colors = [mpl.colors.to_hex(shaft.get_edgecolor()) for shaft in patches(ax, PathPatch)]
    assert sorted(colors) == ["#22313f", "#d55e00", "#d55e00"]
    fills = [mpl.colors.to_hex(box.get_facecolor()) for box in patches(ax, FancyBboxPatch)]
    assert [fill != fills[2] for fill in fills] == [True, True, False, False, False, True]
    assert fills[0] != fills[1] == fills[5]
    with pytest.raises(GraphError, match="is no edge of the graph"):
        plot_graph(GRAPH, ax=axes(), highlight=(NAMES[1], NAMES[0]))


def test_other_variables_are_refused():
    with pytest.raises(GraphError, match="only one of them has b, c"):
        plot_graph(CausalGraph(np.zeros((2, 2)), ("a", "b")), truth=CausalGraph(np.zeros((2, 2)), ("a", "c")))


def test_fifty_variables_are_readable_on_their_own_figure(tmp_path):
    graph = simulate_dag(50, 1.5, np.random.default_rng(1))
    path = write_graph_picture(graph, tmp_path / "graph.png")
    image = mpl.image.imread(path)
    assert max(image.shape) < 200 * 25
    assert image.std() > 0.01


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_the_same_graph_gives_the_same_file(tmp_path, kind):
    before = dict(mpl.rcParams)
    first = write_graph_picture(GRAPH, tmp_path / f"a.{kind}", title="Six").read_bytes()
    second = write_graph_picture(GRAPH, tmp_path / f"b.{kind}", title="Six").read_bytes()
    assert first == second
    assert dict(mpl.rcParams) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"a.{kind}", f"b.{kind}"]


def test_a_figure_is_made_where_none_is_given():
    from matplotlib import pyplot as plt

    with mpl.rc_context({"backend": "agg"}):
        ax = plot_graph(GRAPH)
    assert ax.texts[2].get_fontsize() == pytest.approx(10)
    plt.close(ax.figure)


def test_files_that_cannot_be_written_are_refused(tmp_path):
    with pytest.raises(OutputError, match=r"must end in one of .*\.svg"):
        write_graph_picture(GRAPH, tmp_path / "graph.txt")
    with pytest.raises(OutputError, match="could not be written"):
        write_graph_picture(GRAPH, tmp_path / "nowhere" / "graph.svg")


def test_a_missing_matplotlib_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(OutputError, match=r"pip install '\.\[plots\]'"):
        plot_graph(GRAPH)
