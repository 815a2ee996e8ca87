"""Kill `mcsl learn` at random moments, resume it, and compare with a run that nobody killed.

    python -m benchmarks.kill_resume [--kills 50] [--first-seed 1000]

Kill k meets run k mod 5 of `TURNS` at a moment drawn uniformly over the duration of the run. A run that is
done by then is not counted. One JSON line a kill is appended to the results; the same command goes on after
those that are there.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from benchmarks.provenance import commit, machine, now

import mcsl
from benchmarks import lines
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


class Run:
    """A run of the command that is killed again and again, and what it gives if it is not."""

    def __init__(self, settings: dict, directory: Path) -> None:
        drawn = {name: value for name, value in settings.items() if name != "recipe"}
        self.recipe, self.directory = settings["recipe"], directory
        self.data = write_simulation(mcsl.simulate(**drawn, seed=1000), directory / "data") / "data.csv"
        began = time.perf_counter()
        finish(learn(self.data, directory / "whole", self.recipe))
        self.seconds = time.perf_counter() - began
        self.whole = content(directory / "whole")

    def kill(self, seed: tuple[int, ...]) -> dict:
        """Kill it at a random moment before it is done, resume it, and say what became of it."""
        rng = np.random.default_rng(seed)
        out = self.directory / f"killed-{rng.integers(2**32)}"
        process, moment = learn(self.data, out, self.recipe), rng.uniform(0, self.seconds)
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        steps_done = sorted(path.stem for path in (out / DIRECTORY).glob("*.step"))
        if (out / "result.json").exists() and not steps_done:
            return self.kill((*seed, 1))
        finish(learn(self.data, out, self.recipe, "--resume"))
        return {
            "recipe": self.recipe,
            "seconds": round(self.seconds, 2),
            "killed_after": round(moment, 2),
            "steps_done": steps_done,
            "leftovers": sorted(
                path.name for path in out.iterdir() if path.name.startswith((".", DIRECTORY))
            ),
            "identical": content(out) == self.whole,
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
    done = lines.read(RESULTS)
    with TemporaryDirectory() as directory:
        runs: dict[int, Run] = {}
        for k in range(len(done), options.kills):
            turn = TURNS[k % len(TURNS)]
            if turn not in runs:
                runs[turn] = Run(RUNS[turn], Path(directory) / str(turn))
            line = {"kill": k, **runs[turn].kill((options.first_seed, k))}
            done.append({**line, "commit": commit(), "at": now(), "machine": machine()})
            lines.append(RESULTS, done[-1])
            print(line, flush=True)
    print(f"{sum(line['identical'] for line in done)} of {len(done)} identical")


if __name__ == "__main__":
    main()
