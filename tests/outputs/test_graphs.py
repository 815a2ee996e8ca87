import numpy as np
import pytest

import mcsl
from mcsl.graph import CausalGraph

NAMES = ("a b", 'say "x"', "<b>&amp;", "l1\nl2", "ünï–✓", "a,b")
GRAPH = CausalGraph(np.triu(np.ones((6, 6)), 1), NAMES)


@pytest.mark.parametrize("suffix", [".csv", ".gml", ".graphml", ".json"])
def test_a_graph_comes_back_from_its_file(tmp_path, suffix):
    path = mcsl.write_graph(GRAPH, tmp_path / f"graph{suffix}")
    assert mcsl.read_graph(path) == GRAPH


def test_what_cannot_be_read_or_written_is_said(tmp_path):
    with pytest.raises(mcsl.OutputError, match=r"must end in \.csv"):
        mcsl.write_graph(GRAPH, tmp_path / "graph.xyz")
    with pytest.raises(mcsl.OutputError, match="could not be written"):
        mcsl.write_graph(GRAPH, tmp_path / "absent" / "graph.gml")
    (tmp_path / "wrong.gml").write_text("nonsense")
    with pytest.raises(mcsl.GraphError, match=r"wrong\.gml: The text is not GML"):
        mcsl.read_graph(tmp_path / "wrong.gml")
    assert "digraph" in mcsl.write_graph(GRAPH, tmp_path / "graph.dot").read_text()
    with pytest.raises(mcsl.GraphError, match="written but not read; save the graph as GML or JSON"):
        mcsl.read_graph(tmp_path / "graph.dot")
