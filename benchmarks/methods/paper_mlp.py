from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np
from benchmarks.methods import Data, Method
from benchmarks.methods.default import learn_by


def learn(
    data: Data,
    mechanism: str,
    sparsity_weight: float,
    of_vectors: float,
    schedule: Iterable[tuple[str, object]] = (),
    **shape: int,
) -> np.ndarray:
    import mcsl

    paper = mcsl.Recipe.paper(data.values.shape[1])
    recipe = replace(
        paper,
        schedule=replace(paper.schedule, **dict(schedule)),
        mechanism=partial(getattr(mcsl, mechanism).init, **shape),
        # In place of CAM pruning, which is for scalars.
        sparsity_weight=sparsity_weight if data.values.ndim == 2 else of_vectors,
        pruner=mcsl.KeepAll(),
    )
    return learn_by(recipe, data)


METHOD = Method(
    name="MCSL-MLP",
    package="mcsl",
    imports="mcsl.learning",
    source="Ng et al. (2022), as this package has it: `Recipe.paper`",
    learn=learn,
    settings={"mechanism": "MLP", "sparsity_weight": 2e-3, "of_vectors": 0.02},
    is_pruned=True,
    reads_vectors=True,
    # With 50 variables it takes six to nine minutes, with 100 up to 67.
    limit=5400,
)
