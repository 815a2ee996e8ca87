"""Kill `mcsl learn` at random moments, resume it, and compare with a run that nobody killed.

    python -m benchmarks.kill_resume [--kills 50] [--first-seed 1000]

Kill k meets run k mod 5 of `TURNS` at a moment drawn uniformly over the duration of the run. A run that
is done by then is not counted. One JSON line a kill is appended to the results.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from benchmarks.provenance import commit, machine, now

import mcsl
from mcsl.checkpoint import DIRECTORY
from mcsl.outputs import write_simulation

RESULTS = Path(__file__).parent / "results" / "kill_resume.jsonl"
RUNS = (
    {"recipe": "default", "model": "gp-add", "n_variables": 6, "degree": 1.5, "n_samples": 300},
    {"recipe": "masked", "model": "gp-add", "n_variables": 3, "degree": 0.5, "n_samples": 100},
)
TURNS = (0, 0, 0, 0, 1)
"""Runs in the order in which they are killed: one kill in five meets networks that train."""
COMPARED = ("adjacency.csv", "probabilities.csv", "edges.csv")


def learn(data: Path, out: Path, recipe: str, *options: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "mcsl", "learn", str(data), "--out", str(out), "--recipe", recipe]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen([*command, "--quiet", *options], env=environment, stderr=subprocess.PIPE)


def finish(process: subprocess.Popen) -> None:
    _, said = process.communicate()
    if process.returncode:
        raise RuntimeError(said.decode())


def kills(run: dict, rng: np.random.Generator, directory: Path) -> Iterator[dict]:
    """Yield one kill after the other of one run, each with what became of it."""
    drawn = {name: value for name, value in run.items() if name != "recipe"}
    data = write_simulation(mcsl.simulate(**drawn, seed=1000), directory / "data") / "data.csv"
    began = time.perf_counter()
    finish(learn(data, directory / "whole", run["recipe"]))
    seconds = time.perf_counter() - began
    whole = content(directory / "whole")
    for number in range(10**6):
        out = directory / f"killed-{number}"
        process, moment = learn(data, out, run["recipe"]), rng.uniform(0, seconds)
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            left = sorted(path.stem for path in (out / DIRECTORY).glob("*.step"))
            if (out / "result.json").exists() and not left:
                continue
            finish(learn(data, out, run["recipe"], "--resume"))
            leftovers = sorted(path.name for path in out.iterdir() if path.name.startswith((".", DIRECTORY)))
            yield {
                "recipe": run["recipe"],
                "seconds": round(seconds, 2),
                "killed_after": round(moment, 2),
                "steps_done": left,
                "leftovers": leftovers,
                "identical": content(out) == whole,
            }


def content(out: Path) -> list[bytes]:
    return [(out / name).read_bytes() for name in COMPARED]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--first-seed", type=int, default=1000)
    options = parser.parse_args()
    n_identical = 0
    with TemporaryDirectory() as directory, RESULTS.open("a") as results:
        turns = [
            kills(run, np.random.default_rng((options.first_seed, number)), Path(directory) / run["recipe"])
            for number, run in enumerate(RUNS)
        ]
        for k in range(options.kills):
            line = {"kill": k, **next(turns[TURNS[k % len(TURNS)]])}
            n_identical += line["identical"]
            provenance = {"commit": commit(), "at": now(), "machine": machine()}
            print(json.dumps({**line, **provenance}), file=results, flush=True)
            print(line, flush=True)
    print(f"{n_identical} of {options.kills} identical")


if __name__ == "__main__":
    main()
