"""What the command, and only the command, sets for its process."""

from pathlib import Path

import pytest

from mcsl.cli.session import cache_directory


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, "/home/ada/.cache/mcsl"),
        ("linux", {"XDG_CACHE_HOME": "/else"}, "/else/mcsl"),
        ("darwin", {}, "/home/ada/Library/Caches/mcsl"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/mcsl/Cache"),
        ("win32", {}, "/home/ada/AppData/Local/mcsl/Cache"),
    ],
)
def test_cache_directory_follows_the_platform(monkeypatch, platform, environment, expected):
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/ada", **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.platform", platform)
    assert cache_directory() == Path(expected)
