"""Root causes of simulated incidents and of PetShop's: one JSON line per (suite, case, method).

    python -m benchmarks.root_cause.run [--suites simulated confounded petshop time] [--seeds 1000-1199]

Lines are appended as cases finish, and cases that are already there are not run again.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

from benchmarks.options import seeds
from benchmarks.root_cause.cases import Case, petshop, simulated
from benchmarks.root_cause.methods import BASELINES, ours

import mcsl
from benchmarks import lines

RESULTS = Path(__file__).parent / "results" / "root_cause.jsonl"
SUITES = ("simulated", "confounded", "petshop", "time")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--suites", nargs="+", default=list(SUITES), choices=SUITES)
    parser.add_argument("--seeds", type=seeds, default="1000-1199", help="first-last, or none")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    options.out.parent.mkdir(exist_ok=True)
    done = {(row["suite"], row["case"]) for row in lines.read(options.out)}
    for suite in options.suites:
        for case in cases(suite, options.seeds, done):
            rows = list(judge(case))
            with options.out.open("a") as file:
                file.write("".join(json.dumps(row) + "\n" for row in rows))
            print(f"{case.suite:22} {case.name:14} " + " ".join(str(row["rank"]) for row in rows), flush=True)


def cases(suite: str, seeds: range, done: set):
    if suite == "petshop":
        yield from (case for case in petshop() if (case.suite, case.name) not in done)
        return
    for seed in seeds if suite != "time" else seeds[:11]:
        if suite == "time":
            settings, name = {"n_variables": 40, "hidden_confounder": False}, f"40/{seed}"
        else:
            settings, name = {"hidden_confounder": suite == "confounded"}, str(seed)
        if ("simulated" if suite == "time" else suite, name) not in done:
            yield from simulated(range(seed, seed + 1), **settings)


def judge(case: Case):
    """Rank by every method; the place of the truth counts from 1."""
    for name, with_graph in (("mcsl", False), ("mcsl, call graph", True)):
        if with_graph and case.graph is None:
            continue
        began = time.perf_counter()
        result = ours(case, with_graph=with_graph)
        seconds = time.perf_counter() - began
        yield row(case, name, [c.name for c in result.ranking], seconds)
        yield row(case, name.replace("mcsl", "mcsl's graph and the paper's rule"), list(result.by_paper))
    for name, method in BASELINES.items():
        yield row(case, name, method(case))


def row(case: Case, method: str, ranking: list[str], seconds: float | None = None) -> dict:
    place = ranking.index(case.truth) + 1 if case.truth in ranking else len(ranking) + 1
    timed = {} if seconds is None else {"seconds": round(seconds, 2), "load": round(os.getloadavg()[0], 1)}
    return {
        "suite": case.suite,
        "case": case.name,
        "method": method,
        "rank": place,
        "first": ranking[0],
        **(case.facts or {}),
        **timed,
        "version": mcsl.__version__,
    }


if __name__ == "__main__":
    main()
