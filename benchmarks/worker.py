"""Runs methods, each in a process of its own, in the environment that it is started with.

A line of standard input names a folder with `request.json` and `data.npz`. Packages are imported once; then
a fork runs the method and writes `answer.json` into the folder, and the line that comes back is its exit
status, or `OUT_OF_TIME`. A fork is killed when it has used up its CPU seconds, or when nobody waits for it.
"""

import json
import math
import os
import resource
import signal
import sys
import time
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import numpy as np
from benchmarks.methods import Data

# Wall-clock seconds for each CPU second, before a run that only waits is given up.
PATIENCE = 20
# Seconds between looks at a run.
PAUSE = 0.02
OUT_OF_TIME = "out of time"


def main() -> None:
    replies = os.fdopen(os.dup(1), "w")
    # What methods print must not be taken for replies.
    os.dup2(2, 1)
    runner = os.getppid()
    for line in sys.stdin:
        folder = Path(line.strip())
        request = json.loads((folder / "request.json").read_text())
        import_module(request["imports"])
        if (fork := os.fork()) == 0:
            answer(request, folder)
            os._exit(0)
        status, used = wait(fork, runner)
        code, seconds = os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime
        # A system without memory kills too, but sooner.
        is_late = code in (-signal.SIGXCPU, -signal.SIGALRM) or (
            code == -signal.SIGKILL and seconds >= request["limit"]
        )
        print(OUT_OF_TIME if is_late else code, file=replies, flush=True)


def wait(fork: int, runner: int) -> tuple[int, resource.struct_rusage]:
    """Return how a run ended and what it used; end it if the runner is gone, which may have been killed."""
    while True:
        ended, status, used = os.wait4(fork, os.WNOHANG)
        if ended:
            return status, used
        if os.getppid() != runner:
            os.kill(fork, signal.SIGKILL)
            sys.exit()
        time.sleep(PAUSE)


def answer(request: dict, folder: Path) -> None:
    data = Data(**np.load(folder / "data.npz"), seed=request["seed"])
    limit = request["limit"]
    cpu_limit = math.ceil(time.process_time() + limit)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_limit, cpu_limit + 5))
    signal.alarm(PATIENCE * limit)
    written = {"version": version(request["package"])}
    # All that is left of a run that does not end.
    (folder / "answer.json").write_text(json.dumps(written))
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        adjacency = import_module(request["module"]).learn(data, **request["settings"])
    except (Exception, SystemExit) as error:
        written |= {"status": "failed", "message": f"{type(error).__name__}: {error}"[:300]}
    else:
        written |= {
            "edges": np.argwhere(adjacency).tolist(),
            "seconds": round(time.perf_counter() - wall, 2),
            "cpu_seconds": round(time.process_time() - cpu, 2),
            "peak_memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "status": "ok",
        }
    (folder / "answer.json").write_text(json.dumps(written))


if __name__ == "__main__":
    main()
