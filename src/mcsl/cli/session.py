"""What the process, not the library, may set: logging, signals and JAX's compilation cache."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType


class StoppedError(Exception):
    """The command was interrupted; the message says what is left of its work."""


@contextmanager
def interrupted_by_sigterm() -> Iterator[None]:
    """Let a request to terminate stop the work as Ctrl-C does."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, interrupt)
    except ValueError:
        # Only the main thread may listen to signals.
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def logging_to_stderr(verbose: bool, *, quiet: bool = False) -> Iterator[None]:
    """Show mcsl's warnings unless `quiet`, and with `verbose` its information too."""
    logger = logging.getLogger("mcsl")
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO if verbose else logging.ERROR if quiet else logging.WARNING)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def keep_compilations() -> None:
    """Let JAX keep what it compiles in the user's cache directory, unless it was told of a place already."""
    import jax

    if getattr(jax.config, "jax_compilation_cache_dir", None):
        return
    directory = cache_directory() / "jax"
    # Without a place to write, every run compiles anew.
    with suppress(OSError):
        directory.mkdir(parents=True, exist_ok=True)
        jax.config.update("jax_compilation_cache_dir", str(directory))  # type: ignore[no-untyped-call]


def cache_directory() -> Path:
    """Return where this user's programs keep what they can make again."""
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"]) / "mcsl"
    if sys.platform == "darwin":
        return Path("~/Library/Caches/mcsl").expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~/AppData/Local")).expanduser() / "mcsl" / "Cache"
    return Path("~/.cache/mcsl").expanduser()
