"""Give every reader files that are wrong in random ways, and count what happens.

    python -m benchmarks.fuzz [--cases 20000] [--first-seed 1000]

Case k is drawn by the seed `first_seed + k`. A file may be refused by an McslError of one sentence or give a
valid value. Anything else, a warning, more than five seconds or a file written elsewhere is a failure. One
JSON line a batch of 500 cases is appended to the results; batches that are there already are not run again.
"""

import argparse
import resource
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.fuzz.cases import draw
from benchmarks.fuzz.readers import outcome
from benchmarks.provenance import commit, machine, now

from benchmarks import lines

RESULTS = Path(__file__).parents[1] / "results" / "fuzz.jsonl"
BATCH = 500


def run(seeds: range) -> tuple[dict[str, Counter[str]], list[dict]]:
    """Count the outcomes by reader, and list the failures."""
    counts: dict[str, Counter[str]] = {}
    failures = []
    for seed in seeds:
        case = draw(seed)
        with TemporaryDirectory() as directory:
            verdict = outcome(case, Path(directory), seed)
        known = verdict if verdict in ("valid", "refused") else "failed"
        counts.setdefault(case.reader, Counter())[known] += 1
        if known == "failed":
            failures.append({"seed": seed, "reader": case.reader, "verdict": verdict[:300]})
    return counts, failures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=20000)
    parser.add_argument("--first-seed", type=int, default=1000)
    options = parser.parse_args()
    done = {tuple(row["seeds"]) for row in lines.read(RESULTS)}
    n_failed = 0
    for first in range(options.first_seed, options.first_seed + options.cases, BATCH):
        seeds = range(first, min(first + BATCH, options.first_seed + options.cases))
        if (seeds[0], seeds[-1]) in done:
            continue
        counts, failures = run(seeds)
        n_failed += len(failures)
        row = {
            "seeds": [seeds[0], seeds[-1]],
            "counts": {reader: dict(counts[reader]) for reader in sorted(counts)},
            "failures": failures,
            "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "commit": commit(),
            "at": now(),
            "machine": machine(),
        }
        lines.append(RESULTS, row)
        print(f"up to {seeds[-1]}: {len(failures)} failures", *failures, sep="\n", flush=True)
    sys.exit(n_failed > 0)


if __name__ == "__main__":
    main()
