"""Tasks side by side, on whatever engine joblib was told to use."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from typing import Any

from joblib import Parallel


def side_by_side(
    tasks: Iterable[Any], n_jobs: int | None, *, ordered: bool = True, prefer: str | None = None
) -> Iterator[Any]:
    """Run delayed functions on joblib's backend and yield each result once it is there."""
    return_as = "generator" if ordered else "generator_unordered"
    try:
        engine = Parallel(n_jobs=n_jobs, return_as=return_as, prefer=prefer)
    except ValueError:
        # Pools, such as Ray's, hand over all results at the end.
        engine = Parallel(n_jobs=n_jobs, prefer=prefer)
    results = engine(tasks)
    try:
        for result in results:  # noqa: UP028
            yield result
    except GeneratorExit:
        # Where nobody wants the rest, joblib would warn; of an interrupt it only tidies up.
        if isinstance(results, Generator):
            with suppress(KeyboardInterrupt):
                results.throw(KeyboardInterrupt)
        raise
