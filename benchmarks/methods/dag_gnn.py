import numpy as np
from benchmarks.methods import Data, Method


def learn(data: Data, **settings) -> np.ndarray:
    from castle.algorithms import DAG_GNN

    learner = DAG_GNN(seed=data.seed, **settings)
    learner.learn(data.values)
    return np.asarray(learner.causal_matrix)


METHOD = Method(
    name="DAG-GNN",
    package="gcastle",
    imports="castle.algorithms",
    source="Yu et al. (2019)",
    learn=learn,
    settings={"epochs": 300, "graph_threshold": 0.3},
    is_peer=True,
)
