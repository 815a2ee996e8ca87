import subprocess
import sys

import pytest

import mcsl


def test_every_public_name_loads_from_its_room():
    assert sorted(mcsl.__all__) == sorted(mcsl._ROOM_OF)
    for name in mcsl.__all__:
        assert getattr(mcsl, name).__name__ == name if hasattr(getattr(mcsl, name), "__name__") else True


def test_names_that_are_not_there_are_missed_politely():
    with pytest.raises(AttributeError, match="module 'mcsl' has no attribute 'lern'"):
        mcsl.lern  # noqa: B018


def test_functions_stay_functions_after_their_rooms_are_imported():
    code = (
        "import mcsl.learning, mcsl.simulation, mcsl.evaluation, mcsl\n"
        "assert all(callable(f) for f in (mcsl.learn, mcsl.simulate, mcsl.evaluate))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_mcsl_loads_nothing_heavy():
    code = "import sys, mcsl; sys.exit(any(m in sys.modules for m in ('jax', 'numpy', 'polars', 'scipy')))"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_recipes_without_networks_do_without_jax():
    code = (
        "import sys, mcsl, numpy as np\n"
        "mcsl.learn(np.random.default_rng(0).normal(size=(40, 3)))\n"
        "sys.exit('jax' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
