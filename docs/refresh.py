"""Rerun what the README shows and rewrite its outputs and its picture: `python docs/refresh.py`.

A comment `<!-- run: COMMAND -->` stands before each block of output. All commands run in one temporary
directory, in the order of the page; the command `python` alone runs the ```python block above it.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "learned_graph.png"
_SOURCE = re.compile(r"```python\n(.*?)```", re.DOTALL)
_OUTPUT = re.compile(r"<!-- run: (.*?) -->\n```text\n(.*?)```", re.DOTALL)


def python_example(page: str) -> str:
    """Return the source of the page's example."""
    (source,) = _SOURCE.findall(page)
    return str(source)


def refresh(page: str, directory: Path) -> str:
    """Return the page with every output made anew."""

    def rerun(block: re.Match[str]) -> str:
        command = block.group(1)
        words = ["python", "-c", python_example(page)] if command == "python" else shlex.split(command)
        output = _run(
            [str(ROOT / word) if word.startswith("examples/") else word for word in words], directory
        )
        prompt = "" if command == "python" else f"$ {command}\n"
        return f"<!-- run: {command} -->\n```text\n{prompt}{output}```"

    return _OUTPUT.sub(rerun, page)


def _run(arguments: list[str], directory: Path) -> str:
    beside = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": os.pathsep.join([beside, os.environ.get("PATH", "")])}
    done = subprocess.run(
        arguments, cwd=directory, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise SystemExit(f"{shlex.join(arguments)} failed:\n{done.stderr}")
    return "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


if __name__ == "__main__":
    readme = ROOT / "README.md"
    with TemporaryDirectory() as place:
        page = refresh(readme.read_text(encoding="utf-8"), Path(place))
        shutil.copyfile(Path(place) / "graph.png", PICTURE)
    readme.write_text(page, encoding="utf-8")
