"""What every mechanism must satisfy; call `check_mechanism` on your own `init`."""

from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from mcsl.data import Dataset, SeriesTable
from mcsl.model import MechanismInit
from mcsl.problem import Problem, cut_windows


def problem_of(d: int, n: int = 40, seed: int = 0) -> Problem:
    values = np.random.default_rng(seed).standard_normal((n, d))
    return Problem.from_dataset(Dataset(values, tuple(f"x{i}" for i in range(d))))


def lagged_groups(n: int = 40, seed: int = 0) -> Problem:
    """Three variables of two, one and three columns, each with a lag."""
    values = np.random.default_rng(seed).standard_normal((n, 6))
    table = SeriesTable.of(Dataset(values, tuple("abcdef")))
    return cut_windows(table, lags=1, groups={"g": ["a", "b"], "h": ["d", "e", "f"]})[0]


def few_candidates(d: int = 12, n: int = 40, seed: int = 0) -> Problem:
    """Every variable has its neighbours on a circle for candidates, but the third has none."""
    candidates = np.roll(np.eye(d, dtype=bool), 1, axis=0) | np.roll(np.eye(d, dtype=bool), -1, axis=0)
    candidates[:, 2] = False
    return replace(problem_of(d, n, seed), candidates=candidates)


def lags(n: int = 40, seed: int = 0) -> Problem:
    """Four variables, each a column with two lags."""
    values = np.random.default_rng(seed).standard_normal((n, 4))
    return cut_windows(SeriesTable.of(Dataset(values, tuple("abcd"))), lags=2)[0]


def check_mechanism(init: MechanismInit, d: int = 5, problem: Problem | None = None) -> None:
    """Check shapes, masking, independence of the variables, and that everything trains.

    The problem has d scalars; pass `lagged_groups()` if the mechanism is for groups and lags too, and
    `few_candidates()` if it reads its candidates alone.
    """
    problem = problem or problem_of(d)
    d = problem.n_variables
    mechanism = init(np.random.default_rng(1), problem)
    inputs = jnp.asarray(problem.dataset.values.T, jnp.float32)
    rng = np.random.default_rng(2)
    soft_mask = jnp.asarray(rng.uniform(0.2, 1, (d, d)) * problem.candidates, jnp.float32)
    owners = np.array([i for i, variable in enumerate(problem.variables) for _ in variable.outputs])

    predict = eqx.filter_jit(mechanism.predict)
    predicted = predict(inputs, soft_mask)
    assert predicted.shape == (len(owners), problem.n_samples)
    assert bool(jnp.isfinite(predicted).all())

    # Masking a cause equals feeding the mechanism a masked input, so a mask of 0 hides all its columns.
    cause = problem.variables[1]
    shifted = inputs.at[np.array(cause.inputs)].add(100.0)
    hidden = soft_mask.at[1].set(0.0)
    before, after = (np.asarray(predict(x, hidden)) for x in (inputs, shifted))
    assert np.allclose(before[owners != 1], after[owners != 1], atol=1e-4)
    # Its own past is always read, and what it predicts never.
    assert bool(cause.own_past) is not np.allclose(before[owners == 1], after[owners == 1], atol=1e-4)
    present = inputs.at[np.array(cause.outputs)].add(100.0)
    after = np.asarray(predict(present, soft_mask))
    assert np.allclose(predicted[owners == 1], after[owners == 1], atol=1e-4)

    if mechanism.is_divisible:
        some = jnp.array([d - 1, 0])
        alone = mechanism.for_effects(some).predict(inputs, soft_mask[:, some])
        assert np.allclose(alone, predicted[some], atol=1e-5), "a slice does not predict its variables"

    @eqx.filter_jit
    @eqx.filter_grad
    def gradients(trained, only):
        mechanism, soft_mask = trained
        return only @ jnp.sum(mechanism.predict(inputs, soft_mask) ** 2, axis=1)

    for effect in range(d):
        of_mechanism, of_mask = gradients((mechanism, soft_mask), jnp.asarray(owners == effect, jnp.float32))
        for leaf in jax.tree.leaves(of_mechanism):
            assert leaf.shape[0] == d
            others = np.delete(np.asarray(leaf), effect, axis=0)
            assert (others == 0).all(), "a parameter slice serves more than one variable"
            if problem.candidates[:, effect].any():
                assert np.abs(np.asarray(leaf)[effect]).max() > 0, "a parameter does not train"
        of_mask = np.asarray(of_mask)
        assert (np.delete(of_mask, effect, axis=1) == 0).all(), "a mask column serves another variable"
        assert (of_mask[problem.candidates[:, effect], effect] != 0).all(), "a mask entry has no gradient"
