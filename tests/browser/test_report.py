"""The report in a real browser: what a person does with it, and what it must never do."""

import time
from dataclasses import replace

import numpy as np
import pytest
from tests.browser.chromium import PROGRAM, chromium

import mcsl
from mcsl.graph import Stability

pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="the tests of the report need Chromium (apt-get install chromium)"
)
EVIL = "<script>alert(1)</script>"
NAMES = (EVIL, "</script><img src=x onerror=alert(2)>", "rain, heavy", "x4", "x5", "x6")
SHOWN = "document.querySelectorAll('.edge:not(.hidden)').length"
ROWS = "document.querySelectorAll('#edge-table tbody tr').length"


def with_frequencies(result):
    graph = result.graph
    frequencies = np.where(graph.adjacency, np.linspace(0.3, 1.0, graph.n_variables)[:, None], 0.0)
    candidates = ~np.eye(graph.n_variables, dtype=bool)
    return replace(result, stability=Stability(graph.names, frequencies, 20, candidates))


@pytest.fixture(scope="module")
def result():
    simulation = mcsl.simulate("gp-add", n_variables=6, degree=2, n_samples=200, seed=1)
    dataset = mcsl.Dataset(simulation.dataset.values, NAMES)
    return with_frequencies(mcsl.learn(dataset, mcsl.Recipe.additive()))


