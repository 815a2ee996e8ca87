"""What reads the files, and what they are allowed to do: a sentence, or a valid value."""

import random
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.fuzz.cases import NAMES, Case

import mcsl
from mcsl.cli import main as command
from mcsl.data import open_long_table, read_metrics
from mcsl.graph import is_acyclic
from mcsl.outputs.report import report_html
from mcsl.problem import read_groups
from mcsl.problem.groups import resolve_groups

SECONDS = 5
"""A case that computes longer hangs."""


def outcome(case: Case, directory: Path, seed: int) -> str:
    """Read a case in an empty directory; return "valid", "refused", or what went wrong."""
    path = directory / "in" / case.name
    path.parent.mkdir()
    path.write_bytes(case.content)
    try:
        with _alarm(), warnings.catch_warnings():
            warnings.simplefilter("error")
            READERS[case.reader](path, random.Random(seed))
        verdict = "valid"
    except mcsl.McslError as error:
        verdict = "refused" if _is_sentence(str(error)) else f"no sentence: {error}"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        verdict = f"{type(error).__name__}: {error}"
    left = {str(place.relative_to(directory)) for place in directory.iterdir()} - {"in", "out"}
    changed = path.read_bytes() != case.content or [*path.parent.iterdir()] != [path]
    return f"wrote outside: {sorted(left)}" if left or changed else verdict


def _is_sentence(message: str) -> bool:
    return message.endswith(".") and 10 < len(message) < 100_000


@contextmanager
def _alarm() -> Iterator[None]:
    """Ring after some seconds of work, or ten times as many on the clock: others may use the machine."""

    def ring(*_: Any) -> None:
        raise TimeoutError(f"took more than {SECONDS} s")

    alarms = {
        signal.SIGPROF: (signal.ITIMER_PROF, SECONDS),
        signal.SIGALRM: (signal.ITIMER_REAL, 10 * SECONDS),
    }
    before = {number: signal.signal(number, ring) for number in alarms}
    for clock, seconds in alarms.values():
        signal.setitimer(clock, seconds)
    try:
        yield
    finally:
        for number, (clock, _) in alarms.items():
            signal.setitimer(clock, 0)
            signal.signal(number, before[number])


def _check(holds: bool, what: str) -> None:
    if not holds:
        raise AssertionError(what)


def _table(path: Path, rng: random.Random) -> None:
    drop = rng.choice([()] * 8 + [("a",), ("time",)])
    table = mcsl.read_table(path, drop=drop, allow_missing=rng.random() < 0.3)
    _check(len(set(table.names)) == table.n_variables >= 2, "names are not unique")
    _check(not np.isinf(table.values).any(), "values are infinite")
    table.fingerprint()


def _series(path: Path, rng: random.Random) -> None:
    options = {
        "series": rng.choice([None, None, None, "a", "x0"]),
        "time": rng.choice([None, None, None, "time", "x1"]),
        "resample": rng.choice([None, None, None, "1d", "2", "h", "0.001us"]),
    }
    table = mcsl.to_series(path, **options)
    _check(table.starts[-1] == table.dataset.n_samples, "rows are lost")


def _long(path: Path, rng: random.Random) -> None:
    table = open_long_table(path, memory=25_000_000, seed=0)
    if table is None:  # what is left of it fits, so it is read as any other
        mcsl.read_table(path)
    else:
        _check(table.sample.n_samples < table.rows.n_samples, "the table is not long")


def _groups(path: Path, rng: random.Random) -> None:
    resolve_groups(NAMES, read_groups(path))


def _knowledge(path: Path, rng: random.Random) -> None:
    table = mcsl.Dataset(np.zeros((3, 4)), ("a", "b", "c", "e"))
    problem = mcsl.Problem.from_dataset(table).with_knowledge(mcsl.read_knowledge(path))
    _check(is_acyclic(problem.required), "required edges have a cycle")


def _graph(path: Path, rng: random.Random) -> None:
    graph = mcsl.read_graph(path)
    _check(is_acyclic(graph.adjacency), "the graph has a cycle")
    for text in (graph.to_dot, graph.to_gml, graph.to_json, graph.to_graphml):
        text()


def _metrics(path: Path, rng: random.Random) -> None:
    options = {"metric": rng.choice([None, "cpu"]), "statistic": rng.choice([None, "avg"])}
    read_metrics(path, **options)


def _result(path: Path, rng: random.Random) -> None:
    result = mcsl.load_result(path)
    _check(is_acyclic(result.graph.adjacency), "the graph has a cycle")
    result.edge_rows()
    if rng.random() < 0.2:
        report_html(result)
    if result.stored_sem is not None:
        result.sem.sample(5, seed=0)


def _learn(path: Path, rng: random.Random) -> None:
    """Run the command itself, with the recipe that is done in a moment."""
    options = rng.choice([[], [], ["--lags", "1"], ["--missing", "drop"], ["--time-column", "time"]])
    arguments = ["learn", str(path), "--out", str(path.parents[1] / "out"), "--recipe", "additive", *options]
    said = StringIO()
    with redirect_stdout(StringIO()), redirect_stderr(said):
        code = command(arguments)
    if code == 2:
        raise mcsl.McslError(said.getvalue().removeprefix("mcsl: ").strip())
    _check(code == 0, said.getvalue())
    _check(is_acyclic(mcsl.read_graph(path.parents[1] / "out" / "adjacency.csv").adjacency), "has a cycle")


READERS: dict[str, Callable[[Path, random.Random], None]] = {
    "table": _table,
    "series": _series,
    "parquet": _table,
    "long table": _long,
    "groups": _groups,
    "knowledge": _knowledge,
    "graph": _graph,
    "metrics": _metrics,
    "result": _result,
    "learn": _learn,
}
