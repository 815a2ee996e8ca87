"""What `root_cause` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcsl.data.checks import listed
from mcsl.errors import SettingsError
from mcsl.graph import CausalGraph


@dataclass(frozen=True)
class Candidate:
    """A variable that may be the root cause, and what speaks for it.

    Anomalies are ratios to the limit that 99 of 100 samples of normal operation keep: above 1 is anomalous.
    """

    rank: int
    name: str
    score: float
    """log(`noise` `unexplained` `relief` `concurrence`) + `reach`."""
    anomaly: float
    """How anomalous the variable is."""
    noise: float
    """How anomalous its own noise is, given its causes in the graph."""
    unexplained: float
    """The least that any single other anomalous variable leaves of its anomaly."""
    relief: float
    """How many times smaller the symptoms' anomaly is once this variable is taken into account."""
    concurrence: float
    """How far it moves together with the symptoms around the incident, from 0.1 to 1."""
    reach: float
    """The share of the symptoms that are downstream in the graph; a symptom counts itself by half, and so
    does a variable of which a learned graph can know nothing because it never moved before."""
    n_descendants: int
    """Anomalous variables downstream."""
    is_root: bool
    """Whether none of its causes is anomalous."""
    path: tuple[str, ...]
    """A shortest way through the graph to the target or, without one, to the loudest symptom it reaches."""
    reason: str


@dataclass(frozen=True, eq=False)
class RootCauseResult:
    """Candidates from most to least likely, and the graph that they were judged by."""

    ranking: tuple[Candidate, ...]
    target: str | None
    anomalous: tuple[str, ...]
    """Variables beyond the limit of normal operation or, if they were given, those; loudest first."""
    graph: CausalGraph = field(repr=False)
    graph_is_known: bool
    """Whether the graph was given rather than learned."""
    left_out: Mapping[str, str]
    """Columns that could not be judged, and why."""
    cannot_be_root: tuple[str, ...]
    n_baseline: int
    n_incident: int
    n_missing: int
    lags: int
    seed: int
    timings: Mapping[str, float]
    """Seconds each step took."""

    @property
    def root_cause(self) -> str:
        """The first of the ranking."""
        return self.ranking[0].name

    @property
    def by_paper(self) -> tuple[str, ...]:
        """The candidates by the paper's rule: roots among the anomalous, most descendants first."""
        order = sorted(self.ranking, key=lambda c: (c.anomaly <= 1, not c.is_root, -c.n_descendants, c.rank))
        return tuple(candidate.name for candidate in order)

    def candidate(self, name: str) -> Candidate:
        """Return what is known of one candidate."""
        for candidate in self.ranking:
            if candidate.name == name:
                return candidate
        names = [candidate.name for candidate in self.ranking]
        raise SettingsError(f"{name!r} is not in the ranking, which has the {listed(names, 'candidate')}.")

    def __repr__(self) -> str:
        first = ", ".join(candidate.name for candidate in self.ranking[:3])
        return f"RootCauseResult({first}, ...; target={self.target!r})"
