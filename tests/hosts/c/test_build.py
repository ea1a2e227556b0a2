"""From C files to an executable: caching, both languages, errors in the compiler's own words."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from isospin.core.cache import compile_all_in
from isospin.core.deadline import Ended
from isospin.core.errors import InternalError, SourceError, UsageError
from isospin.hosts.c.building import build as building
from isospin.hosts.c.building.build import build, complaint, split_flags, with_files, without_output
from isospin.hosts.c.building.compilers import cxx_beside, find_compiler

# A runtime that runs the program and counts what it says, so that the build is tested by itself.
COUNTING = """
#include <stdio.h>
int isospin_user_main(int, char **);
static int seen;
#define SAYS(name) void name(void *); __attribute__((visibility("default"))) void name(void *at) { (void)at; seen++; }
SAYS(__tsan_read1) SAYS(__tsan_write1) SAYS(__tsan_read4) SAYS(__tsan_write4) SAYS(__tsan_read8) SAYS(__tsan_write8)
SAYS(__tsan_func_entry) SAYS(__tsan_vptr_update)
void __tsan_init(void), __tsan_func_exit(void);
__attribute__((visibility("default"))) void __tsan_init(void) {}
__attribute__((visibility("default"))) void __tsan_func_exit(void) {}
__attribute__((visibility("default"))) int isospin_ffs(int bits) { return bits; }
__attribute__((visibility("default"))) int sched_yield(void) { return 77; }
__attribute__((visibility("default"))) int main(int count, char **words) {
    int result = isospin_user_main(count, words);
    printf("%d %d\\n", result, seen > 0);
    return 0;
}
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    runtime = tmp_path / "runtime"
    runtime.mkdir()
    (runtime / "main.c").write_text(COUNTING)
    (runtime / "renames.txt").write_text("main isospin_user_main\nffs isospin_ffs\n")
    monkeypatch.setattr(building, "RUNTIME", runtime)
    monkeypatch.setattr(building, "RUNTIME_FLAGS", (*building.RUNTIME_FLAGS, "-Werror"))
    return tmp_path


def output(program: Path) -> str:
    return subprocess.run([program], capture_output=True, text=True, check=True, timeout=20).stdout


def test_the_user_s_main_is_called_by_ours_and_its_accesses_are_seen(place: Path) -> None:
    text = '#include "value.h"\nint other(void);\nint x; int main(void) { x = VALUE; return x + other(); }'
    (place / "a.c").write_text(text)
    other = '#include <sched.h>\n#include <strings.h>\nint x8 = 8; int other(void) '
    (place / "b.c").write_text(other + "{ return sched_yield() + ffs(x8) - 8; }")
    (place / "value.h").write_text("#define VALUE 3")
    first = build([place / "a.c", place / "b.c"])
    assert output(first) == "80 1\n"
    assert build([place / "a.c", place / "b.c"]) == first
    (place / "value.h").write_text("#define VALUE 4")  # SOUND: a changed header is a changed program
    assert output(build([place / "a.c", place / "b.c"])) == "81 1\n"
    assert output(build([place / "a.c", place / "b.c"], ["-O2", "-flto", "-DVALUE=4"])) == "81 1\n"


def test_cplusplus(place: Path) -> None:
    (place / "a.cpp").write_text(
        "#include <string>\nstruct A { virtual int f() { return 2; } };\nint x;\n"
        'int main() { A a; x = a.f() + (int)std::string("abc").size(); return x; }'
    )
    assert output(build([place / "a.cpp"], ["-std=c++17"])) == "5 1\n"


