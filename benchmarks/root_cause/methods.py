"""Our ranking and those it is measured against: each takes a case and returns names, likeliest first."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from benchmarks.root_cause.cases import Case
from scipy.special import ndtri

import mcsl
from mcsl.diagnosis.periods import read_periods
from mcsl.diagnosis.surprise import Yardstick


def ours(case: Case, *, with_graph: bool = False) -> mcsl.RootCauseResult:
    return mcsl.root_cause(
        case.incident,
        baseline=case.baseline,
        target=case.target,
        lags=case.lags,
        known_graph=case.graph if with_graph else None,
        graph_of="calls",
    )


def _measured(case: Case):
    """Names, and robust deviations of normal operation and incident; missing samples are at the median."""
    periods = read_periods(case.incident, case.baseline)
    sticks = [Yardstick.of(column) for column in periods.normal.T]
    normal, incident = (
        np.nan_to_num(np.column_stack([s.measure(c) for s, c in zip(sticks, table.T, strict=True)]))
        for table in (periods.normal, periods.incident)
    )
    return periods.names, normal, incident


def _by(scores, names) -> list[str]:
    return [names[i] for i in np.argsort(-np.asarray(scores), kind="stable")]


def largest_z(case: Case) -> list[str]:
    names, _, incident = _measured(case)
    return _by(np.abs(incident).max(axis=0), names)


def largest_mean_z(case: Case) -> list[str]:
    names, _, incident = _measured(case)
    return _by((incident**2).mean(axis=0), names)


def earliest_anomaly(case: Case) -> list[str]:
    """By the first row beyond three deviations; the larger deviation first among those of one row."""
    names, _, incident = _measured(case)
    beyond = np.abs(incident) > 3
    first = np.where(beyond.any(axis=0), beyond.argmax(axis=0), len(incident))
    size = np.abs(incident[np.minimum(first, len(incident) - 1), np.arange(len(names))])
    return [names[i] for i in np.lexsort((-size, first))]


def correlation(case: Case) -> list[str]:
    """By the correlation with the target over the incident and as many rows before it."""
    names, normal, incident = _measured(case)
    table = np.concatenate([normal[-len(incident) :], incident])
    target = table[:, names.index(case.target)]
    spread = table.std(axis=0) * target.std()
    products = (table - table.mean(axis=0)).T @ (target - target.mean()) / len(table)
    scores = np.abs(np.divide(products, spread, out=np.zeros(len(names)), where=spread > 0))
    scores[names.index(case.target)] = -1
    return _by(scores, names)


def chance(case: Case) -> list[str]:
    names, _, _ = _measured(case)
    seed = int(np.sum(np.frombuffer(case.name.encode(), dtype=np.uint8)))
    return [names[i] for i in np.random.default_rng(seed).permutation(len(names))]


def pc_and_paper(case: Case) -> list[str]:
    """PC on normal operation, then the root among the anomalous variables with the most descendants."""
    names, normal, incident = _measured(case)
    directed = pc(normal)
    loud = np.abs(incident).max(axis=0)
    anomalous = loud > 3
    reach = np.eye(len(names), dtype=bool) | directed
    for _ in names:
        reach = reach | (reach.astype(int) @ reach.astype(int) > 0)
    is_root = ~(directed & anomalous[:, None]).any(axis=0)
    n_descendants = (reach & anomalous).sum(axis=1)
    return [names[i] for i in np.lexsort((-loud, -n_descendants, ~is_root, ~anomalous))]


def pc(values: np.ndarray, *, level: float = 0.01, most_given: int = 2) -> np.ndarray:
    """Return the edges that PC directs: tests of partial correlation, colliders, then Meek's first rule."""
    moving = np.flatnonzero(values.std(axis=0) > 0)
    found = np.zeros((values.shape[1], values.shape[1]), dtype=bool)
    correlations = np.corrcoef(values[:, moving].T)
    d, n = len(moving), len(values)
    linked, given = ~np.eye(d, dtype=bool), {}
    for size in range(most_given + 1):
        limit = ndtri(1 - level / 2) / np.sqrt(n - size - 3)
        for i, j in combinations(range(d), 2):
            if not linked[i, j]:
                continue
            near = [[k for k in np.flatnonzero(linked[a]) if k not in (i, j)] for a in (i, j)]
            for others in {s for side in near for s in combinations(side, size)}:
                inverse = np.linalg.pinv(correlations[np.ix_((i, j, *others), (i, j, *others))])
                partial = -inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1])
                if abs(np.arctanh(np.clip(partial, -0.999999, 0.999999))) < limit:
                    linked[i, j] = linked[j, i] = False
                    given[i, j] = given[j, i] = set(others)
                    break
    directed = np.zeros((d, d), dtype=bool)
    for k in range(d):
        for i, j in combinations(np.flatnonzero(linked[k]), 2):
            if not linked[i, j] and k not in given[i, j]:
                directed[[i, j], k] = True
    both = directed & directed.T
    directed &= ~both
    changed = True
    while changed:
        changed = False
        for i, k in np.argwhere(directed):
            for j in np.flatnonzero(linked[k] & ~linked[i] & ~directed[k] & ~directed[:, k]):
                if j != i:
                    directed[k, j] = changed = True
    found[np.ix_(moving, moving)] = directed
    return found


BASELINES = {
    "largest z-score": largest_z,
    "largest mean z-score": largest_mean_z,
    "earliest anomaly": earliest_anomaly,
    "correlation with the target": correlation,
    "PC and the paper's rule": pc_and_paper,
    "random": chance,
}
