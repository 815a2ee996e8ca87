"""What training looks like from inside: one JSON line per mask of the paper's recipe.

    python -m benchmarks.training [--mask gumbel-sigmoid sigmoid] [--scenario gp-ER1-10] [--seed 1000]
    python -m benchmarks.training --mask gumbel-sigmoid --scenario gp-ER1-50      # the paper's own example

Training goes as in `Recipe.paper`, but stops every 100 steps to look at both stopping quantities and at the
augmented Lagrangian, on the rows that it trains on and on as many others of the same mechanisms.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import equinox as eqx
import jax
import numpy as np
from benchmarks.provenance import commit, now
from benchmarks.scenarios import SCENARIOS

import mcsl
from benchmarks import lines
from mcsl.model import EdgeMask, MaskedSEM
from mcsl.objective import RowBlocks, lagrangian
from mcsl.search.inner_loop import StepSettings, run_stage, start

RESULTS = Path(__file__).parent / "results" / "training.jsonl"
STEPS = 100
ROWS_PER_BLOCK = 500


class Sigmoid(EdgeMask):
    """The plain logistic mask: no noise, temperature one."""

    def sample(self, key):
        return self.probabilities()


MASKS = {"gumbel-sigmoid": (EdgeMask, 0.2), "sigmoid": (Sigmoid, 1.0)}


def train(scenario: str, seed: int, mask: str, max_stages: int = 100) -> dict:
    settings = SCENARIOS[scenario]
    # Twice the rows: a Gaussian process has the same functions only where it is drawn at once.
    simulation = mcsl.simulate(**{"n_samples": 6000, **settings}, seed=seed)
    values = simulation.dataset.values
    seen, held_out = (RowBlocks.of(half, ROWS_PER_BLOCK) for half in np.split(values, 2))
    problem = mcsl.Problem.from_dataset(mcsl.Dataset(values[: len(values) // 2], simulation.graph.names))
    recipe = mcsl.Recipe.paper(problem.n_variables)
    schedule = recipe.schedule
    step = StepSettings(
        score=recipe.score,
        acyclicity=recipe.acyclicity,
        learning_rate=schedule.learning_rate,
        n_steps=STEPS,
        mini_batches=False,
    )
    kind, temperature = MASKS[mask]
    model = MaskedSEM.init(np.random.default_rng(seed), problem, recipe.mechanism, temperature)
    fields = {name: getattr(model.mask, name) for name in ("logits", "candidates", "required", "temperature")}
    state = start(eqx.tree_at(lambda tree: tree.mask, model, kind(**fields)), step)
    key, looks = jax.random.key(seed), []
    sparsity = np.float32(recipe.sparsity_weight)
    multiplier, penalty, last = 0.0, schedule.initial_penalty, math.inf
    for stage in range(max_stages):
        prices = [np.float32(math.log(price) if price else -math.inf) for price in (multiplier, penalty)]
        if schedule.fresh_optimizer:
            state = start(state.model, step)
        for part in range(1, schedule.steps_per_stage // STEPS + 1):
            key, draw = jax.random.split(key)
            state, end = run_stage(state, seen, draw, sparsity, *prices, step)
            s = math.exp(float(end.terms.log_acyclicity))
            s_of_probabilities = math.exp(float(end.log_acyclicity_of_probabilities))
            on = [_lagrangian(state.model, rows, draw, sparsity, *prices, step) for rows in (seen, held_out)]
            n_steps = stage * schedule.steps_per_stage + part * STEPS
            looks.append([n_steps, s, s_of_probabilities, *map(float, on)])
        if max(s, s_of_probabilities) < schedule.tolerance or penalty > schedule.max_penalty:
            break
        multiplier += penalty * s
        if s >= schedule.required_decrease * last:
            penalty *= schedule.penalty_growth
        last = s
    return {
        "scenario": scenario,
        "seed": seed,
        "mask": mask,
        "columns": ["step", "acyclicity", "acyclicity of probabilities", "training", "validation"],
        "trajectory": [[float(f"{value:.5g}") for value in look] for look in looks],
        "probabilities": np.asarray(end.edge_probabilities, dtype=float).round(4).tolist(),
        "truth": simulation.graph.adjacency.astype(int).tolist(),
        "date": now(),
        "commit": commit(),
    }


@eqx.filter_jit
def _lagrangian(model, rows, key, sparsity_weight, log_multiplier, log_penalty, step):
    """Return the augmented Lagrangian of one draw of the mask on some rows."""
    value, _ = lagrangian(
        model.mechanism,
        model.mask.sample(key),
        rows,
        score=step.score,
        sparsity_weight=sparsity_weight,
        acyclicity=step.acyclicity,
        log_multiplier=log_multiplier,
        log_penalty=log_penalty,
    )
    return value


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mask", nargs="+", choices=MASKS, default=list(MASKS))
    parser.add_argument("--scenario", choices=SCENARIOS, default="gp-ER1-10")
    parser.add_argument("--seed", type=int, default=1000)
    options = parser.parse_args()
    for mask in options.mask:
        lines.append(RESULTS, train(options.scenario, options.seed, mask))


if __name__ == "__main__":
    main()
