"""A Gaussian process whose kernel weighs every input, learned on blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import spotrf, spotri
from scipy.optimize import minimize

# Single precision halves the cost; the noise on the diagonal keeps every matrix well conditioned.
Array = NDArray[np.float32]
# Inputs of less relevance change nothing over the range of the data.
_LEAST_RELEVANT = 0.05
_MOST_RELEVANT = 20.0
_MANY_INPUTS = 5
_BLOCK_SIZE = 300
_PRIOR_DEVIATION = 3.0
_NOISE_BOUNDS = (0.01, 1000.0)


@dataclass(frozen=True, eq=False)
class Kernel:
    """k(x, x') = exp(-sum_c relevance_c (x_c - x'_c)^2 / 2), with `noise` added on the diagonal."""

    relevance: Array = field(repr=False)
    noise: float

    def weigh(self, inputs: Array) -> Array:
        """Return the inputs in units of their length scales, in which the kernel is round."""
        weighed: Array = inputs * np.sqrt(self.relevance)
        return weighed


def gaussian(left: Array, right: Array) -> Array:
    """Return exp(-|x - x'|^2 / 2) for every pair of rows."""
    exponent = left @ right.T
    exponent -= np.sum(left**2, axis=1)[:, None] / 2
    exponent -= np.sum(right**2, axis=1) / 2
    similarity: Array = np.exp(np.minimum(exponent, 0, out=exponent), out=exponent)
    return similarity


def learn_kernel(
    inputs: Array, responses: Array, *, likely: NDArray[np.bool_] | None = None, thorough: bool = True
) -> Kernel:
    """Maximise the posterior of relevances and noise, from the best of a few starts.

    All inputs start with equal relevances, or those that are `likely` to matter with larger ones: among
    many inputs, equal relevances make all rows strangers to each other, and no step leads out of that.

    The posterior is the marginal likelihood times half-normal priors on the relevances, which keep weak
    data from being explained by a few very short length scales. The responses share the kernel; each has
    its own variance, which is profiled out.

    The rows are cut into blocks that are taken as independent. The information about the kernel is in
    pairs of rows: small blocks see fewer pairs than one large matrix, but many more for the same work.
    A third of them tells which of the inputs matter. Only a function of many inputs needs all, and only if
    the search is to be `thorough`.
    """
    n_blocks = max(len(inputs) // _BLOCK_SIZE, 1)
    blocks = list(
        zip(np.array_split(inputs, n_blocks), np.array_split(responses, n_blocks), strict=True),
    )
    start = min(_starts(inputs.shape[1], likely), key=lambda point: _loss(point, blocks[:1])[0])
    found = _climb(start, blocks[: max(n_blocks // 3, 1)], max_steps=25)
    if thorough and np.sum(found[:-1] >= _LEAST_RELEVANT) >= _MANY_INPUTS:
        found = _climb(found, blocks, max_steps=5)
    return Kernel(found[:-1].astype(np.float32), float(np.exp(found[-1])))


def _starts(n_inputs: int, likely: NDArray[np.bool_] | None) -> list[NDArray[np.float64]]:
    """Return points to start from: relevances, and the logarithm of the noise behind them."""
    if likely is None:
        relevances = [np.full(n_inputs, scale) for scale in (1 / n_inputs, 0.3, 1.0, 2.0)]
    else:
        relevances = [np.where(likely, high, low) for high in (0.3, 1.0) for low in (0.0, 0.02, 0.1)]
    return [np.append(relevance, 0.0) for relevance in relevances]


def _climb(
    start: NDArray[np.float64], blocks: list[tuple[Array, Array]], max_steps: int
) -> NDArray[np.float64]:
    found: NDArray[np.float64] = minimize(
        _loss,
        start,
        args=(blocks,),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, _MOST_RELEVANT)] * (len(start) - 1) + [tuple(np.log(_NOISE_BOUNDS))],
        options={"maxiter": max_steps, "ftol": 3e-4},
    ).x
    return found


def _loss(point: NDArray[np.float64], blocks: list[tuple[Array, Array]]) -> tuple[float, NDArray[np.float64]]:
    """Negative log posterior and its gradient.

    With A = K + noise I and q = y'A^-1 y summed over the blocks, the likelihood is
    (n log(q / n) + log |A|) / 2; its derivative is tr(W dK) / 2 with W = A^-1 - (n / q) A^-1 y y' A^-1.
    """
    relevance, noise = point[:-1].astype(np.float32), np.exp(point[-1])
    n, width = sum(len(x) for x, _ in blocks), blocks[0][1].shape[1]
    log_volume, square = 0.0, np.zeros(width)
    parts = []
    for x, y in blocks:
        weighed = x * np.sqrt(relevance)
        similarity = gaussian(weighed, weighed)
        inverse, volume = _inverse(similarity, noise)
        solved = inverse @ y
        log_volume += volume
        square += np.sum(y * solved, axis=0, dtype=np.float64)
        parts.append((similarity, inverse, solved))
    slope, slope_noise = np.zeros(len(relevance)), 0.0
    for (x, _), (similarity, inverse, solved) in zip(blocks, parts, strict=True):
        weight = width * inverse - (solved * (n / square).astype(np.float32)) @ solved.T
        slope_noise += float(np.trace(weight, dtype=np.float64))
        weight *= similarity
        # sum_ab W_ab (x_a - x_b)^2 = 2 (sum_a x_a^2 (W 1)_a - x'W x)
        slope -= (weight.sum(axis=1) @ x**2 - np.sum(x * (weight @ x), axis=0)) / 2
    loss = float(n * np.sum(np.log(square / n)) + width * log_volume) / 2
    prior = np.sum((point[:-1] / _PRIOR_DEVIATION) ** 2) / 2
    slope += point[:-1] / _PRIOR_DEVIATION**2
    return loss + float(prior), np.append(slope, slope_noise * noise / 2)


def _inverse(similarity: Array, noise: float) -> tuple[Array, float]:
    """Return the inverse of K + noise I and the logarithm of its determinant."""
    factor, _ = spotrf(similarity + np.float32(noise) * np.eye(len(similarity), dtype=np.float32), lower=1)
    lower, _ = spotri(factor, lower=1)
    inverse: Array = lower + lower.T
    inverse[np.diag_indices_from(inverse)] /= 2
    return inverse, 2 * float(np.log(np.diag(factor), dtype=np.float64).sum())
