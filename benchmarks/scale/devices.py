"""One fit by masked networks on four virtual devices against one: its graph, and the traffic between them.

    python -m benchmarks.scale.devices [--sizes 20 48 100] [--to-the-end] [--seeds 1000 1001 1002]

One JSON line a size and seed. Traffic is read off the compiled program: what a device receives in a step, by
the shapes of all collectives in the loop over steps. Virtual devices share a processor, so time is not
measured. With --to-the-end, the paper's recipe learns from the table in its own units on one, two and four
devices, and trained and pruned edges are compared.
"""

from __future__ import annotations

import argparse
import math
import re
from contextlib import AbstractContextManager
from itertools import product
from pathlib import Path

import jax
import numpy as np
from benchmarks.provenance import ROOT, commit, machine, now, versions
from benchmarks.readme import markdown_table, put_table

from benchmarks import lines
from mcsl import Dataset, Recipe, learn, simulate
from mcsl.model import MLP
from mcsl.objective import gaussian_likelihood, log_trace_exponential
from mcsl.problem import Problem
from mcsl.search import Schedule, augmented_lagrangian

RESULTS = Path(__file__).parents[1] / "results" / "devices.jsonl"
PAGE = ROOT / "docs" / "scaling.md"
N_DEVICES = 4
COLLECTIVE = re.compile(
    r" = (\S+|\(.*\)) (?:all-gather|all-reduce|all-to-all|collective-permute|reduce-scatter)(?:-start)?\("
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 48, 100])
    parser.add_argument("--to-the-end", action="store_true")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1000])
    options = parser.parse_args()
    compare = whole_fits if options.to_the_end else first_steps
    jax.config.update("jax_num_cpu_devices", N_DEVICES)
    for size, seed in product(options.sizes, options.seeds):
        row = {"n_devices": N_DEVICES, "n_variables": size, "seed": seed}
        row |= {**compare(draw(size, seed)), "commit": commit()}
        row |= {"versions": versions(["mcsl", "jax"]), "machine": machine(), "when": now()}
        lines.append(RESULTS, row)
        print(row, flush=True)
    write_tables()


def write_tables() -> None:
    header = [
        "variables",
        "bytes a step and device, by the formula",
        "compiled",
        "same side of one half",
        "largest difference",
    ]
    rows = lines.read(RESULTS)
    # A later run of the same fits takes the place of an earlier one.
    latest = {("n_stages" in row, row["n_variables"], row.get("seed", 1000)): row for row in rows}
    whole, first = ([row for key, row in latest.items() if key[0] == is_whole] for is_whole in (True, False))
    cells = [
        (
            row["n_variables"],
            f"{row['expected_bytes']:,.0f}",
            f"{row['compiled_bytes']:,.0f}",
            "yes" if row["same_graph"] else "no",
            f"{row['largest_difference']:.3f}",
        )
        for row in first
    ]
    put_table(PAGE, "devices", markdown_table(header, cells))
    header = ["variables", "seed", "stages", "trained edges", "not in all fits", "edges", "same graph"]
    cells = [
        (
            row["n_variables"],
            row.get("seed", 1000),
            ", ".join(map(str, row["n_stages"])),
            ", ".join(map(str, row["n_trained"])),
            row["n_trained_apart"],
            row["n_edges"],
            "yes" if row["same_graph"] else "no",
        )
        for row in whole
    ]
    put_table(PAGE, "whole fits on devices", markdown_table(header, cells))


def whole_fits(dataset: Dataset) -> dict:
    recipe = Recipe.paper(dataset.n_variables)
    results = [learn(dataset, recipe)]
    for n_devices in (2, N_DEVICES):
        with mesh_of(n_devices):
            results.append(learn(dataset, recipe))
    probabilities = np.array([result.edge_probabilities for result in results])
    trained = probabilities > 0.5
    return {
        "same_graph": all(result.graph == results[0].graph for result in results),
        "n_edges": results[0].graph.n_edges,
        "n_stages": [len(result.trace) for result in results],
        "n_trained": trained.sum(axis=(1, 2)).tolist(),
        "n_trained_apart": int((trained != trained[0]).any(axis=0).sum()),
        "largest_difference": float(np.ptp(probabilities, axis=0).max()),
        "stop_reasons": [result.stop_reason.value for result in results],
    }


def draw(size: int, seed: int) -> Dataset:
    return simulate("gp-add", n_variables=size, degree=1, n_samples=1000, seed=seed).dataset


def mesh_of(n_devices: int) -> AbstractContextManager:
    return jax.set_mesh(jax.sharding.Mesh(jax.devices()[:n_devices], ("variables",)))


def first_steps(dataset: Dataset) -> dict:
    problem = Problem.from_dataset(dataset.standardized())
    alone, _ = fit(problem)
    with mesh_of(N_DEVICES):
        spread, program = fit(problem)
    return {
        "same_graph": bool(np.array_equal(alone > 0.5, spread > 0.5)),
        "largest_difference": float(np.abs(alone - spread).max()),
        "expected_bytes": expected_bytes(dataset.n_variables),
        "compiled_bytes": received_bytes(program),
    }


def fit(problem: Problem) -> tuple[np.ndarray, str]:
    """Edge probabilities after a short training, and the compiled program of a stage."""
    compiled = augmented_lagrangian.run_stage
    calls = []

    def run_stage(*arguments):
        calls.append(arguments)
        return compiled(*arguments)

    augmented_lagrangian.run_stage = run_stage
    try:
        (found,) = augmented_lagrangian.search(
            problem,
            seeds=[0],
            mechanism=MLP.init,
            temperature=0.2,
            score=gaussian_likelihood,
            acyclicity=log_trace_exponential,
            sparsity_weight=2e-3,
            schedule=Schedule(learning_rate=1e-2, steps_per_stage=50, max_stages=2, batch_size=500),
        )
    finally:
        augmented_lagrangian.run_stage = compiled
    return found.edge_probabilities, compiled.lower(*calls[0]).compile().compiled.as_text()


def expected_bytes(size: int) -> float:
    """Soft mask, its gradient, a byte an entry that says which are free, and the losses are gathered."""
    return (N_DEVICES - 1) / N_DEVICES * (9 * size**2 + 4 * size)


def received_bytes(program: str) -> float:
    """What a device receives in a step: of an array that is gathered, all but its own share."""
    gathered = 0
    for line in program.splitlines():
        found = COLLECTIVE.search(line)
        if found and "/while/body/" in line:
            for kind, shape in re.findall(r"(\w+)\[([\d,]*)\]", found[1]):
                n_bytes = 1 if kind == "pred" else int(re.sub(r"\D", "", kind)) // 8
                gathered += n_bytes * math.prod(int(side) for side in shape.split(",") if side)
    return (N_DEVICES - 1) / N_DEVICES * gathered


if __name__ == "__main__":
    main()
