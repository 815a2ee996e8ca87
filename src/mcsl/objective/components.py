"""Acyclicity at the cost of the candidates: cycles lie within strongly connected components."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from mcsl.objective.acyclicity import TINY, Acyclicity, LogDeterminant, Mask, log_trace_exponential

# Up to here the trace of the whole mask is a small part of a step.
_LARGE = 100
# The largest s for which a cycle of eight edges counts more than the usual tolerance, s^-8 > 1e-10.
_LARGEST_S = 17


def on_candidates(acyclicity: Acyclicity, candidates: NDArray[np.bool_]) -> Acyclicity:
    """Return a cheaper measure for the masks of many variables that are 0 outside the candidates."""
    return Componentwise.of(acyclicity, candidates) if len(candidates) > _LARGE else acyclicity


@dataclass(frozen=True)
class Componentwise:
    """log sum_c h(M_c) over the strongly connected components c of the candidate graph.

    Edges between components lie on no cycle and cost nothing. Like h, the sum is 0 for DAGs alone, and where
    h adds up over components, as tr(e^M) - d does, it is h(M) itself.
    """

    parts: tuple[tuple[Acyclicity, tuple[tuple[int, ...], ...]], ...]
    """The measures, and the variables of the components of one size that each is taken of."""

    @classmethod
    def of(cls, acyclicity: Acyclicity, candidates: NDArray[np.bool_]) -> Componentwise:
        """Take a measure apart, and replace the trace by a determinant in large components."""
        graph = csr_array(candidates, dtype=float)
        n_components, labels = connected_components(graph, connection="strong")
        parts = defaultdict(list)
        for k in range(n_components):
            members = np.flatnonzero(labels == k)
            if len(members) > 1:
                measure = acyclicity
                if acyclicity is log_trace_exponential and len(members) > _LARGE:
                    measure = _of_large(graph[members][:, members])
                parts[measure, len(members)].append(tuple(members.tolist()))
        return cls(tuple((measure, tuple(components)) for (measure, _), components in parts.items()))

    def __call__(self, soft_mask: Mask) -> Float[Array, ""]:
        """Return the measure of a mask; a logarithm of nothing is as finite as elsewhere."""
        logs = [jnp.log(jnp.full(1, TINY))]
        for measure, components in self.parts:
            members = np.array(components)
            logs.append(jax.vmap(measure)(soft_mask[members[:, :, None], members[:, None, :]]))
        return jax.nn.logsumexp(jnp.concatenate(logs))


def _of_large(candidates: csr_array) -> Acyclicity:
    """Return the determinant with s one above a bound of every mask's spectral radius, if s is small enough.

    Elimination takes the operations of one product where the trace takes log2(d) + 5, and like the trace, but
    unlike a spectral radius, it sees all cycles at once. Masks lie between 0 and the candidates C, so that
    max_i (Cx)_i / x_i bounds their spectral radius for any x > 0, most tightly near C's own eigenvector.
    """
    x = np.ones(candidates.shape[0])
    for _ in range(50):
        x += candidates @ x
        x /= x.sum()
    s = 1 + float(np.max(candidates @ x / x))
    return LogDeterminant(s) if s <= _LARGEST_S else log_trace_exponential
