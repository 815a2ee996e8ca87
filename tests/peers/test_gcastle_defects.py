"""The defects of gCastle 1.0.4's MCSL, each shown to be absent here.

What the parts of the method must do is tested beside them; these tests look at training as a whole.
"""

import dataclasses
import json
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.linalg import expm

from mcsl import KeepAll, Linear, Quadratic, Recipe, Schedule, StopReason, learn, simulate
from mcsl.data import Dataset
from mcsl.graph import is_acyclic
from mcsl.objective import log_trace_exponential
from mcsl.problem import Problem
from mcsl.pruning import AdditivePruner
from mcsl.search.augmented_lagrangian import search

# A learning rate this small leaves the model where it starts, so that only the noise moves.
AT_REST = {"learning_rate": 1e-12, "steps_per_stage": 1}
# Where the mechanism does not matter, the one that compiles soonest.
LINEAR = {"mechanism": Linear.init}


def table(d: int = 4, n: int = 100) -> Dataset:
    return Dataset(np.random.default_rng(0).standard_normal((n, d)), tuple(f"x{i}" for i in range(d)))


def paper(d: int, **changes) -> Recipe:
    """The paper's recipe, unpruned; changes go to the field of that name, in it or its schedule."""
    recipe = dataclasses.replace(Recipe.paper(d), pruner=KeepAll())
    schedule = {name: changes.pop(name) for name in list(changes) if name in Schedule.__dataclass_fields__}
    return dataclasses.replace(recipe, schedule=dataclasses.replace(recipe.schedule, **schedule), **changes)


def train(dataset: Dataset, recipe: Recipe):
    names = ("mechanism", "temperature", "score", "acyclicity", "sparsity_weight", "schedule")
    parts = {name: getattr(recipe, name) for name in names}
    return search(Problem.from_dataset(dataset), [0], **parts)[0]


def test_every_step_draws_fresh_noise():
    draws = []

    def spy(soft_mask):
        jax.debug.callback(lambda mask: draws.append(np.asarray(mask).tobytes()), soft_mask)
        return log_trace_exponential(soft_mask)

    train(table(), paper(4, acyclicity=spy, **LINEAR, learning_rate=1e-12, steps_per_stage=20, max_stages=2))
    jax.effects_barrier()
    # Two stages of 20 steps, and a noisy and a noise-free look at the end of each.
    assert len(draws) == 2 * (20 + 2)
    assert len(set(draws)) == 2 * (20 + 1) + 1


def test_a_certified_mask_is_the_one_returned():
    simulation = simulate("linear", n_variables=4, degree=1, n_samples=200, seed=0)
    result = learn(simulation.dataset, paper(4, steps_per_stage=150, **LINEAR))
    assert result.stop_reason is StopReason.CONVERGED
    assert result.cut_edges == ()
    assert np.array_equal(result.graph.adjacency, result.edge_probabilities > 0.5)


def test_a_cyclic_mask_is_cut_to_a_dag_and_said_to_be():
    # Three readings of one thing predict each other, and a stage of almost free cycles keeps them all.
    rng = np.random.default_rng(0)
    readings = Dataset(rng.standard_normal((100, 1)) + 0.3 * rng.standard_normal((100, 3)), ("a", "b", "c"))
    free = {"sparsity_weight": 0.0, "initial_penalty": 1e-9, **LINEAR}
    result = learn(readings, paper(3, **free, steps_per_stage=100, max_stages=1))
    likely = result.edge_probabilities > 0.5
    assert not is_acyclic(likely)
    assert is_acyclic(result.graph.adjacency)
    assert result.stop_reason is StopReason.STAGE_LIMIT
    assert len(result.cut_edges) == likely.sum() - len(result.graph.edges) > 0


def test_every_quadratic_weight_of_every_variable_trains():
    started = []

    def init(rng, problem):
        started.append(Quadratic.init(rng, problem))
        return started[0]

    d = 4
    trained = train(table(d), paper(d, mechanism=init, steps_per_stage=1, max_stages=1)).state.model.mechanism
    left, right = np.triu_indices(d)
    effects = np.arange(d)[:, None]
    reads_itself = (left == effects) | (right == effects)
    changed = trained.second_order != started[0].second_order
    assert np.array_equal(changed[:, 0], ~reads_itself)
    assert np.array_equal((trained.linear != started[0].linear)[:, 0], ~np.eye(d, dtype=bool))


def test_quadratic_mechanisms_find_the_causes_of_a_product():
    rng = np.random.default_rng(0)
    a, b, noise = rng.standard_normal((3, 400))
    product = Dataset(np.column_stack([2 * a * b + 0.3 * noise, a, b]), ("product", "a", "b"))
    result = learn(product, paper(3, mechanism=Quadratic.init, steps_per_stage=200))
    assert {("a", "product"), ("b", "product")} <= set(result.graph.edges)


