"""Other readings of the paper: what changes, and that nothing else is learned again for it."""

import json
import os
import signal
import sys

import numpy as np
import pytest
from benchmarks.ambiguities import Ambiguity, Reading

import mcsl
from benchmarks import ambiguities


def test_readings_that_differ_in_pruning_alone_prune_the_same_graph(tmp_path, monkeypatch):
    levels = {"0.001": Reading(), "0.5": Reading(significance=0.5), "none": Reading(significance=None)}
    monkeypatch.setattr(
        ambiguities, "AMBIGUITIES", {"significance": Ambiguity(("pnl-ER1-10",), ("CAM",), levels)}
    )
    monkeypatch.setattr(ambiguities, "N_SEEDS", {"CAM": 1})
    monkeypatch.setattr(ambiguities, "COMPARISON", tmp_path / "none.jsonl")
    asked, ask = [], ambiguities.ask
    monkeypatch.setattr(ambiguities, "ask", lambda *request: asked.append(request) or ask(*request))
    results = tmp_path / "lines.jsonl"
    monkeypatch.setattr(sys, "argv", ["ambiguities", "--results", str(results)])
    for _ in range(2):
        ambiguities.main()
    strict, loose, unpruned = map(json.loads, results.read_text().splitlines())
    assert len(asked) == 1
    assert strict["n_edges"] < loose["n_edges"] < unpruned["n_edges"]
    assert (strict["reading"], strict["true_edges"]) == ("0.001", 9)


def test_a_reading_changes_the_settings_of_a_method(monkeypatch):
    asked = []
    monkeypatch.setattr(ambiguities, "ask", lambda method, *_: asked.append(method) or {"status": "timeout"})
    run = ambiguities.Run("level of PC", "0.01", "pnl-ER1-10", "PC", 1000)
    assert ambiguities.measure(run, "peers")["status"] == "timeout"
    assert asked[0].settings == {"alpha": 0.01, "indep_test": "fisherz"}


def test_whoever_ends_it_ends_its_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(ambiguities, "measure", lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    results = ["--results", str(tmp_path / "lines.jsonl")]
    monkeypatch.setattr(sys, "argv", ["ambiguities", "--methods", "CAM", *results])
    # Leaving by an exception is what lets the workers be ended.
    with pytest.raises(SystemExit, match="has what is done"):
        ambiguities.main()


def test_undirected_paths_are_short():
    chain = np.eye(5, k=1, dtype=bool)
    shortcut = chain.copy()
    shortcut[0, 3] = True
    model = ambiguities.UndirectedDiameter()
    assert not model.accepts(chain)
    assert model.accepts(shortcut)


def test_centered_noise_has_mean_zero():
    values = mcsl.simulate(ambiguities.CenteredNoise(), n_variables=2, degree=0, seed=0, n_samples=20_000)
    assert np.log(values.dataset.values).mean(axis=0) == pytest.approx(0, abs=0.03)


def test_effects_have_the_noise_of_the_cited_works_and_roots_two_and_a_half_times_as_much():
    data = dict(
        ambiguities.AMBIGUITIES["noise of Gaussian processes"].readings["variances of Lachapelle et al."].data
    )
    drawn = mcsl.simulate(**data, n_variables=30, degree=0, seed=0, n_samples=5000)
    variances = drawn.dataset.values.var(axis=0)
    assert 0.9 < variances.min() < 1.2
    assert 1.8 < variances.max() < 2.2
    assert max(drawn.noise_deviations.values()) < np.sqrt(0.8)
