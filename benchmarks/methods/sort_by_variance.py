import numpy as np
from benchmarks.methods import Data, Method
from benchmarks.methods.true_order import pruned_along


def learn(data: Data, tests: str) -> np.ndarray:
    return pruned_along(np.argsort(data.values.var(axis=0)), data.values, tests)


METHOD = Method(
    name="sort by variance",
    package="mcsl",
    imports="mcsl.recipe",
    source="Reisach et al. (2021); the additive recipe's tests instead of a lasso",
    learn=learn,
    settings={"tests": "additive"},
)
