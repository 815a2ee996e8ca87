"""Recipes: one field a room, so that a part is swapped by replacing a field."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mcsl.errors import SettingsError
from mcsl.order import OrderSearch
from mcsl.pruning import AdditivePruner, InteractionPruner, Pruner
from mcsl.search import Schedule
from mcsl.settings import check_number, whole_number

if TYPE_CHECKING:
    from mcsl.model import MechanismInit
    from mcsl.objective import Acyclicity, Score

_PAPER_PRICE = 2e-3
# The paper's first penalty times the square of the first masks' acyclicity grows with their number. Beyond
# this many variables Adam would remember its gradients for so long that all masks close and stay so.
_MOST_WITH_ONE_OPTIMIZER = 30
_PARTS_OF_NETWORKS = ("mechanism", "score", "acyclicity", "sparsity_weight", "temperature", "restarts")
_RARELY_WRONG = InteractionPruner(significance=None, n_jobs=-1)


@dataclass(frozen=True)
class Recipe:
    """Everything `learn` needs to know apart from the data; swap a part with `dataclasses.replace`.

    A recipe finds an order by spline regressions, edges by masked networks, or both: then the networks
    start from the order.
    """

    name: str
    standardize: bool
    """Whether every column is brought to mean 0 and deviation 1 first."""
    order: OrderSearch | None
    """How the causal order is found; None leaves it to the masks."""
    schedule: Schedule | None
    """How masks and networks are trained; None leaves the edges to the pruner."""
    pruner: Pruner
    mechanism: MechanismInit | None = None
    """How networks start; None for `MLP.init`, and without networks."""
    score: Score | None = None
    """How badly networks fit; None for `gaussian_likelihood`, and without networks."""
    acyclicity: Acyclicity | None = None
    """What keeps masks from cycles; None for `log_trace_exponential`, and without networks."""
    sparsity_weight: float | None = None
    """lambda, the price of an edge; None for the paper's 0.002 or, after an order search, for Akaike's price
    of five functions: 5 / n, for least squares times the variance of the noise."""
    temperature: float = 0.2
    """tau of the Gumbel-Sigmoid."""
    restarts: int = 1
    """Seeds that networks train from; the best of these fits is taken."""

    def __post_init__(self) -> None:
        if self.sparsity_weight is not None:
            check_number("sparsity_weight", self.sparsity_weight, least=0)
        check_number("temperature", self.temperature, above=0)
        whole_number("restarts", self.restarts, 1)
        if self.order is None and self.schedule is None:
            raise SettingsError("A recipe needs an `order` search, a `schedule` for the masks, or both.")
        if self.order is not None and self.order.equal_variances and self.standardize:
            raise SettingsError(
                "Equal noise variances (least squares) are those of the table's own units; "
                "set `standardize` to False with them (--no-standardize)."
            )
        if self.schedule is None:
            self._refuse_parts_of_networks()
        else:
            self._fill_in()

    def _refuse_parts_of_networks(self) -> None:
        for part in fields(self):
            if part.name in _PARTS_OF_NETWORKS and getattr(self, part.name) != part.default:
                raise SettingsError(
                    f"`{part.name}` is a setting of networks, which this recipe does without; leave it out, "
                    "or take a recipe with networks: Recipe.masked() (--recipe masked)."
                )

    def _fill_in(self) -> None:
        # Only recipes with networks load JAX.
        from mcsl.model import MLP
        from mcsl.objective import gaussian_likelihood, log_trace_exponential

        usual = {"mechanism": MLP.init, "score": gaussian_likelihood, "acyclicity": log_trace_exponential}
        for part, value in usual.items():
            if getattr(self, part) is None:
                object.__setattr__(self, part, value)
        if self.order is None and self.sparsity_weight is None:
            object.__setattr__(self, "sparsity_weight", _PAPER_PRICE)

    @classmethod
    def default(cls) -> Recipe:
        """One recipe for every size and unit: an order by splines that see interactions, then pruning."""
        order = OrderSearch(n_jobs=-1)
        return cls("default", standardize=True, order=order, schedule=None, pruner=_RARELY_WRONG)

    @classmethod
    def additive(cls) -> Recipe:
        """The fast baseline: the same over additive models alone."""
        return cls(
            "additive",
            standardize=True,
            order=OrderSearch(interactions=False),
            schedule=None,
            pruner=AdditivePruner(significance=None, mode="auto"),
        )

    @classmethod
    def masked(cls) -> Recipe:
        """Masked networks that start from the order, in any units and without size-dependent constants."""
        return cls(
            "masked",
            standardize=True,
            order=OrderSearch(n_jobs=-1),
            schedule=Schedule(learning_rate=1e-2, steps_per_stage=500, required_fall=1.0, batch_size=512),
            pruner=_RARELY_WRONG,
        )

    @classmethod
    def paper(cls, n_variables: int) -> Recipe:
        """The paper's method with the numbers of its appendix."""
        from mcsl.objective import least_squares

        return cls(
            "paper",
            standardize=False,
            order=None,
            score=least_squares,
            sparsity_weight=_PAPER_PRICE,
            schedule=Schedule(
                # Beyond a thousand variables the formula is less than the least number there is.
                initial_penalty=max(10.0 ** -math.ceil(round(0.3 * n_variables, 9)), sys.float_info.min),
                penalty_growth=_growth(n_variables),
                learning_rate=3e-2,
                steps_per_stage=1000 if n_variables < 100 else 2500,
                fresh_optimizer=n_variables > _MOST_WITH_ONE_OPTIMIZER,
            ),
            pruner=AdditivePruner(),
        )

    @classmethod
    def of(cls, chosen: Recipe | str | None, n_variables: int) -> Recipe:
        """Return a recipe as it is, one by its name, or the default for None."""
        if isinstance(chosen, Recipe):
            return chosen
        return cls.default() if chosen is None else cls.named(chosen, n_variables)

    @classmethod
    def named(cls, name: str, n_variables: int) -> Recipe:
        """Return the recipe of a name, for a graph of so many variables."""
        recipes: dict[str, Callable[[], Recipe]] = {
            "default": cls.default,
            "additive": cls.additive,
            "masked": cls.masked,
            "paper": partial(cls.paper, n_variables),
        }
        if name not in recipes:
            raise SettingsError(
                f"`recipe` must be a Recipe or one of {', '.join(recipes)}. Got {name!r} instead."
            )
        return recipes[name]()

    @property
    def assumes_one_variance(self) -> bool:
        """Whether all noises are taken to have the same variance, by the order search or by the networks."""
        by_order = self.order is not None and self.order.equal_variances
        return by_order or (self.score is not None and self.score.name == "least-squares")

    @property
    def reads_units(self) -> bool:
        """Whether columns in other units could have another order: for networks and for equal variances."""
        return not self.standardize and (self.schedule is not None or self.assumes_one_variance)

    def describe(self) -> dict[str, Any]:
        """Return the recipe as plain values, for `result.json`."""
        return {part.name: _describe(getattr(self, part.name)) for part in fields(self)}


