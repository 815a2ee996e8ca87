"""Prior knowledge from the command line: a file, and single edges."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mcsl.errors import KnowledgeError, SettingsError

if TYPE_CHECKING:
    from mcsl.problem import Knowledge

KnowledgeFile = Annotated[
    Path | None,
    typer.Option(
        help="What is known beforehand, as JSON or YAML: required, forbidden, tiers, roots, leaves.",
        metavar="FILE",
        show_default=False,
    ),
]
RequiredEdges = Annotated[
    list[str] | None,
    typer.Option(
        help="Edge that the graph must have; may be given several times.",
        metavar="CAUSE,EFFECT",
        show_default=False,
    ),
]
ForbiddenEdges = Annotated[
    list[str] | None,
    typer.Option(
        help="Edge that it must not have; may be given several times.",
        metavar="CAUSE,EFFECT",
        show_default=False,
    ),
]


def build_knowledge(
    path: Path | None, require: Sequence[str] | None, forbid: Sequence[str] | None, names: Sequence[str]
) -> Knowledge:
    """Return what the file and the options say together."""
    from dataclasses import replace

    from mcsl.problem import Knowledge, read_knowledge

    known = read_knowledge(path) if path else Knowledge()
    required, forbidden = (
        tuple(parse_edge(text, names) for text in texts or ()) for texts in (require, forbid)
    )
    return replace(known, required=known.required + required, forbidden=known.forbidden + forbidden)


def parse_edge(text: str, names: Sequence[str]) -> tuple[str, str]:
    """Split CAUSE,EFFECT or CAUSE->EFFECT at the one place that leaves a name on either side.

    Names may hold commas and arrows themselves. Where no split gives two names, a single separator is
    taken at its word, for a message that says which name is unknown.
    """
    cuts = _cuts(text, ",|->")
    if not cuts:
        raise KnowledgeError(f"{text!r} is no edge; write CAUSE,EFFECT with the names of two columns.")
    fitting = [cut for cut in cuts if cut[0] in names and cut[1] in names] or cuts
    if len(fitting) != 1:
        raise KnowledgeError(
            f"{text!r} must be one CAUSE,EFFECT of two columns. "
            f"Got {len(fitting)} ways to read it; write it as a pair in a --knowledge file."
        )
    return fitting[0]


def parse_names(text: str, names: Sequence[str]) -> list[str]:
    """Split A,B,C at those commas that leave nothing but names, which may hold commas themselves.

    Where no split does, every comma is taken at its word, for a message that says which name is unknown.
    """
    fitting: list[list[str]] = []
    begun: list[tuple[list[str], str]] = [([], text.strip())]
    while begun and len(fitting) < 2:
        taken, rest = begun.pop()
        if rest in names:
            fitting.append([*taken, rest])
        begun += [([*taken, name], after) for name, after in _cuts(rest, ",") if name in names]
    if len(fitting) > 1:
        raise SettingsError(
            f"{text!r} can be read as {' and '.join(map(str, fitting))}; rename one of these columns, "
            "or call mcsl.root_cause in Python."
        )
    return fitting[0] if fitting else [name.strip() for name in text.split(",") if name.strip()]


def _cuts(text: str, signs: str) -> list[tuple[str, str]]:
    """Return what stands before and after each sign."""
    return [(text[: sign.start()].strip(), text[sign.end() :].strip()) for sign in re.finditer(signs, text)]
