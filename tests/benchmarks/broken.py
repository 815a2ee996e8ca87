"""A method that fails."""

from benchmarks.methods import Data, Method


def learn(data: Data):
    raise ValueError("no graph today")


METHOD = Method("broken", package="numpy", imports="numpy", source="the tests", learn=learn)
