import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import mcsl
from mcsl.errors import OutputError
from mcsl.outputs.report import report_html, write_report
from mcsl.outputs.report.payload import _drawing, _short


@pytest.fixture(scope="module")
def result():
    simulation = mcsl.simulate("gp-add", n_variables=4, degree=1.25, n_samples=150, seed=3)
    dataset = mcsl.Dataset(simulation.dataset.values, ("</script><b>", "b", "{{script}}", "d"))
    return mcsl.learn(dataset, mcsl.Recipe.additive())


def payload_of(html):
    return json.loads(re.search(r'type="application/json">(.*?)</script>', html, re.DOTALL)[1])


def test_the_page_is_whole_and_asks_for_nothing(result):
    html = report_html(result, command="mcsl learn data.csv")
    assert not re.search(r"""(?:src|href)=["'](?!#)|@import|url\(|https?://(?!www\.w3\.org/2000/svg)""", html)
    assert html.count("</script>") == 2
    data = payload_of(html)
    assert data["provenance"]["command"] == "mcsl learn data.csv"
    assert [variable["name"] for variable in data["variables"]] == list(result.graph.names)
    edges = {(edge["cause"], edge["effect"]) for edge in data["edges"] if edge["kept"]}
    assert edges == set(result.graph.edges)
    assert len(data["curves"]) == len(data["graph"]["routes"]) == result.graph.n_edges


def test_the_same_result_gives_the_same_page_also_from_its_file(result, tmp_path):
    back = mcsl.load_result(result.save(tmp_path / "run.mcsl"))
    assert report_html(back) == report_html(result)


def test_a_result_without_its_model_has_a_page(result, tmp_path):
    data = payload_of(report_html(mcsl.load_result(result.save(tmp_path / "bare.mcsl", sem=False))))
    assert data["curves"] == []
    assert all(variable["residuals"] == [] for variable in data["variables"])


def test_no_edges_give_a_page(result):
    empty = mcsl.CausalGraph(np.zeros((4, 4)), result.graph.names)
    data = payload_of(report_html(replace(result, graph=empty, tests=())))
    assert data["edges"] == data["curves"] == []


def test_a_name_without_end_is_shortened_in_its_box():
    graph = mcsl.CausalGraph(np.zeros((2, 2)), ("q" * 300, "b"))
    drawing = _drawing(SimpleNamespace(graph=graph))
    assert drawing["labels"] == [["q" * 16 + "…" + "q" * 15], ["b"]]


def test_series_of_vectors_have_curves_of_their_columns():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 200, 2)), np.zeros((200, 1))
    b[1:] = np.tanh(a[0, :-1, :1]) * 2 + 0.3 * rng.normal(size=(199, 1))
    columns = np.concatenate([a[0], b], axis=1)
    dataset = mcsl.Dataset(columns, ("a.x", "a.y", "b"))
    found = mcsl.learn(dataset, mcsl.Recipe.additive(), groups={"a": ["a.x", "a.y"]}, lags=1)
    assert found.graph.edges == (("a", "b"),)
    data = payload_of(report_html(found))
    assert ("a.x[t-1]", "b") in {(curve["cause"], curve["effect"]) for curve in data["curves"]}
    assert data["variables"][0]["columns"] == ["a.x", "a.y"]
    assert data["edges"][0]["lags"] == "1"


def test_an_interrupted_write_leaves_the_old_page(result, tmp_path):
    with pytest.raises(OutputError, match="could not be written"):
        write_report(result, tmp_path / "nowhere" / "report.html")
    (tmp_path / "place").mkdir()
    with pytest.raises(OutputError, match="could not be written"):
        write_report(result, tmp_path / "place")
    assert [path.name for path in tmp_path.iterdir()] == ["place"]


@pytest.mark.parametrize(("centre", "width"), [(101325.0, 3.0), (293.15, 0.06), (0.0, 1e-7), (-4e12, 1e3)])
def test_curves_are_rounded_by_how_far_they_reach(centre, width):
    curve = centre + np.linspace(-width, width, 31)
    short = _short(curve, 2 * width)
    assert np.abs(short - curve).max() <= 2 * width / 1000
    assert len(set(short)) == 31
