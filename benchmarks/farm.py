"""False edges that gaps bring where causes act along curves: one JSON line per (share, rule, seed).

    python -m benchmarks.farm [--seeds 1000-1009]

A made-up farm: six variables, six edges, 800 rows, the default recipe. Entries go missing completely at
random. Lines are appended as runs finish, what is already there is not run again, and the table in
docs/missing-values.md is written from them.
"""

import argparse
from pathlib import Path

import numpy as np
from benchmarks.options import seeds
from benchmarks.readme import markdown_table, put_table

import mcsl
from benchmarks import lines

RESULTS = Path(__file__).parent / "results" / "farm.jsonl"
PAGE = Path(__file__).parents[1] / "docs" / "missing-values.md"
N_ROWS = 800
SHARES = (0.01, 0.03, 0.1, 0.2)
RULES = ("drop", "impute", "mask")
NAMES = ("rain", "sun", "soil", "growth", "pests", "harvest")
EDGES = {
    ("rain", "soil"),
    ("soil", "growth"),
    ("sun", "growth"),
    ("sun", "pests"),
    ("growth", "harvest"),
    ("pests", "harvest"),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=seeds, default="1000-1009", help="first-last, or none")
    chosen = parser.parse_args().seeds
    done = {(row["share"], row["rule"], row["seed"]) for row in lines.read(RESULTS)}
    for seed in chosen:
        for share, rule in [(0.0, "refuse"), *((share, rule) for share in SHARES for rule in RULES)]:
            if (share, rule, seed) not in done:
                record(share, rule, seed)
    put_table(PAGE, "farm", table(lines.read(RESULTS)))


def farm(rng: np.random.Generator) -> np.ndarray:
    """Return rows of the farm, by the columns of `NAMES`."""
    noise = rng.standard_normal((5, N_ROWS))
    rain, sun = rng.gamma(3, 1, N_ROWS), noise[0]
    soil = np.tanh(rain - 3) + 0.4 * noise[1]
    growth = np.sin(1.5 * sun) + soil**2 + 0.3 * noise[2]
    pests = 1.2 * np.abs(sun) + 0.4 * noise[3]
    harvest = 1.5 * growth - np.exp(0.5 * pests) + 0.5 * noise[4]
    return np.column_stack([rain, sun, soil, growth, pests, harvest])


def record(share: float, rule: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = farm(rng)
    values[rng.random(values.shape) < share] = np.nan
    found = set(mcsl.learn(mcsl.Dataset(values, NAMES), missing=rule).graph.edges)
    row = {
        "share": share,
        "rule": rule,
        "seed": seed,
        "complete_rows": int((~np.isnan(values).any(axis=1)).sum()),
        "false_edges": len(found - EDGES),
        "missed_edges": len(EDGES - found),
        "version": mcsl.__version__,
    }
    lines.append(RESULTS, row)
    print(
        f"{share:.0%} {rule:7} {seed}  false {row['false_edges']}  missed {row['missed_edges']}", flush=True
    )


def table(rows: list[dict]) -> str:
    body = []
    for share in (0.0, *SHARES):
        here = [row for row in rows if row["share"] == share]
        cells = [f"{share:.0%}", f"{np.mean([row['complete_rows'] for row in here] or [0]):.0f}"]
        for rule in RULES:
            runs = [row for row in here if row["rule"] in (rule, "refuse")]
            counts = [[row[kind] for row in runs] for kind in ("false_edges", "missed_edges")]
            shown = [f"{np.mean(count):.1f} ± {np.std(count):.1f}" for count in counts if count]
            cells.append(f"{' / '.join(shown)} ({len(runs)})" if runs else "")
        body.append(cells)
    return markdown_table(["missing", "complete rows", *RULES], body)


if __name__ == "__main__":
    main()
