"""Random causal graphs and tables simulated along them."""

from mcsl.simulation.graphs import longest_path, simulate_dag
from mcsl.simulation.mechanisms import (
    MLP,
    AdditiveGaussianProcess,
    GaussianProcess,
    Linear,
    Mechanism,
    Model,
    PostNonlinear,
    Quadratic,
)
from mcsl.simulation.sem import MODELS, Simulation, simulate, simulate_from

__all__ = [
    "MLP",
    "MODELS",
    "AdditiveGaussianProcess",
    "GaussianProcess",
    "Linear",
    "Mechanism",
    "Model",
    "PostNonlinear",
    "Quadratic",
    "Simulation",
    "longest_path",
    "simulate",
    "simulate_dag",
    "simulate_from",
]
