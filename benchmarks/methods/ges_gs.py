from dataclasses import replace

import numpy as np
from benchmarks.methods import Data, ges


def learn(data: Data, **settings) -> np.ndarray:
    from causallearn.score import LocalScoreFunction

    LocalScoreFunction.kernel = multiplying(LocalScoreFunction.kernel)
    return ges.learn(data, **settings)


def multiplying(kernel):
    """Return the kernel as a matrix, for which `*` is the matrix product.

    causal-learn centres a kernel K by `H * K * H`. Since it holds arrays, that multiplies element by element,
    and all single causes of a variable score alike.
    """

    def as_matrix(*arguments):
        values, width = kernel(*arguments)
        return np.asmatrix(values), width

    return as_matrix


METHOD = replace(
    ges.METHOD,
    name="GES-GS",
    source="Huang et al. (2018), with kernels centred as they should be",
    learn=learn,
    settings={"score_func": "local_score_CV_general", "parameters": {"kfold": 10, "lambda": 0.01}},
    n_samples=500,
)
