"""Processes on one core that wait for requests, so that measurements of several programs alternate."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

# Every library that might start threads of its own is told not to.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


class Worker:
    """A script that answers a line of JSON with a line of JSON."""

    def __init__(self, command: Sequence[str | Path], core: int | None) -> None:
        def pin() -> None:
            if core is not None and hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(0, {core})

        self._process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **ONE_THREAD},
            preexec_fn=pin,
        )

    def ask(self, **request: object) -> dict:
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            command = " ".join(self._process.args)
            raise SystemExit(f"`{command}` ended without an answer; run it by hand to see why.")
        return json.loads(line)

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()
