"""The structural equation model X_i = h_i(A_i * X) + noise with a learned mask in place of A."""

from __future__ import annotations

import equinox as eqx
import jax
import numpy as np
from numpy.typing import ArrayLike

from mcsl.errors import SettingsError
from mcsl.model.mask import EdgeMask
from mcsl.model.mechanism import Mechanism, MechanismInit
from mcsl.problem import Problem


class MaskedSEM(eqx.Module):
    """All that trains: the mask's logits U and the mechanisms' parameters phi."""

    mask: EdgeMask
    mechanism: Mechanism

    @classmethod
    def init(
        cls,
        rng: np.random.Generator,
        problem: Problem,
        mechanism: MechanismInit,
        temperature: float,
        logits: ArrayLike | None = None,
    ) -> MaskedSEM:
        """Start a model for a problem."""
        started = mechanism(rng, problem)
        for leaf in jax.tree.leaves(eqx.filter(started, eqx.is_inexact_array)):
            if leaf.shape[:1] != (problem.n_variables,):
                raise SettingsError(
                    f"Every trained array of {type(started).__name__} must have the {problem.n_variables} "
                    f"variables as its leading axis. Got one of shape {leaf.shape} instead."
                )
        _check_columns(started, problem)
        return cls(EdgeMask.init(problem.candidates, temperature, logits, problem.required), started)

    def trained(self) -> MaskedSEM:
        """Return the same tree with None for everything that does not train."""
        trained: MaskedSEM = eqx.filter(self, eqx.is_inexact_array)
        return trained


def _check_columns(mechanism: Mechanism, problem: Problem) -> None:
    """Refuse a mechanism that takes a column for a variable where that is not so."""
    if problem.is_scalar:
        return
    n_outputs = sum(len(variable.outputs) for variable in problem.variables)
    inputs = np.zeros((problem.dataset.n_variables, 2), np.float32)
    soft_mask = problem.candidates.astype(np.float32)
    try:
        shape = eqx.filter_eval_shape(mechanism.predict, inputs, soft_mask).shape
    except (TypeError, ValueError):
        shape = ()
    if shape[-2:] != (n_outputs, 2):
        raise SettingsError(
            f"{type(mechanism).__name__} does not read groups or lags; use `MLP.init`, or see `Layout`."
        )
