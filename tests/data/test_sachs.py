import hashlib
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pooch
import pytest

import mcsl
from mcsl.data import sachs

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


@pytest.fixture
def published(tmp_path, monkeypatch):
    """Publish a table of 900 rows on this machine in the place of the real one, and return its folder."""
    folder, requests = tmp_path / "published", []
    folder.mkdir()
    file = folder / "sachs.2005.continuous.txt"
    names = "\t".join(sachs._CONSENSUS | {"pip2": "", "akt": "", "p38": "", "jnk": ""})
    np.savetxt(file, np.arange(9900.0).reshape(900, 11), delimiter="\t", header=names, comments="")

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            requests.append(self.path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(sachs, "_URL", f"http://127.0.0.1:{server.server_port}/{file.name}")
    monkeypatch.setitem(sachs._FILES, file.name, hashlib.sha256(file.read_bytes()).hexdigest())
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache" / name)
    monkeypatch.delenv("MCSL_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    yield file, requests
    server.shutdown()
    server.server_close()


def test_the_table_is_downloaded_once(published):
    first, second = mcsl.fetch_sachs(), mcsl.fetch_sachs()
    assert first.dataset.values.shape == (853, 11)
    np.testing.assert_array_equal(first.dataset.values, second.dataset.values)
    assert first.graph.n_edges == 17
    assert len(published[1]) == 1


def test_another_file_in_its_place_is_refused(published, tmp_path):
    published[0].write_text("moved")
    with pytest.raises(mcsl.DataError, match="is not the published file as it was downloaded; set"):
        mcsl.fetch_sachs()
    assert not list((tmp_path / "cache" / "mcsl").iterdir())


def test_a_download_that_fails_names_the_way_out(published):
    published[0].unlink()
    with pytest.raises(mcsl.DataError, match="could not be downloaded; set `MCSL_DATA`"):
        mcsl.fetch_sachs()
