import numpy as np
from benchmarks.methods import Data, Method


def learn(data: Data, **settings) -> np.ndarray:
    from castle.algorithms import MCSL

    learner = MCSL(random_seed=data.seed, **settings)
    learner.learn(data.values)
    return np.asarray(learner.causal_matrix)


METHOD = Method(
    name="gCastle's MCSL",
    package="gcastle",
    imports="castle.algorithms",
    source="Ng et al. (2022), as gCastle has it",
    learn=learn,
    settings={"model_type": "nn", "max_iter": 25, "iter_step": 1000},
    is_peer=True,
    is_pruned=True,
)
