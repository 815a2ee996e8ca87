"""Answers requests on standard input: seconds of a training step of mcsl, and of a matrix product."""

import json
import sys
import time
from collections.abc import Callable
from functools import cache
from importlib.metadata import version

import jax
import jax.numpy as jnp
import numpy as np

from mcsl import Dataset, Problem, Recipe
from mcsl.model import MaskedSEM
from mcsl.objective import RowBlocks
from mcsl.search.augmented_lagrangian import _CACHE_ROWS as CACHE_ROWS
from mcsl.search.inner_loop import StepSettings, run_stage, start


@cache
def stage(table: str, batch_size: int | None, n_steps: int) -> Callable[[], object]:
    """Return a compiled stage of the paper's recipe on a table; calling it takes `n_steps` steps."""
    values = np.load(table)
    n_variables = values.shape[1]
    recipe = Recipe.paper(n_variables)
    problem = Problem.from_dataset(Dataset(values, tuple(f"x{i}" for i in range(n_variables))))
    settings = StepSettings(
        score=recipe.score,
        acyclicity=recipe.acyclicity,
        learning_rate=recipe.schedule.learning_rate,
        n_steps=n_steps,
        mini_batches=batch_size is not None,
    )
    model = MaskedSEM.init(np.random.default_rng(0), problem, recipe.mechanism, recipe.temperature)
    inputs = (
        start(model, settings),
        RowBlocks.of(values, batch_size or CACHE_ROWS),
        jax.random.key(0),
        np.float32(recipe.sparsity_weight),
        np.float32(-np.inf),
        np.float32(np.log(recipe.schedule.initial_penalty)),
        settings,
    )

    def run() -> object:
        return jax.block_until_ready(run_stage(*inputs))

    run()
    return run


@cache
def product(library: str, size: int) -> Callable[[], object]:
    """Return the product of two square float32 matrices."""
    matrix = np.random.default_rng(0).standard_normal((size, size)).astype(np.float32)
    if library == "numpy":
        return lambda: matrix @ matrix
    on_device, multiply = jnp.asarray(matrix), jax.jit(jnp.matmul)
    multiply(on_device, on_device).block_until_ready()
    return lambda: multiply(on_device, on_device).block_until_ready()


def answer(request: dict) -> dict:
    if request["what"] == "versions":
        return {name: version(name) for name in ("mcsl", "jax", "jaxlib", "equinox", "optax", "numpy")}
    if request["what"] == "product":
        run, n_repeats = product(request["library"], request["size"]), request["n_repeats"]
    else:
        run, n_repeats = stage(request["table"], request["batch_size"], request["n_steps"]), 1
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(n_repeats):
        run()
    divisor = n_repeats * request.get("n_steps", 1)
    return {
        "cpu": (time.process_time() - cpu) / divisor,
        "wall": (time.perf_counter() - wall) / divisor,
    }


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
