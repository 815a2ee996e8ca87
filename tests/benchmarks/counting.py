"""A method that fails where it has more than one core."""

import os

import numpy as np
from benchmarks.methods import Data, Method


def learn(data: Data):
    n_cores = len(os.sched_getaffinity(0))
    if n_cores > 1:
        raise ValueError(f"{n_cores} cores")
    return np.zeros((data.values.shape[1],) * 2)


METHOD = Method("counting", package="numpy", imports="numpy", source="the tests", learn=learn)
