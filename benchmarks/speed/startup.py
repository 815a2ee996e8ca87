"""Start-up: the help, the import, and the compilation of a fit, first without and then with JAX's cache."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.provenance import machine, now, versions

# Prints the seconds that a fit of one step takes, imports not counted.
FIT = """
import time
from dataclasses import replace
import numpy as np
from mcsl import Recipe, learn
from mcsl.cli.session import keep_compilations
keep_compilations()
recipe = Recipe.paper({n_variables})
recipe = replace(recipe, schedule=replace(recipe.schedule, max_stages=1, steps_per_stage=1))
values = np.random.default_rng(0).standard_normal((3000, {n_variables}))
began = time.perf_counter()
learn(values, recipe)
print(time.perf_counter() - began)
"""


def measure(n_rounds: int) -> Iterator[dict]:
    """Yield a record for each thing that a user waits for."""
    executable = Path(sys.executable).parent / "mcsl"
    python = [sys.executable, "-c"]
    commands = {
        "`mcsl --help`": [str(executable), "--help"],
        "`import mcsl`": [*python, "import mcsl"],
        "`import mcsl.learning` (loads JAX)": [*python, "import mcsl.learning"],
        "`python -c pass`, for comparison": [*python, "pass"],
    }
    for name, command in commands.items():
        yield _record(name, [_wall(command) for _ in range(n_rounds)])
    for n_variables in (10, 100):
        fit = [*python, FIT.format(n_variables=n_variables)]
        cold, warm = [], []
        for _ in range(n_rounds):
            with tempfile.TemporaryDirectory() as cache:
                cold.append(_printed(fit, cache))
                warm.append(_printed(fit, cache))
        yield _record(f"compiling a fit of {n_variables} variables, first time", cold)
        yield _record(f"the same, {n_variables} variables, from the cache", warm)


def row(record: dict) -> list[str]:
    """Return a row of the table."""
    return [record["what"], f"{min(record['seconds']):.2f}", f"{median(record['seconds']):.2f}"]


HEADER = ["what", "seconds, best", "seconds, median"]


def _wall(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


def _printed(command: list[str], cache: str) -> float:
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def _record(what: str, seconds: list[float]) -> dict:
    return {
        "date": now(),
        "what": what,
        "seconds": [round(value, 3) for value in seconds],
        "load_average": os.getloadavg(),
        "machine": machine(),
        "versions": versions(("mcsl", "jax", "typer")),
    }
