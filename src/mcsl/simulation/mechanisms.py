"""The models: how a variable comes about from its parents and its noise."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mcsl.settings import check_choice, check_number, whole_number
from mcsl.simulation.gaussian_process import draw_gp
from mcsl.simulation.graphs import longest_path, longest_shortest_path

Array = NDArray[np.float64]
NoiseDistribution = Literal["gaussian", "laplace", "half-normal", "uniform", "exponential"]
Diameter = Literal["longest-path", "longest-shortest-path"]
Terms = Literal["nonzero", "all"]
HalfNormal = Literal["unit-variance", "unit-scale"]
Roots = Literal["exp-noise", "noise"]

HALF_NORMAL_DEVIATION = float(np.sqrt(1 - 2 / np.pi))
"""Standard deviation of |z| for a standard normal z."""


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A function of the parents, shape (n, k) to (n,), and the parents it truly depends on."""

    function: Callable[[Array], Array]
    reads: NDArray[np.bool_]

    def __call__(self, parents: Array) -> Array:
        """Evaluate at rows of parents' values."""
        return self.function(parents)


class Model(ABC):
    """A family of mechanisms and the way noise enters; additive unless a model says otherwise."""

    noise_distribution: ClassVar[NoiseDistribution] = "gaussian"
    dimension: int = 1
    """Number of columns of each variable."""

    @abstractmethod
    def draw(self, n_parents: int, rng: np.random.Generator) -> Mechanism:
        """Draw the mechanism of a variable with at least one parent."""

    def observe(self, signal: Array, noise: Array) -> Array:
        """Return the values of a variable given its mechanism's output."""
        return signal + noise

    def observe_root(self, noise: Array) -> Array:
        """Return the values of a variable without parents."""
        return noise

    def noise_deviation(self, distribution: NoiseDistribution) -> float:
        """Standard deviation of the noise when all variables share one."""
        return 1.0

    def accepts(self, adjacency: NDArray[np.bool_]) -> bool:
        """Tell whether the model may be simulated on a randomly drawn DAG."""
        return True


def _reads_all(function: Callable[[Array], Array], n_parents: int) -> Mechanism:
    return Mechanism(function, np.ones(n_parents, dtype=bool))


def _uniform_signed(low: float, high: float, size: int | tuple[int, ...], rng: np.random.Generator) -> Array:
    """Draw from U([-high, -low] ∪ [low, high])."""
    signed: Array = rng.uniform(low, high, size) * rng.choice([-1.0, 1.0], size)
    return signed


@dataclass(frozen=True)
class GaussianProcess(Model):
    """f_i ~ GP(0, k) jointly over all parents, k(x, y) = exp(-||x - y||^2 / 2).

    The draw exists at the inputs it is first evaluated at, so calling the mechanism again draws anew.
    With `dimension` m > 1 every variable has m columns, the kernel reads the k m columns of all parents
    (its norm is the Frobenius norm of the paper) and each output column is a draw of its own.
    """

    dimension: int = 1

    def __post_init__(self) -> None:
        whole_number("dimension", self.dimension, 1)

    def draw(self, n_parents: int, rng: np.random.Generator) -> Mechanism:
        """Draw one function of all parents for each column of the variable."""

        def function(parents: Array) -> Array:
            draws = draw_gp(parents, rng, n_draws=self.dimension)
            return draws[:, 0] if self.dimension == 1 else draws

        return _reads_all(function, n_parents)


@dataclass(frozen=True)
class AdditiveGaussianProcess(Model):
    """f_i(x) = sum_j f_ij(x_j), each f_ij an independent Gaussian process of one parent.

    With `dimension` m > 1 a parent is its m columns, and each output column is a sum of its own draws.
    """

    dimension: int = 1
    straight: float = 0.0
    """Chance of each f_ij to be a straight line, w_j x_j with w_j ~ U([-1.5, -0.5] ∪ [0.5, 1.5]), instead."""

    def __post_init__(self) -> None:
        whole_number("dimension", self.dimension, 1)
        check_number("straight", self.straight, least=0, most=1)

    def draw(self, n_parents: int, rng: np.random.Generator) -> Mechanism:
        """Draw one function of each parent for each column of the variable."""
        curve = GaussianProcess(self.dimension).draw(1, rng)
        slopes = np.zeros((n_parents, self.dimension, self.dimension))
        if self.straight:
            lines = rng.random(n_parents) < self.straight
            slopes[lines] = _uniform_signed(0.5, 1.5, slopes[lines].shape, rng)

        def function(parents: Array) -> Array:
            by_parent = zip(np.split(parents, n_parents, axis=1), slopes, strict=True)
            draws = [line(parent, slope) if slope.any() else curve(parent) for parent, slope in by_parent]
            total: Array = np.sum(draws, axis=0)
            return total

        def line(parent: Array, slope: Array) -> Array:
            values: Array = parent @ slope
            return values[:, 0] if self.dimension == 1 else values

        return _reads_all(function, n_parents)


