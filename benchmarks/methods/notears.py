import numpy as np
from benchmarks.methods import Data, Method


def learn(data: Data, **settings) -> np.ndarray:
    from castle.algorithms import Notears

    learner = Notears(**settings)
    learner.learn(data.values)
    return np.asarray(learner.causal_matrix)


METHOD = Method(
    name="NOTEARS",
    package="gcastle",
    imports="castle.algorithms",
    source="Zheng et al. (2018)",
    learn=learn,
    settings={"lambda1": 0.1, "loss_type": "l2", "w_threshold": 0.3},
    is_peer=True,
)
