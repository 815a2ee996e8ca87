import numpy as np
from benchmarks.methods import Data, Method


def learn(data: Data, **settings) -> np.ndarray:
    from castle.algorithms import GraNDAG

    learner = GraNDAG(input_dim=data.values.shape[1], random_seed=data.seed, **settings)
    learner.learn(data.values)
    return np.asarray(learner.causal_matrix)


METHOD = Method(
    name="GraN-DAG",
    package="gcastle",
    imports="castle.algorithms",
    source="Lachapelle et al. (2020)",
    learn=learn,
    settings={"hidden_num": 2, "hidden_dim": 10, "iterations": 10_000},
    is_peer=True,
    is_pruned=True,
)
