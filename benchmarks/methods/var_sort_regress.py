import numpy as np
from benchmarks.methods import Data, Method


def learn(data: Data) -> np.ndarray:
    from CausalDisco.baselines import var_sort_regress

    return var_sort_regress(data.values) != 0


METHOD = Method(
    name="var-sort-regress",
    package="CausalDisco",
    imports="CausalDisco.baselines",
    source="Reisach et al. (2021): sort by variance, then a lasso",
    learn=learn,
    is_peer=True,
)
