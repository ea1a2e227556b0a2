"""Threads of C programs that are given numbers: which are alike, and what is said about the others."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from isospin.engines.stateless.alike import ThreadSymmetry
from isospin.hosts.c.building import build
from isospin.hosts.c.building.compilers import find_compiler
from tests.support import paths
from tests.support.generators import random_c_numbers

pytest.importorskip("capstone")
pytest.importorskip("elftools")

from isospin.hosts.c.binary.places import CodeFile
from isospin.hosts.c.binary.values import Carried, Carrier, Number, compute, made, postfix
from isospin.hosts.c.constants import Compute
from isospin.hosts.c.host import CProgram
from isospin.hosts.c.known import Places
from isospin.hosts.c.telling.unlike import find_symmetry
from tests.hosts.c.test_alike import verdicts

SOURCE = paths.PROGRAMS / "c" / "machine_code" / "numbers.c"
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
EACH = [COMPILERS[0], *(pytest.param(name, marks=pytest.mark.slow) for name in COMPILERS[1:])]


@cache
def built(compiler: str) -> tuple[Path, Path]:
    return build.build([SOURCE], (), compiler), build.runtime_library(find_compiler(compiler))


def found(compiler: str, scene: str) -> ThreadSymmetry:
    return find_symmetry(*built(compiler), [scene], "")


@pytest.mark.parametrize(
    ("scene", "order"),
    [("direct", 6), ("passed", 6), ("compared", 6), ("member", 6), ("unread", 6), ("local", 6),
     ("ticket", 6), ("ring", 3), ("in_blocks", 6), ("wrapped", 6), ("wrapped_zeroed", 6)],
)  # fmt: skip
def test_alike(scene: str, order: int) -> None:
    assert found("gcc", scene).order == order


@pytest.mark.slow
@pytest.mark.skipif("clang" not in COMPILERS, reason="no clang")
@pytest.mark.parametrize(("scene", "order"), [("direct", 6), ("passed", 6), ("compared", 6), ("ring", 3)])
def test_alike_by_clang(scene: str, order: int) -> None:
    """It copies pointers to places without a type, so that members of structs are not known there."""
    assert found("clang", scene).order == order


# The scene, which of them may still change places, and what is said: each line of the page on traps.
APART = [
    ("constant", 2, "is compared with 0"), ("order", 1, ""), ("sum", 1, "is put into total"), ("names", 2, ""),
    ("hashes", 2, ""), ("chooses", 1, ""), ("neighbour", 1, ""), ("overlays", 1, ""), ("united", 1, ""),
    ("copied", 1, ""), ("leaked", 2, ""), ("stored", 1, ""), ("kept", 1, ""),
    ("wrapped_one", 2, "is compared with 1"), ("wrapped_noted", 1, ""),
    ("one_block", 2, "is compared with 1"), ("headers", 1, ""), ("visits", 2, ""), ("looks", 2, ""),
    ("goes_over", 1, "order of its own"), ("held", 1, ""), ("returned", 1, ""),
]  # fmt: skip
MEMBERS = ("wrapped_one", "one_block", "visits")  # the number is in a struct behind a pointer: see test_alike_by_clang


@pytest.mark.parametrize("compiler", EACH)
@pytest.mark.parametrize(("scene", "order", "said"), APART)
def test_apart(compiler: str, scene: str, order: int, said: str) -> None:
    if compiler == "clang" and scene in MEMBERS:
        order, said = 1, ""
    symmetry = found(compiler, scene)
    assert symmetry.order == order
    assert symmetry.obstacles
    assert any(said in str(obstacle) for obstacle in symmetry.obstacles)


@pytest.mark.parametrize("scene", ["two_types", "shifted", "behind", "computed", "noting", "holding"])
def test_blocks_that_are_no_structs(scene: str) -> None:
    """Each has a reason of its own why it is not known what is in the block; without it all would be alike."""
    program = build.build([SOURCE.with_name("block_types.c")], (), "gcc")
    assert find_symmetry(program, build.runtime_library(find_compiler("gcc")), [scene], "").order == 1


# How a third thread may choose one of two, in which operation it stands then, and whether they are alike if it is none.
STANDING = [("stores", "write", True), ("exchanges", "update", True), ("adds", "update", False),
            ("starts", "create", True), ("starts by pointer", "create", False), ("once", "once", False)]  # fmt: skip


@pytest.mark.parametrize(("how", "kind", "otherwise"), STANDING)
@pytest.mark.parametrize("number", [0, 1, 5])
def test_what_a_third_thread_is_about_to_do(how: str, kind: str, otherwise: bool, number: int) -> None:
    """It stands in the call, so that what it does there comes behind no place in its code."""
    path = build.build([SOURCE.with_name("standing.c")], (), "gcc")
    places = Places(path, build.runtime_library(find_compiler("gcc")))
    program = CProgram(path, [how, str(number)], answers=places)
    for thread, until in ((0, "join"), (3, kind)):
        while program.pending()[thread].kind != until:
            assert not program.step(thread)
    alike = program.find_renaming(1, 2) is not None
    program.close()
    assert alike == (number == 5 and otherwise)


@pytest.mark.parametrize("source", [SOURCE, paths.PROGRAMS / "c" / "struct_by_value.c"])
def test_each_place_of_a_frame_has_one_carrier(source: Path) -> None:
    code = CodeFile(build.build([source], (), COMPILERS[0]), False)
    for function in code.reach.every():
        own = [(low, low + size) for low, (size, _) in code.rules.slots(function).items()]
        every = sorted(own + [(low, low + size) for low, size, _ in code.rules.records(function)])
        assert all(before[1] <= after[0] for before, after in pairwise(every)), function.name


def test_the_line_is_named() -> None:
    [first, *_] = found(COMPILERS[0], "constant").obstacles
    text = SOURCE.read_text().splitlines()[first.location.line - 1]
    assert "(long)given == 0" in text
    assert str(first) == "constant 1 and constant 2 are not alike: given (0, 1) is compared with 0"


NAMED = """#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static pthread_t favourite;
static void *work(void *given)
{
    pthread_mutex_lock(&lock);
    total += pthread_equal(favourite, pthread_self());
    pthread_mutex_unlock(&lock);
    return given;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    favourite = threads[0];
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
"""


def test_the_variable_is_named_that_names_one(tmp_path: Path) -> None:
    source = tmp_path / "named.c"
    source.write_text(NAMED)
    path = build.build([source], (), COMPILERS[0])
    [first] = find_symmetry(path, built(COMPILERS[0])[1], [], "").obstacles
    assert str(first).endswith("they differ in something else that names one of them: favourite")


DETACHED = NAMED.replace("favourite = threads[0];", "pthread_detach(threads[0]);").replace(
    "for (int i = 0; i < 2; i++)\n        pthread_join(threads[i], NULL);", "pthread_join(threads[1], NULL);"
)


def test_the_line_is_named_where_they_stand(tmp_path: Path) -> None:
    source = tmp_path / "detached.c"
    source.write_text(DETACHED)
    path = build.build([source], (), COMPILERS[0])
    [obstacle] = find_symmetry(path, built(COMPILERS[0])[1], [], "").obstacles
    assert "only one of them is detached" in str(obstacle)
    assert DETACHED.splitlines()[obstacle.location.line - 2].startswith("static void *work")


def test_terms() -> None:
    """(i + 1) % 3, as compilers compute it: by a product with the inverse of 3."""
    carrier = Carrier("stack", "", "i")
    i = made(Compute.ADD, Carried(carrier, 0), Number(1))
    third = made(Compute.HIGH, i, Number(0x5555555555555556))
    rest = made(Compute.SUB, i, made(Compute.MUL, third, Number(3)))
    steps = postfix(rest, [Carried(carrier, 0)])
    assert [_evaluate(steps, value) for value in range(6)] == [1, 2, 0, 1, 2, 0]


def _evaluate(steps: list[int], value: int) -> int:
    stack: list[int] = []
    for how, number in zip(steps[::2], steps[1::2], strict=True):
        if how == Compute.NUMBER:
            stack.append(number % 2**64)
        elif how == Compute.CARRIED:
            stack.append(value)
        else:
            other = stack.pop() if how < Compute.ZERO8 else 0
            stack.append(compute(Compute(how), stack.pop(), other))
    return stack.pop()


DRIVER = """#include <inttypes.h>
#include <stdio.h>
#include "numbers/compute.h"
int main(void) {
    int how;
    uintptr_t leaves[2];
    while (scanf("%d %" SCNuPTR " %" SCNuPTR, &how, &leaves[0], &leaves[1]) == 3) {
        struct step_of_value steps[] = {{COMPUTE_CARRIED, 0}, {COMPUTE_CARRIED, 1}, {(enum compute)how, 0}};
        if (how >= COMPUTE_ZERO8)
            steps[1] = steps[2];
        struct rule rule = {.steps = steps, .step_count = how >= COMPUTE_ZERO8 ? 2 : 3};
        printf("%" PRIu64 "\\n", value_of(&rule, leaves));
    }
}
"""


def test_python_and_the_runtime_compute_the_same(tmp_path: Path) -> None:
    random = Random(1)
    odd = [0, 1, 2, 3, 7, 63, 64, 127, 128, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1]
    values = [*odd, *(random.getrandbits(64) for _ in range(5))]
    asked = [(how, a, b) for how in Compute if how > Compute.CARRIED for a in values for b in values]
    (tmp_path / "driver.c").write_text(DRIVER)
    sources = [str(tmp_path / "driver.c"), str(build.RUNTIME / "numbers" / "compute.c")]
    subprocess.run([COMPILERS[0], *build.includes(tmp_path), *sources, "-o", str(tmp_path / "driver")], check=True)
    text = "".join(f"{how} {a} {b}\n" for how, a, b in asked)
    told = subprocess.run([tmp_path / "driver"], input=text, capture_output=True, text=True, check=True).stdout
    for (how, a, b), found in zip(asked, told.split(), strict=True):
        assert compute(how, a, b if how < Compute.ZERO8 else 0) == int(found), (how, a, b)


def test_random_programs_have_the_same_findings(tmp_path: Path) -> None:
    differ, saved = verdicts(range(34000, 34008), tmp_path, COMPILERS[0], random_c_numbers.text)
    assert differ == {}
    assert saved > 1


@pytest.mark.slow
@pytest.mark.parametrize("first", range(20_000, 23_000, 100))
def test_many_random_programs_have_the_same_findings(first: int, tmp_path: Path) -> None:
    compiler = COMPILERS[first // 100 % len(COMPILERS)]
    assert verdicts(range(first, first + 100), tmp_path, compiler, random_c_numbers.text)[0] == {}


def test_random_programs_in_which_somebody_chooses_have_the_same_findings(tmp_path: Path) -> None:
    differ, saved = verdicts(range(92, 98), tmp_path, COMPILERS[0], random_c_numbers.choosers)
    assert differ == {}
    assert saved > 1


@pytest.mark.slow
@pytest.mark.parametrize("first", range(40_000, 43_000, 100))
def test_many_random_programs_in_which_somebody_chooses_have_the_same_findings(first: int, tmp_path: Path) -> None:
    compiler = COMPILERS[first // 100 % len(COMPILERS)]
    assert verdicts(range(first, first + 100), tmp_path, compiler, random_c_numbers.choosers)[0] == {}


def test_random_programs_that_hand_on_numbers_have_the_same_findings(tmp_path: Path) -> None:
    differ, saved = verdicts(range(24, 34), tmp_path, COMPILERS[0], random_c_numbers.handing)
    assert differ == {}
    assert saved > 1


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 4_100, 100))
def test_many_random_programs_that_hand_on_numbers_have_the_same_findings(first: int, tmp_path: Path) -> None:
    compiler = COMPILERS[first // 100 % len(COMPILERS)]
    assert verdicts(range(first, first + 100), tmp_path, compiler, random_c_numbers.handing)[0] == {}
