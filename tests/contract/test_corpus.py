"""Every model and program that says what is expected of it is held to that, in every way that promises the same answer.

To add a test, add a file.  `support/expectations.py` says in which words.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import expectations, paths

Way = tuple[str, ...]
INTERP = ("--engine", "interp")
HEAP: tuple[Way, ...] = (  # the compiled engine is compared with the interpreter elsewhere, at less cost
    *(("--symmetry", "none", "--optimise", level, "--search", order)
      for level in ("none", "spin", "full") for order in ("bfs", "dfs")),
    *(("--symmetry", "exact", "--optimise", level) for level in ("none", "spin", "full")),
    ("--symmetry", "none", "--heap-symmetry", "on"), ("--heap-symmetry", "off"), ("--symmetry", "fig5"), (),
)  # fmt: skip
WAYS: dict[str, tuple[Way, ...]] = {
    "corpus/heap": tuple((*INTERP, *way) for way in HEAP),
    "corpus/symmetry": (INTERP,),  # and by every strategy: tests/symmetry
    "programs/python": ((),),
    "programs/as_python": ((), ("--symmetry", "none")),
    "programs/borders": (("--max-time", "20"),),
    "programs/c": ((),),
    "programs/processes": (
        ("--search", "dfs", "--symmetry", "none"), ("--search", "persistent", "--symmetry", "none"),
        ("--search", "dpor", "--symmetry", "discovered"),
    ),
    "examples": (INTERP,),
    "examples/pointer": (INTERP,),
    "examples/heap": (INTERP, ("--engine", "explicit")),
    "examples/python": ((),),
    "examples/c": ((),),
    "examples/litmus": ((),),
    "examples/c/weak": ((),),
    "examples/c/weak/broken": ((),),
}  # fmt: skip
SILENT = {  # what tests of their own drive
    "programs/processes/script.c", "programs/processes/ring.c", "examples/c/philosophers_fork.c",
    "examples/c/store_buffer.c", "examples/c/scanner.c", "examples/c/downloader.c",
}  # fmt: skip
BESIDE = {"examples/c/weak": "examples/c/weak/broken"}  # where those are that do not hold
QUICK = ("spsc_ring", "seqlock")  # of what is beside each other; the others are slow
ENDINGS = (".pml", ".ptr", ".py", ".c", ".cpp", ".litmus")


def files(place: str) -> Iterator[Path]:
    folder = paths.ROOT / place if place.startswith("examples") else paths.DATA / place
    yield from (p for p in sorted(folder.iterdir()) if p.suffix in ENDINGS and f"{place}/{p.name}" not in SILENT)


def cases() -> Iterator[Any]:
    for place, ways in WAYS.items():
        for path in files(place):
            long = path.suffix == ".cpp" or path.name == "endless_loop.c"
            for way in ways:
                slow = long or (place, way[-1:]) == ("examples/heap", ("explicit",))
                slow = slow or (place in (*BESIDE, *BESIDE.values()) and path.stem not in QUICK)
                if suits(path, way):
                    name = "-".join((place.replace("/", "-"), path.stem, *(w.lstrip("-") for w in way)))
                    yield pytest.param(path, way, id=name, marks=[pytest.mark.slow] if slow else [])


def suits(path: Path, way: Way) -> bool:
    """Does the answer that a file promises hold in this way, too?"""
    try:
        wanted = expectations.expectation(path)
    except expectations.Misspelt:
        return True  # and the test says so
    if path.stem in ("diverge", "peterson_plain", "wait_early") and "dfs" in way:
        return False  # takes seconds
    unfolded = way[2:4] == ("--symmetry", "none")
    if "--symmetry" in wanted.options:
        return unfolded
    if "--max-objects" in wanted.options and wanted.outcome == "holds":
        return not unfolded and "off" not in way  # what is not collected hits the bound
    return True


@pytest.mark.parametrize(("path", "way"), list(cases()))
def test_a_file_says_what_is_expected_of_it(path: Path, way: Way) -> None:
    if path.suffix in (".c", ".cpp", ".litmus") and shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    expectations.check(path, *way)


@pytest.mark.parametrize("path", [*files("examples"), *files("examples/heap")], ids=lambda p: p.stem)
def test_the_command_in_an_example_is_what_is_checked(path: Path) -> None:
    ((file, options),) = re.findall(r"isospin check (\S+)(.*)", path.read_text())
    assert paths.ROOT / file == path
    assert options.split() == expectations.expectation(path).options


@pytest.mark.parametrize("place", [place for place in WAYS if place not in BESIDE.values()])
def test_there_are_models_that_hold_and_models_that_do_not(place: str) -> None:
    found = [*files(place), *(files(BESIDE[place]) if place in BESIDE else ())]
    outcomes = {expectations.expectation(path).outcome for path in found}
    assert {"holds", "violated"} <= outcomes
