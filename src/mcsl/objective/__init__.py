"""What training minimises: a score, sparsity and acyclicity."""

from mcsl.objective.acyclicity import Acyclicity, log_determinant, log_polynomial, log_trace_exponential
from mcsl.objective.components import Componentwise, on_candidates
from mcsl.objective.lagrangian import Terms, lagrangian
from mcsl.objective.row_blocks import RowBlocks, mean_losses
from mcsl.objective.scores import Score, gaussian_likelihood, least_squares, location_scale_likelihood

__all__ = [
    "Acyclicity",
    "Componentwise",
    "RowBlocks",
    "Score",
    "Terms",
    "gaussian_likelihood",
    "lagrangian",
    "least_squares",
    "location_scale_likelihood",
    "log_determinant",
    "log_polynomial",
    "log_trace_exponential",
    "mean_losses",
    "on_candidates",
]
