"""What the machine code of C functions says about program points: live variables, reach, twins."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from isospin.hosts.c.building import build
from tests.support import paths

pytest.importorskip("capstone")
pytest.importorskip("elftools")

from isospin.hosts.c.binary.liveness import ReturnPoint
from isospin.hosts.c.binary.places import CodeFile
from isospin.hosts.c.binary.variables import Range

SOURCE = paths.PROGRAMS / "c" / "machine_code" / "points.c"
COMPILERS = [pytest.param(name, id=name) for name in ("gcc", "clang") if shutil.which(name)]


@cache
def code(compiler: str = "gcc", *flags: str) -> CodeFile:
    return CodeFile(build.build([SOURCE], flags, compiler), False)


@cache
def optimised(tmp: Path) -> CodeFile:
    """Not what we build, but a library may be linked that was built so."""
    path = tmp / "points"
    flags = ("-O2", "-g", "-no-pie", "-fno-inline", "-fno-ipa-icf", "-fno-ipa-pure-const", "-pthread", "-w")
    subprocess.run(["gcc", *flags, str(SOURCE), "-o", str(path)], check=True)
    return CodeFile(path, False)


class Marked:
    """A function, its variables by name, and the points that are marked in it."""

    def __init__(self, code: CodeFile, name: str, mark: str = "here") -> None:
        self.code = code
        symbols = {s.name: s.low for s in code.machine.functions}
        found = code.machine.function_at(symbols[name])
        assert found is not None
        self.function = found
        self.points = [
            found.code[a].end
            for a, target in sorted(found.calls.items())
            if target == symbols[mark] and a in found.code
        ]

    def point(self, number: int) -> ReturnPoint | None:
        return self.code.reach.liveness(self.function).point(self.points[number])

    def sizes(self, number: int) -> list[int]:
        """Of what is live, in bytes: variables that lie side by side are one."""
        point = self.point(number)
        assert point is not None
        return sorted(high - low for low, high in point.live)

    def bytes(self, number: int) -> int:
        return sum(self.sizes(number))


def size(ranges: tuple[Range, ...]) -> int:
    return sum(high - low for low, high in ranges)


# ---------------------------------------------------------------------------------------------- live variables


@pytest.mark.parametrize("compiler", COMPILERS)
def test_live_variables(compiler: str) -> None:
    def live(name: str) -> list[int]:
        marked = Marked(code(compiler), name)
        return [marked.bytes(n) for n in range(len(marked.points))]

    assert live("argument") == [8, 4]
    assert live("loop") == [12, 4]
    assert live("choice") == [12]
    assert live("fields") == [4]
    assert live("many") == [8]
    assert live("freeing") == [16]
    assert live("real") == [8]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_what_was_given_away_matters_if_somebody_points_to_it(compiler: str) -> None:
    points = [Marked(code(compiler), "escaping").point(n) for n in range(3)]
    assert [(size(p.live), size(p.pointed)) for p in points if p is not None] == [(16, 0), (4, 12), (0, 16)]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_pointer_that_is_only_freed(compiler: str) -> None:
    point = Marked(code(compiler), "freeing").point(0)
    assert point is not None
    assert size(point.freed) == 8


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("name", ["sized_later", "jumps"])
def test_code_that_is_not_understood_says_so(compiler: str, name: str) -> None:
    marked = Marked(code(compiler), name)
    assert marked.code.reach.liveness(marked.function).obscure
    assert all(marked.point(n) is None for n in range(len(marked.points)))


def test_values_in_registers() -> None:
    """gcc keeps the new value of number++ in a register while the write is announced."""
    marked = Marked(code(), "touch_far", "here")
    liveness = marked.code.reach.liveness(marked.function)
    calls = {target: marked.function.code[a].end for a, target in marked.function.calls.items()}
    written = liveness.point(calls["__tsan_write4"])
    announced = liveness.point(calls["__tsan_read4"])
    assert written is not None
    assert announced is not None
    assert (written.registers, announced.registers) == (("rbx",), ())


def test_optimised_code_is_taken_as_one_piece(tmp_path: Path) -> None:
    """Addresses may be computed from outside of a variable: what escapes once makes the whole frame escape."""
    marked = Marked(optimised(tmp_path), "escaping")
    liveness = marked.code.reach.liveness(marked.function)
    assert marked.function.extents is None
    for number in range(len(marked.points)):
        point = marked.point(number)
        assert point is not None
        own = sum(8 for place in point.saved if place is not None)
        assert size(point.live) + size(point.pointed) >= -liveness.lowest - 8 - own


# ---------------------------------------------------------------------------------------------- reach


@pytest.mark.parametrize("compiler", COMPILERS)
def test_reach(compiler: str) -> None:
    def reached(name: str, number: int) -> set[str]:
        marked = Marked(code(compiler), name)
        found = marked.code.reach.point(marked.function, marked.points[number])
        assert found.objects is not None
        everything = {"number", "far_number", "other_number", "taken_number", "table", "function"}
        return {marked.code.machine.objects[n].name for n in found.objects} & everything

    assert reached("reaches", 0) == {"number", "far_number"}
    assert reached("reaches", 1) == {"far_number"}
    assert reached("reaches", 2) == set()
    assert "taken_number" in reached("reaches_by_pointer", 0)
    assert "table" not in reached("reaches_by_pointer", 0)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_what_an_exchange_does_not_cover(compiler: str) -> None:
    found = {n: Marked(code(compiler), n) for n in ("reaches", "starts", "loop", "gives_a")}
    facts = {n: m.code.reach.point(m.function, m.points[-1]) for n, m in found.items()}
    assert {n for n, f in facts.items() if f.apart} == {"starts"}
    assert {n for n, f in facts.items() if f.errno} == {"reaches"}
    assert {n for n, f in facts.items() if f.exposes} == {"starts", "gives_a"}


# ---------------------------------------------------------------------------------------------- twins


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("twin_a", "twin_a", True),
        ("twin_a", "twin_b", True),
        ("twin_a", "other_constant", False),
        ("twin_a", "other_variable", False),
        ("twin_a", "other_table", False),
        ("twin_a", "other_call", False),
        ("twin_a", "mixed_up", False),
        ("other_test", "other_test_2", False),
        ("recursion_a", "recursion_b", True),
        ("recursion_a", "recursion_c", False),
        ("gives_a", "gives_b", True),
        ("gives_a", "gives_c", False),  # pointers to it would be compared as numbers
    ],
)
def test_twins(compiler: str, first: str, second: str, same: bool) -> None:
    one, other = (Marked(code(compiler), name) for name in (first, second))
    slots = one.code.residual.pair(one.points[0], other.points[0])
    back = one.code.residual.pair(other.points[0], one.points[0])
    assert ((slots is not None), (back is not None)) == (same, same)
    if slots is not None:
        assert sum(slot.size for slot in slots) == one.bytes(0) == other.bytes(0)


def test_a_wrong_guess_about_recursion_is_forgotten() -> None:
    known = code().residual
    starts = {s.name: s.low for s in code().machine.functions}
    assert not known.same_function(starts["recursion_a"], starts["recursion_c"])
    assert not known.same_function(starts["odd_a"], starts["odd_c"])
    assert not known.same_function(starts["even_a"], starts["even_c"])