@dataclass(frozen=True)
class RecordedRecipe:
    """A recipe as a file remembers it: a description, from which no parts can be made."""

    name: str
    description: Mapping[str, Any]

    def describe(self) -> dict[str, Any]:
        """Return the recipe as plain values."""
        return dict(self.description)


def _growth(n_variables: int) -> float:
    """Interpolate the paper's beta linearly in log-log scale; beyond 100 variables, extend the last line."""
    sizes, growths = np.log([10, 20, 50, 100]), np.log([5.0, 15.0, 300.0, 8000.0])
    at = math.log(max(n_variables, 1))
    if at > sizes[-1]:
        slope = (growths[-1] - growths[-2]) / (sizes[-1] - sizes[-2])
        return math.exp(growths[-1] + slope * (at - sizes[-1]))
    return math.exp(np.interp(at, sizes, growths))


def _describe(value: Any) -> Any:
    if hasattr(value, "describe"):
        return value.describe()
    if is_dataclass(value) and not isinstance(value, type):
        parts = {part.name: _describe(getattr(value, part.name)) for part in fields(value)}
        return parts if isinstance(value, Schedule) else {"kind": type(value).__name__, **parts}
    if isinstance(value, partial):
        return {"kind": _describe(value.func), **{name: _describe(v) for name, v in value.keywords.items()}}
    return getattr(value, "__qualname__", type(value).__name__) if callable(value) else value
