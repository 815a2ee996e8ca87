"""The rules for missing values, beside complete data: one JSON line per (share, rule, recipe, seed).

    python -m benchmarks.missing [--recipes default additive] [--seeds 1000-1009]

Entries of additive Gaussian-process data (10 variables, one edge each, 1000 rows) go missing completely at
random. Lines are appended as runs finish, what is already there is not run again, and the table in
docs/missing-values.md is written from them.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from benchmarks.options import seeds
from benchmarks.readme import markdown_table, put_table

import mcsl
from benchmarks import lines

RESULTS = Path(__file__).parent / "results" / "missing.jsonl"
PAGE = Path(__file__).parents[1] / "docs" / "missing-values.md"
DATA = {"model": "gp-add", "n_variables": 10, "degree": 1, "n_samples": 1000}
SHARES = (0.1, 0.3)
RULES = ("drop", "impute", "mask")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--recipes", nargs="+", default=["default", "additive"])
    parser.add_argument("--seeds", type=seeds, default="1000-1009", help="first-last, or none")
    options = parser.parse_args()
    done = {key_of(row) for row in lines.read(RESULTS)}
    for recipe in options.recipes:
        for seed in options.seeds:
            for share, rule in [(0.0, "refuse"), *((share, rule) for share in SHARES for rule in RULES)]:
                if (recipe, share, rule, seed) not in done:
                    record(recipe, share, rule, seed)
    put_table(PAGE, "missing", table(lines.read(RESULTS)))


def record(recipe: str, share: float, rule: str, seed: int) -> None:
    simulation = mcsl.simulate(**DATA, seed=seed)
    values = simulation.dataset.values.copy()
    values[np.random.default_rng(seed).random(values.shape) < share] = np.nan
    n_whole = int((~np.isnan(values).any(axis=1)).sum())
    began = time.perf_counter()
    result = mcsl.learn(
        mcsl.Dataset(values, simulation.graph.names),
        mcsl.Recipe.named(recipe, len(simulation.graph.names)),
        missing=rule,
    )
    row = {
        "recipe": recipe,
        "share": share,
        "rule": rule,
        "seed": seed,
        "complete_rows": n_whole,
        **mcsl.evaluate(result.graph, simulation.graph).as_dict(),
        "true_edges": simulation.graph.n_edges,
        "seconds": round(time.perf_counter() - began, 2),
        "version": mcsl.__version__,
    }
    lines.append(RESULTS, row)
    print(
        f"{recipe:10} {share:.0%} {rule:7} {seed}  SHD {row['shd']:3d}  {row['seconds']:6.1f} s", flush=True
    )


def key_of(row: dict) -> tuple:
    return row["recipe"], row["share"], row["rule"], row["seed"]


def table(rows: list[dict]) -> str:
    cells: dict[tuple, list[int]] = {}
    whole: dict[float, list[int]] = {}
    for row in rows:
        cells.setdefault((row["recipe"], row["share"], row["rule"]), []).append(row["shd"])
        whole.setdefault(row["share"], []).append(row["complete_rows"])
    body = []
    for recipe in sorted(
        {row["recipe"] for row in rows}, key=["default", "additive", "masked", "paper"].index
    ):
        for share in SHARES:
            figures = [
                cells.get((recipe, *key), []) for key in ((0.0, "refuse"), *((share, r) for r in RULES))
            ]
            shown = [f"{np.mean(f):.1f} ± {np.std(f):.1f} ({len(f)})" if f else "" for f in figures]
            body.append([recipe, f"{share:.0%}", f"{np.mean(whole.get(share, [0])):.0f}", *shown])
    return markdown_table(["recipe", "missing", "complete rows", "complete data", *RULES], body)


if __name__ == "__main__":
    main()
