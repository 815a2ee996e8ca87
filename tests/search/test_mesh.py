"""A fit with its variables spread over devices, in one process or two, is bit by bit that of one device."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest


def start(file, *process, n_devices=1):
    script = Path(__file__).with_name("fit_on_mesh.py")
    flags = f"--xla_force_host_platform_device_count={n_devices}"
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}
    return subprocess.Popen([sys.executable, str(script), str(file), *map(str, process)], env=environment)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Edge probabilities of 22 variables on one device."""
    file = tmp_path_factory.mktemp("alone") / "fit.npy"
    assert start(file).wait() == 0
    return np.load(file)


def test_four_devices_share_variables_that_they_do_not_divide(alone, tmp_path):
    assert start(tmp_path / "fit.npy", n_devices=4).wait() == 0
    assert np.array_equal(np.load(tmp_path / "fit.npy"), alone)


def test_two_processes_share_variables(alone, tmp_path):
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        address = f"localhost:{probe.getsockname()[1]}"
    files = [tmp_path / "first.npy", tmp_path / "second.npy"]
    processes = [start(file, address, k) for k, file in enumerate(files)]
    assert [process.wait() for process in processes] == [0, 0]
    for file in files:
        assert np.array_equal(np.load(file), alone)
