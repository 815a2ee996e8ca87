"""A method that is killed before its time is up, as by a system without memory."""

import os
import signal

from benchmarks.methods import Data, Method


def learn(data: Data):
    os.kill(os.getpid(), signal.SIGKILL)


METHOD = Method("killed", package="numpy", imports="numpy", source="the tests", learn=learn)
