"""One run in a process of its own, in the environment of its method: `python -m benchmarks.worker FOLDER`.

Reads `request.json` and `data.npz` from the folder and writes `answer.json`. The process is killed when it
has used up its CPU seconds.
"""

import json
import math
import resource
import sys
import time
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import numpy as np
from benchmarks.methods import Data


def main() -> None:
    folder = Path(sys.argv[1])
    request = json.loads((folder / "request.json").read_text())
    learn = import_module(request["module"]).learn
    import_module(request["imports"])
    data = Data(**np.load(folder / "data.npz"), seed=request["seed"])
    cpu_limit = math.ceil(time.process_time() + request["limit"])
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_limit, cpu_limit + 5))
    wall, cpu = time.perf_counter(), _cpu_seconds()
    adjacency = np.asarray(learn(data, **request["settings"])) != 0
    answer = {
        "edges": np.argwhere(adjacency).tolist(),
        "seconds": round(time.perf_counter() - wall, 2),
        "cpu_seconds": round(_cpu_seconds() - cpu, 2),
        "peak_memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "version": version(request["package"]),
    }
    (folder / "answer.json").write_text(json.dumps(answer))


def _cpu_seconds() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    main()
