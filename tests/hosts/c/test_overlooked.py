"""Accesses to local variables that clang would not announce: it is made to, for every way to write them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from isospin import UsageError, Verdict, check
from isospin.hosts.c.building.overlooked import announced

needs_clang = pytest.mark.skipif(shutil.which("clang") is None, reason="clang is not installed")
HEAD = """#include <alloca.h>
#include <pthread.h>
#include <string.h>
struct inner { short x, y; };
struct record { int a, b; int in[3]; struct inner d; };
static struct record make(void) { struct record made = {0}; return made; }
static int use(struct record given) { return given.in[1]; }
static inline __attribute__((always_inline)) void set(struct record *r) { r->in[1] = 3; }
static inline __attribute__((always_inline)) struct record made(void) { struct record r = {0}; r.in[1] = 3; return r; }
"""
CXX_HEAD = """#include <array>
#include <cstring>
#include <pthread.h>
struct Large { long x = 0, y[8]; void nothing() {} };
typedef void (Large::*Member)();
static long use(Large given) { return given.y[7]; }
"""
RECORD, ARRAY, STD_ARRAY = "struct record v = {0}", "int v[2] = {0}", "std::array<int, 2> v{}"
SECOND, INSIDE = "((int *)p)[1] = 1", "((struct record *)p)->in[1] = 1"
STD_SECOND, ALL = "(*(std::array<int, 2> *)p)[1] = 1", "memset(p, 0, 32)"
VECTOR = "typedef float many __attribute__((vector_size({}))); many v[2] = {{0}}"
# A local variable, what another thread does to it by its address, and what the function itself does meanwhile.
WAYS = {
    "constant index": (ARRAY, SECOND, "v[1] = 2"),
    "read": (ARRAY, SECOND, "int x = v[1]; (void)x"),
    "variable index": (ARRAY, SECOND, "v[k] = 2"),
    "read at variable index": (ARRAY, SECOND, "int x = v[k]; (void)x"),
    "update": (ARRAY, SECOND, "v[k]++"),
    "first": (ARRAY, "*(int *)p = 1", "*v = 2"),
    "loop": (ARRAY, SECOND, "for (int i = 0; i < 2; i++) v[i] = i"),
    "choice": (ARRAY, SECOND, "*(k ? &v[1] : &v[0]) = 2"),
    "two dimensions": ("int v[2][3] = {0}", "((int *)p)[4] = 1", "v[1][k] = 2"),
    "array in struct": (RECORD, INSIDE, "v.in[k] = 2"),
    "member": (RECORD, "((struct record *)p)->b = 1", "v.b = 2"),
    "inner member": (RECORD, "((struct record *)p)->d.y = 1", "v.d.y = 2"),
    "whole struct": (RECORD, INSIDE, "struct record o = {0}; v = o"),
    "copy of struct": (RECORD, INSIDE, "struct record o = v; (void)o"),
    "compound literal": (RECORD, INSIDE, "v = (struct record){1, 2, {3}, {4, 5}}"),
    "result": (RECORD, INSIDE, "v = make()"),
    "by value": (RECORD, INSIDE, "use(v)"),
    "inlined": (RECORD, INSIDE, "set(&v)"),
    "inlined result": (RECORD, INSIDE, "v = made()"),
    "union": ("union { int i[2]; long l; } v = {0}", SECOND, "v.l = 3"),
    "bits": ("struct { int a : 3, b : 5; } v = {0}", "*(char *)p = 1", "v.b = 2"),
    "text": ('char v[8] = "abc"', "((char *)p)[2] = 1", "v[2] = 2"),
    "functions": ("void *(*v[2])(void *) = {0}", "((void *(**)(void *))p)[1] = work", "v[1] = work"),
    "wide": ("__int128 v[2] = {0}", "((__int128 *)p)[1] = 1", "v[k] = 1"),
    "long double": ("long double v[2] = {0}", ALL, "v[k] += 1"),
    "complex": ("_Complex double v = 0", "((double *)p)[1] = 1", "v += 1"),
    "vector": (VECTOR.format(16), ALL, "v[1] = v[0]"),
    "long vector": (VECTOR.format(32), ALL, "v[1] = v[0]"),
    "memcpy": (ARRAY, SECOND, "int o[2] = {0}; memcpy(v, o, sizeof v)"),
    "variable length": ("int v[k + 1]; v[1] = 0", SECOND, "v[k] = 2"),
    "alloca": ("int (*at)[2] = alloca(8);\n#define v (*at)\nv[1] = 0", SECOND, "v[1] = 2"),
    "atomic": ("_Atomic int v[2] = {0}", SECOND, "v[1]++"),
    "volatile": ("volatile int v[2] = {0}", SECOND, "v[k] = 1"),
}
CXX_WAYS = {
    "std::array": (STD_ARRAY, STD_SECOND, "v[1] = 2"),
    "range": (STD_ARRAY, STD_SECOND, "for (int &x : v) x = 2"),
    "binding": (STD_ARRAY, STD_SECOND, "auto &[x, y] = v; y = 2"),
    "lambda": (ARRAY, SECOND, "[&] { v[k] = 2; }()"),
    "captured": (ARRAY, SECOND, "[v] { return v[1]; }()"),
    "reference": ("int v[2] = {0}; struct { int &r; } s{v[1]}", SECOND, "s.r = 2"),
    "object by value": ("Large v", "((Large *)p)->y[7] = 1", "use(v)"),
    "pointer to member": ("Member v[2] = {}", ALL, "v[k] = &Large::nothing"),
}


def judged(tmp_path: Path, way: tuple[str, str, str], name: str, behind: bool = False, **how: Any) -> Verdict:
    """What is said of two threads that both use a variable of one of them."""
    variable, others, own = way
    first, second = ("", f"{own};") if behind else (f"{own};", "")
    file = tmp_path / name
    file.write_text(f"""{HEAD if name.endswith(".c") else CXX_HEAD}
