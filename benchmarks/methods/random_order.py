import numpy as np
from benchmarks.methods import Data, Method
from benchmarks.methods.true_order import pruned_along


def learn(data: Data, tests: str) -> np.ndarray:
    order = np.random.default_rng(data.seed).permutation(data.values.shape[1])
    return pruned_along(order, data.values, tests)


METHOD = Method(
    name="random order",
    package="mcsl",
    imports="mcsl.recipe",
    source="a control: a random order, then the additive recipe's tests",
    learn=learn,
    settings={"tests": "additive"},
    is_unit_free=True,
)
