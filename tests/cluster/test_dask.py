"""A real Dask cluster of two worker processes finds what one process finds, also when a worker is killed."""

import logging
import os
import signal
import sys
from dataclasses import replace

import joblib
import numpy as np
import pytest

import mcsl

distributed = pytest.importorskip("distributed")

FAST = mcsl.Recipe.additive()
SIMULATION = mcsl.simulate("gp-add", n_variables=5, degree=1, n_samples=300, seed=0)


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster) as client,
        joblib.parallel_config("dask"),
    ):
        yield client


def test_pruning_runs_on_the_workers(client):
    found = mcsl.learn(SIMULATION.dataset)
    with joblib.parallel_config("sequential"):
        expected = mcsl.learn(SIMULATION.dataset)
    assert found.graph == expected.graph
    assert found.tests == expected.tests
    assert any(client.run(lambda: "mcsl.pruning.joint" in sys.modules).values())


def test_restarts_run_on_the_workers(client):
    short = {"mechanism": mcsl.Linear.init, "schedule": mcsl.Schedule(steps_per_stage=20, max_stages=2)}
    recipe = replace(mcsl.Recipe.paper(5), **short, pruner=mcsl.KeepAll(), restarts=2)
    found = mcsl.learn(SIMULATION.dataset, recipe)
    assert all(client.run(lambda: "mcsl.search.inner_loop" in sys.modules).values())
    with joblib.parallel_config("sequential"):
        expected = mcsl.learn(SIMULATION.dataset, recipe)
    assert found.restarts == expected.restarts
    assert np.array_equal(found.edge_probabilities, expected.edge_probabilities)


def test_half_samples_survive_the_death_of_a_worker(client, tmp_path):
    workers = set(client.run(os.getpid).values())
    victim = min(workers)

    def kill(n_done, n_halves):
        if n_done == 2:
            os.kill(victim, signal.SIGKILL)

    found = mcsl.assess_stability(SIMULATION.dataset, FAST, n_halves=10, directory=tmp_path, observers=[kill])
    with joblib.parallel_config("sequential"):
        expected = mcsl.assess_stability(SIMULATION.dataset, FAST, n_halves=10)
    assert np.array_equal(found.frequencies, expected.frequencies)
    assert len((tmp_path / "halves.jsonl").read_text().splitlines()) == 10
    client.wait_for_workers(2)
    assert victim not in client.run(os.getpid).values()