@pytest.fixture(scope="module")
def report(result, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    return mcsl.write_report(result, path, command=f"mcsl learn '{EVIL}'")


@pytest.fixture(scope="module")
def browser():
    with chromium() as page:
        yield page


@pytest.fixture
def page(browser, report):
    browser.resize(1400, 900)
    browser.prefer("light")
    browser.open(report)
    yield browser
    assert browser.complaints() == []
    assert browser.requests() == [report.as_uri()]


def set_slider(page, value):
    page.evaluate(f"document.getElementById('least').value = {value}")
    page.evaluate("document.getElementById('least').dispatchEvent(new Event('input'))")


def test_the_slider_hides_edges_in_graph_and_table(page, result):
    frequencies = result.stability.frequencies[result.graph.adjacency]
    assert page.evaluate(SHOWN) == page.evaluate(ROWS) == result.graph.n_edges
    set_slider(page, 0.6)
    kept = int((frequencies >= 0.6).sum())
    assert 0 < kept < result.graph.n_edges
    assert page.evaluate(SHOWN) == page.evaluate(ROWS) == kept
    said = page.evaluate("document.getElementById('n-shown').textContent")
    assert said == f"{kept} of {result.graph.n_edges} edges shown"


def test_the_slider_moves_by_keys(page):
    page.evaluate("document.getElementById('least').focus()")
    page.press("ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39)
    assert page.evaluate("document.getElementById('least-shown').textContent") == "0.01"


def test_a_click_shows_causes_effects_curves_and_checks(page, result):
    graph = result.graph
    name = max(graph.names, key=lambda name: (len(graph.parents(name)), len(graph.children(name))))
    page.click(f"[data-variable='{graph.names.index(name)}'] rect")
    links = page.evaluate("[...document.querySelectorAll('#panel .link')].map(a => a.textContent)")
    assert sorted(links) == sorted([*graph.parents(name), *graph.children(name)])
    assert page.evaluate("document.querySelector('#panel h2').textContent") == name
    assert page.evaluate("document.querySelectorAll('#panel .band').length") == len(links)
    assert page.evaluate("document.querySelectorAll('#panel .point').length") == 200
    assert "on rows left out" in page.evaluate("document.getElementById('panel').textContent")
    assert page.evaluate("document.querySelectorAll('.node.cause').length") == len(graph.parents(name))
    page.click("#panel .link")
    assert page.evaluate("document.querySelector('#panel h2').textContent") == links[0]


def test_keys_reach_a_variable_and_leave_it(page):
    page.evaluate("document.querySelector('[data-variable=\"2\"]').focus()")
    page.press("Enter")
    assert page.evaluate("document.querySelector('#panel h2').textContent") == NAMES[2]
    assert page.evaluate("document.getElementById('variable').value") == "2"
    page.press("Escape")
    assert page.evaluate("document.querySelector('#panel h2')") is None


def test_the_table_is_sorted_both_ways(page):
    column = "[...document.querySelectorAll('#edge-table tbody tr')].map(r => r.cells[{k}].textContent)"
    headings = page.evaluate("[...document.querySelectorAll('#edge-table th')].map(h => h.dataset.column)")
    for name, convert, first_down in (("p_value", float, False), ("frequency", float, True)):
        cells = column.format(k=headings.index(name))
        for down in (first_down, not first_down):
            page.click(f"th[data-column='{name}'] button")
            values = list(map(convert, page.evaluate(cells)))
            assert values == sorted(values, reverse=down)
            direction = "descending" if down else "ascending"
            assert page.evaluate(f"document.querySelector('[aria-sort={direction}]').dataset.column") == name


def test_dropped_edges_are_listed_on_demand(page, result):
    page.click("#dropped")
    assert page.evaluate(ROWS) == len(result.edge_rows()) > result.graph.n_edges


def test_the_table_is_downloaded_as_the_command_line_writes_it(page, result, tmp_path):
    page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    page.click("#dropped")
    page.click("#download")
    path, end = tmp_path / "edges.csv", time.monotonic() + 20
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.05)
    import polars as pl

    written = pl.read_csv(path)
    assert written.columns == list(result.edges.columns)
    assert written.select("cause", "effect").rows() == result.edges.select("cause", "effect").rows()


def test_variables_are_dragged_with_their_edges_and_the_view_is_zoomed(page, result):
    cause = result.graph.names.index(result.graph.edges[0][0])
    node = f"[data-variable='{cause}']"
    page.evaluate("document.getElementById('drawing').scrollIntoView()")
    before = page.middle(node)
    shafts = "[...document.querySelectorAll('.shaft')].map(s => s.getAttribute('d'))"
    routes = page.evaluate(shafts)
    page.drag(node, 40, 25)
    assert np.subtract(page.middle(node), before) == pytest.approx([40, 25], abs=2)
    changed = sum(old != new for old, new in zip(routes, page.evaluate(shafts), strict=True))
    assert changed == int((result.graph.adjacency[cause] | result.graph.adjacency[:, cause]).sum())
    assert page.evaluate("document.querySelector('#panel h2')") is None, "a drag is no click"
    width = "document.getElementById('drawing').viewBox.baseVal.width"
    wide = page.evaluate(width)
    page.mouse("mouseWheel", *before, deltaX=0, deltaY=-200, modifiers=2)
    page.evaluate("new Promise(requestAnimationFrame)")
    assert page.evaluate(width) < wide
    page.click("#fit")
    assert page.evaluate(width) == pytest.approx(wide)
    assert page.evaluate(shafts) == routes


def test_names_are_shown_and_never_run(page):
    assert page.evaluate("document.querySelectorAll('script').length") == 2
    assert page.evaluate("document.querySelectorAll('img').length") == 0
    assert page.evaluate("document.querySelector('[data-variable=\"0\"]').getAttribute('aria-label')") == EVIL
    for k in range(len(NAMES)):
        page.click(f"[data-variable='{k}'] rect")
        assert page.evaluate("document.querySelector('#panel h2').textContent") == NAMES[k]
    assert EVIL in page.evaluate("document.getElementById('origin').textContent")
    assert not [event for event in page.events if event.get("method") == "Page.javascriptDialogOpening"]


def test_light_dark_and_paper_have_colours_of_their_own(page):
    colour = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    page.prefer("dark")
    assert page.evaluate(colour) == "rgb(18, 24, 31)"
    page.prefer("dark", media="print")
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('.controls')).display") == "none"


def test_fifty_variables_open_at_once_and_stay_small(browser, tmp_path):
    simulation = mcsl.simulate("gp-add", n_variables=50, degree=1.5, n_samples=200, seed=4)
    found = mcsl.learn(simulation.dataset, mcsl.Recipe.additive())
    path = mcsl.write_report(found, tmp_path / "fifty.html")
    assert path.stat().st_size < 3e6
    milliseconds = min(browser.open(path) for _ in range(3))
    assert browser.evaluate("document.querySelectorAll('.node').length") == 50
    assert browser.complaints() == []
    # The bar is one second; a machine that runs other tests beside this one gets three.
    assert milliseconds < 3000


def test_training_is_drawn_where_there_was_some(browser, result, tmp_path):
    rows = [
        mcsl.TraceRow(k, 10.0**-k, float("nan"), 2.0, 3.0, float("inf"), 1, 2, 7, 0.5, 0.1) for k in range(4)
    ]
    browser.open(mcsl.write_report(replace(result, trace=tuple(rows)), tmp_path / "trained.html"))
    paths = browser.evaluate("[...document.querySelectorAll('#curves path')].map(p => p.getAttribute('d'))")
    assert [path.count(",") for path in paths] == [4, 0, 4, 0]
    assert browser.complaints() == []
