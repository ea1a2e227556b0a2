"""Symbols of ELF files, against binutils."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from isospin.hosts.c.symbols import exported, undefined

pytestmark = pytest.mark.skipif(shutil.which("nm") is None or shutil.which("gcc") is None, reason="needs gcc and nm")
SOURCE = """
extern int there(int), elsewhere;
int here(void), twice_here(void), data = 3;
static int hidden(int x) { return there(x) + elsewhere; }
int here(void) { return hidden(2); }
int twice_here(void) { return here() + data; }
__attribute__((weak)) extern void perhaps(void);
void (*chosen)(void) = perhaps;
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    place = tmp_path_factory.mktemp("symbols")
    (place / "a.c").write_text(SOURCE)
    for options, name in ((["-c"], "a.o"), (["-shared", "-fPIC"], "a.so")):
        subprocess.run(["gcc", *options, "a.c", "-o", name], cwd=place, check=True)
    return place / "a.o", place / "a.so"


def said_by_nm(*words: str | Path) -> list[list[str]]:
    said = subprocess.run(["nm", *words], capture_output=True, text=True, check=True).stdout
    return [line.split() for line in said.splitlines()]


def test_what_an_object_does_not_have(files: tuple[Path, Path]) -> None:
    assert undefined(files[0]) == {words[-1] for words in said_by_nm("-u", files[0])}
    assert {"there", "elsewhere", "perhaps"} <= undefined(files[0])


def test_what_a_library_exports(files: tuple[Path, Path]) -> None:
    rows = [words for words in said_by_nm("-D", "--defined-only", files[1]) if words[1] in "TDB"]
    assert {"here", "twice_here", "data"} <= {words[2] for words in rows}
    assert all(exported(files[1], words[2]) == int(words[0], 16) for words in rows)


@pytest.mark.parametrize("name", ["hidden", "there", "her", "nothing", ""])
def test_what_it_does_not_export(name: str, files: tuple[Path, Path]) -> None:
    assert exported(files[1], name) == 0


def test_what_is_no_such_file(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("int main;")
    assert undefined(tmp_path / "text") == frozenset()
    assert exported(tmp_path / "text", "main") == 0