static void *work(void *p) {{ {others}; return 0; }}
int main(int k, char **unused) {{
    (void)unused;
    {variable};
    pthread_t thread;
    pthread_create(&thread, 0, work, (void *)&v);
    {first}
    pthread_join(thread, 0);
    {second}
    return 0;
}}
""")
    return check(file, **how)


def found(verdict: Verdict) -> tuple[str, list[str]]:
    return verdict.outcome.value, [v.kind for v in verdict.violations]


@needs_clang
@pytest.mark.parametrize("way", WAYS)
def test_what_a_function_does_to_its_own_variables(way: str, tmp_path: Path) -> None:
    assert found(judged(tmp_path, WAYS[way], "own.c", compiler="clang")) == ("violated", ["race"])


@needs_clang
@pytest.mark.parametrize("way", CXX_WAYS)
def test_and_in_cxx(way: str, tmp_path: Path) -> None:
    assert found(judged(tmp_path, CXX_WAYS[way], "own.cpp", compiler="clang")) == ("violated", ["race"])


@needs_clang
@pytest.mark.parametrize("way", ["read at variable index", "member", "copy of struct", "by value", "long double"])
def test_behind_the_join_there_is_no_race(way: str, tmp_path: Path) -> None:
    assert found(judged(tmp_path, WAYS[way], "own.c", behind=True, compiler="clang")) == ("holds", [])


# -------------------------------------------------------------------------------------------------- the text

TYPED = """\
define void @f() {
  %1 = alloca { i32, [2 x i8*] }, align 8
  %2 = alloca i32, align 4
  %3 = getelementptr inbounds { i32, [2 x i8*] }, { i32, [2 x i8*] }* %1, i32 0, i32 0
  store i32 1, i32* %3, align 8
  %4 = load i32, i32* %2, align 4, !dbg !7
  store { i8*, i64 } %9, { i8*, i64 }* %"a b", align 8
  store atomic i32 1, i32* %3 seq_cst, align 4
  store i32 1, i32 addrspace(257)* @local, align 4
  store i32 1, i32* getelementptr inbounds (%struct.s, %struct.s* @all, i32 0, i32 1), align 4
  %5 = call i64 @sum(%struct.big* noundef byval(%struct.big) align 8 @all, i32 3), !dbg !8
}
"""
PLAIN = """\
define void @f() {
  %1 = alloca [2 x i32], align 4
  %3 = getelementptr inbounds [2 x i32], ptr %1, i32 0, i32 1
  store i32 1, ptr %3, align 4
  store <8 x float> %7, ptr %1, align 32
}
"""


def added(module: str) -> list[str]:
    """The lines that are new, each with what it stands in front of."""
    old, new = module.split("\n"), announced(module).split("\n")
    return [line.strip() for line in new if line and line not in old]


def test_parts_are_given_away_and_what_has_no_call_gets_one() -> None:
    assert added(TYPED) == [
        "%isospin.0 = ptrtoint i32* %3 to i64",
        '%isospin.1 = ptrtoint { i8*, i64 }* %"a b" to i64',
        "%isospin.2 = bitcast %struct.big* @all to i8*",
        "call void @__tsan_read_range(i8* %isospin.2, i64 ptrtoint (%struct.big* getelementptr (%struct.big, "
        "%struct.big* null, i32 1) to i64)), !dbg !8",
        "declare void @__tsan_read_range(i8*, i64)",
    ]


def test_pointers_without_types() -> None:
    assert added(PLAIN) == [
        "%isospin.0 = ptrtoint ptr %3 to i64",
        "call void @__tsan_write_range(ptr %1, i64 ptrtoint (ptr getelementptr (<8 x float>, ptr null, i32 1) to i64))",
        "declare void @__tsan_write_range(ptr, i64)",
    ]


def test_an_access_that_is_not_understood_is_an_error() -> None:
    with pytest.raises(UsageError, match="use gcc"):
        announced("define void @f() {\n  store i32 1, odd %3, align 4\n}\n")
