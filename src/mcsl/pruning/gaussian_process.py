"""A Gaussian process whose kernel weighs every input, learned on blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, minimize

from mcsl.pruning.cholesky import Array, factorise, invert, log_determinant, solve

# Inputs of less relevance change nothing over the range of the data.
_LEAST_RELEVANT = 0.05
_MOST_RELEVANT = 20.0
_MANY_INPUTS = 5
# What a relevance adds to the logarithm of the posterior if the responses are noise is about 1.
_LEAST_GAIN = 2.0
_SMALL_BLOCK = 300
_LARGE_BLOCK = 500
_MAX_STEPS = 20
_PRIOR_DEVIATION = 3.0
_NOISE_BOUNDS = (0.01, 1000.0)


@dataclass(frozen=True, eq=False)
class Kernel:
    """k(x, x') = exp(-sum_c relevance_c (x_c - x'_c)^2 / 2), with `noise` added on the diagonal."""

    relevance: Array = field(repr=False)
    noise: float
    gain: float
    """By how much the log posterior exceeds that of pure noise."""

    @property
    def has_many_inputs(self) -> bool:
        """Whether five inputs or more change something over the range of the data."""
        return self._n_inputs >= _MANY_INPUTS

    @property
    def hears_only_noise(self) -> bool:
        """Whether so many inputs would explain as much of any noise."""
        return self.has_many_inputs and self.gain < _LEAST_GAIN * self._n_inputs

    @property
    def _n_inputs(self) -> int:
        return int(np.sum(self.relevance >= _LEAST_RELEVANT))

    def weigh(self, inputs: Array) -> Array:
        """Return the inputs in units of their length scales, in which the kernel is round."""
        weighed: Array = inputs * np.sqrt(self.relevance)
        return weighed


def gaussian(left: Array, right: Array, out: Array | None = None) -> Array:
    """Return exp(-|x - x'|^2 / 2) for every pair of rows."""
    ones, other_ones = np.ones((len(left), 1), np.float32), np.ones((len(right), 1), np.float32)
    # One product of matrices gives x'y - |x|^2 / 2 - |y|^2 / 2.
    first = np.hstack([left, -np.sum(left**2, axis=1, keepdims=True) / 2, ones])
    second = np.hstack([right, other_ones, -np.sum(right**2, axis=1, keepdims=True) / 2])
    exponent = np.matmul(first, second.T, out=out)
    similarity: Array = np.exp(exponent, out=exponent)
    return similarity


def add_noise(similarity: Array, noise: float) -> None:
    """Turn K into K + noise I."""
    similarity.flat[:: len(similarity) + 1] += np.float32(noise)


def learn_kernel(
    inputs: Array,
    responses: Array,
    *,
    likely: NDArray[np.bool_] | None = None,
    patience: int = _MAX_STEPS,
) -> Kernel:
    """Maximise the posterior of relevances and noise, from the best of a few starts.

    All inputs start with equal relevances, or those that are `likely` to matter with larger ones: among
    many inputs, equal relevances make all rows strangers to each other, and no step leads out of that.

    The posterior is the marginal likelihood times half-normal priors on the relevances, which keep weak
    data from being explained by a few very short length scales. The responses share the kernel; each has
    its own variance, which is profiled out.

    The rows are cut into blocks that are taken as independent. The information about the kernel is in
    pairs of rows: small blocks see fewer pairs than one large matrix, but many more for the same work.
    A third of the rows in small blocks tells which of a few inputs matter. For many inputs, all rows in
    larger blocks are climbed from the same start: near the place where little was seen there may be no
    way up. This climb ends after `patience` steps if they gained next to nothing over pure noise.
    """
    blocks = _blocks(inputs, responses, _SMALL_BLOCK)
    look = _Posterior(blocks[:1])
    start = min(_starts(inputs.shape[1], likely), key=lambda point: look(point)[0])
    found = _climb(start, blocks[: max(len(blocks) // 3, 1)])
    if found.has_many_inputs:
        found = _climb(start, _blocks(inputs, responses, _LARGE_BLOCK), patience)
    return found


def _blocks(inputs: Array, responses: Array, size: int) -> list[tuple[Array, Array]]:
    n_blocks = max(len(inputs) // size, 1)
    return list(zip(np.array_split(inputs, n_blocks), np.array_split(responses, n_blocks), strict=True))


def _starts(n_inputs: int, likely: NDArray[np.bool_] | None) -> list[NDArray[np.float64]]:
    """Return points to start from: relevances, and the logarithm of the noise behind them."""
    if likely is None:
        relevances = [np.full(n_inputs, scale) for scale in (1 / n_inputs, 0.3, 1.0, 2.0)]
    else:
        relevances = [np.where(likely, high, low) for high in (0.3, 1.0) for low in (0.0, 0.02, 0.1)]
    return [np.append(relevance, 0.0) for relevance in relevances]


def _climb(
    start: NDArray[np.float64], blocks: list[tuple[Array, Array]], patience: int = _MAX_STEPS
) -> Kernel:
    responses = np.concatenate([y for _, y in blocks])
    pure_noise = len(responses) * np.sum(np.log(np.mean(responses**2, axis=0))) / 2
    steps = count(1)

    def watch(intermediate_result: OptimizeResult) -> None:
        if next(steps) == patience and pure_noise - intermediate_result.fun < _LEAST_GAIN:
            raise StopIteration

    found = minimize(
        _Posterior(blocks),
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, _MOST_RELEVANT)] * (len(start) - 1) + [tuple(np.log(_NOISE_BOUNDS))],
        callback=watch,
        options={"maxiter": _MAX_STEPS, "ftol": 3e-4},
    )
    return Kernel(found.x[:-1].astype(np.float32), float(np.exp(found.x[-1])), float(pure_noise - found.fun))


class _Posterior:
    """Negative log posterior and its gradient.

    With A = K + noise I and q = y'A^-1 y, both summed over the blocks, the likelihood is
    (n log(q / n) + log |A|) / 2. The derivatives are tr(A^-1 dK) of log |A| and -s'dK s of q, s = A^-1 y.
    """

    def __init__(self, blocks: list[tuple[Array, Array]]) -> None:
        self._blocks = blocks
        self._n_rows, self._width = sum(len(x) for x, _ in blocks), blocks[0][1].shape[1]
        sizes = {len(x) for x, _ in blocks}
        # Fresh memory for every block would cost a quarter of the time, and more than two matrices the cache.
        self._matrices = {size: np.empty((2, size, size), np.float32) for size in sizes}
        self._above_diagonal = {size: np.triu(np.ones((size, size), np.float32), 1) for size in sizes}

    def __call__(self, point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        relevance, noise = point[:-1].astype(np.float32), float(np.exp(point[-1]))
        log_volume, volume_slope = 0.0, np.zeros(len(point))
        square, square_slope = np.zeros(self._width), np.zeros((self._width, len(point)))
        for x, y in self._blocks:
            similarity, inverse = self._matrices[len(x)]
            weighed = x * np.sqrt(relevance)
            gaussian(weighed, weighed, out=similarity)
            np.copyto(inverse, similarity)
            add_noise(inverse, noise)
            factorise(inverse)
            log_volume += log_determinant(inverse)
            solved = solve(inverse, y)
            square += np.sum(y * solved, axis=0, dtype=np.float64)
            square_slope[:, -1] -= noise * np.sum(solved**2, axis=0, dtype=np.float64)
            for k, solution in enumerate(solved.T):
                square_slope[k, :-1] += _spread_of_solution(similarity, solution, x)
            invert(inverse)
            volume_slope[-1] += noise * float(np.trace(inverse, dtype=np.float64))
            inverse *= similarity
            inverse *= self._above_diagonal[len(x)]
            volume_slope[:-1] -= _spread(inverse, x)
        loss = self._n_rows * np.sum(np.log(square / self._n_rows)) + self._width * log_volume
        slope = self._n_rows / square @ square_slope + self._width * volume_slope
        prior = np.sum((point[:-1] / _PRIOR_DEVIATION) ** 2)
        slope[:-1] += 2 * point[:-1] / _PRIOR_DEVIATION**2
        return float(loss + prior) / 2, slope / 2


def _spread(weight: Array, x: Array) -> Array:
    """Return sum_(a<b) W_ab (x_a - x_b)^2 of every column, for W with zeros on and below its diagonal."""
    sums = weight.sum(axis=0) + weight.sum(axis=1)
    spread: Array = sums @ x**2 - 2 * np.sum(x * (weight @ x), axis=0)
    return spread


def _spread_of_solution(similarity: Array, solution: Array, x: Array) -> Array:
    """Return sum_(a<b) s_a s_b K_ab (x_a - x_b)^2 of every column."""
    scaled = solution[:, None] * np.hstack([np.ones((len(x), 1), np.float32), x])
    smoothed = similarity @ scaled
    spread: Array = (solution * smoothed[:, 0]) @ x**2 - np.sum(scaled[:, 1:] * smoothed[:, 1:], axis=0)
    return spread
