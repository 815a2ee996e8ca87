"""The figures in the documentation are drawn from stored lines."""

import math
from importlib import import_module

import pytest

figures = import_module("benchmarks.figures")
RUN = {"status": "ok", "acyclic": True}


@pytest.mark.parametrize("name", figures.FIGURES)
def test_a_figure_is_drawn_and_stands_on_the_page(name, tmp_path, monkeypatch):
    page = (figures.FOLDER / "index.md").read_text(encoding="utf-8")
    assert f"({name}.svg)" in page
    assert {path.suffix for path in figures.FOLDER.glob(f"{name}.*")} == {".svg", ".png"}
    monkeypatch.setattr(figures, "FOLDER", tmp_path)
    monkeypatch.setattr("sys.argv", ["figures", name])
    figures.main()
    assert all((tmp_path / f"{name}.{suffix}").stat().st_size > 5_000 for suffix in ("svg", "png"))


def test_a_figure_that_is_not_there_is_refused_in_words(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["figures", "overview", "overveiw"])
    with pytest.raises(SystemExit, match="2"):
        figures.main()
    assert "no figure is called 'overveiw'. Choose from overview, " in capsys.readouterr().err


def test_the_same_lines_give_the_same_figure(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["figures", "overview"])
    drawn = []
    for folder in (tmp_path / "once", tmp_path / "twice"):
        folder.mkdir()
        monkeypatch.setattr(figures, "FOLDER", folder)
        figures.main()
        drawn.append((folder / "overview.svg").read_bytes())
    assert drawn[0] == drawn[1]


def test_mistakes_are_shares_of_the_true_edges():
    cells = {
        ("gp-ER1-10", False, "no edges"): [RUN | {"seed": 0, "shd": 8}, RUN | {"seed": 1, "shd": 12}],
        ("gp-ER1-10", False, "CAM"): [RUN | {"seed": 0, "shd": 2}, RUN | {"seed": 1, "shd": 4}],
        ("gp-ER1-10", False, "MCSL-MLP"): [RUN | {"seed": 0, "shd": 2}],
        ("gp-ER1-10", False, "PC"): [RUN | {"seed": 1, "shd": 70}],
        ("gp-ER1-10", False, "GES"): [{"status": "timeout", "limit": 360}],
    }

    def share(method):
        return figures._mistakes_per_edge(cells, "gp-ER1-10", False, method)

    assert share("CAM") == pytest.approx(0.3)
    assert share("MCSL-MLP") == pytest.approx(0.25)
    assert share("PC") == figures._MOST_MISTAKES
    assert math.isnan(share("GES"))
    assert math.isnan(share("NOTEARS"))
