"""Tables with missing values: drop their rows, fill them in, or fit nothing to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mcsl.data import MIN_SAMPLES, Dataset
from mcsl.data.checks import Origin, check_values
from mcsl.errors import DataError, SettingsError

MissingRule = Literal["refuse", "drop", "impute", "mask"]

_WHOLE_ROWS = Origin("the rows without missing values", reader="", instead="use the rule impute or mask")

_ROUNDS = 5
_TREES = 10


@dataclass(frozen=True)
class MissingSummary:
    """What became of missing values."""

    rule: MissingRule = "refuse"
    n_missing: int = 0
    n_rows_dropped: int = 0

    @property
    def sentence(self) -> str:
        """Say it in one sentence; empty if nothing was missing."""
        if not self.n_missing:
            return ""
        values = "1 missing value" if self.n_missing == 1 else f"{self.n_missing} missing values"
        rows = "1 row was" if self.n_rows_dropped == 1 else f"{self.n_rows_dropped} rows were"
        return {
            "drop": f"Because of {values}, {rows} left out.",
            "impute": f"Drew {values} given the others; the graph takes them for measured.",
            "mask": f"Drew {values} given the others, to be read as causes; no effect was fitted to them.",
        }[self.rule]

    def share_drawn(self, n_rows: int, n_columns: int) -> float:
        """Return which share of a table was drawn: nothing where rows with gaps were dropped or refused."""
        return self.n_missing / (n_rows * n_columns) if self.rule in ("impute", "mask") else 0.0


@dataclass(frozen=True, eq=False)
class Completed:
    """A table without gaps, and which of its entries count."""

    dataset: Dataset
    summary: MissingSummary
    observed: NDArray[np.bool_] = field(default_factory=lambda: np.array(True), repr=False)
    """Entries that an effect is fitted to: those measured under "mask", and otherwise all."""


def complete(dataset: Dataset, rule: MissingRule, seed: int = 0, *, rounds: int = _ROUNDS) -> Completed:
    """Return a table without gaps by one of the rules.

    "drop" leaves out every row with a gap. "impute" draws what is missing (see `impute`), and from then on
    all values count alike. "mask" draws too, but only for causes: an effect is fitted and tested on the
    rows where it was measured. "refuse" leaves the table to whoever read it. Without any `rounds`, what is
    drawn has its own column's distribution alone, which is enough for who only asks what can be learned.
    """
    if rule not in get_args(MissingRule):
        raise SettingsError(
            f"`missing` must be one of {', '.join(get_args(MissingRule))}. Got {rule!r} instead."
        )
    missing = np.isnan(dataset.values)
    n_missing = int(missing.sum())
    if rule == "refuse" or not n_missing:
        return Completed(dataset, MissingSummary(rule))
    if rule == "drop":
        whole = np.flatnonzero(~missing.any(axis=1))
        if len(whole) < MIN_SAMPLES:
            raise DataError(
                f"Only {len(whole)} of {len(missing)} rows have no missing values, and learning needs "
                f"at least {MIN_SAMPLES}; use the rule impute or mask instead of drop."
            )
        # Without some of its rows a column may have become constant.
        kept = Dataset(dataset.values[whole], dataset.names)
        check_values(kept, _WHOLE_ROWS)
        return Completed(kept, MissingSummary(rule, n_missing, len(missing) - len(whole)))
    for name, count in zip(dataset.names, (~missing).sum(axis=0).tolist(), strict=True):
        if count < MIN_SAMPLES:
            raise DataError(
                f"Column {name!r} has only {count} values that are not missing, and learning needs at least "
                f"{MIN_SAMPLES}; leave it out."
            )
    drawn = impute(dataset.values, np.random.default_rng((seed, 1)), rounds=rounds)
    filled = Dataset(drawn, dataset.names)
    return Completed(filled, MissingSummary(rule, n_missing), ~missing if rule == "mask" else np.array(True))


def impute(
    values: NDArray[np.float64], rng: np.random.Generator, *, rounds: int = _ROUNDS
) -> NDArray[np.float64]:
    """Replace each NaN by a draw from the distribution of its column given all others.

    Chained equations with random trees: in turn, a forest of extremely randomised trees is grown for each
    column on the rows where it was measured, and a gap receives the value of one of the rows in its leaf
    of one of the trees. What is drawn was measured somewhere, so spread, skewness and several modes
    survive, which means would lose.
    """
    missing = np.isnan(values)
    # Trees read single precision, in which columns of far-off or tiny values are constant.
    filled = _standardized(values)
    source = np.tile(np.arange(len(values))[:, None], values.shape[1])
    gappy = [
        int(column) for column in np.argsort(missing.sum(axis=0), kind="stable") if missing[:, column].any()
    ]
    for column in gappy:
        gaps = missing[:, column]
        source[gaps, column] = rng.choice(np.flatnonzero(~gaps), int(gaps.sum()))
        filled[:, column] = filled[source[:, column], column]
    for _ in range(rounds):
        for column in gappy:
            gaps = missing[:, column]
            others = np.delete(filled, column, axis=1)
            drawn = _draw(others[~gaps], filled[~gaps, column], others[gaps], rng)
            source[gaps, column] = np.flatnonzero(~gaps)[drawn]
            filled[:, column] = filled[source[:, column], column]
    complete: NDArray[np.float64] = np.take_along_axis(values, source, axis=0)
    return complete


def _standardized(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bring what was measured of every column to mean 0 and deviation 1."""
    # Divided by the largest, no square overflows or vanishes.
    scaled = values / np.nanmax(np.abs(values), axis=0)
    z: NDArray[np.float64] = (scaled - np.nanmean(scaled, axis=0)) / np.nanstd(scaled, axis=0)
    return z


def _draw(
    inputs: NDArray[np.float64],
    outputs: NDArray[np.float64],
    at: NDArray[np.float64],
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """Draw for some places one of the outputs that share a leaf with them, by its index."""
    from sklearn.ensemble import ExtraTreesRegressor

    forest = ExtraTreesRegressor(
        _TREES, min_samples_leaf=5, max_features=0.5, random_state=int(rng.integers(2**31))
    ).fit(inputs, outputs)
    leaves, leaves_at = forest.apply(inputs), forest.apply(at)
    tree_of = rng.integers(_TREES, size=len(at))
    drawn = np.empty(len(at), dtype=np.intp)
    for tree in range(_TREES):
        by_leaf = np.argsort(leaves[:, tree], kind="stable")
        mine = np.flatnonzero(tree_of == tree)
        first, last = (
            np.searchsorted(leaves[by_leaf, tree], leaves_at[mine, tree], side) for side in ("left", "right")
        )
        drawn[mine] = by_leaf[rng.integers(first, last)]
    return drawn
