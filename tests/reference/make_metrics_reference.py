"""Write metrics_reference.json: SHD, TPR, FDR and F1 of random DAG pairs by gCastle.

Needs gcastle 1.0.4 and torch, which the tests do not: python make_metrics_reference.py
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from castle.metrics import MetricsDAG

N_CASES = 24


def random_dag(n_variables: int, density: float, rng: np.random.Generator) -> np.ndarray:
    place = rng.permutation(n_variables)
    return np.triu(rng.random((n_variables, n_variables)) < density, 1)[np.ix_(place, place)].astype(int)


def main() -> None:
    rng = np.random.default_rng(20240)
    cases = []
    while len(cases) < N_CASES:
        n_variables = int(rng.integers(3, 13))
        truth = random_dag(n_variables, rng.uniform(0.2, 0.8), rng)
        estimate = random_dag(n_variables, rng.uniform(0.2, 0.8), rng)
        if not (truth & estimate).any():
            continue  # gCastle's F1 divides by zero there
        scores = MetricsDAG(estimate.copy(), truth.copy()).metrics
        cases.append(
            {
                "n_variables": n_variables,
                "estimate": np.argwhere(estimate).tolist(),
                "truth": np.argwhere(truth).tolist(),
                **{
                    name: float(scores[key])
                    for name, key in {"shd": "shd", "tpr": "tpr", "fdr": "fdr", "f1": "F1"}.items()
                },
            }
        )
    about = (
        f"Edges are [cause, effect]. Scores by castle.metrics.MetricsDAG of gcastle {version('gcastle')}, "
        "rounded to 4 digits by it; written by make_metrics_reference.py."
    )
    target = Path(__file__).with_name("metrics_reference.json")
    lines = ",\n".join("    " + json.dumps(case) for case in cases)
    target.write_text(
        f'{{\n  "about": {json.dumps(about)},\n  "cases": [\n{lines}\n  ]\n}}\n', encoding="utf-8"
    )


if __name__ == "__main__":
    main()
