import numpy as np
from benchmarks.methods import Data, Method


def learn(data: Data, recipe: str) -> np.ndarray:
    import mcsl

    n_samples, n_variables, *dimensions = data.values.shape
    table = mcsl.to_dataset(data.values.reshape(n_samples, -1))
    groups = np.array(table.names).reshape(n_variables, -1).tolist() if dimensions else ()
    return mcsl.learn(
        table,
        mcsl.Recipe.named(recipe, n_variables),
        groups={f"group {i}": columns for i, columns in enumerate(groups)} or None,
        seed=data.seed,
    ).graph.adjacency


METHOD = Method(
    name="default",
    package="mcsl",
    imports="mcsl.learning",
    source="this package",
    learn=learn,
    settings={"recipe": "default"},
    reads_vectors=True,
    is_unit_free=True,
)
