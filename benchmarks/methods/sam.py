import numpy as np
from benchmarks.methods import Data, Method


def learn(data: Data, **settings) -> np.ndarray:
    import networkx as nx
    import pandas as pd
    import torch
    from cdt.causality.graph import SAM

    # Importing gCastle, which the worker may have done for another method, makes this float64.
    torch.set_default_dtype(torch.float32)
    torch.manual_seed(data.seed)
    graph = SAM(gpus=0, **settings).predict(pd.DataFrame(data.values))
    probabilities = nx.to_numpy_array(graph, nodelist=range(data.values.shape[1]))
    return probabilities > 0.5


METHOD = Method(
    name="SAM",
    package="cdt",
    imports="cdt.causality.graph",
    source="Kalainathan et al. (2018); one run instead of the mean of eight",
    learn=learn,
    settings={"train_epochs": 3000, "test_epochs": 1000, "nruns": 1},
    is_peer=True,
    is_unit_free=True,
)
