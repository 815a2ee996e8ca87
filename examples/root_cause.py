"""An incident in a web shop: find the service where it began.

    python examples/root_cause.py [DIR]

writes two tables, normal.csv and incident.csv, and the picture graph.png into DIR, and prints the ranking.
"""

import sys
from pathlib import Path

import numpy as np
import polars as pl

import mcsl
from mcsl.outputs.root_cause import write_root_cause_picture

CALLS = [
    ("site", "search"),
    ("site", "payment"),
    ("site", "ads"),
    ("search", "catalogue"),
    ("search", "cache"),
    ("catalogue", "database"),
    ("payment", "database"),
    ("payment", "bank"),
]
SERVICES = ("site", "search", "payment", "ads", "catalogue", "cache", "database", "bank")


def latencies(n_rows: int, rng: np.random.Generator, *, broken: int | None = None) -> pl.DataFrame:
    """Latency of every service in milliseconds; from row `broken` on, the catalogue takes 30 more."""
    noise = {name: rng.gamma(9.0, 1 / 3, n_rows) for name in SERVICES}
    bank, database, cache = 40 + 9 * noise["bank"], 10 + 2 * noise["database"], 1 + 0.3 * noise["cache"]
    catalogue = 1.5 * database + 2 * noise["catalogue"]
    # The ads have been slower since last night's release, which has nothing to do with it.
    ads = 20 + 4 * noise["ads"] + (25 if broken is not None else 0)
    if broken is not None:
        catalogue[broken:] += 30
    search = 0.8 * catalogue + 4 * cache + 3 * noise["search"]
    payment = bank + 2 * database + 3 * noise["payment"]
    site = np.maximum(search, 30) ** 1.1 + 0.3 * payment + 0.02 * ads + 4 * noise["site"]
    table = {"site": site, "search": search, "payment": payment, "ads": ads, "catalogue": catalogue}
    table |= {"cache": cache, "database": database, "bank": bank}
    return pl.DataFrame(table).select(
        pl.when(pl.Series(rng.random(n_rows) > 0.1)).then(pl.col(name)).alias(name) for name in SERVICES
    )


def main(place: Path) -> None:
    rng = np.random.default_rng(7)
    normal, incident = latencies(600, rng), latencies(10, rng, broken=5)
    normal.write_csv(place / "normal.csv")
    incident.write_csv(place / "incident.csv")

    result = mcsl.root_cause(incident, baseline=normal, target="site")
    for candidate in result.ranking:
        if candidate.name in result.anomalous:
            print(f"{candidate.rank}. {candidate.name}: {candidate.reason}")
    write_root_cause_picture(result, place / "graph.png")

    calls = mcsl.CausalGraph.from_edges(CALLS, SERVICES)
    with_calls = mcsl.root_cause(
        incident, baseline=normal, target="site", known_graph=calls, graph_of="calls"
    )
    print("with the call graph:", " -> ".join(with_calls.ranking[0].path))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
