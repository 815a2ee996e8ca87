"""Answers requests on standard input: seconds a training step of gCastle's MCSL takes.

Runs in the peers' environment. `MCSL.learn` is called as it is, with its defaults but for the number of
steps and stages; only its own `Trainer.train_step` is timed.
"""

import json
import logging
import sys
import time
from importlib.metadata import version

import numpy as np
import torch
from castle.algorithms.gradient.mcsl.torch import MCSL
from castle.algorithms.gradient.mcsl.torch.trainers.al_trainer import Trainer

logging.disable(logging.INFO)
own_train_step = Trainer.train_step
clock = {}


def timed_train_step(*arguments: object) -> tuple:
    wall, cpu = time.perf_counter(), time.process_time()
    result = own_train_step(*arguments)
    clock.update(cpu=time.process_time() - cpu, wall=time.perf_counter() - wall)
    return result


Trainer.train_step = timed_train_step


def answer(request: dict) -> dict:
    if request["what"] == "versions":
        return {name: version(name) for name in ("gcastle", "torch", "numpy")}
    # Importing gCastle makes float64 torch's default; float32 is what it would be without that.
    torch.set_default_dtype(getattr(torch, request["dtype"]))
    torch.set_num_threads(request.get("n_threads", 1))
    values = np.load(request["table"]).astype(request["dtype"])
    MCSL(max_iter=1, iter_step=request["n_steps"]).learn(values)
    return {name: seconds / request["n_steps"] for name, seconds in clock.items()}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
