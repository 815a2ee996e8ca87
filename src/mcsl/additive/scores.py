"""How well a set of parents explains a variable: log-likelihoods of additive spline regressions."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg.lapack import dposv

from mcsl.problem import Problem
from mcsl.pruning.splines import SplineTable


@dataclass(frozen=True, eq=False)
class GaussianScore:
    """Log-likelihood of X_i = sum_j f_ij(X_j) + eps with Gaussian noise of constant variance.

    -n/2 log(RSS / n) - n/2 (1 + log 2 pi), with every f_ij a regression spline, summed over the columns
    of the variable. It reads the Gram matrix only.
    """

    problem: Problem
    table: SplineTable
    _known: dict[tuple[int, frozenset[int]], float] = field(default_factory=dict, init=False, repr=False)

    def __call__(self, effect: int, parents: frozenset[int]) -> float:
        """Return the log-likelihood of a variable given its parents."""
        key = effect, parents
        if key not in self._known:
            self._known[key] = self._score(effect, parents)
        return self._known[key]

    def _score(self, effect: int, parents: frozenset[int]) -> float:
        variables, n = self.problem.variables, self.table.n_samples
        inputs = [*variables[effect].own_past, *(c for j in sorted(parents) for c in variables[j].inputs)]
        chosen = self.table.functions(inputs)
        gram = self.table.gram[np.ix_(chosen, chosen)]
        gram[np.diag_indices_from(gram)] += 1e-8
        total = 0.0
        for output in variables[effect].outputs:
            square = float(self.table.scatter[output, output])
            if len(chosen):
                moments = self.table.moments[chosen, output]
                square -= float(moments @ dposv(gram, moments)[1])
            total -= n / 2 * (np.log(max(square / n, 1e-12)) + 1 + np.log(2 * np.pi))
        return total
