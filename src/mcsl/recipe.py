"""Recipes: one field a room, so that a part is swapped by replacing a field."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np

from mcsl.errors import SettingsError
from mcsl.model import MLP, MechanismInit
from mcsl.objective import Acyclicity, Score, gaussian_likelihood, least_squares, log_trace_exponential
from mcsl.pruning import KeepAll, Pruner
from mcsl.search import Schedule


@dataclass(frozen=True)
class Recipe:
    """Everything `learn` needs to know apart from the data; swap a part with `dataclasses.replace`."""

    name: str
    standardize: bool
    """Whether every column is brought to mean 0 and deviation 1 first."""
    mechanism: MechanismInit
    score: Score
    acyclicity: Acyclicity
    sparsity_weight: float
    """lambda, the price of an edge."""
    temperature: float
    """tau of the Gumbel-Sigmoid."""
    schedule: Schedule
    pruner: Pruner

    def __post_init__(self) -> None:
        if not self.sparsity_weight >= 0:
            raise SettingsError(f"`sparsity_weight` must be >= 0. Got {self.sparsity_weight} instead.")
        if not self.temperature > 0:
            raise SettingsError(f"`temperature` must be > 0. Got {self.temperature} instead.")

    @classmethod
    def default(cls) -> Recipe:
        """One recipe for every size and unit: the paper's method, mended.

        Standardized columns and a likelihood score make it indifferent to units; the penalty is sized by
        the first masks instead of by hand; steps see 512 rows.
        """
        return cls(
            name="default",
            standardize=True,
            mechanism=MLP.init,
            score=gaussian_likelihood,
            acyclicity=log_trace_exponential,
            sparsity_weight=1e-2,
            temperature=0.2,
            schedule=Schedule(learning_rate=1e-2, steps_per_stage=500, batch_size=512),
            pruner=KeepAll(),
        )

    @classmethod
    def paper(cls, n_variables: int) -> Recipe:
        """The paper's method with the numbers of its appendix."""
        return cls(
            name="paper",
            standardize=False,
            mechanism=MLP.init,
            score=least_squares,
            acyclicity=log_trace_exponential,
            sparsity_weight=2e-3,
            temperature=0.2,
            schedule=Schedule(
                initial_penalty=10.0 ** -math.ceil(round(0.3 * n_variables, 9)),
                penalty_growth=_growth(n_variables),
                learning_rate=3e-2,
                steps_per_stage=1000 if n_variables < 100 else 2500,
            ),
            pruner=KeepAll(),
        )

    def describe(self) -> dict[str, Any]:
        """Return the recipe as plain values, for `result.json`."""
        described = _describe(self)
        assert isinstance(described, dict)
        return described


def _growth(n_variables: int) -> float:
    """Interpolate the paper's beta linearly in log-log scale; beyond 100 variables, extend the last line."""
    sizes, growths = np.log([10, 20, 50, 100]), np.log([5.0, 15.0, 300.0, 8000.0])
    at = math.log(max(n_variables, 1))
    if at > sizes[-1]:
        slope = (growths[-1] - growths[-2]) / (sizes[-1] - sizes[-2])
        return math.exp(growths[-1] + slope * (at - sizes[-1]))
    return math.exp(np.interp(at, sizes, growths))


def _describe(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        parts = {
            f.name: _describe(getattr(value, f.name)) for f in fields(value) if not f.name.startswith("_")
        }
        return parts if isinstance(value, Recipe | Schedule) else {"kind": type(value).__name__, **parts}
    if isinstance(value, partial):
        return {"kind": _describe(value.func), **{name: _describe(v) for name, v in value.keywords.items()}}
    if callable(value):
        return getattr(value, "__qualname__", type(value).__name__)
    return value