def test_errors_of_the_compiler_and_of_the_linker_have_places(place: Path) -> None:
    (place / "a.c").write_text("int main(void) {\n  return y;\n}\n")
    with pytest.raises(SourceError, match=r"a\.c:2:10: .y. undeclared") as caught:
        build([place / "a.c"])
    assert caught.value.diagnostics[0].location.line == 2
    (place / "a.c").write_text("int f(void);\nint main(void) {\n  return f();\n}\n")
    with pytest.raises(SourceError, match=r"a\.c:3:1: undefined reference to .f'"):
        build([place / "a.c"])
    (place / "a.c").write_text("int f(void) { return 0; }\n")
    with pytest.raises(UsageError, match="no function main"):
        build([place / "a.c"])


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([], "no C file"), (["a.txt"], "not a C or C\\+\\+ file"), (["missing.c"], "No such file"),
        (["folder.c"], "Is a directory"),
    ],
)  # fmt: skip
def test_wrong_files(files: list[str], message: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    (place / "folder.c").mkdir()
    with pytest.raises(UsageError, match=message):
        build(files)


def test_wrong_compilers(place: Path) -> None:
    (place / "a.c").write_text("int main(void) { return 0; }")
    with pytest.raises(UsageError, match="no C compiler 'nocc'"):
        build([place / "a.c"], compiler="nocc")


def test_flags_for_the_linker_stand_behind_the_objects() -> None:
    assert split_flags(["-DA=1", "-lm", "-L", "lib", "-Wl,-s", "x.a", "-I.", "-l", "z"]) == (
        ("-DA=1", "-I."), ("-lm", "-L", "lib", "-Wl,-s", "x.a", "-l", "z"),
    )  # fmt: skip


def test_what_is_made_is_not_for_flags_to_say(tmp_path: Path) -> None:
    """Once, `-o` took away the text by which an object is known, and an old one was used for a changed program."""
    flags = ["-o", str(tmp_path / "out"), "-S", "-M", "-MMD", "-MF", "x.d", "-dM", "-fsyntax-only", "-pg", "-O2", "-Ix"]
    assert without_output([*flags, "-oout", "-E", "-MTx"]) == ("-O2", "-Ix")
    source = tmp_path / "source" / "prog.c"
    source.parent.mkdir()
    made = []
    for status in (0, 1):
        source.write_text(f"int main(void) {{ return {status}; }}")
        made.append(build([source], [*flags, "-fsanitize=address,undefined", "--coverage"]))
    assert made[0] != made[1]
    assert not (tmp_path / "out").exists()


def test_flags_in_a_file_are_flags(tmp_path: Path) -> None:
    flags = tmp_path / "flags"
    flags.write_text("-DA -o 'my prog'\n-lm")
    assert with_files(["-DB", f"@{flags}", "@missing"]) == ["-DB", "-DA", "-o", "my prog", "-lm", "@missing"]


def test_the_compiler_for_cplusplus_stands_beside_that_for_c() -> None:
    names = ["gcc", "gcc-12", "clang-16", "/opt/bin/clang", "cc", "x86_64-linux-gnu-gcc"]
    assert [cxx_beside(name) for name in names] == [
        "g++", "g++-12", "clang++-16", "/opt/bin/clang++", "c++", "x86_64-linux-gnu-g++",
    ]  # fmt: skip


def test_other_systems_get_a_clear_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.uname", lambda: SimpleNamespace(sysname="Linux", machine="aarch64"))
    with pytest.raises(UsageError, match="x86-64 Linux only; this is aarch64 Linux"):
        build(["a.c"])


def test_an_error_without_a_place_is_shown_as_it_is() -> None:
    assert "cannot find -lnothing" in str(complaint("/usr/bin/ld: cannot find -lnothing: No such file or directory\n"))


def built_anew() -> list[str]:
    """Which files of the runtime a build compiles."""
    building._runtime_text.cache_clear()
    building._runtime_headers.cache_clear()
    seen: list[str] = []

    def watch(place: Path, commands: list[list[str]], tell: Callable[[int, Ended], None] | None = None) -> list[Ended]:
        seen.extend(Path(command[command.index("-c") + 1]).name for command in commands if "-c" in command)
        return compile_all_in(place, commands, tell)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "compile_all_in", watch)
        building.runtime_library(find_compiler(None))
    building._runtime_text.cache_clear()
    building._runtime_headers.cache_clear()
    return sorted(seen)


def test_of_the_runtime_only_what_changed_is_compiled_again(place: Path) -> None:
    runtime = building.RUNTIME
    (runtime / "more.h").write_text("extern int more;\n")
    (runtime / "more.c").write_text('#include "more.h"\nint more = 1;\n')
    assert built_anew() == ["main.c", "more.c"]
    (runtime / "more.c").write_text('#include "more.h"\nint more = 2;\n')
    assert built_anew() == ["more.c"]
    (runtime / "more.h").write_text("extern int more; extern int less;\n")
    assert built_anew() == ["main.c", "more.c"]  # any of them may include it
    assert built_anew() == []


def test_a_build_that_stops_leaves_the_next_one_what_it_had(place: Path) -> None:
    (building.RUNTIME / "wrong.c").write_text("#error not yet\n")
    with pytest.raises(InternalError, match="not yet"):
        built_anew()
    (building.RUNTIME / "wrong.c").write_text("int right;\n")
    assert built_anew() == ["wrong.c"]
