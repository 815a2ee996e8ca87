"""Every method on every table: one JSON line per run, appended as it finishes.

    python -m benchmarks.run --table 1 --seeds 5 --jobs 2
    python -m benchmarks.run --scenarios gp-ER4-10 --methods CAM GraN-DAG --data raw

What is already there is not run again, so that the same command goes on where it was interrupted. A run is a
process with one core; after the method's limit of CPU seconds, or `--limit`, it is recorded as `timeout`, and
a crash as `failed`. A timeout stands for its cell: other seeds and units of it are not tried. A higher limit
tries all of them anew, and then the last line of a run is the one that counts. The peers need their own
environment, see README.md.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import NamedTuple

if not __package__:
    # Started as a file, Python looks for packages beside it instead of in the repository.
    sys.path[0] = str(Path(__file__).parents[1])

import numpy as np
from benchmarks.methods import Method
from benchmarks.options import at_least_one, from_here
from benchmarks.provenance import ROOT, commit, now
from benchmarks.scenarios import SACHS, SCENARIOS, TABLES, Case, draw
from benchmarks.worker import OUT_OF_TIME
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import mcsl
from benchmarks import lines, methods
from mcsl.graph import is_acyclic
from mcsl.pruning import AdditivePruner, QuadraticPruner

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "comparison.jsonl"
# Our recipes have a benchmark of their own, with most of these tables and more.
RECIPES = HERE / "recipe" / "results" / "recipe.jsonl"
PEERS = str(ROOT / ".venv-peers" / "bin" / "python")
METHODS = methods.load()
FIRST_SEED = 1000
ONE_CORE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "LOKY_MAX_CPU_COUNT")
WORKERS: list[subprocess.Popen] = []
STOPPING = threading.Event()


class Run(NamedTuple):
    """What a line is about."""

    scenario: str
    standardized: bool
    seed: int
    method: str


class UsageError(Exception):
    """What was asked for cannot be done; the message says what to do."""


def main() -> None:
    parser = _parser()
    with refused_in_words(parser):
        run_all(parser.parse_args())


@contextmanager
def refused_in_words(parser: argparse.ArgumentParser) -> Iterator[None]:
    """End with one sentence and exit code 2 where what was asked for cannot be done."""
    try:
        yield
    except (UsageError, lines.LinesError, mcsl.DataError, OSError) as error:
        parser.error(str(error))


def run_all(options: argparse.Namespace) -> None:
    """Run what is asked for and not yet among the lines."""
    wanted = list(runs(options))
    known = read_runs(options.results)
    known += read_recipes() if options.results.resolve() == RESULTS.resolve() else []
    limits = {name: options.limit or method.limit for name, method in METHODS.items()}
    late = {
        _cell(row) for row in known if row["status"] == "timeout" and row["limit"] >= limits[row["method"]]
    }
    done = {run_of(row) for row in known if row["status"] != "timeout" or _cell(row) in late}
    left = [run for run in wanted if run not in done]
    get_ready({run.method for run in left}, options)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    pool = ThreadPoolExecutor(options.jobs, initializer=stay_on_a_core, initargs=(count(),))
    with ended_in_words(options.results), Progress(*columns) as progress, pool:
        bar = progress.add_task("runs", total=len(wanted), completed=len(wanted) - len(left))
        started = [pool.submit(attempt, run, late, options.peers_python, limits[run.method]) for run in left]
        try:
            for finished in as_completed(started):
                row = finished.result()
                progress.advance(bar)
                if row is None:
                    continue
                lines.append(options.results, row)
                outcome = f"SHD {row['shd']}, {row['seconds']:.1f} s" if "shd" in row else row["status"]
                progress.print(f"{row['scenario']:16} {row['method']:16} {row['seed']}  {outcome}")
        finally:
            STOPPING.set()
            pool.shutdown(wait=False, cancel_futures=True)
            end_workers()


@contextmanager
def ended_in_words(results: Path) -> Iterator[None]:
    """Exit when told to, instead of dying at once, so that the workers end too."""

    def end(*_: object) -> None:
        sys.exit(f"stopped; {results} has what is done")

    STOPPING.clear()
    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def get_ready(names: Iterable[str], options: argparse.Namespace) -> None:
    """Refuse what would fail after the first run: no interpreter for peers, or no place for lines."""
    if any(METHODS[name].is_peer for name in names) and not shutil.which(options.peers_python):
        remedy = "benchmarks/README.md says how to make it; or name --methods."
        raise UsageError(f"{options.peers_python} does not start. {remedy}")
    lines.make_room(options.results)


def stay_on_a_core(turns: Iterator[int]) -> None:
    """Keep this thread, and the workers it starts, on one core: some packages count cores by themselves."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[next(turns) % len(cores)]})


