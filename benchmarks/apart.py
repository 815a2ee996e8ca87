"""Runs in a process of their own, on one core: what they return, and what time and memory they take."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from multiprocessing import get_context
from typing import TypeVar

from threadpoolctl import threadpool_limits

Found = TypeVar("Found")


def apart(work: Callable[[], Found]) -> tuple[Found, dict[str, float]]:
    """Return what a fork finds, and the seconds, CPU seconds and peak memory that it takes.

    What is imported by then costs it nothing, and the rest counts.
    """
    here, there = get_context("fork").Pipe(duplex=False)

    def run() -> None:
        stay_on_a_core()
        began, (cpu, _) = time.perf_counter(), used()
        with threadpool_limits(1):
            found = work()
        seconds, (cpu_now, peak) = time.perf_counter() - began, used()
        taken = {"seconds": round(seconds, 2), "cpu_seconds": round(cpu_now - cpu, 2)}
        there.send((found, taken | {"peak_memory_mib": peak // 1024}))

    process = get_context("fork").Process(target=run)
    process.start()
    there.close()
    try:
        return here.recv()
    except EOFError:
        raise SystemExit("A run ended without a result; what it said stands above.") from None
    finally:
        process.join()


def stay_on_a_core() -> None:
    """Keep this process, and what it starts, on one core, as all methods of the comparison are."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def used() -> tuple[float, int]:
    """Return the CPU seconds and peak KiB so far, with those of what was started and waited for."""
    usage = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in usage), max(each.ru_maxrss for each in usage)
