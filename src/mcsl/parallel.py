"""Tasks side by side, on whatever engine joblib was told to use."""

from __future__ import annotations

from typing import Any, Literal

from joblib import Parallel


def side_by_side(
    n_jobs: int | None, return_as: Literal["generator", "generator_unordered"] = "generator", **options: Any
) -> Parallel:
    """Return what runs tasks on joblib's backend and hands over each result once it is there."""
    try:
        return Parallel(n_jobs=n_jobs, return_as=return_as, **options)
    except ValueError:
        # Pools, such as Ray's, hand over all results at the end.
        return Parallel(n_jobs=n_jobs, **options)