@dataclass(frozen=True)
class Quadratic(Model):
    """f_i(x) = (sum_j a_j x_j + sum_{j<=k} b_jk x_j x_k) / (number of terms).

    Each coefficient is 0 or drawn from U([-1, -0.5] ∪ [0.5, 1]), with equal probability; a parent in no
    non-zero term loses its edge. What the paper leaves open:

    - `diameter`: random graphs are redrawn as a whole until the `longest-path` (default: it bounds how
      large values grow, the paper's reason) or the `longest-shortest-path` has at most `max_diameter`
      edges, counted before edges are lost. None sets no limit.
    - `terms`: what divides the sum, the number of `nonzero` terms (default, as the authors' package
      gCastle counts) or of `all` terms.
    """

    max_diameter: int | None = 3
    diameter: Diameter = "longest-path"
    terms: Terms = "nonzero"

    def __post_init__(self) -> None:
        check_choice("diameter", self.diameter, Diameter)
        check_choice("terms", self.terms, Terms)

    def draw(self, n_parents: int, rng: np.random.Generator) -> Mechanism:
        """Draw the coefficients of all first- and second-order terms."""
        left, right = np.triu_indices(n_parents)
        n_terms = n_parents + len(left)
        weights = _uniform_signed(0.5, 1, n_terms, rng) * rng.integers(0, 2, n_terms)
        first, second = np.split(weights, [n_parents])
        reads = first != 0
        reads[left[second != 0]] = reads[right[second != 0]] = True
        divisor = n_terms if self.terms == "all" else max(int(np.count_nonzero(weights)), 1)

        def function(parents: Array) -> Array:
            total = parents @ first
            for j, k, weight in zip(left, right, second, strict=True):
                total += weight * parents[:, j] * parents[:, k]
            return total / divisor

        return Mechanism(function, reads)

    def accepts(self, adjacency: NDArray[np.bool_]) -> bool:
        """Tell whether the diameter is within the limit."""
        length = longest_path if self.diameter == "longest-path" else longest_shortest_path
        return self.max_diameter is None or length(adjacency) <= self.max_diameter


@dataclass(frozen=True)
class PostNonlinear(Model):
    """X_i = exp(log sum_j X_j - log|pa(i)| + eps_i): the parents' mean times exp(eps_i), always positive.

    What the paper leaves open:

    - `half_normal`: eps = |z| scaled to `unit-variance` (default, the paper's words), or |z| itself of a
      standard normal z, `unit-scale`, whose variance is 1 - 2 / pi.
    - `roots`: a variable without parents is `exp-noise`, exp(eps), as if its parents' mean were one
      (default), or the `noise` eps itself.
    """

    noise_distribution: ClassVar[NoiseDistribution] = "half-normal"
    half_normal: HalfNormal = "unit-variance"
    roots: Roots = "exp-noise"

    def __post_init__(self) -> None:
        check_choice("half_normal", self.half_normal, HalfNormal)
        check_choice("roots", self.roots, Roots)

    def draw(self, n_parents: int, rng: np.random.Generator) -> Mechanism:
        """Return the logarithm of the parents' mean; nothing is random."""
        return _reads_all(lambda parents: np.log(parents.mean(axis=1)), n_parents)

    def observe(self, signal: Array, noise: Array) -> Array:
        """Let the noise in before the outer exponential."""
        return np.exp(signal + noise)

    def observe_root(self, noise: Array) -> Array:
        """Return positive values for a variable without parents."""
        return np.exp(noise) if self.roots == "exp-noise" else noise

    def noise_deviation(self, distribution: NoiseDistribution) -> float:
        """One, or that of |z| where half-normal noise keeps its own scale."""
        keeps_scale = distribution == "half-normal" and self.half_normal == "unit-scale"
        return HALF_NORMAL_DEVIATION if keeps_scale else 1.0


@dataclass(frozen=True)
class Linear(Model):
    """f_i(x) = sum_j w_j x_j with w_j ~ U([-2, -0.5] ∪ [0.5, 2])."""

    def draw(self, n_parents: int, rng: np.random.Generator) -> Mechanism:
        """Draw one weight a parent."""
        weights = _uniform_signed(0.5, 2, n_parents, rng)
        return _reads_all(lambda parents: parents @ weights, n_parents)


@dataclass(frozen=True)
class MLP(Model):
    """f_i(x) = sigmoid(x W) v, one hidden layer, all weights ~ U([-2, -0.5] ∪ [0.5, 2])."""

    n_hidden: int = 100

    def __post_init__(self) -> None:
        whole_number("n_hidden", self.n_hidden, 1)

    def draw(self, n_parents: int, rng: np.random.Generator) -> Mechanism:
        """Draw the weights of both layers."""
        inner = _uniform_signed(0.5, 2, (n_parents, self.n_hidden), rng)
        outer = _uniform_signed(0.5, 2, self.n_hidden, rng)
        # tanh cannot overflow where 1 / (1 + exp(-x)) would.
        return _reads_all(lambda parents: (1 + np.tanh(parents @ inner / 2)) / 2 @ outer, n_parents)


@dataclass(frozen=True)
class Monotone(Model):
    """f_i(x) = sum_j w_j (x_j + sum_k tanh(b_k (x_j - c_k))): a line with three smooth steps for each parent.

    w ~ U([-1, -0.5] ∪ [0.5, 1]), b ~ U(1, 3) and c ~ U(-2, 2). Such curves can be inverted, so that their
    direction is harder to tell than that of curves that rise and fall.
    """

    def draw(self, n_parents: int, rng: np.random.Generator) -> Mechanism:
        """Draw weight, steepness and places of the steps of each parent."""
        weights = _uniform_signed(0.5, 1, n_parents, rng)
        steepness, places = rng.uniform(1, 3, (n_parents, 3)), rng.uniform(-2, 2, (n_parents, 3))

        def function(parents: Array) -> Array:
            steps = np.tanh(steepness * (parents[:, :, None] - places)).sum(axis=2)
            values: Array = (parents + steps) @ weights
            return values

        return _reads_all(function, n_parents)
