import numpy as np
from benchmarks.methods import Data, Method


def learn(data: Data, **settings) -> np.ndarray:
    from causallearn.search.ConstraintBased.PC import pc

    return tails(pc(data.values, show_progress=False, **settings).G.graph)


def tails(graph: np.ndarray) -> np.ndarray:
    """Return adjacency[cause, effect] of causal-learn's endpoints: -1 is a tail at the row's variable."""
    return graph == -1


METHOD = Method(
    name="PC",
    package="causal-learn",
    imports="causallearn.search.ConstraintBased.PC",
    source="Spirtes and Glymour (1991)",
    learn=learn,
    settings={"alpha": 0.05, "indep_test": "fisherz"},
    is_peer=True,
    is_pattern=True,
    is_unit_free=True,
)
