"""Write the table of docs/using-the-model.md from stored results: `python -m benchmarks.effects.tables`."""

from pathlib import Path

import numpy as np
from benchmarks.effects.run import MODELS, RESULTS
from benchmarks.readme import markdown_table, put_table

from benchmarks import lines

PAGE = Path(__file__).parents[2] / "docs" / "using-the-model.md"


def main() -> None:
    rows = [line for line in lines.read(RESULTS) if "model" in line]
    header = [
        "model",
        "effects",
        "in their 95% interval",
        "error",
        "width",
        "seconds to fit",
        "seconds an effect",
    ]
    table = [_cells(model, [row for row in rows if row["model"] == model]) for model in MODELS]
    put_table(PAGE, "effects", markdown_table(header, [*table, _cells("all", rows)]))


def _cells(name: str, rows: list[dict]) -> list[str]:
    covered = sum(row["covered"] for row in rows)
    error = np.median([abs(row["estimate"] - row["truth"]) / row["deviation"] for row in rows])
    width = np.median([(row["high"] - row["low"]) / row["deviation"] for row in rows])
    seconds = [f"{np.median([row[key] for row in rows]):.2f}" for key in ("seconds_fit", "seconds_effect")]
    share = f"{covered} ({covered / len(rows):.0%})"
    return [name, str(len(rows)), share, f"{error:.3f}", f"{width:.3f}", *seconds]


if __name__ == "__main__":
    main()
