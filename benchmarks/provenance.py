"""Where and with what a figure was measured."""

import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[1]


def machine() -> dict:
    system = f"{platform.system()} {platform.machine()}"
    return {"cpu": _cpu_model(), "cores": os.cpu_count(), "system": system}


def versions(packages: Sequence[str]) -> dict[str, str]:
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def commit() -> str:
    """The commit that is measured, marked if the sources differ from it."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--", "src")
    return (git("rev-parse", "--short", "HEAD") or "unknown") + ("-changed" if changed else "")


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
