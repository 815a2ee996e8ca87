"""Start-up: the help, the import, and the compilation of a fit, first without and then with JAX's cache."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.provenance import machine, now, versions

# Prints the seconds that a fit of one step takes, imports not counted.
FIT = """
import json, time
from dataclasses import replace
import numpy as np
from mcsl import KeepAll, Recipe, learn
from mcsl.cli.session import keep_compilations
keep_compilations()
recipe = Recipe.paper({n_variables})
schedule = replace(recipe.schedule, max_stages=1, steps_per_stage=1)
recipe = replace(recipe, schedule=schedule, pruner=KeepAll())
values = np.random.default_rng(0).standard_normal((3000, {n_variables}))
wall, cpu = time.perf_counter(), time.process_time()
learn(values, recipe)
print(json.dumps([time.process_time() - cpu, time.perf_counter() - wall]))
"""


def measure(n_rounds: int) -> Iterator[dict]:
    """Yield a record for each thing that a user waits for."""
    python = [sys.executable, "-c"]
    commands = {
        "`mcsl --help`": [str(Path(sys.executable).parent / "mcsl"), "--help"],
        "`import mcsl`": [*python, "import mcsl"],
        "`from mcsl import learn`": [*python, "from mcsl import learn"],
        "`python -c pass`, for comparison": [*python, "pass"],
    }
    for name, command in commands.items():
        yield _record(name, [_run(command) for _ in range(n_rounds)])
    for n_variables in (10, 100):
        fit = [*python, FIT.format(n_variables=n_variables)]
        first, again = [], []
        for _ in range(n_rounds):
            with tempfile.TemporaryDirectory() as cache:
                first.append(_printed(fit, cache))
                again.append(_printed(fit, cache))
        yield _record(f"compiling a fit of {n_variables} variables, the first time", first)
        yield _record(f"the same from the cache of the command line, {n_variables} variables", again)


def row(record: dict) -> list[str]:
    """Return a row of the table: the best over the rounds."""
    best = {clock: min(seconds) for clock, seconds in record["seconds"].items()}
    return [record["what"], f"{best['cpu']:.2f}", f"{best['wall']:.2f}"]


HEADER = ["what", "CPU seconds", "wall seconds"]


def _run(command: list[str]) -> tuple[float, float]:
    wall, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - wall


def _printed(command: list[str], cache: str) -> tuple[float, float]:
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    cpu, wall = json.loads(done.stdout)
    return cpu, wall


def _record(what: str, seconds: list[tuple[float, float]]) -> dict:
    cpu, wall = zip(*seconds, strict=True)
    return {
        "date": now(),
        "what": what,
        "seconds": {"cpu": [round(value, 3) for value in cpu], "wall": [round(value, 3) for value in wall]},
        "load_average": os.getloadavg(),
        "machine": machine(),
        "versions": versions(("mcsl", "jax", "typer")),
    }
