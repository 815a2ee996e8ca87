import numpy as np
from benchmarks.methods import Data, Method


def learn(data: Data, **settings) -> np.ndarray:
    import torch
    from castle.algorithms import NotearsNonlinear

    torch.manual_seed(data.seed)
    learner = NotearsNonlinear(**settings)
    learner.learn(data.values)
    return np.asarray(learner.causal_matrix)


METHOD = Method(
    name="NOTEARS-MLP",
    package="gcastle",
    imports="castle.algorithms",
    source="Zheng et al. (2020)",
    learn=learn,
    settings={"lambda1": 0.01, "lambda2": 0.01, "w_threshold": 0.3, "hidden_layers": (10, 1)},
    is_peer=True,
    is_pruned=True,
)
