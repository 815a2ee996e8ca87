"""Tables in a README, written from results between a pair of comments."""

import re
from collections.abc import Sequence
from pathlib import Path


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def put_table(readme: Path, name: str, table: str) -> None:
    """Replace what stands between `<!-- name -->` and `<!-- end of name -->`."""
    text = readme.read_text()
    between = re.compile(f"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    if not between.search(text):
        raise SystemExit(f"{readme} has no place for the table {name!r}.")
    readme.write_text(between.sub(lambda found: f"{found[1]}{table}\n{found[2]}", text))
