"""Recipes on the paper's data models, standardised or raw: one JSON line per (scenario, method, seed).

    python -m benchmarks.recipe.run [--scenarios gp-ER4-10 ...] [--methods default ...] [--data raw ...]

Lines are appended as runs finish, and what is already there is not run again.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path
from unittest.mock import patch

import numpy as np
from benchmarks.apart import apart
from benchmarks.options import seeds
from benchmarks.provenance import commit, now
from benchmarks.scenarios import TABLES

import mcsl
import mcsl.order.search as order_search
from benchmarks import lines, methods
from mcsl.graph import CausalGraph, is_acyclic
from mcsl.graph.causal_graph import topological_order
from mcsl.learning import learn
from mcsl.order.regressors import Models, Regressors

RESULTS = Path(__file__).parent / "results" / "recipe.jsonl"


def _size(settings: Mapping[str, object]) -> tuple[object, ...]:
    return tuple(settings.get(part, 0) for part in ("degree", "n_variables", "n_samples"))


SCENARIOS = {
    name: settings
    for table in ("1a", "2a", "1", "2", "3", "4", "scale-free", "samples")
    for name, settings in TABLES[table].items()
}
SCENARIOS |= {
    f"gp-add-ER{degree}-{d}-unequal": SCENARIOS[f"gp-add-ER{degree}-{d}"]
    | {"n_samples": 1000, "noise": "unequal"}
    for degree in (1, 4)
    for d in (10, 20)
}
SCENARIOS |= {
    f"gp-add-ER{degree}-{d}-straight": SCENARIOS[f"gp-add-ER{degree}-{d}-unequal"] | {"straight": 0.5}
    for degree in (1, 4)
    for d in (10, 20)
}
SCENARIOS |= {
    f"monotone-ER2-10-{noise}": {
        "model": "monotone",
        "degree": 2,
        "n_variables": 10,
        "n_samples": 1000,
        "noise_distribution": noise,
    }
    for noise in ("gaussian", "laplace", "uniform", "exponential")
}
SCENARIOS["varying-scales-ER1-10"] = {"degree": 1, "n_variables": 10}
SCENARIOS |= {
    f"gp-SF{degree}-50-causes": SCENARIOS[f"gp-SF{degree}-50"] | {"hubs": "causes"} for degree in (1, 4)
}
SCENARIOS = dict(sorted(SCENARIOS.items(), key=lambda item: (item[0].rsplit("-ER")[0], *_size(item[1]))))


def draw(scenario: str, seed: int) -> tuple[mcsl.Dataset, CausalGraph]:
    if scenario.startswith("varying-scales"):
        return varying_scales(**SCENARIOS[scenario], seed=seed)
    simulation = mcsl.simulate(**SCENARIOS[scenario], seed=seed)
    return simulation.dataset, simulation.graph


def varying_scales(
    *, n_variables: int, degree: float, seed: int, n_samples: int = 3000
) -> tuple[mcsl.Dataset, CausalGraph]:
    """Draw X_i = sum_j a_j sin(b_j X_j) + exp(0.6 sum_j c_j sin(X_j)) eps_i: causes move means and scales."""
    rng = np.random.default_rng(seed)
    graph = mcsl.simulate("gp-add", n_variables=n_variables, degree=degree, seed=seed, n_samples=20).graph
    values = np.zeros((n_samples, n_variables))
    for effect in topological_order(graph.adjacency):
        causes = values[:, graph.adjacency[:, effect]]
        a, b, c = rng.uniform(0.5, 1.5, size=(3, causes.shape[1])) * rng.choice([-1, 1], (3, causes.shape[1]))
        scale = np.exp(0.6 * np.sin(causes) @ c)
        values[:, effect] = np.sin(b * causes) @ a + scale * rng.standard_normal(n_samples)
    return mcsl.Dataset(values, graph.names), graph


def by_recipe(recipe: mcsl.Recipe, without: Mapping[str, object] | None = None):
    """Learn by a recipe, with some functions of the order search replaced by ones that do nothing."""

    def run(dataset, truth):
        with ExitStack() as parts:
            for name, nothing in (without or {}).items():
                parts.enter_context(patch(f"mcsl.order.search.{name}", nothing))
            return learn(dataset, recipe).graph

    return run


def by_method(name: str):
    """Learn as a method of the comparison does, on the tables that only recipes are run on."""
    method = methods.load()[name]
    import_module(method.imports)

    def run(dataset, truth):
        data = methods.Data(dataset.values, seed=0, truth=truth.adjacency)
        return CausalGraph(method.learn(data, **method.settings), dataset.names)

    return run


def gaussian_only(problem, views, candidates, *_):
    score = order_search.Scores(order_search.GaussianScore, views)
    climb = partial(order_search.climb, candidates, score, problem.required)
    moved = order_search.rearrange(climb(), candidates, score, problem.required)
    return climb(start=moved), score, "gaussian"


def one_model(regressors, columns):
    """Explain every effect by all splines of its causes and four products of each pair."""
    functions, ends = every_model(regressors, columns)[-1]
    return [Models(functions, ends[-1:])]


every_model = Regressors.models
DEFAULT = mcsl.Recipe.default()
METHODS = {
    "default": by_recipe(DEFAULT),
    "additive": by_recipe(mcsl.Recipe.additive()),
    "masked": by_recipe(mcsl.Recipe.masked()),
    "least squares": by_recipe(
        replace(DEFAULT, standardize=False, order=replace(DEFAULT.order, equal_variances=True))
    ),
    "sort by variance": by_method("sort by variance"),
    "true order": by_method("true order"),
}
ABLATIONS = {
    "screening": by_recipe(DEFAULT, {"screen": lambda problem, *_, **__: problem.candidates}),
    "straightening": by_recipe(DEFAULT, {"bent_columns": lambda *_: {}}),
    "richer noise": by_recipe(DEFAULT, {"_climb_with_noise": gaussian_only}),
    "a choice of functions": by_recipe(DEFAULT, {"Regressors.models": one_model}),
    "products": by_recipe(
        replace(DEFAULT, order=replace(DEFAULT.order, interactions=False)),
        {"screen": lambda problem, *_, **__: problem.candidates},
    ),
    "moves along the order": by_recipe(DEFAULT, {"rearrange": lambda adjacency, *_: adjacency}),
    "order completion": by_recipe(DEFAULT, {"complete_order": lambda order, *_: order}),
    "freedom from weak edges": by_recipe(DEFAULT, {"BINDING_GAIN": 0.0}),
    "the joint test": by_recipe(replace(DEFAULT, pruner=mcsl.Recipe.additive().pruner)),
    "the second look": by_recipe(
        DEFAULT, {"OrderSearch._beyond": lambda self, problem, candidates: np.zeros_like(candidates)}
    ),
}
METHODS |= {f"default without {part}": run for part, run in ABLATIONS.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scenarios", nargs="+", default=list(SCENARIOS), choices=SCENARIOS, metavar="NAME")
    parser.add_argument("--methods", nargs="+", default=["default"], choices=METHODS)
    parser.add_argument("--seeds", type=seeds, default="1000-1004", help="first-last, or none")
    parser.add_argument("--data", nargs="+", choices=("raw", "standardized"), default=["raw"])
    options = parser.parse_args()
    RESULTS.parent.mkdir(exist_ok=True)
    known = lines.read(RESULTS)
    done = {(row["scenario"], row["method"], row["seed"], row["standardized"]) for row in known}
    for scenario in options.scenarios:
        for seed in options.seeds:
            wanted = product([scenario], options.methods, [seed], [data != "raw" for data in options.data])
            left = [key for key in wanted if key not in done]
            if left:
                dataset, truth = draw(scenario, seed)
            for key in left:
                record(METHODS[key[1]], dataset.standardized() if key[-1] else dataset, truth, key)


def record(method, dataset, truth, key) -> None:
    graph, taken = apart(lambda: method(dataset, truth))
    scenario, name, seed, standardized = key
    row = {
        "scenario": scenario,
        "method": name,
        "seed": seed,
        "standardized": standardized,
        **mcsl.evaluate(graph, truth).as_dict(),
        "true_edges": truth.n_edges,
        **taken,
        "load": round(os.getloadavg()[0], 1),
        "status": "ok",
        "acyclic": is_acyclic(graph.adjacency),
        "package": "mcsl",
        "version": mcsl.__version__,
        "commit": commit(),
        "date": now(),
    }
    lines.append(RESULTS, row)
    print(f"{scenario:24} {name:24} {seed}  SHD {row['shd']:4d}  {row['seconds']:6.1f} s", flush=True)


if __name__ == "__main__":
    main()
