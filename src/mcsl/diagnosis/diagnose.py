"""The whole walk from an incident to its ranked causes."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mcsl.data import MIN_SAMPLES, Dataset, SeriesTable
from mcsl.diagnosis.evidence import Evidence
from mcsl.diagnosis.periods import Periods, read_periods
from mcsl.diagnosis.ranking import rank
from mcsl.diagnosis.result import RootCauseResult
from mcsl.errors import SettingsError
from mcsl.graph import CausalGraph
from mcsl.learning import learn
from mcsl.recipe import Recipe
from mcsl.settings import check_choice, whole_number

GraphOf = Literal["causes", "calls"]

_MOST_SYMPTOMS = 10
_MOST_VARIABLES = 100
"""Of more variables, the graph is learned over the loudest."""


def root_cause(
    data: Any,
    *,
    target: str | None = None,
    anomalous: Sequence[str] | None = None,
    lags: int = 0,
    baseline: Any = None,
    cannot_be_root: Sequence[str] = (),
    known_graph: CausalGraph | str | os.PathLike[str] | None = None,
    graph_of: GraphOf = "causes",
    recipe: Recipe | str | None = None,
    seed: int = 0,
) -> RootCauseResult:
    """Rank the variables by how likely each is where an incident began.

    `data` holds the rows of the incident and `baseline` those of normal operation, each as anything that
    `learn` takes; a number is that many leading rows of `data`, None the first half of them. `target` is
    the symptom to explain; without one, all anomalous variables are. The causes of `anomalous` variables are
    looked for among themselves; None finds those beyond what is normal and looks everywhere.

    The graph is learned from normal operation by `recipe`, `Recipe.additive()` for None, unless `known_graph`
    gives it, as a CausalGraph or the path of a file for `read_graph`; with `graph_of` "calls" its edges run
    from caller to callee, and causes against them. Mechanisms of normal operation then tell whose noise is
    anomalous from whose anomaly is explained. Variables in `cannot_be_root` are never in the ranking.
    """
    lags, seed = whole_number("lags", lags), whole_number("seed", seed)
    check_choice("graph_of", graph_of, GraphOf)
    began = time.perf_counter()
    given = _given_graph(known_graph)
    periods = read_periods(data, baseline)
    _check_lags(lags, len(periods.normal))
    if target is not None and not isinstance(target, str):
        raise SettingsError(f"`target` must be the name of a column. Got {target!r} instead.")
    _check_names("target", [] if target is None else [target], periods)
    _check_names("anomalous", [] if anomalous is None else anomalous, periods)
    if anomalous is not None and not len(anomalous):
        raise SettingsError("`anomalous` names no variable; name one, or leave it out to have them found.")
    _check_names("cannot_be_root", cannot_be_root, periods)
    # Thousands of small regressions: threads inside them would only wait for each other.
    with threadpool_limits(1):
        place = {name: i for i, name in enumerate(periods.names)}
        evidence = Evidence(periods, lags, [place[target]] if target is not None else [])
        anomalies = np.array([evidence.anomaly(i) for i in range(len(place))])
        loud = [i for i in np.argsort(-anomalies).tolist() if anomalies[i] > 0]
        if anomalous is not None:
            loud = sorted((place[name] for name in anomalous), key=lambda i: -anomalies[i])
        symptoms = [place[target]] if target is not None else loud[:_MOST_SYMPTOMS]
        if target is None and symptoms:
            evidence = Evidence(periods, lags, symptoms)
        candidates = [
            i
            for i, name in enumerate(periods.names)
            if name not in cannot_be_root and (anomalous is None or i in loud)
        ]
        if not candidates:
            raise SettingsError("`cannot_be_root` rules out every candidate; leave one.")
        read = time.perf_counter()
        if given is None:
            graph = _learn(evidence, periods.names, anomalies, symptoms, lags, recipe, seed)
        else:
            graph = _fit_names(given, periods.names, graph_of)
        learned = time.perf_counter()
        # A variable that never moved has no edges to be learned.
        unknown = evidence.silent & (given is None)
        ranking = rank(evidence, graph, candidates, symptoms, loud, unknown)
    return RootCauseResult(
        ranking=ranking,
        target=target,
        anomalous=tuple(periods.names[i] for i in loud),
        graph=graph,
        graph_is_known=given is not None,
        left_out=periods.left_out,
        cannot_be_root=tuple(cannot_be_root),
        n_baseline=len(periods.normal),
        n_incident=len(periods.incident),
        n_missing=periods.n_missing,
        lags=lags,
        seed=seed,
        timings={"read": read - began, "graph": learned - read, "rank": time.perf_counter() - learned},
    )


def _given_graph(known: CausalGraph | str | os.PathLike[str] | None) -> CausalGraph | None:
    """Return a known graph, read from its file if it is one."""
    if known is None or isinstance(known, CausalGraph):
        return known
    if not isinstance(known, str | os.PathLike):
        raise SettingsError(
            "`known_graph` must be a CausalGraph, such as CausalGraph(matrix, names), or the path of a file. "
            f"Got {type(known).__name__} instead."
        )
    from mcsl.outputs.graphs import read_graph

    return read_graph(known)


def _check_lags(lags: int, n_baseline: int) -> None:
    most = n_baseline - MIN_SAMPLES
    if lags > most:
        raise SettingsError(
            f"`lags` must be at most {most}, so that {MIN_SAMPLES} of the {n_baseline} rows of the baseline "
            f"have all of their past. Got {lags} instead."
        )


def _check_names(option: str, named: Sequence[str], periods: Periods) -> None:
    if isinstance(named, str):
        raise SettingsError(f"`{option}` must be a list of names. Got {named!r} instead.")
    for name in named:
        if name in periods.left_out and option != "cannot_be_root":
            raise SettingsError(
                f"`{option}` names {name!r}, which cannot be judged: {periods.left_out[name]}."
            )
        if name not in periods.names and name not in periods.left_out:
            known = ", ".join(periods.names[:6]) + (", ..." if len(periods.names) > 6 else "")
            raise SettingsError(f"`{option}` names {name!r}, which is no column; there are {known}.")


def _learn(
    evidence: Evidence,
    names: tuple[str, ...],
    anomalies: NDArray[np.float64],
    symptoms: Sequence[int],
    lags: int,
    recipe: Recipe | str | None,
    seed: int,
) -> CausalGraph:
    """Learn from normal operation, where faults have not bent any mechanism yet."""
    moving = [i for i in np.argsort(-anomalies).tolist() if not evidence.silent[i]]
    chosen = sorted({*moving[:_MOST_VARIABLES], *(i for i in symptoms if not evidence.silent[i])})
    edges: tuple[tuple[str, str], ...] = ()
    if len(chosen) > 1:
        normal = Dataset(evidence.filled[:, chosen], tuple(names[i] for i in chosen))
        edges = learn(SeriesTable.of(normal), recipe or Recipe.additive(), lags=lags, seed=seed).graph.edges
    return CausalGraph.from_edges(edges, names)


def _fit_names(graph: CausalGraph, names: tuple[str, ...], graph_of: GraphOf) -> CausalGraph:
    """Return a known graph over the columns: edges through what was not measured join its neighbours."""
    adjacency = (graph.adjacency.T if graph_of == "calls" else graph.adjacency).copy()
    if not set(graph.names) & set(names):
        raise SettingsError("The known graph and the table have no variable in common; check their names.")
    for i, name in enumerate(graph.names):
        if name not in names:
            adjacency |= np.outer(adjacency[:, i], adjacency[i])
            adjacency[:, i] = adjacency[i] = False
    return CausalGraph.from_edges(
        [(graph.names[j], graph.names[i]) for j, i in np.argwhere(adjacency)], names
    )
