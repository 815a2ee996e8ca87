"""Fit a small problem on all devices there are and save the edge probabilities; run by test_mesh.py.

python fit_on_mesh.py FILE [ADDRESS PROCESS]
"""

import sys
from contextlib import nullcontext
from functools import partial

import jax
import numpy as np

from mcsl import simulate
from mcsl.model import MLP
from mcsl.objective import gaussian_likelihood, log_trace_exponential
from mcsl.problem import Problem
from mcsl.search import Schedule
from mcsl.search.augmented_lagrangian import search

file, *process = sys.argv[1:]
if process:
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(process[0], num_processes=2, process_id=int(process[1]))
several = jax.device_count() > 1
dataset = simulate("gp-add", n_variables=22, degree=1, n_samples=1000, seed=0).dataset
with jax.set_mesh(jax.sharding.Mesh(jax.devices(), ("variables",))) if several else nullcontext():
    (fit,) = search(
        Problem.from_dataset(dataset.standardized()),
        seeds=[0],
        mechanism=partial(MLP.init, width=16, depth=1),
        temperature=0.2,
        score=gaussian_likelihood,
        acyclicity=log_trace_exponential,
        sparsity_weight=2e-3,
        schedule=Schedule(steps_per_stage=60, max_stages=3, batch_size=500),
    )
for leaf in jax.tree.leaves(fit.state.model):
    assert len(leaf.sharding.device_set) == jax.device_count()
np.save(file, fit.edge_probabilities)