def run_of(row: Mapping) -> Run:
    return Run(*(row[field] for field in Run._fields))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--table", nargs="+", choices=TABLES, help="all scenarios of these tables")
    parser.add_argument("--scenarios", nargs="+", choices=SCENARIOS, metavar="NAME", default=[])
    parser.add_argument("--methods", nargs="+", choices=METHODS, metavar="NAME", default=list(METHODS))
    parser.add_argument("--data", nargs="+", choices=("raw", "standardized"), default=["raw", "standardized"])
    parser.add_argument("--seeds", type=at_least_one, default=5, help=f"how many, from {FIRST_SEED} on")
    parser.add_argument("--jobs", type=at_least_one, default=1, help="runs side by side")
    limits = "CPU seconds for a run, instead of 360, or 5400 for MCSL-MLP and MCSL-quad"
    parser.add_argument("--limit", type=at_least_one, help=limits)
    parser.add_argument("--peers-python", type=from_here, default=PEERS, metavar="PATH")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="PATH")
    return parser


def runs(options: argparse.Namespace) -> Iterator[Run]:
    """Yield all runs that are asked for; one table serves all methods before the next is drawn."""
    tables = options.table or ([] if options.scenarios else TABLES)
    scenarios = [*options.scenarios, *(name for table in tables for name in TABLES[table])]
    for scenario in dict.fromkeys(scenarios):
        for seed in range(FIRST_SEED, FIRST_SEED + (1 if scenario == SACHS else options.seeds)):
            for data in options.data:
                for method in options.methods:
                    same = data != "raw" and is_unit_free(METHODS[method], scenario)
                    if is_for(METHODS[method], scenario) and not same:
                        yield Run(scenario, data == "standardized", seed, method)


def is_unit_free(method: Method, scenario: str) -> bool:
    """Whether raw and standardised data give the same graph; quadratic pruning reads units."""
    return method.is_unit_free and not (method.is_pruned and is_quadratic(scenario))


def is_quadratic(scenario: str) -> bool:
    return scenario.startswith("quadratic")


def is_for(method: Method, scenario: str) -> bool:
    """Whether a method makes sense of such data."""
    return not method.is_quadratic or is_quadratic(scenario) or scenario == SACHS


def read_runs(path: Path) -> list[dict]:
    """Return the lines of runs, and refuse any other."""
    rows = lines.read(path)
    for number, row in enumerate(rows, 1):
        if missing := {*Run._fields, "status"} - row.keys():
            raise lines.LinesError(
                f"{path}, line {number}, has no {min(missing)!r}. Name a file of this benchmark."
            )
        if row["method"] not in METHODS:
            raise lines.LinesError(f"{path}, line {number}: no method is called {row['method']!r} here.")
    return rows


def read_recipes() -> list[dict]:
    """Read the lines of our recipes on the same raw tables."""
    rows = lines.read(RECIPES)
    here = [row for row in rows if row["method"] in METHODS and row["scenario"] in SCENARIOS]
    return [row for row in here if not row["standardized"]]


def attempt(run: Run, late: set[tuple[str, str]], peers_python: str, limit: int) -> dict | None:
    """Run a method unless its cell is too slow for it; note if it is."""
    if _cell(run._asdict()) in late:
        return None
    row = measure(run, peers_python, limit)
    if row["status"] == "timeout":
        late.add(_cell(row))
    return row


def _cell(row: Mapping[str, object]) -> tuple[str, str]:
    return str(row["scenario"]), str(row["method"])