def test_the_price_of_sparsity_is_paid_for_every_edge():
    d = 6
    first = train(table(d), paper(d, sparsity_weight=1.0, max_stages=1, **AT_REST, **LINEAR)).trace[0]
    # No column of a mask sums to more than d - 1.
    assert d - 1 < first.sparsity < d * (d - 1)
    dear = train(table(d), paper(d, sparsity_weight=1e6, steps_per_stage=1, max_stages=1, **LINEAR))
    assert (dear.edge_probabilities[~np.eye(d, dtype=bool)] < 0.5).all()


@pytest.mark.parametrize(
    ("noisy_is_acyclic", "noise_free_is_acyclic", "reason"),
    [
        (True, True, StopReason.CONVERGED),
        (True, False, StopReason.STAGE_LIMIT),
        (False, True, StopReason.STAGE_LIMIT),
    ],
)
def test_both_stopping_rules_are_asked(noisy_is_acyclic, noise_free_is_acyclic, reason):
    def measure(soft_mask):
        # At rest, sigma(U / tau) is 1/2 wherever it is not 0, and no noisy draw is.
        noise_free = jnp.all((soft_mask == 0) | (jnp.abs(soft_mask - 0.5) < 1e-3))
        return jnp.where(jnp.where(noise_free, noise_free_is_acyclic, noisy_is_acyclic), -30.0, 0.0)

    fit = train(table(), paper(4, acyclicity=measure, max_stages=3, **AT_REST, **LINEAR))
    assert fit.stop_reason is reason
    assert len(fit.trace) == (1 if reason is StopReason.CONVERGED else 3)


def test_pruning_removes_what_training_leaves():
    unrelated, settings = table(), {"sparsity_weight": 0.0, "steps_per_stage": 150}
    kept = learn(unrelated, paper(4, **settings)).graph
    pruned = learn(unrelated, paper(4, **settings, pruner=AdditivePruner()))
    assert len(kept.edges) > 0
    assert {(test.cause, test.effect) for test in pruned.tests} == set(kept.edges)
    assert pruned.graph.edges == ()


def test_acyclicity_is_of_the_mask_and_not_of_its_square():
    fit = train(table(), paper(4, steps_per_stage=3, max_stages=1, **LINEAR))
    mask = fit.edge_probabilities
    measured = fit.trace[0].acyclicity_of_probabilities
    assert measured == pytest.approx(np.trace(expm(mask)) - 4, rel=1e-4)
    assert measured > 1.5 * (np.trace(expm(mask * mask)) - 4)


def test_training_starts_from_xavier_uniform_weights():
    mechanism = train(table(10), paper(10, max_stages=1, **AT_REST)).state.model.mechanism
    for weight in mechanism.weights:
        n_out, n_in = weight.shape[1:]
        assert np.std(weight) == pytest.approx(np.sqrt(2 / (n_in + n_out)), rel=0.1)
    assert all(np.abs(bias).max() < 1e-9 for bias in mechanism.biases)


def test_training_uses_the_recipes_penalty_and_growth():
    trace = train(table(10), paper(10, max_stages=3, required_decrease=1e-9, **AT_REST, **LINEAR)).trace
    # The first stage has no earlier one to compare itself with.
    assert [row.penalty for row in trace] == pytest.approx([1e-3, 1e-3, 5e-3])


SIDE_EFFECTS = """
import importlib, json, logging, os, pkgutil, random, sys, warnings
import jax, numpy as np

def state():
    return {
        "root logger": [logging.root.level, [repr(handler) for handler in logging.root.handlers]],
        "float64": jax.config.jax_enable_x64,
        "jax": repr(sorted(jax.config.values.items())),
        "numpy's seed": repr(np.random.get_state()),
        "numpy's errors": np.geterr(),
        "random's seed": hash(random.getstate()),
        "environment": dict(os.environ),
        "warnings": [repr(rule) for rule in warnings.filters],
    }

def changed(before):
    return [name for name, value in state().items() if value != before[name]]

def import_every_room():
    import mcsl
    for module in pkgutil.walk_packages(mcsl.__path__, "mcsl."):
        if module.name != "mcsl.__main__":
            importlib.import_module(module.name)

# The first time loads other packages, whose side effects are not ours.
import_every_room()
for name in [name for name in sys.modules if name.partition(".")[0] == "mcsl"]:
    del sys.modules[name]
before = state()
import_every_room()
print(json.dumps(changed(before)))

import dataclasses
from mcsl.learning import learn
from mcsl.recipe import Recipe
from mcsl.simulation import simulate
recipe = Recipe.paper(3)
schedule = dataclasses.replace(recipe.schedule, steps_per_stage=2, max_stages=2)
before = state()
learn(np.arange(120.0).reshape(40, 3) ** [1, 2, 3], dataclasses.replace(recipe, schedule=schedule))
simulate("gp", n_variables=3, degree=1, n_samples=20, seed=0)
print(json.dumps(changed(before)))
"""


def test_neither_importing_nor_learning_touches_what_is_global():
    run = subprocess.run([sys.executable, "-c", SIDE_EFFECTS], capture_output=True, text=True, check=True)
    of_importing, of_learning = map(json.loads, run.stdout.splitlines())
    assert of_importing == []
    assert of_learning == []
