"""Random causal graphs and tables simulated along them."""

from mcsl.simulation.graphs import longest_path, simulate_dag
from mcsl.simulation.incidents import Fault, Incident, simulate_incident
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
from mcsl.simulation.series import (
    Intervention,
    SeriesModel,
    SeriesSimulation,
    simulate_series,
    simulate_series_model,
)

__all__ = [
    "MLP",
    "MODELS",
    "AdditiveGaussianProcess",
    "Fault",
    "GaussianProcess",
    "Incident",
    "Intervention",
    "Linear",
    "Mechanism",
    "Model",
    "PostNonlinear",
    "Quadratic",
    "SeriesModel",
    "SeriesSimulation",
    "Simulation",
    "longest_path",
    "simulate",
    "simulate_dag",
    "simulate_from",
    "simulate_incident",
    "simulate_series",
    "simulate_series_model",
]
