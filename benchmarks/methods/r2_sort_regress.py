import numpy as np
from benchmarks.methods import Data, Method


def learn(data: Data) -> np.ndarray:
    from CausalDisco.baselines import r2_sort_regress

    return r2_sort_regress(data.values) != 0


METHOD = Method(
    name="R²-sort-regress",
    package="CausalDisco",
    imports="CausalDisco.baselines",
    source="Reisach et al. (2023): sort by R², then a lasso",
    learn=learn,
    is_peer=True,
    is_unit_free=True,
)
