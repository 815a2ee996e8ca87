"""Random prior knowledge on random tables: how often does a learned graph violate it?

    python -m benchmarks.knowledge [--problems 1000] [--first-seed 1000]

Problem k uses seed `first_seed + k` and recipe k mod 10 of `RECIPES`. The knowledge is drawn without a look
at the data, so most of what it requires is false. One JSON line with the counts is appended to the results.
"""

import argparse
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
from benchmarks.provenance import machine, now, versions

import mcsl
from benchmarks import lines
from mcsl.graph import is_acyclic

RESULTS = Path(__file__).parent / "results" / "knowledge.jsonl"
N_VARIABLES, N_SAMPLES = 6, 150

SHORT = mcsl.Schedule(initial_penalty=1e-2, penalty_growth=10.0, steps_per_stage=30, max_stages=4)
MASKED = replace(mcsl.Recipe.masked(), schedule=SHORT)
PAPER = replace(mcsl.Recipe.paper(N_VARIABLES), schedule=SHORT)
RECIPES = [mcsl.Recipe.default(), mcsl.Recipe.additive()] * 3 + [MASKED, PAPER] * 2


def random_knowledge(rng: np.random.Generator, names: tuple[str, ...]) -> mcsl.Knowledge:
    """Draw knowledge that a random order of the variables does not contradict."""
    order = rng.permutation(names).tolist()
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    kind = rng.choice(["required", "forbidden", "open"], size=len(pairs), p=rng.dirichlet([1, 1, 1]))
    required = [pair for pair, k in zip(pairs, kind, strict=True) if k == "required"]
    forbidden = [pair for pair, k in zip(pairs, kind, strict=True) if k == "forbidden"]
    forbidden += [(b, a) for a, b in pairs if rng.random() < 0.3]
    cuts = np.sort(rng.integers(0, len(order) + 1, rng.integers(0, 4)))
    tiers = [part.tolist() for part in np.split(np.array(order, dtype=object), cuts)] if len(cuts) else []
    effects, causes = {b for _, b in required}, {a for a, _ in required}
    return mcsl.Knowledge(
        required=required,
        forbidden=forbidden,
        tiers=[[name for name in tier if rng.random() < 0.8] for tier in tiers],
        roots=[name for name in names if name not in effects and rng.random() < 0.2],
        leaves=[name for name in names if name not in causes and rng.random() < 0.2],
    )


def violations(knowledge: mcsl.Knowledge, graph: mcsl.CausalGraph) -> list[str]:
    """Say what of the knowledge does not hold in a graph, by its definition."""
    edges = set(graph.edges)
    tier_of = {name: k for k, tier in enumerate(knowledge.tiers) for name in tier}
    broken = [f"lacks {edge}" for edge in knowledge.required if edge not in edges]
    broken += [f"has {edge}" for edge in knowledge.forbidden if edge in edges]
    for cause, effect in edges:
        if {cause, effect} <= tier_of.keys() and tier_of[cause] > tier_of[effect]:
            broken.append(f"{cause} -> {effect} goes back in time")
        if effect in knowledge.roots:
            broken.append(f"{cause} -> {effect} enters a root")
        if cause in knowledge.leaves:
            broken.append(f"{cause} -> {effect} leaves a leaf")
    return broken if is_acyclic(graph.adjacency) else [*broken, "has a cycle"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--first-seed", type=int, default=1000)
    options = parser.parse_args()
    counts: dict[str, Counter[str]] = {}
    began = time.perf_counter()
    for k in range(options.problems):
        seed, recipe = options.first_seed + k, RECIPES[k % len(RECIPES)]
        rng = np.random.default_rng(seed)
        simulation = mcsl.simulate(
            "gp-add", n_variables=N_VARIABLES, degree=2, n_samples=N_SAMPLES, seed=seed
        )
        knowledge = random_knowledge(rng, simulation.graph.names)
        graph = mcsl.learn(simulation.dataset, recipe, knowledge=knowledge, seed=seed).graph
        broken = violations(knowledge, graph)
        counts.setdefault(recipe.name, Counter()).update(
            problems=1,
            violated=bool(broken),
            required=len(knowledge.required),
            forbidden=len(knowledge.forbidden),
            edges=graph.n_edges,
        )
        if broken:
            print(f"seed {seed}, {recipe.name}: {'; '.join(broken)}", flush=True)
    row = {
        "problems": options.problems,
        "violations": sum(count["violated"] for count in counts.values()),
        "first_seed": options.first_seed,
        "n_variables": N_VARIABLES,
        "n_samples": N_SAMPLES,
        "recipes": counts,
        "seconds": round(time.perf_counter() - began, 1),
        "date": now(),
        "machine": machine(),
        "versions": versions(["mcsl", "jax", "numpy", "scipy"]),
    }
    lines.append(RESULTS, row)
    print(f"{row['violations']} violations in {row['problems']} problems, {row['seconds']:.0f} s")


if __name__ == "__main__":
    main()
