"""Programs with a build of their own, through the compiler in front of the compiler."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from isospin.core.errors import UsageError
from isospin.hosts.c.building import wrapper
from isospin.hosts.c.building.wrapper import build_by_command, sorted_words

RUNTIME = """
int isospin_user_main(int, char **);
void __tsan_init(void) {} void __tsan_func_entry(void *p) { (void)p; } void __tsan_func_exit(void) {}
void __tsan_read4(void *p) { (void)p; } void __tsan_write4(void *p) { (void)p; }
int main(int count, char **words) { return isospin_user_main(count, words) + 40; }
"""
MAKEFILE = """
CFLAGS = -O2
prog: main.o libpart.a
\t$(CC) -o $@ main.o -L. -lpart
libpart.a: part.o more.o unused.o
\tar rcs $@ $^
at_once: main.c part.c more.c
\tgcc -O1 main.c part.c more.c -o $@ -pthread
with_library: main.c part.c more.c
\tgcc -shared -fPIC part.c more.c -o libshared.so
\tgcc main.c -L. -lshared -o $@
clean:
\trm -f *.o *.a prog at_once
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    Path("Makefile").write_text(MAKEFILE)
    Path("main.c").write_text("int part(int); int main(void) { return part(1); }")
    Path("part.c").write_text("int more(int); int part(int x) { return more(x); }")
    Path("more.c").write_text("int more(int x) { return x + 1; }")
    Path("unused.c").write_text("int unused(int x) { return x; }")
    Path("runtime.c").write_text(RUNTIME)
    subprocess.run(["gcc", "-w", "-shared", "-fPIC", "runtime.c", "-o", "runtime.so"], check=True)
    monkeypatch.setattr(wrapper, "runtime_library", lambda _: tmp_path / "runtime.so")
    return tmp_path


def status(program: Path | str) -> int:
    return subprocess.run([program], check=False, timeout=20).returncode


def test_the_twin_runs_under_control_and_the_tree_is_as_after_any_build() -> None:
    twin = build_by_command("make prog", "prog")
    assert (status("./prog"), status(twin)) == (2, 42)
    symbols = subprocess.run(["nm", twin], capture_output=True, text=True, check=True).stdout
    assert "part" in symbols
    assert "unused" not in symbols  # an archive gives what is needed
    assert build_by_command("make prog", "./prog") == twin  # nothing to do: what was linked then
    assert status(build_by_command("make at_once", "at_once")) == 42


@pytest.mark.slow
def test_what_was_compiled_before_is_not_taken_unseen() -> None:
    subprocess.run(["make", "-s", "main.o"], check=True)
    with pytest.raises(UsageError, match=r"main\.o.* was not compiled under control; build everything anew"):
        build_by_command("make prog", "prog")
    twin = build_by_command("make clean prog", "prog")
    assert status(twin) == 42
    Path("part.c").write_text("int part(int x) { return x + 2; }")
    subprocess.run("make -s clean; make -s prog", shell=True, check=True)
    with pytest.raises(UsageError, match="linked by another build"):
        build_by_command("true", "prog")


def test_wrong_builds() -> None:
    with pytest.raises(UsageError, match=r"libshared\.so was not compiled under control"):
        build_by_command("make with_library", "with_library")
    with pytest.raises(UsageError, match="the build failed: false"):
        build_by_command("false", "prog")
    with pytest.raises(UsageError, match=r"other was not linked by this build; these were: .*prog"):
        build_by_command("make prog", "other")


def test_words_of_a_call() -> None:
    call = sorted_words(["-O2", "-I", "inc", "-oprog", "a.c", "b.o", "-lm", "-L", "lib", "-Wl,-s"])
    assert (call.sources, call.inputs, call.output, call.does) == (["a.c"], ["b.o"], "prog", "link")
    assert (call.compiling, call.linking) == (["-O2", "-I", "inc"], ["-lm", "-L", "lib", "-Wl,-s"])
    assert sorted_words(["-c", "a.c", "-o", "a.o"]).does == "compile"
    assert sorted_words(["-E", "-c", "a.c"]).does == "other"
