"""Tasks side by side, on whatever engine joblib was told to use."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

Found = TypeVar("Found")


def side_by_side(
    tasks: Iterable[Callable[[], Found]],
    n_jobs: int | None,
    *,
    ordered: bool = True,
    prefer: str | None = None,
) -> Iterator[Found]:
    """Call tasks on joblib's backend and yield each result once it is there.

    A task holds all that it reads and no more, since it may run on another machine.
    """
    return_as = "generator" if ordered else "generator_unordered"
    try:
        engine = Parallel(n_jobs=n_jobs, return_as=return_as, prefer=prefer)
    except ValueError:
        # Pools, such as Ray's, hand over all results at the end.
        engine = Parallel(n_jobs=n_jobs, prefer=prefer)
    # Dask would keep large arguments apart from tasks, where they are lost with the worker that holds them.
    results = engine(delayed(_call)(task) for task in tasks)
    try:
        for result in results:  # noqa: UP028
            yield result
    except GeneratorExit:
        # Where nobody wants the rest, joblib would warn; of an interrupt it only tidies up.
        if isinstance(results, Generator):
            with suppress(KeyboardInterrupt):
                results.throw(KeyboardInterrupt)
        raise


def in_threads(tasks: Iterable[Callable[[], Found]]) -> Iterator[Found]:
    """Call tasks that let go of Python's lock: in threads, or on the workers that joblib was told to use."""
    backend, _ = get_active_backend(prefer="threads")
    # Dask's does not say.
    if not getattr(backend, "supports_sharedmem", False):
        yield from side_by_side(tasks, n_jobs=-1)
        return
    # joblib leaves its threads to themselves on an interrupt, and JAX breaks down if they outlive Python.
    with ThreadPoolExecutor(backend.effective_n_jobs(-1)) as threads:
        yield from threads.map(_call, tasks)


def _call(task: Callable[[], Found]) -> Found:
    return task()
