from dataclasses import replace

import numpy as np
from benchmarks.methods import Data, Method


def learn(data: Data, mechanism: str) -> np.ndarray:
    import mcsl

    recipe = mcsl.Recipe.paper(data.values.shape[1])
    recipe = replace(recipe, mechanism=getattr(mcsl, mechanism).init, pruner=mcsl.KeepAll())
    return mcsl.learn(data.values, recipe, seed=data.seed).graph.adjacency


METHOD = Method(
    name="MCSL-MLP",
    package="mcsl",
    imports="mcsl.learning",
    source="Ng et al. (2022), as this package has it: `Recipe.paper`",
    learn=learn,
    settings={"mechanism": "MLP"},
    is_pruned=True,
)
