import sys

import numpy as np
import pytest

import mcsl
from mcsl.data import SeriesTable
from mcsl.graph import CausalGraph
from mcsl.problem import Problem, cut_windows
from mcsl.sem import fit_sem


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    a, other = rng.standard_normal((2, 600))
    b = np.sin(a) - other**2 / 2 + 0.3 * rng.standard_normal(600)
    c = 2 * b + 0.3 * rng.standard_normal(600)
    # dowhy sorts parents by name, so "z other" and "a" swap places.
    table = mcsl.Dataset(np.column_stack([other, a, b, c]), ("z other", "a", "b", "c"))
    graph = CausalGraph.from_edges([("a", "b"), ("z other", "b"), ("b", "c")], table.names)
    return fit_sem(graph, Problem.from_dataset(table))


def test_dowhy_answers_interventions_and_counterfactuals_as_we_do(model):
    gcm = pytest.importorskip("dowhy.gcm", reason="dowhy is not installed; it is in the extra `interop`")
    scm = model.to_dowhy_gcm(seed=1)
    drawn = gcm.interventional_samples(scm, {"b": lambda b: 1.0}, num_samples_to_draw=2000)
    ours = model.do({"b": 1.0}).sample(2000)
    assert drawn["c"].mean() == pytest.approx(ours["c"].mean(), abs=0.05)
    rows = model.sample(5, seed=3).to_pandas()
    theirs = gcm.counterfactual_samples(scm, {"a": lambda a: 0.0}, observed_data=rows)
    ours = model.counterfactual(rows, {"a": 0.0}).to_pandas()
    assert np.allclose(theirs[list(ours.columns)], ours)
    effect = gcm.average_causal_effect(
        scm, "c", {"a": lambda a: 1.0}, {"a": lambda a: 0.0}, num_samples_to_draw=4000
    )
    assert effect == pytest.approx(2 * np.sin(1), abs=0.25)


def test_groups_of_one_column_are_taken_by_their_own_names(model):
    gcm = pytest.importorskip("dowhy.gcm", reason="dowhy is not installed; it is in the extra `interop`")
    table = mcsl.Dataset(model.values, ("site.z", "site.a", "b", "c"))
    groups = {"c": ["c"], "a": ["site.a"], "z other": ["site.z"]}
    problem, _ = cut_windows(SeriesTable.of(table), groups=groups)
    grouped = fit_sem(CausalGraph.from_edges(model.graph.edges, problem.names), problem)
    drawn = gcm.interventional_samples(
        grouped.to_dowhy_gcm(seed=1), {"b": lambda b: 1.0}, num_samples_to_draw=2000
    )
    assert drawn["c"].mean() == pytest.approx(model.do({"b": 1.0}).sample(2000)["c"].mean(), abs=0.05)
    assert drawn["a"].std() == pytest.approx(table.values[:, 1].std(), abs=0.1)


def test_dowhy_attributes_an_anomaly_to_its_noise(model):
    gcm = pytest.importorskip("dowhy.gcm", reason="dowhy is not installed; it is in the extra `interop`")
    gcm.config.disable_progress_bars()
    rows = model.sample(1, seed=4).to_pandas()
    rows["b"] += 5
    rows["c"] += 10
    shares = gcm.attribute_anomalies(model.to_dowhy_gcm(), "c", rows, num_distribution_samples=500)
    assert max(shares, key=lambda name: shares[name][0]) == "b"


def test_dowhy_reads_our_gml(model):
    dowhy = pytest.importorskip("dowhy", reason="dowhy is not installed; it is in the extra `interop`")
    causal = dowhy.CausalModel(
        model.sample(200).to_pandas(), treatment="a", outcome="c", graph=model.graph.to_gml()
    )
    assert "backdoor" in str(causal.identify_effect(proceed_when_unidentifiable=True))


def test_what_dowhy_cannot_take_is_refused(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "dowhy", None)
    with pytest.raises(mcsl.SettingsError, match="pip install dowhy"):
        model.to_dowhy_gcm()
