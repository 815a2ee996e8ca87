"""Write the tables of docs/root-cause.md: `python -m benchmarks.root_cause.tables`."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
from benchmarks.readme import markdown_table, put_table
from benchmarks.root_cause.run import RESULTS

from benchmarks import lines

PAGE = Path(__file__).parents[2] / "docs" / "root-cause.md"
SUITES = {
    "simulated": ("simulated", "simulated, untouched", "confounded"),
    "petshop": ("petshop latency", "petshop availability", "petshop"),
}


def main() -> None:
    rows = lines.read(RESULTS)
    timed = [row for row in rows if row["case"].startswith("40/") and row["method"] == "mcsl"]
    rows = [row for row in rows if not row["case"].startswith("40/")]
    for name, suites in SUITES.items():
        ranks = defaultdict(list)
        for row in rows:
            for suite in {row["suite"], row["suite"].split()[0], *_untouched(row)}:
                ranks[suite, row["method"]].append(row["rank"])
        methods = dict.fromkeys(row["method"] for row in rows if row["suite"] in suites)
        header = ["top 1 / top 3 (incidents)", *suites]
        table = [
            [method, *(_figure(ranks.get((suite, method), ())) for suite in suites)] for method in methods
        ]
        put_table(PAGE, name, markdown_table(header, table))
    seconds, loads = [row["seconds"] for row in timed], [row["load"] for row in timed]
    figures = [
        len(timed),
        *(f"{f(seconds):.1f}" for f in (np.median, np.min, np.max)),
        f"{np.median(loads):.0f}",
    ]
    header = ["incidents of 40 variables", "median seconds", "least", "most", "median load of the two cores"]
    put_table(PAGE, "time", markdown_table(header, [figures]))


def _untouched(row: dict) -> list[str]:
    """Seeds from 1100 up were not run by any earlier version."""
    return ["simulated, untouched"] if row["suite"] == "simulated" and int(row["case"]) >= 1100 else []


def _figure(ranks) -> str:
    if not ranks:
        return ""
    ranks = np.array(ranks)
    return f"{np.mean(ranks <= 1):.2f} / {np.mean(ranks <= 3):.2f} ({len(ranks)})"


if __name__ == "__main__":
    main()
