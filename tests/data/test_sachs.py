import sys
from pathlib import Path

import numpy as np
import pytest

import mcsl

COPY = Path(__file__).resolve().parents[3] / "shared" / "data" / "sachs" / "sachs_observational.csv"
needs_copy = pytest.mark.skipif(not COPY.exists(), reason="needs ../shared/data/sachs; tests do not download")


@needs_copy
def test_the_table_is_that_of_the_paper(monkeypatch):
    monkeypatch.setenv("MCSL_DATA", str(COPY.parents[1]))
    dataset, graph = mcsl.fetch_sachs()
    assert dataset.values.shape == (853, 11)
    assert dataset.names == graph.names == tuple(COPY.read_text().splitlines()[0].split(","))
    assert dataset.values[0, :3].tolist() == [26.4, 13.2, 8.82]
    assert graph.n_edges == 17


@needs_copy
def test_the_network_is_the_consensus(monkeypatch):
    monkeypatch.setenv("MCSL_DATA", str(COPY.parents[1]))
    lines = (COPY.parent / "consensus_edges.csv").read_text().split()[1:]
    assert set(mcsl.fetch_sachs().graph.edges) == {tuple(line.split(",")) for line in lines}


def test_a_changed_copy_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "sachs"
    folder.mkdir()
    np.savetxt(folder / "sachs_observational.csv", np.zeros((853, 11)), delimiter=",")
    monkeypatch.setenv("MCSL_DATA", str(tmp_path))
    with pytest.raises(mcsl.DataError, match="is not the published file"):
        mcsl.fetch_sachs()


def test_without_pooch_the_way_out_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("MCSL_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(mcsl.DataError, match=r".\[datasets\]"):
        mcsl.fetch_sachs()
