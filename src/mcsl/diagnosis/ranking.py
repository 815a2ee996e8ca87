"""From evidence and a graph to a ranking with reasons."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mcsl.diagnosis.evidence import Evidence
from mcsl.diagnosis.result import Candidate
from mcsl.graph import CausalGraph

_MOST_RIVALS = 10
"""How many of the loudest variables are tried as explanations of the others."""


def rank(
    evidence: Evidence,
    graph: CausalGraph,
    candidates: Sequence[int],
    symptoms: Sequence[int],
    loud: Sequence[int],
    unknown: NDArray[np.bool_],
) -> tuple[Candidate, ...]:
    """Rank candidates by their noise, what nothing else explains of it, and what they do to the symptoms.

    `loud` holds the anomalous variables, loudest first; `unknown` marks variables of which the graph can say
    nothing.
    """
    judged = [_judge(evidence, graph, i, symptoms, loud, bool(unknown[i])) for i in candidates]
    judged.sort(key=lambda candidate: -candidate.score)
    return tuple(replace(candidate, rank=place) for place, candidate in enumerate(judged, start=1))


def _judge(
    evidence: Evidence,
    graph: CausalGraph,
    i: int,
    symptoms: Sequence[int],
    loud: Sequence[int],
    is_unknown: bool,
) -> Candidate:
    """Gather what speaks for one variable; its rank is not known yet."""
    came_from = _downstream(graph, i)
    causes = np.flatnonzero(graph.adjacency[:, i]).tolist()
    anomaly, noise = evidence.anomaly(i), evidence.noise(i, frozenset(causes))
    left = {j: evidence.noise(i, frozenset({j})) for j in loud[:_MOST_RIVALS] if j != i and anomaly > 0}
    unexplained = min(left.values(), default=anomaly)
    relief = [
        evidence.noise(j, frozenset()) - evidence.noise(j, frozenset({i})) if j != i else 0.0
        for j in symptoms
    ]
    concurrence = [evidence.concurrence(i, j) if j != i else 0.55 for j in symptoms]
    # Whoever shows the symptom may be its cause, but half as likely as something upstream.
    shares = [0.5 if j == i or is_unknown else float(j in came_from) for j in symptoms]
    mean_relief, reach, together = (
        float(np.mean(values)) if values else 0.0 for values in (relief, shares, np.log(concurrence).tolist())
    )
    end = next((j for j in symptoms if j in came_from), None)
    candidate = Candidate(
        rank=0,
        name=graph.names[i],
        score=noise + unexplained + mean_relief + together + reach,
        anomaly=float(np.exp(anomaly)),
        noise=float(np.exp(noise)),
        unexplained=float(np.exp(unexplained)),
        relief=float(np.exp(mean_relief)),
        concurrence=float(np.exp(together)),
        reach=reach,
        n_descendants=sum(j in came_from for j in loud if j != i),
        is_root=not any(j in causes for j in loud),
        path=() if end is None else tuple(graph.names[j] for j in _way(came_from, end)),
        reason="",
    )
    # What it acts on may foretell it, but does not explain it.
    explains = [
        graph.names[j] for j in sorted(left, key=left.__getitem__) if left[j] <= 0 and j not in came_from
    ]
    words = _words(candidate, [graph.names[j] for j in causes], explains, evidence.was_off(i))
    return replace(candidate, reason=words)


def _words(candidate: Candidate, causes: Sequence[str], explains: Sequence[str], was_off: bool) -> str:
    """Say in one sentence what speaks for or against a candidate."""
    if was_off and candidate.anomaly < 1.5:
        return "It was off already before the symptom began."
    if candidate.anomaly <= 1:
        return "It keeps within what is normal."
    loud = f"It is at {candidate.anomaly:.3g} times its normal limit"
    if candidate.noise <= 1 and causes:
        named = ", ".join(causes[:3]) + (", ..." if len(causes) > 3 else "")
        return f"{loud}, which its causes ({named}) explain."
    if explains:
        return f"{loud}, which {explains[0]} explains."
    own = (
        f"Given its causes, its own noise is at {candidate.noise:.3g} times its normal limit"
        if causes
        else f"{loud} and nothing acts on it"
    )
    if candidate.path[1:]:
        return f"{own}; it acts on {candidate.path[-1]} by {' -> '.join(candidate.path)}."
    return f"{own}; it is {'the symptom itself' if candidate.path else 'not known to act on the symptom'}."


def _downstream(graph: CausalGraph, start: int) -> dict[int, int]:
    """Return every variable that is downstream, itself included, and from where it is first reached."""
    came_from, waiting = {start: start}, deque([start])
    while waiting:
        node = waiting.popleft()
        for effect in np.flatnonzero(graph.adjacency[node]).tolist():
            if effect not in came_from:
                came_from[effect] = node
                waiting.append(effect)
    return came_from


def _way(came_from: dict[int, int], end: int) -> list[int]:
    """Return the way from where the search began to one of the variables it found."""
    way = [end]
    while came_from[way[-1]] != way[-1]:
        way.append(came_from[way[-1]])
    return way[::-1]
