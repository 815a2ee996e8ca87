"""NOTEARS with quadratic regressions: weights over all first- and second-order terms, acyclic by a penalty.

x_i is regressed on all x_j and x_j x_k. W[j, i], which stands for the edge j -> i, is the sum of the squared
coefficients of all terms that contain x_j, and the augmented Lagrangian

    1/2n sum_i |x_i - terms w_i|^2 + l1 |w|_1 + multiplier h(W) + penalty/2 h(W)^2,    h(W) = tr(e^W) - d

is lowered by L-BFGS-B with w = p - q, p, q >= 0, as in NOTEARS.
"""

import numpy as np
from benchmarks.methods import Data, Method


def learn(data: Data, l1: float, threshold: float, tolerance: float, max_penalty: float) -> np.ndarray:
    values = data.values - data.values.mean(axis=0)
    d = values.shape[1]
    left, right = np.triu_indices(d)
    terms = np.concatenate([values, values[:, left] * values[:, right]], axis=1)
    terms -= terms.mean(axis=0)
    contains = np.concatenate([np.eye(d), (np.eye(d)[left] + np.eye(d)[right]) > 0]).T
    gram, moments = terms.T @ terms / len(terms), terms.T @ values / len(terms)
    # A term that contains x_i does not predict it.
    free = contains.T == 0
    weights, multiplier, penalty, acyclicity = np.zeros((2, *free.shape)), 0.0, 1.0, np.inf
    while acyclicity > tolerance and penalty < max_penalty:
        while penalty < max_penalty:
            weights = minimize(weights, free, gram, moments, contains, l1, multiplier, penalty)
            fitted = weights[0] - weights[1]
            reached = trace_exponential(contains @ fitted**2)[0]
            if reached <= 0.25 * acyclicity:
                break
            penalty *= 10
        acyclicity = reached
        multiplier += penalty * acyclicity
    return np.sqrt(contains @ fitted**2) > threshold


def minimize(start, free, gram, moments, contains, l1, multiplier, penalty) -> np.ndarray:
    """Lower the augmented Lagrangian from a pair of non-negative weights."""
    from scipy.optimize import minimize as lbfgs

    def lagrangian(flat: np.ndarray) -> tuple[float, np.ndarray]:
        pair = flat.reshape(start.shape)
        weights = pair[0] - pair[1]
        residual = gram @ weights - moments
        loss = 0.5 * np.sum(weights * (residual - moments))
        h, slope = trace_exponential(contains @ weights**2)
        gradient = residual + (multiplier + penalty * h) * 2 * weights * (contains.T @ slope)
        total = loss + l1 * pair.sum() + multiplier * h + penalty / 2 * h**2
        return total, np.stack([gradient + l1, l1 - gradient]).ravel()

    bounds = np.stack([np.zeros(free.size), np.where(free, np.inf, 0.0).ravel()], axis=1)
    found = lbfgs(lagrangian, start.ravel(), jac=True, method="L-BFGS-B", bounds=np.tile(bounds, (2, 1)))
    return found.x.reshape(start.shape)


def trace_exponential(weighted: np.ndarray) -> tuple[float, np.ndarray]:
    """Return tr(e^W) - d and its gradient."""
    from scipy.linalg import expm

    power = expm(weighted)
    return float(np.trace(power) - len(weighted)), power.T


METHOD = Method(
    name="NOTEARS-quad",
    package="scipy",
    imports="scipy.optimize",
    source="Zheng et al. (2018) and Zhu et al. (2020), implemented here",
    learn=learn,
    settings={"l1": 0.01, "threshold": 0.3, "tolerance": 1e-8, "max_penalty": 1e16},
    is_pruned=True,
    is_quadratic=True,
)
