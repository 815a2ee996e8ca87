"""A method that never ends."""

from benchmarks.methods import Data, Method


def learn(data: Data):
    while True:
        pass


METHOD = Method("endless", package="numpy", imports="numpy", source="the tests", learn=learn)
