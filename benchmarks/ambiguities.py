"""What the paper leaves open, read in other ways: one JSON line per reading, scenario, method and seed.

    python -m benchmarks.ambiguities [--methods CAM PC ...] [--peers-python PATH]

Lines are appended as runs finish, what is already there or in the comparison is not run again, and
`benchmarks.tables` writes the table in docs/results. Readings that differ in pruning alone prune the same
graph.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from benchmarks.options import from_here
from benchmarks.provenance import commit, now
from benchmarks.run import (
    FIRST_SEED,
    METHODS,
    PEERS,
    ask,
    decided,
    ended_in_words,
    get_ready,
    is_quadratic,
    read_recipes,
    refused_in_words,
)
from benchmarks.run import RESULTS as COMPARISON
from benchmarks.scenarios import Case, draw

import mcsl
from benchmarks import lines
from mcsl.graph import is_acyclic
from mcsl.pruning import AdditivePruner, QuadraticPruner
from mcsl.simulation import GaussianProcess, Model, PostNonlinear, Quadratic
from mcsl.simulation.graphs import longest_shortest_path

RESULTS = Path(__file__).parent / "results" / "ambiguities.jsonl"
N_SEEDS = {"MCSL-MLP": 3}
LIMIT = 3600


@dataclass(frozen=True)
class UndirectedDiameter(Quadratic):
    """The shortest paths between connected variables have at most `max_diameter` edges of any direction."""

    def accepts(self, adjacency):
        return longest_shortest_path(adjacency | adjacency.T) <= self.max_diameter


@dataclass(frozen=True)
class CenteredNoise(PostNonlinear):
    """The noise |z|, scaled to variance one, less its mean."""

    def observe(self, signal, noise):
        return super().observe(signal, noise - np.sqrt(2 / (np.pi - 2)))

    def observe_root(self, noise):
        return self.observe(0, noise)


@dataclass(frozen=True)
class LouderRoots(GaussianProcess):
    """Variables without causes have 2.5 times the noise variance: U(1, 2) where effects have U(0.4, 0.8)."""

    def observe_root(self, noise):
        return np.sqrt(2.5) * noise


class Reading(NamedTuple):
    """What differs from the comparison."""

    data: tuple[tuple[str, object], ...] = ()
    settings: tuple[tuple[str, object], ...] = ()
    significance: float | None = 0.001
    """The level of CAM pruning; None prunes nothing."""


def _data(model: Model, **changes: object) -> Reading:
    return Reading(data=(("model", model), *changes.items()))


def _schedule(**changes: object) -> Reading:
    return Reading(settings=(("schedule", tuple(changes.items())),))


def _first_penalty(told: str, penalty: float) -> dict[str, Reading]:
    smaller = _schedule(initial_penalty=penalty)
    return {
        "10^-⌈0.3 d⌉": Reading(),
        told: smaller,
        f"{told}, not pruned": smaller._replace(significance=None),
    }


def _penalty(times: float) -> Reading:
    # For causal-learn, BIC is one half of log n a parameter.
    return Reading(settings=(("lambda_value", times / 2),))


class Ambiguity(NamedTuple):
    """Ways to read one thing; the first is that of the comparison."""

    scenarios: tuple[str, ...]
    methods: tuple[str, ...]
    readings: Mapping[str, Reading]
    n_seeds: int | None = None


GP = ("gp-ER1-10", "gp-ER4-10")
SPARSE = ("gp-ER1-10", "gp-ER1-20", "gp-ER1-50")
QUADRATIC = ("quadratic-ER1-10",)
PNL = ("pnl-ER1-10",)
AMBIGUITIES = {
    "layers of an MLP": Ambiguity(
        ("gp-ER1-10", "gp-add-ER4-10"),
        ("MCSL-MLP",),
        {"four hidden": Reading(), "three hidden": Reading(settings=(("depth", 3),))},
    ),
    "first penalty": Ambiguity(
        ("gp-ER4-10", "gp-ER4-20"),
        ("MCSL-MLP",),
        {"10^-⌈0.3 d⌉": Reading(), "of the first masks": _schedule(initial_penalty=None)},
    ),
    "smaller first penalty": Ambiguity(
        (*GP, "gp-add-ER4-10"), ("MCSL-MLP",), _first_penalty("10^-6", 1e-6), n_seeds=5
    ),
    "smaller first penalty, 20 variables": Ambiguity(
        ("gp-ER4-20", "gp-add-ER4-20"), ("MCSL-MLP",), _first_penalty("10^-9", 1e-9)
    ),
    "Adam from stage to stage": Ambiguity(
        GP, ("MCSL-MLP",), {"goes on": Reading(), "starts anew": _schedule(fresh_optimizer=True)}
    ),
    "Adam from stage to stage, 50 variables": Ambiguity(
        ("gp-ER1-50", "gp-ER4-50"),
        ("MCSL-MLP",),
        {"starts anew": Reading(), "goes on": _schedule(fresh_optimizer=False)},
        n_seeds=1,
    ),
    "significance in CAM pruning": Ambiguity(
        (*GP, "gp-add-ER4-10"),
        ("MCSL-MLP", "CAM"),
        {"0.001": Reading(), **{f"{level}": Reading(significance=level) for level in (0.01, 0.05)}},
    ),
    "noise of Gaussian processes": Ambiguity(
        (*GP, "gp-ER4-20"),
        ("CAM", "GES", "PC"),
        {
            "variance 1": Reading(),
            "variances of Lachapelle et al.": _data(
                LouderRoots(), noise="unequal", unequal_variances=(0.4, 0.8)
            ),
        },
    ),
    "hubs of scale-free graphs": Ambiguity(
        ("gp-SF1-50", "gp-SF4-50"),
        ("default", "MCSL-MLP", "CAM", "sort by variance", "true order"),
        {"effects": Reading(), "causes": Reading(data=(("hubs", "causes"),))},
    ),
    "diameter of quadratic data": Ambiguity(
        QUADRATIC,
        ("default", "CAM", "sort by variance"),
        {
            "longest directed path": Reading(),
            "longest of shortest undirected paths": _data(UndirectedDiameter()),
            "no limit": _data(Quadratic(max_diameter=None)),
        },
        n_seeds=10,
    ),
    "terms that divide quadratic data": Ambiguity(
        QUADRATIC,
        ("CAM", "sort by variance"),
        {"those not zero": Reading(), "all": _data(Quadratic(terms="all"))},
    ),
    "noise of post-nonlinear data": Ambiguity(
        PNL,
        ("default", "CAM", "PC"),
        {
            "variance 1, mean kept": Reading(),
            "variance 1, mean removed": _data(CenteredNoise()),
            "of a standard normal variable": _data(PostNonlinear(half_normal="unit-scale")),
        },
    ),
    "roots of post-nonlinear data": Ambiguity(
        PNL, ("CAM", "PC"), {"exp(noise)": Reading(), "noise": _data(PostNonlinear(roots="noise"))}
    ),
    "level of PC": Ambiguity(
        (*SPARSE, "gp-ER1-100", "gp-ER4-10"),
        ("PC",),
        {"0.05": Reading(), **{f"{level}": Reading(settings=(("alpha", level),)) for level in (0.01, 0.001)}},
    ),
    "penalty of GES": Ambiguity(
        (*SPARSE, "gp-ER4-10"),
        ("GES",),
        {"BIC": Reading(), "half the penalty": _penalty(0.5), "twice the penalty": _penalty(2)},
    ),
    "penalty of GES, 100 variables": Ambiguity(
        ("gp-ER1-100",), ("GES",), {"BIC": Reading(), "twice the penalty": _penalty(2)}
    ),
}


class Run(NamedTuple):
    """What a line is about."""

    ambiguity: str
    reading: str
    scenario: str
    method: str
    seed: int


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--methods", nargs="+", choices=METHODS, metavar="NAME", default=list(METHODS))
    known = sorted({scenario for ambiguity in AMBIGUITIES.values() for scenario in ambiguity.scenarios})
    parser.add_argument("--scenarios", nargs="+", choices=known, metavar="NAME", default=known)
    parser.add_argument("--peers-python", type=from_here, default=PEERS, metavar="PATH")
    parser.add_argument("--results", type=Path, default=RESULTS)
    with refused_in_words(parser):
        run_all(parser.parse_args())


def run_all(options: argparse.Namespace) -> None:
    """Run what is asked for, and neither among the lines nor in the comparison."""
    done = {Run(*(row[field] for field in Run._fields)) for row in lines.read(options.results)}
    compared = {
        (row["scenario"], row["method"], row["seed"])
        for row in lines.read(COMPARISON) + read_recipes()
        if is_raw(row)
    }
    left = [
        run
        for run in runs(options.methods)
        if run.scenario in options.scenarios
        and run not in done
        and not (is_plain(run) and (run.scenario, run.method, run.seed) in compared)
    ]
    get_ready({run.method for run in left}, options)
    with ended_in_words(options.results):
        for run in left:
            row = measure(run, options.peers_python)
            lines.append(options.results, row)
            print(*run, f"SHD {row['shd']}" if "shd" in row else row["status"], sep=", ", flush=True)


def is_plain(run: Run) -> bool:
    """Whether a run is one of the comparison."""
    return AMBIGUITIES[run.ambiguity].readings[run.reading] == Reading()


def is_raw(row: Mapping[str, object]) -> bool:
    return row["status"] == "ok" and not row["standardized"]


def runs(methods: list[str]) -> list[Run]:
    """Return all runs of some methods; one table serves all of them before the next is drawn."""
    listed = [
        Run(name, reading, scenario, method, seed)
        for name, ambiguity in AMBIGUITIES.items()
        for reading in ambiguity.readings
        for scenario in ambiguity.scenarios
        for method in ambiguity.methods
        if method in methods
        for seed in range(FIRST_SEED, FIRST_SEED + (ambiguity.n_seeds or N_SEEDS.get(method, 5)))
    ]
    return sorted(listed, key=lambda run: (run.scenario, run.seed))


def measure(run: Run, peers_python: str) -> dict:
    data, settings, significance = AMBIGUITIES[run.ambiguity].readings[run.reading]
    case, edges, answer = learned(run.scenario, run.method, run.seed, data, settings, peers_python)
    row = {**run._asdict(), "date": now(), "commit": commit(), **answer}
    if edges is None:
        return row
    if METHODS[run.method].is_pruned and significance is not None:
        dataset = mcsl.to_dataset(case.values[:, :, 0])
        pruner = QuadraticPruner() if is_quadratic(run.scenario) else AdditivePruner(significance)
        graph = mcsl.CausalGraph(edges, dataset.names)
        edges = pruner.prune(graph, mcsl.Problem.from_dataset(dataset)).graph.adjacency
    scores = mcsl.evaluate(edges, case.truth).as_dict()
    return row | scores | {"true_edges": int(case.truth.sum()), "acyclic": is_acyclic(edges)}


@cache
def learned(
    scenario: str,
    method: str,
    seed: int,
    data: tuple[tuple[str, object], ...],
    settings: tuple[tuple[str, object], ...],
    peers_python: str,
) -> tuple[Case, np.ndarray | None, dict]:
    """Return the data, the graph before pruning if the run ended, and what else the worker tells."""
    known = METHODS[method]
    changed = replace(known, settings={**known.settings, **dict(settings)})
    case = draw(scenario, seed, False, **dict(data))
    with tempfile.TemporaryDirectory() as folder:
        answer = ask(changed, case, seed, LIMIT, peers_python, Path(folder))
    edges = answer.pop("edges", None)
    if edges is None:
        return case, None, answer
    adjacency = np.zeros(case.truth.shape, dtype=bool)
    adjacency[tuple(np.array(edges, dtype=int).reshape(-1, 2).T)] = True
    return case, decided(adjacency, case.truth) if known.is_pattern else adjacency, answer


if __name__ == "__main__":
    main()
