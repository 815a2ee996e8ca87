"""The command line: it parses, calls and prints; what is slow to import is imported by the commands."""

from mcsl.cli.app import app, main

__all__ = ["app", "main"]
