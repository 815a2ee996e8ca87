"""What the programs of this folder read from their command lines."""

import os
import re
from argparse import ArgumentTypeError
from pathlib import Path


def at_least_one(text: str) -> int:
    """Read a whole number that counts something."""
    if not text.isdecimal() or (number := int(text)) < 1:
        raise ArgumentTypeError(f"must be a whole number from 1 up. Got {text} instead.")
    return number


def seeds(text: str) -> range:
    """Read `first-last`, both of them included, or `none`."""
    if text == "none":
        return range(0)
    if not (found := re.fullmatch(r"(\d+)-(\d+)", text)) or int(found[1]) > int(found[2]):
        raise ArgumentTypeError(f"must be first-last, such as 1000-1004, or none. Got {text} instead.")
    return range(int(found[1]), int(found[2]) + 1)


def from_here(command: str) -> str:
    """Read a path that shall mean the same in another folder; a bare name is looked up as the shell does."""
    return str(Path(command).absolute()) if os.sep in command else command
