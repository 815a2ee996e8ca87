"""What every mechanism must satisfy; call `check_mechanism` on your own `init`."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from mcsl.data.dataset import Dataset
from mcsl.model import MechanismInit
from mcsl.problem import Problem


def problem_of(d: int, n: int = 40, seed: int = 0) -> Problem:
    values = np.random.default_rng(seed).standard_normal((n, d))
    return Problem.from_dataset(Dataset(values, tuple(f"x{i}" for i in range(d))))


def check_mechanism(init: MechanismInit, d: int = 5) -> None:
    """Check shapes, masking, independence of the variables, and that everything trains."""
    problem = problem_of(d)
    mechanism = init(np.random.default_rng(1), problem)
    inputs = jnp.asarray(problem.dataset.values.T, jnp.float32)
    rng = np.random.default_rng(2)
    soft_mask = jnp.asarray(rng.uniform(0.2, 1, (d, d)) * (1 - np.eye(d)), jnp.float32)

    predicted = mechanism.predict(inputs, soft_mask)
    assert predicted.shape == inputs.shape
    assert bool(jnp.isfinite(predicted).all())

    # Masking a cause equals feeding the mechanism a masked input, so a mask of 0 hides it.
    shifted = inputs.at[1].add(100.0)
    hidden = soft_mask.at[1].set(0.0)
    assert np.allclose(mechanism.predict(shifted, hidden), mechanism.predict(inputs, hidden), atol=1e-4)

    for effect in range(d):
        only = jnp.zeros(d).at[effect].set(1.0)

        def one_output(mechanism, soft_mask, only=only):
            return only @ jnp.sum(mechanism.predict(inputs, soft_mask) ** 2, axis=1)

        gradients = eqx.filter_grad(lambda m, f=one_output: f(m, soft_mask))(mechanism)
        for leaf in jax.tree.leaves(gradients):
            assert leaf.shape[0] == d
            others = np.delete(np.asarray(leaf), effect, axis=0)
            assert (others == 0).all(), "a parameter slice serves more than one variable"
            assert np.abs(np.asarray(leaf)[effect]).max() > 0, "a parameter does not train"
        of_mask = np.array(jax.grad(one_output, argnums=1)(mechanism, soft_mask))
        assert (np.delete(of_mask, effect, axis=1) == 0).all(), "a mask column serves another variable"
        assert (np.delete(of_mask[:, effect], effect) != 0).all(), "a mask entry has no gradient"
