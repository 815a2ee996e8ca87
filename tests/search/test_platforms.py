"""Training asks for nothing that only a processor can do."""

import equinox as eqx
import jax
import numpy as np
import pytest

from mcsl.data.dataset import Dataset
from mcsl.model import MLP
from mcsl.objective import gaussian_likelihood, log_trace_exponential
from mcsl.problem import Problem
from mcsl.search import Schedule, augmented_lagrangian


class Captured(Exception):  # noqa: N818
    """Ends a search with what its first stage was called with."""


@pytest.mark.parametrize("platform", ["cuda", "tpu"])
def test_a_stage_compiles_for_other_devices_and_never_calls_back(platform, monkeypatch):
    run_stage = augmented_lagrangian.run_stage

    def capture(*arguments):
        raise Captured(arguments)

    monkeypatch.setattr(augmented_lagrangian, "run_stage", capture)
    values = np.random.default_rng(0).standard_normal((60, 3))
    with pytest.raises(Captured) as captured:
        augmented_lagrangian.search(
            Problem.from_dataset(Dataset(values, ("a", "b", "c"))),
            seeds=[0],
            mechanism=MLP.init,
            temperature=0.2,
            score=gaussian_likelihood,
            acyclicity=log_trace_exponential,
            sparsity_weight=2e-3,
            schedule=Schedule(steps_per_stage=2, batch_size=30),
        )
    arrays, static = eqx.partition(captured.value.args[0], eqx.is_array)

    def stage(arrays):
        return eqx.filter(run_stage(*eqx.combine(arrays, static)), eqx.is_array)

    program = jax.export.export(jax.jit(stage), platforms=[platform])(arrays).mlir_module()
    assert "callback" not in program
