"""Measure training steps, start-up and whole runs, and write the tables of this folder's README.

python -m benchmarks.speed --peers ENVIRONMENT/bin/python
"""

import argparse
import json
from pathlib import Path

from benchmarks.readme import markdown_table, put_table
from benchmarks.speed import startup, steps, whole

HERE = Path(__file__).parent
parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__.splitlines()[0])
parser.add_argument("--peers", type=Path, help="Python with gcastle; without it, only mcsl is measured")
parser.add_argument("--core", type=int, default=0, help="the core that training steps run on")
parser.add_argument("--rounds", type=int, default=5, help="measurements of each thing")
parser.add_argument("--only", choices=("steps", "startup", "whole", "tables"), help="leave out the rest")
options = parser.parse_args()

measured = {
    steps: lambda: steps.measure(options.peers, options.core, options.rounds),
    startup: lambda: startup.measure(options.rounds),
    whole: lambda: whole.measure(options.peers, options.rounds),
}
for part, measure in measured.items():
    name = part.__name__.rpartition(".")[2]
    results = HERE / "results" / f"{name}.jsonl"
    if options.only in (None, name):
        # A file holds one whole run.
        lines = [json.dumps(record) + "\n" for record in measure()]
        results.write_text("".join(lines))
    if not results.exists():
        continue
    records = [json.loads(line) for line in results.read_text().splitlines()]
    table = markdown_table(part.HEADER, [part.row(record) for record in records])
    put_table(HERE / "README.md", name, table)
    print(table)
