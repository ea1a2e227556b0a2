"""What a compiler says of itself is asked once, as long as it is the same file."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from isospin.core import cache, deadline


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that are really started, with an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    run, seen = deadline.run, list[str]()

    def watched(command: Sequence[str], doing: str) -> subprocess.CompletedProcess[str]:
        seen.append(command[0])
        return run(command, doing)

    monkeypatch.setattr(deadline, "run", watched)
    return seen


def program(path: Path) -> Path:
    """One that says what it is given, and can be copied."""
    shutil.copy(shutil.which("echo") or "", path)
    return path


def test_an_answer_is_remembered(tmp_path: Path, asked: list[str]) -> None:
    program(tmp_path / "clang-99")
    assert [cache.ask(("clang-99",), "--version-of it") for _ in range(3)] == ["--version-of it\n"] * 3
    assert cache.ask(("clang-99",), "another") == "another\n"
    assert asked == ["clang-99"] * 2


def test_another_file_is_asked_again(tmp_path: Path, asked: list[str]) -> None:
    compiler = program(tmp_path / "cc")
    cache.ask(("cc",), "x")
    compiler.unlink()
    program(tmp_path / "cc")
    cache.ask(("cc",), "x")
    assert asked == ["cc", "cc"]


@pytest.mark.parametrize("name", ["ccache", "distcc", "mine"])
def test_what_calls_a_compiler_is_asked_each_time(name: str, tmp_path: Path, asked: list[str]) -> None:
    program(tmp_path / name)
    (tmp_path / "gcc").symlink_to(tmp_path / name)
    for _ in range(2):
        cache.ask(("gcc",), "x")
    assert asked == ["gcc", "gcc"]


def test_a_script_is_asked_each_time(tmp_path: Path, asked: list[str]) -> None:
    script = tmp_path / "gcc"
    script.write_text("#!/bin/sh\necho one\n")
    script.chmod(0o700)
    assert cache.ask(("gcc",), "x") == "one\n"
    changed = script.stat()
    script.write_text("#!/bin/sh\necho two\n")
    os.utime(script, ns=(changed.st_atime_ns, changed.st_mtime_ns))
    assert cache.ask(("gcc",), "x") == "two\n"


def test_a_compiler_that_fails_says_nothing(asked: list[str]) -> None:
    assert cache.ask(("cc",), "--no-such-option") == ""
    assert asked == ["cc"]


def test_what_was_not_used_for_longest_goes_and_what_was_used_just_now_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check that runs for long must find its program again, whatever others keep meanwhile."""
    monkeypatch.setattr(cache, "MOST_KEPT", 2)

    def keep(key: str, hours: float = 0) -> Path:
        (tmp_path / "made").write_text(key)
        path = cache.keep(tmp_path, key, tmp_path / "made")
        os.utime(path, (time.time() - 3600 * hours,) * 2)
        return path

    first, *others = keep("a", 9), keep("b", 8), keep("c"), keep("d"), keep("e")
    assert not first.exists()
    assert [path.exists() for path in others] == [False, True, True, True]
