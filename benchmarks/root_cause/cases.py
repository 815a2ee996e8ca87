"""Incidents whose root cause is known: simulated ones, and those of PetShop."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mcsl.data import Dataset, read_metrics
from mcsl.graph import CausalGraph
from mcsl.outputs import read_adjacency
from mcsl.simulation import simulate_incident

PETSHOP = Path(__file__).parents[3] / "shared" / "data" / "petshop"


@dataclass(frozen=True)
class Case:
    suite: str
    name: str
    baseline: Dataset
    incident: Dataset
    target: str
    truth: str
    lags: int = 0
    graph: CausalGraph | None = None
    """Who calls whom, where it is known."""
    facts: dict | None = None


def simulated(seeds: range, *, hidden_confounder: bool, n_variables: int | None = None) -> Iterator[Case]:
    """2 to 60 variables, 1 to 2 edges a variable, 600 normal rows, then 5 to 30 of which the last half at
    least shows the fault; effects at the same time, or up to one row later."""
    for seed in seeds:
        rng = np.random.default_rng([seed, 7])
        d, n_incident, degree = int(rng.integers(2, 61)), int(rng.integers(5, 31)), float(rng.uniform(1, 2))
        lags = int(rng.integers(2))
        n_before = int(rng.integers(0, n_incident // 2 + 1))
        incident = simulate_incident(
            n_variables=n_variables or d,
            seed=seed,
            degree=degree,
            n_incident=n_incident,
            n_before=n_before,
            lags=lags,
            hidden_confounder=hidden_confounder,
        )
        yield Case(
            "confounded" if hidden_confounder else "simulated",
            f"{n_variables or ''}/{seed}".strip("/"),
            incident.baseline,
            incident.incident,
            incident.target,
            incident.root_cause,
            lags=lags,
            facts={"fault": incident.fault, "lags": lags, "n_variables": incident.graph.n_variables},
        )


def petshop(place: Path = PETSHOP) -> Iterator[Case]:
    """The incidents of low and high traffic, each with the metric of its symptom."""
    for traffic in ("low", "high"):
        folder = place / f"{traffic}_traffic"
        calls = CausalGraph(*read_adjacency(folder / "graph.csv"))
        for issue in sorted((folder / "train").iterdir()):
            told = json.loads((issue / "target.json").read_text())
            chosen = {"metric": told["target"]["metric"], "statistic": told["target"]["agg"]}
            yield Case(
                f"petshop {told['target']['metric']}",
                f"{traffic}/{issue.name}",
                read_metrics(folder / "noissue" / "metrics.csv", **chosen),
                read_metrics(issue / "metrics.csv", **chosen),
                told["target"]["node"],
                told["root_cause"]["node"],
                graph=calls,
            )
