import numpy as np
from benchmarks.methods import Data, Method


def learn(data: Data, hidden: int, **settings) -> np.ndarray:
    import torch
    from dagma.nonlinear import DagmaMLP, DagmaNonlinear

    torch.manual_seed(data.seed)
    model = DagmaMLP(dims=[data.values.shape[1], hidden, 1])
    return DagmaNonlinear(model).fit(data.values, **settings) != 0


METHOD = Method(
    name="DAGMA-MLP",
    package="dagma",
    imports="dagma.nonlinear",
    source="Bello et al. (2022); a tenth of the steps it has by default",
    learn=learn,
    settings={"hidden": 10, "lambda1": 0.02, "lambda2": 0.005, "warm_iter": 5000, "max_iter": 8000},
    is_peer=True,
)
