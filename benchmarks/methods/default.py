import numpy as np
from benchmarks.methods import Data, Method


def learn(data: Data, recipe: str) -> np.ndarray:
    from mcsl import Recipe

    return learn_by(Recipe.named(recipe, data.values.shape[1]), data)


def learn_by(recipe, data: Data) -> np.ndarray:
    """Learn with a recipe, from scalars or from vectors."""
    import mcsl

    n_samples, n_variables, *dimensions = data.values.shape
    table = mcsl.to_dataset(data.values.reshape(n_samples, -1))
    groups = None
    if dimensions:
        columns = np.array(table.names).reshape(n_variables, -1).tolist()
        groups = {f"group {i}": names for i, names in enumerate(columns)}
    return mcsl.learn(table, recipe, groups=groups, seed=data.seed).graph.adjacency


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
