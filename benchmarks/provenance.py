"""Where and with what a figure was measured."""

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path


def machine() -> dict:
    system = f"{platform.system()} {platform.machine()}"
    return {"cpu": _cpu_model(), "cores": os.cpu_count(), "system": system}


def versions(packages: Sequence[str]) -> dict[str, str]:
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
