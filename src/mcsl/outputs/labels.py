"""Names as they stand in pictures: broken into lines, shortened, in signs that the font has, and measured."""

from __future__ import annotations

import logging
import textwrap
from collections.abc import Iterable, Sequence
from contextlib import suppress

from mcsl.data.checks import listed

logger = logging.getLogger(__name__)

FONT_SIZE = 10.0
LINE_HEIGHT = 12.5
_LONGEST_LINE, _LONGEST_WORD, _MOST_LINES = 16, 32, 8


def shorten(text: str, most: int) -> str:
    """Return the text with an ellipsis for its middle where it has more than so many characters."""
    head, tail = most // 2, (most - 1) // 2
    return text if len(text) <= most else f"{text[:head]}…{text[len(text) - tail :]}"


def break_name(
    name: str, *, line: int = _LONGEST_LINE, word: int = _LONGEST_WORD, lines: int = _MOST_LINES
) -> str:
    """Break a long name into lines, at blanks and after underscores.

    A word longer than a line has one to itself, and at most `word` characters of it are kept. Of too many
    lines, those before the last are left out.
    """
    words = " ".join(name.split())
    # The form feed is a blank to textwrap and in no name.
    broken = textwrap.wrap(words.replace("_", "_\f"), line, replace_whitespace=False, break_long_words=False)
    whole = [shorten(part.replace("\f", ""), word) for part in broken]
    if len(whole) > lines:
        whole = [*whole[: lines - 2], whole[lines - 2] + "…", whole[-1]]
    return "\n".join(whole)


def drawable(labels: Iterable[str], fonts: Sequence[str]) -> list[str]:
    """Return the labels with a box for every sign that no font has; one warning tells of all."""
    labels = list(labels)
    lacking = _lacking(set("".join(labels)) - {"\n"}, fonts)
    if not lacking:
        return labels
    logger.warning(
        "The font of pictures lacks %s, drawn as a box; set matplotlib's font.family to one that has all.",
        listed(sorted(lacking), "sign"),
    )
    box = "?" if _lacking({"□"}, fonts) else "□"
    boxes = str.maketrans(dict.fromkeys(lacking, box))
    return [label.translate(boxes) for label in labels]


def _lacking(signs: set[str], fonts: Sequence[str]) -> set[str]:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    paths = []
    for family in fonts:
        with suppress(ValueError):
            paths.append(findfont(FontProperties(family=[family]), fallback_to_default=False))
    faces = [get_font(path) for path in paths or [findfont(FontProperties())]]
    return {sign for sign in signs if not any(face.get_char_index(ord(sign)) for face in faces)}


def measure(label: str, fonts: Sequence[str]) -> tuple[float, float]:
    """Return width and height of a label in points, at `FONT_SIZE`."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=list(fonts), size=FONT_SIZE)
    lines = label.split("\n")
    widths = [text_to_path.get_text_width_height_descent(line, font, ismath=False)[0] for line in lines]
    return max(widths), LINE_HEIGHT * len(lines)


def known_fonts() -> tuple[str, ...]:
    """Return the user's font and, for signs it lacks, installed ones of other scripts."""
    from matplotlib import font_manager, rcParams

    others = ("Noto Sans CJK JP", "Noto Sans CJK SC", "Hiragino Sans", "Microsoft YaHei", "Malgun Gothic")
    installed = set(font_manager.get_font_names())
    return (*rcParams["font.family"], *(name for name in others if name in installed))
