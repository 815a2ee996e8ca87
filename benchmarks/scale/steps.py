"""A training step with six candidates a variable, and what acyclicity takes of it: one JSON line a size.

    python -m benchmarks.scale.steps [--sizes 50 400 1000]

The networks of the masked recipe on 512 rows, with the trace of the whole mask and with the measure that
training takes of the candidates. The look at the end of a stage is in a step, compilation is not.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from benchmarks.provenance import ROOT, commit, machine, now, versions
from benchmarks.readme import markdown_table, put_table

from benchmarks import lines
from mcsl import Dataset, Problem, Recipe
from mcsl.model import MaskedSEM
from mcsl.objective import Acyclicity
from mcsl.search.augmented_lagrangian import prepare
from mcsl.search.inner_loop import run_stage, start

RESULTS = Path(__file__).parents[1] / "results" / "steps.jsonl"
PAGE = ROOT / "docs" / "scaling.md"
N_STEPS, N_ROWS, N_CANDIDATES, N_ROUNDS = 5, 512, 6, 2


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[50, 400, 1000])
    for size in parser.parse_args().sizes:
        row = {"n_variables": size, **measure(size), "commit": commit()}
        row |= {"versions": versions(["mcsl", "jax"]), "machine": machine(), "when": now()}
        lines.append(RESULTS, row)
        print(row, flush=True)
    write_table()


def write_table() -> None:
    header = ["variables", "whole trace (ms)", "a step with it", "within components (ms)", "a step with it"]
    rows = lines.read(RESULTS)
    names = ("whole", "whole_step", "components", "components_step")
    cells = [(row["n_variables"], *(f"{row[name]:.3g}" for name in names)) for row in rows]
    put_table(PAGE, "steps", markdown_table(header, cells))


def measure(size: int) -> dict:
    """CPU milliseconds of acyclicity with its gradient, and of a whole step."""
    rng = np.random.default_rng(0)
    partners = rng.permuted(np.tile(np.arange(size), (size, 1)), axis=1)[:, : N_CANDIDATES // 2]
    candidates = np.zeros((size, size), bool)
    candidates[np.arange(size)[:, None], partners] = True
    names = tuple(map(str, range(size)))
    dataset = Dataset(rng.standard_normal((N_ROWS, size)), names)
    problem = Problem.from_dataset(dataset, candidates | candidates.T)
    recipe = Recipe.masked()
    parts = {"score": recipe.score, "acyclicity": recipe.acyclicity}
    schedule = replace(recipe.schedule, steps_per_stage=N_STEPS)
    settings, rows = prepare(problem, rng, **parts, schedule=schedule)
    model = MaskedSEM.init(rng, problem, recipe.mechanism, recipe.temperature)
    soft_mask = jnp.asarray(model.mask.probabilities())
    prices = [np.float32(price) for price in (2e-3, -5.0, -5.0)]

    def alone(acyclicity: Acyclicity) -> float:
        value_and_gradient = jax.jit(jax.value_and_grad(acyclicity))
        return milliseconds(lambda: value_and_gradient(soft_mask))

    def step(acyclicity: Acyclicity) -> float:
        taken = replace(settings, acyclicity=acyclicity)
        state = start(model, taken)
        return milliseconds(lambda: run_stage(state, rows, jax.random.key(0), *prices, taken)) / N_STEPS

    measured = {}
    for name, acyclicity in (("whole", recipe.acyclicity), ("components", settings.acyclicity)):
        measured |= {name: alone(acyclicity), f"{name}_step": step(acyclicity)}
    return measured


def milliseconds(run: Callable[[], object]) -> float:
    """Least CPU time of some rounds, after one that compiles."""
    jax.block_until_ready(run())
    rounds = []
    for _ in range(N_ROUNDS):
        began = time.process_time()
        jax.block_until_ready(run())
        rounds.append(1000 * (time.process_time() - began))
    return min(rounds)


if __name__ == "__main__":
    main()
