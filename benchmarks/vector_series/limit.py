"""How much of a vector its parents tell: `python -m benchmarks.vector_series.limit`.

A Gaussian process that is told the parents, the kernel and the noise of `gp-vec` data predicts 1000 rows from
2000 others. What it cannot predict, no method can: with k parents the function lives in 3k dimensions, where
hardly any two rows are close.
"""

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.linalg import cho_factor, cho_solve

import mcsl

RESULTS = Path(__file__).parent / "results" / "limit.jsonl"
SEEDS, N_PAST, MOST = range(1000, 1003), 2000, 6


def main() -> None:
    shares = defaultdict(list)
    for seed in SEEDS:
        for degree in (1, 4):
            simulation = mcsl.simulate("gp-vec", n_variables=10, degree=degree, seed=seed)
            values = simulation.dataset.values.reshape(3000, 10, 3)
            for effect in range(10):
                parents = np.flatnonzero(simulation.graph.adjacency[:, effect])
                if len(parents) > 0 and len(shares[len(parents)]) < MOST:
                    inputs = values[:, parents].reshape(3000, -1)
                    shares[len(parents)].append(predicted_share(inputs, values[:, effect]))
    rows = [
        {"n_parents": k, "n_effects": len(shares[k]), "r_squared": round(float(np.mean(shares[k])), 4)}
        for k in sorted(shares)
    ]
    RESULTS.write_text("".join(json.dumps(row) + "\n" for row in rows))


def predicted_share(inputs, responses) -> float:
    squares = np.sum(inputs**2, axis=1)
    kernel = np.exp(-np.maximum(squares[:, None] + squares - 2 * inputs @ inputs.T, 0) / 2)
    factor = cho_factor(kernel[:N_PAST, :N_PAST] + np.eye(N_PAST), lower=True)
    guess = kernel[N_PAST:, :N_PAST] @ cho_solve(factor, responses[:N_PAST])
    rest = responses[N_PAST:]
    return 1 - np.sum((rest - guess) ** 2) / np.sum((rest - rest.mean(axis=0)) ** 2)


if __name__ == "__main__":
    main()
