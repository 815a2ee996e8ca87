"""What the command, and only the command, sets for its process."""

from pathlib import Path

import jax
import pytest

from mcsl.cli.session import cache_directory, keep_compilations


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


@pytest.fixture
def cache_setting():
    before = jax.config.jax_compilation_cache_dir
    jax.config.update("jax_compilation_cache_dir", None)
    yield lambda: jax.config.jax_compilation_cache_dir
    jax.config.update("jax_compilation_cache_dir", before)


def test_compilations_are_kept_in_the_users_cache(cache_setting, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    keep_compilations()
    assert cache_setting() == str(tmp_path / "mcsl" / "jax")
    assert (tmp_path / "mcsl" / "jax").is_dir()


def test_a_place_chosen_by_the_user_is_respected(cache_setting, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    jax.config.update("jax_compilation_cache_dir", "elsewhere")
    keep_compilations()
    assert cache_setting() == "elsewhere"


def test_no_place_to_write_is_no_reason_to_fail(cache_setting, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    keep_compilations()
    assert cache_setting() is None
