"""The command as a whole: help without the weight, versions, and unknown words."""

import subprocess
import sys

import pytest

import mcsl

HEAVY = {"jax", "numpy", "polars", "scipy", "networkx", "equinox", "sklearn", "pandas", "rich.progress"}


@pytest.mark.parametrize("command", [[], ["learn"], ["demo"], ["prune"], ["simulate"], ["evaluate"]])
def test_help_loads_nothing_heavy(command):
    code = (
        "import sys; from mcsl.cli import main; code = main(sys.argv[1:]); "
        f"print('HEAVY', sorted({HEAVY!r} & set(sys.modules))); sys.exit(code)"
    )
    process = subprocess.run(
        [sys.executable, "-c", code, *command, "--help"], capture_output=True, text=True, check=True
    )
    assert "Usage: mcsl" in process.stdout
    assert "HEAVY []" in process.stdout


def test_python_dash_m():
    process = subprocess.run(
        [sys.executable, "-m", "mcsl", "--version"], capture_output=True, text=True, check=True
    )
    assert process.stdout == f"mcsl {mcsl.__version__}\n"


def test_no_arguments_show_the_help(mcsl):
    outcome = mcsl()
    assert outcome.exit_code == 0
    assert outcome.out == mcsl("--help").out
    for command in ("learn", "demo", "prune", "simulate", "evaluate"):
        assert f"  {command} " in outcome.out


def test_unknown_command(mcsl):
    outcome = mcsl("lern")
    assert outcome.exit_code == 2
    assert outcome.err.startswith("mcsl: No such command 'lern'")
