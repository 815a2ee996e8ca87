import numpy as np
from benchmarks.methods import Data, Method
from benchmarks.methods.true_order import pruned_along


def learn(data: Data, tests: str) -> np.ndarray:
    # R^2 of each variable given all others is 1 - 1 / diag(C^-1), with C the correlations.
    unexplained = 1 / np.diag(np.linalg.inv(np.corrcoef(data.values.T)))
    return pruned_along(np.argsort(-unexplained), data.values, tests)


METHOD = Method(
    name="sort by R²",
    package="mcsl",
    imports="mcsl.recipe",
    source="Reisach et al. (2023); the additive recipe's tests instead of a lasso",
    learn=learn,
    settings={"tests": "additive"},
    is_unit_free=True,
)
