"""The rival of the joint test: an F-test on spline terms and products of pairs of causes."""

from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from mcsl.pruning.regressions import Finding, prune_by_regressions
from mcsl.pruning.significance import wilks_test
from mcsl.pruning.smoothing import inverse_of
from mcsl.pruning.splines import SplineTable, standardize


@dataclass(frozen=True)
class PairwisePruner:
    """Products of the first `n_products` functions of every pair; fewer where columns exceed n / 5."""

    significance: float = 0.001
    n_products: int = 3

    def prune(self, graph, problem):
        table = SplineTable.of(problem.dataset.values)
        values = standardize(problem.dataset.values)

        def judge(regression):
            columns, n = regression.columns, table.n_samples
            pairs = list(combinations(columns, 2))
            width = self.n_products
            while width and 9 * len(columns) + width**2 * len(pairs) > n / 5:
                width -= 1
            blocks = {(column,): table.design[:, table.slices[column]] for column in columns}
            for left, right in pairs if width else ():
                first, second = blocks[left,][:, :width], blocks[right,][:, :width]
                product = np.einsum("na,nb->nab", first, second).reshape(n, -1) * np.sqrt(n)
                blocks[left, right] = product - product.mean(axis=0)
            owner = np.concatenate([np.full(block.shape[1], k) for k, block in enumerate(blocks.values())])
            design, response = (
                np.concatenate(list(blocks.values()), axis=1),
                values[:, list(regression.responses)],
            )
            inverse = inverse_of(design.T @ design, np.zeros(len(owner)))
            coefficients = inverse @ (design.T @ response)
            residual = response - design @ coefficients
            findings = {}
            for cause in regression.causes:
                own = np.isin(owner, [k for k, key in enumerate(blocks) if cause in key])
                block = inverse[np.ix_(own, own)]
                value = wilks_test(coefficients[own], block, residual.T @ residual, n - 1 - len(owner))
                findings[cause] = Finding("pairwise F", value)
            return findings

        def prepare(regression):
            return partial(judge, regression)

        return prune_by_regressions(graph, problem, prepare, lambda value: value < self.significance)
