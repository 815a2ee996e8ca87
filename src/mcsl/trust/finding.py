"""One line of the trust panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Verdict = Literal["good", "caution", "bad"]


@dataclass(frozen=True)
class Finding:
    """Something that was checked about a result, what came out, and what to do about it."""

    name: str
    verdict: Verdict
    sentence: str
    advice: str
    """What to do; empty where there is nothing to do."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """The numbers behind the sentence, by variable, edge or name."""


def some_of(names: Sequence[str]) -> str:
    """Return names as a sentence lists them: the first four, and how many more there are."""
    shown = ", ".join(names[:4])
    return f"{shown} and {len(names) - 4} more" if len(names) > 4 else shown
