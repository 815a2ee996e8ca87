"""The words of the command line and what each stands for: one dict a room, resolved when it is needed."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from mcsl.pruning import Pruner
    from mcsl.recipe import Recipe

RecipeName = Literal["default", "additive", "masked", "paper"]
MissingName = Literal["refuse", "drop", "impute", "mask"]
MechanismName = Literal["mlp", "quadratic", "linear"]
MissingRows = Annotated[
    MissingName,
    typer.Option(
        help="What to do about missing values: drop rows, draw values, or draw causes alone (mask)."
    ),
]
ScoreName = Literal["likelihood", "least-squares"]
PrunerName = Literal["interactions", "cam", "quadratic", "none"]
ModelName = Literal["gp", "gp-add", "gp-add-vec", "gp-vec", "linear", "mlp", "monotone", "pnl", "quadratic"]

MECHANISMS = {
    "mlp": "mcsl.model:MLP.init",
    "quadratic": "mcsl.model:Quadratic.init",
    "linear": "mcsl.model:Linear.init",
}
SCORES = {
    "likelihood": "mcsl.objective:gaussian_likelihood",
    "least-squares": "mcsl.objective:least_squares",
}
PRUNERS = {
    "interactions": "mcsl.pruning:InteractionPruner",
    "cam": "mcsl.pruning:AdditivePruner",
    "quadratic": "mcsl.pruning:QuadraticPruner",
    "none": "mcsl.pruning:KeepAll",
}


def build_recipe(
    name: RecipeName,
    n_variables: int,
    *,
    mechanism: MechanismName | None,
    score: ScoreName | None,
    pruner: PrunerName | None,
    sparsity_weight: float | None,
    restarts: int | None,
    standardize: bool | None,
) -> Recipe:
    """Return the named recipe with the parts that were asked for put in their places."""
    from dataclasses import replace

    from mcsl.recipe import Recipe

    changes: dict[str, Any] = {
        "mechanism": mechanism and resolve_name(MECHANISMS[mechanism]),
        "pruner": pruner and build_pruner(pruner),
        "sparsity_weight": sparsity_weight,
        "restarts": restarts,
        "standardize": standardize,
    }
    if name == "default" and any(part is not None for part in (mechanism, sparsity_weight, restarts)):
        # These are parts of the networks, which the default recipe does without.
        name = "masked"
    recipe = Recipe.named(name, n_variables)
    if score and recipe.schedule:
        changes["score"] = resolve_name(SCORES[score])
    if score and recipe.order:
        changes["order"] = replace(recipe.order, equal_variances=score == "least-squares")
    return replace(recipe, **{part: value for part, value in changes.items() if value is not None})


def build_pruner(name: PrunerName, **settings: Any) -> Pruner:
    """Return the named pruner with some of its settings."""
    pruner: Pruner = resolve_name(PRUNERS[name])(**settings)
    return pruner
