"""One line of the trust panel."""

from __future__ import annotations

from collections.abc import Mapping
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
