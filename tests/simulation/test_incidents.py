import numpy as np
import pytest

from mcsl.errors import SettingsError
from mcsl.simulation import simulate_incident


def reached(incident):
    """The root cause and everything below it."""
    found, waiting = set(), [incident.root_cause]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += incident.graph.children(name)
    return found


@pytest.mark.parametrize("fault", ["level", "variance", "spikes", "mechanism"])
def test_a_fault_is_loud_at_the_root_and_silent_where_it_does_not_reach(fault):
    loud, quiet = [], []
    for seed in range(5):
        incident = simulate_incident(n_variables=12, seed=seed, fault=fault, size=6, n_decoys=0)
        normal, broken = incident.baseline.values, incident.incident.values
        loudness = np.sqrt(np.mean((broken - normal.mean(axis=0)) ** 2, axis=0)) / normal.std(axis=0)
        names = incident.graph.names
        loud.append(loudness[names.index(incident.root_cause)])
        quiet += [loudness[i] for i, name in enumerate(names) if name not in reached(incident)]
        assert incident.fault == fault
        assert incident.target in reached(incident) - {incident.root_cause}
        assert len(reached(incident)) > 3
    assert np.mean(loud) > 2 > 1.5 > np.mean(quiet)


def test_the_baseline_knows_nothing_of_the_fault():
    weak = simulate_incident(n_variables=8, seed=3, fault="level", size=1e-9, n_decoys=0)
    strong = simulate_incident(n_variables=8, seed=3, fault="level", size=9, n_decoys=0)
    np.testing.assert_array_equal(weak.baseline.values, strong.baseline.values)
    assert not np.allclose(weak.incident.values, strong.incident.values)


def test_decoys_never_reach_what_the_fault_reaches():
    for seed in range(5):
        incident = simulate_incident(n_variables=30, seed=seed, degree=1, n_decoys=3)
        for decoy in incident.decoys:
            below = {decoy}
            for name in incident.graph.order:
                below |= set(incident.graph.children(name)) if name in below else set()
            assert not below & reached(incident)


def test_a_hidden_confounder_ties_variables_and_stays_hidden():
    incident = simulate_incident(n_variables=10, seed=0, degree=0.4, hidden_confounder=True)
    assert len(incident.confounded) == 2
    assert incident.baseline.names == incident.graph.names == incident.incident.names
    plain = simulate_incident(n_variables=10, seed=0, degree=0.4)
    assert plain.confounded == ()


def test_missing_values_are_as_many_as_asked_for():
    incident = simulate_incident(n_variables=10, seed=1, missing=0.2)
    assert np.isnan(incident.baseline.values).mean() == pytest.approx(0.2, abs=0.02)


def test_an_effect_may_come_nearly_as_late_as_there_are_rows():
    incident = simulate_incident(n_variables=3, seed=0, lags=619)
    assert np.isfinite(incident.baseline.values).all()


def test_what_cannot_be_simulated_is_refused():
    with pytest.raises(SettingsError, match="needs a cause and an effect"):
        simulate_incident(n_variables=2, seed=0, fault="mechanism")
    with pytest.raises(SettingsError, match="`missing` must be a number >= 0 and < 1"):
        simulate_incident(n_variables=3, seed=0, missing=1.0)
    with pytest.raises(SettingsError, match="must be below the 620 rows of baseline and incident"):
        simulate_incident(n_variables=3, seed=0, lags=620)
    with pytest.raises(SettingsError, match="`n_decoys` must be a whole number >= 0"):
        simulate_incident(n_variables=3, seed=0, n_decoys=-1)
    with pytest.raises(SettingsError, match="`size` must be a number > 0"):
        simulate_incident(n_variables=3, seed=0, size="large")
    with pytest.raises(SettingsError, match="`fault` must be 'level'"):
        simulate_incident(n_variables=3, seed=0, fault="fire")
