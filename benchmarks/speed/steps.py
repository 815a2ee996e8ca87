"""One training step of mcsl and of gCastle on the same data and core, taken in turns with matrix products."""

import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from benchmarks.provenance import machine, now
from benchmarks.speed.worker import Worker

from mcsl import simulate

HERE = Path(__file__).parent
N_SAMPLES, BATCH_SIZE = 3000, 512
# Variables, and how many steps of ours and of gCastle one measurement spans.
SIZES = {10: (200, 20), 20: (100, 10), 50: (30, 4), 100: (12, 2)}


def step_flops(n_samples: int, n_variables: int, width: int = 16, depth: int = 4) -> int:
    """Floating-point operations of the matrix products in one step, two for each multiply and add.

    Forward, d networks take d*width products a sample in the first layer, width^2 in each further
    hidden layer and width in the last. The backward pass takes as many for the weights' gradients and,
    but for the first layer, as many again for the activations'. Activations, Adam and the acyclicity
    (of order d^3, whatever n) are not counted.
    """
    first = n_variables * width
    later = (depth - 1) * width**2 + width
    return 2 * n_samples * n_variables * (2 * first + 3 * later)


def measure(peers: Path | None, core: int, n_rounds: int) -> Iterator[dict]:
    """Yield a record for each number of variables."""
    ours = Worker([sys.executable, HERE / "ours.py"], core)
    gcastle = Worker([peers, HERE / "gcastle.py"], core) if peers else None
    versions = {"mcsl": ours.ask(what="versions"), "gcastle": gcastle and gcastle.ask(what="versions")}
    began = now()
    with tempfile.TemporaryDirectory() as directory:
        for n_variables, (n_steps, n_gcastle_steps) in SIZES.items():
            table = Path(directory) / f"{n_variables}.npy"
            np.save(table, simulate("gp", n_variables=n_variables, degree=1, seed=1000).dataset.values)
            step = {"what": "step", "table": str(table)}
            requests = {
                "mcsl": (ours, {**step, "batch_size": None, "n_steps": n_steps}),
                "mcsl, 512 rows": (ours, {**step, "batch_size": BATCH_SIZE, "n_steps": 5 * n_steps}),
                **{
                    f"product, {library} {size}": (
                        ours,
                        {"what": "product", "library": library, "size": size, "n_repeats": repeats},
                    )
                    for library in ("numpy", "jax")
                    for size, repeats in ((1024, 8), (2048, 1))
                },
            }
            if gcastle:
                for dtype in ("float64", "float32"):
                    requests[f"gcastle, {dtype}"] = (
                        gcastle,
                        {**step, "dtype": dtype, "n_steps": n_gcastle_steps},
                    )
            samples = defaultdict(lambda: {"cpu": [], "wall": []})
            load = os.getloadavg()
            # The first round compiles and warms up, and is not counted.
            for turn in range(n_rounds + 1):
                for name, (worker, request) in requests.items():
                    for clock, seconds in worker.ask(**request).items():
                        if turn:
                            samples[name][clock].append(float(f"{seconds:.4g}"))
            yield {
                "run": began,
                "n_variables": n_variables,
                "n_samples": N_SAMPLES,
                "step_flops": step_flops(N_SAMPLES, n_variables),
                "seconds": samples,
                "load_average": {"before": load, "after": os.getloadavg()},
                "core": core,
                "machine": machine(),
                "versions": versions,
            }
    ours.close()
    if gcastle:
        gcastle.close()


def row(record: dict) -> list[str]:
    """Return a row of the table: minima over the rounds of CPU seconds, and their ratios."""
    best = {name: min(samples["cpu"]) for name, samples in record["seconds"].items()}
    products = {name: seconds for name, seconds in best.items() if name.startswith("product")}
    rate = max(2 * int(name.split()[-1]) ** 3 / seconds for name, seconds in products.items())
    full, batch = best["mcsl"], best["mcsl, 512 rows"]
    shipped, single = best.get("gcastle, float64"), best.get("gcastle, float32")

    def against(ours: float, theirs: float | None) -> str:
        return f"{theirs / ours:.1f}x" if theirs else "-"

    return [
        str(record["n_variables"]),
        f"{1e3 * full:.2f}",
        f"{1e3 * batch:.2f}",
        f"{1e3 * shipped:.1f}" if shipped else "-",
        f"**{against(full, shipped)}**",
        f"**{against(batch, shipped)}**",
        against(full, single),
        f"{record['step_flops'] / full / 1e9:.0f} of {rate / 1e9:.0f}",
        f"**{100 * record['step_flops'] / full / rate:.0f}%**",
    ]


HEADER = [
    "variables",
    "ours, all rows (ms)",
    "ours, 512 rows (ms)",
    "gCastle (ms)",
    "faster, all rows",
    "faster, 512 rows",
    "faster than gCastle put to float32",
    "GFlop/s of the core's",
    "share",
]