def measure(run: Run, peers_python: str, limit: int) -> dict:
    """Run a method in a process of its own and score its graph."""
    method, case = METHODS[run.method], draw(run.scenario, run.seed, run.standardized)
    row = {**run._asdict(), "package": method.package, "true_edges": int(case.truth.sum())}
    row |= {"sortability": case.sortability, "date": now(), "commit": commit()}
    row |= {"load": round(os.getloadavg()[0], 1)}
    with tempfile.TemporaryDirectory() as folder:
        answer = ask(method, case, run.seed, limit, peers_python, Path(folder))
    edges = answer.pop("edges", None)
    if edges is None:
        return row | answer
    adjacency = np.zeros(case.truth.shape, dtype=bool)
    adjacency[tuple(np.array(edges, dtype=int).reshape(-1, 2).T)] = True
    if method.is_pattern:
        adjacency = decided(adjacency, case.truth)
    # CAM pruning is for scalars: a method that reads vectors goes without, as in the paper.
    scalars = case.values.shape[2] == 1 or not method.reads_vectors
    if method.is_pruned and scalars and is_acyclic(adjacency):
        row["before_pruning"] = mcsl.evaluate(adjacency, case.truth).as_dict()
        adjacency = pruned(adjacency, case, is_quadratic(run.scenario))
    scores = mcsl.evaluate(adjacency, case.truth).as_dict()
    return row | scores | {"acyclic": is_acyclic(adjacency)} | answer


def ask(method: Method, case: Case, seed: int, limit: int, peers_python: str, folder: Path) -> dict:
    """Return what the worker answers, or why it does not."""
    values = case.values[: method.n_samples]
    if not method.reads_vectors or values.shape[2] == 1:
        values = values[:, :, 0]
    np.savez(folder / "data.npz", values=values, **({"truth": case.truth} if method.is_oracle else {}))
    request = {"module": method.learn.__module__, "imports": method.imports, "package": method.package}
    request |= {"settings": dict(method.settings), "seed": seed, "limit": limit}
    (folder / "request.json").write_text(json.dumps(request))
    python = peers_python if method.is_peer else sys.executable
    process = worker(python, threading.get_ident())
    with suppress(BrokenPipeError):
        print(folder, file=process.stdin, flush=True)
    status = process.stdout.readline().strip()
    if not status:
        raise UsageError(
            f"{python} cannot import {method.imports}. benchmarks/README.md says how to make it."
        )
    answer = json.loads((folder / "answer.json").read_text())
    if status == OUT_OF_TIME:
        return answer | {"status": "timeout", "limit": limit}
    if status != "0":
        return answer | {"status": "failed", "message": f"exit code {status}"}
    return answer


@cache
def worker(python: str, thread: int) -> subprocess.Popen:
    """Start a worker of each environment for each thread, which ends with this process."""
    if STOPPING.is_set():
        raise UsageError("The runner stops, and starts no more workers.")
    command = [python, "-m", "benchmarks.worker"]
    environment = {**os.environ, **dict.fromkeys(ONE_CORE, "1")}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, text=True, start_new_session=True, **pipes)
    WORKERS.append(process)
    return process


@atexit.register
def end_workers() -> None:
    """End all workers and the runs they wait for, which would go on alone."""
    worker.cache_clear()
    while WORKERS:
        with suppress(BrokenPipeError, ProcessLookupError), WORKERS.pop() as process:
            os.killpg(process.pid, signal.SIGKILL)


def decided(pattern: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Give two-way edges one direction: as in the paper, the true one where there is one."""
    open_edges = pattern & pattern.T
    return (pattern & ~open_edges) | (open_edges & (truth | np.triu(~truth.T)))


def pruned(adjacency: np.ndarray, case: Case, quadratic: bool) -> np.ndarray:
    """Prune as the paper does: by CAM's test at level 0.001, and quadratic data by their coefficients."""
    dataset = mcsl.to_dataset(case.values[:, :, 0])
    graph = mcsl.CausalGraph(adjacency, dataset.names)
    pruner = QuadraticPruner() if quadratic else AdditivePruner()
    return pruner.prune(graph, mcsl.Problem.from_dataset(dataset)).graph.adjacency


if __name__ == "__main__":
    main()
