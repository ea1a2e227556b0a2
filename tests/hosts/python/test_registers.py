"""Assignments of Python programs whose order nobody sees, and those who see it without being asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from isospin.core.verdict import Verdict
from isospin.pipeline.programs.python import check_program
from isospin.pipeline.settings import ProgramOptions

HEAD = """
import copy, threading, time

x = 0

class Box:
    v = 0
    def __init__(self):
        self.w = 0

class Slotted:
    __slots__ = ("w",)

box, slotted = Box(), Slotted()
slotted.w = 0
items, table = [0, 0], {"a": 0}
"""
THREADS = """
threads = [threading.Thread(target=f, args=a) for f, a in (%s)]
for t in threads:
    t.start()
for t in threads:
    t.join()
"""
PLACES = ["x", "box.v", "box.w", "slotted.w", "items[1]", "table['a']"]


def checked(folder: Path, text: str, symmetry: str = "auto", search: str = "auto") -> Verdict:
    file = folder / "program.py"
    file.write_text(text)
    return check_program(file, ProgramOptions(symmetry=symmetry, search=search))


def storing(place: str, n: int, alike: bool) -> str:
    """Two threads store to a place n times, and a third one loads it once."""
    code = f"""
def store(first):
    global x
    for i in range({n}):
        {place} = first + i

def load():
    assert {place} >= 0
"""
    return HEAD + code + THREADS % f"(store, (1,)), (store, ({1 if alike else 5},)), (load, ())"


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("symmetry", ["auto", "none"])
@pytest.mark.parametrize("place", PLACES)
def test_n_stores_twice_and_a_load(place: str, symmetry: str, n: int, tmp_path: Path) -> None:
    for alike in (True, False):
        verdict = checked(tmp_path, storing(place, n, alike), symmetry)
        assert verdict.outcome.value == "holds"
        assert verdict.statistics.executions == 2 * n + 1


def test_the_search_that_was_made_is_told(tmp_path: Path) -> None:
    verdict = checked(tmp_path, storing("x", 3, True))
    assert (verdict.search, verdict.symmetry.strategy) == ("optimal", "none")
    assert "nobody reads" in verdict.symmetry.justification
    verdict = checked(tmp_path, storing("x", 3, True), search="dpor")
    assert (verdict.search, verdict.symmetry.strategy, verdict.statistics.executions) == ("dpor", "discovered", 35)


# ------------------------------------------------------------------------------------------------ who sees an order

TWICE = """
def one():
    global x
    for _ in range(2):
        {one}

def other():
    global x
    for _ in range(2):
        {other}
"""
DATA = "\nfrom dataclasses import dataclass\n@dataclass\nclass Data:\n    w: int = 0\ndata = Data()\n"
ODD = """
class Odd:
    def __setattr__(self, name, value):
        if value != 2 or getattr(self, "w", 0) != 1:
            super().__setattr__(name, value)
odd = Odd()
"""
LOOKS = {  # what is assigned to, what looks at it in the end, and what comes first
    "variable": ("x", "x", ""),
    "attribute": ("box.w", "box.w", ""),
    "attribute of the class": ("box.v", "box.v", ""),
    "slot": ("slotted.w", "slotted.w", ""),
    "by name": ("box.w", "getattr(box, 'w')", ""),
    "copy": ("box.w", "copy.copy(box).w", ""),
    "dictionary": ("box.w", "vars(box)['w']", ""),
    "globals": ("x", "globals()['x']", ""),
    "text": ("x", "int(f'{x}')", ""),
    "repr": ("data.w", "int(repr(data)[-2])", DATA),
    "comparison": ("data.w", "[data == Data(n) for n in range(3)].index(True)", DATA),
    "class": ("Box.v", "Box.v", ""),
    "item": ("items[0]", "items[0]", ""),
    "item from the end": ("items[0]", "items[-2]", ""),
    "all items": ("items[0]", "sum(items)", ""),
    "list": ("items[0]", "items.copy()[0]", ""),
    "pop": ("items[0]", "items.pop(0)", ""),
    "item of a dictionary": ("table['a']", "table.get('a')", ""),
    "values": ("table['a']", "list(table.values())[0]", ""),
    "new item": ("table['b']", "table['b']", ""),
    "a method that decides": ("odd.w", "odd.w", ODD),
}


@pytest.mark.parametrize("name", LOOKS)
@pytest.mark.parametrize("last", [1, 2])
def test_who_comes_when_all_is_over_sees_which_was_last(name: str, last: int, tmp_path: Path) -> None:
    """No race makes that visible: the order of the assignments must be tried all the same."""
    place, look, before = LOOKS[name]
    code = TWICE.format(one=f"{place} = 1", other=f"{place} = 2")
    text = HEAD + before + code + THREADS % "(one, ()), (other, ())" + f"assert {look} != {last}\n"
    for symmetry in ("none", "auto"):
        assert checked(tmp_path, text, symmetry).outcome.value == "violated"


AFTER = {  # a thread that comes after two others, in another way than by joining them
    "events": ("e, f = threading.Event(), threading.Event()", "e.set()", "f.set()", "e.wait(); f.wait()"),
    "semaphore": ("s = threading.Semaphore(0)", "s.release()", "s.release()", "s.acquire(); s.acquire()"),
}


@pytest.mark.parametrize("way", AFTER)
@pytest.mark.parametrize("last", [1, 2])
def test_who_waits_for_both_sees_which_was_last(way: str, last: int, tmp_path: Path) -> None:
    made, one, other, waits = AFTER[way]
    code = f"""
{made}

def first():
    global x
    x = 3
    x = 1
    {one}

def second():
    global x
    x = 4
    x = 2
    {other}

def third():
    global x
    {waits}
    y, x = x, 5
    assert y != {last}
"""
    text = HEAD + code + THREADS % "(first, ()), (second, ()), (third, ())"
    for symmetry in ("none", "auto"):
        assert checked(tmp_path, text, symmetry).outcome.value == "violated"


def test_who_deletes_a_variable_sees_whether_it_was_there(tmp_path: Path) -> None:
    code = TWICE.format(one="x = 1", other="del x")
    text = HEAD + code + THREADS % "(one, ()), (other, ())"
    for search in ("dpor", "optimal"):
        verdict = checked(tmp_path, text, "none", search)
        assert "NameError" in verdict.violations[0].message


def test_two_who_delete_a_variable_need_an_assignment_in_between(tmp_path: Path) -> None:
    """If deleting was taken for an assignment, nothing would be read, and the first order would be the only one."""
    code = """
def delete():
    global x
    del x

def assign():
    global x
    x = 1
"""
    text = HEAD + code + THREADS % "(delete, ()), (assign, ()), (delete, ())"
    for search in ("dpor", "optimal"):
        verdict = checked(tmp_path, text, "none", search)
        assert "NameError" in verdict.violations[0].message


@pytest.mark.parametrize("first", [1, 7])
@pytest.mark.parametrize("search", ["dpor", "optimal", "auto"])
def test_who_makes_a_list_longer_moves_its_items(search: str, first: int, tmp_path: Path) -> None:
    code = """
def assign():
    items[0] = 1

def insert():
    items.insert(0, 7)
"""
    for threads in ("(assign, ()), (insert, ())", "(insert, ()), (assign, ())"):
        text = HEAD + code + THREADS % threads + f"assert items[0] != {first}\n"
        assert checked(tmp_path, text, "none", search).outcome.value == "violated"


def test_a_clock_shows_the_order_of_assignments(tmp_path: Path) -> None:
    """Who reads is not earlier than any of those who wrote before, also those who were overwritten."""
    code = """
def one():
    global x
    x = 1

def other():
    global x
    time.sleep(5)
    x = 2

def load():
    y = x
    assert not (y == 1 and time.monotonic() > start + 4)

start = time.monotonic()
"""
    text = HEAD + code + THREADS % "(one, ()), (other, ()), (load, ())"
    for search in ("dpor", "optimal"):
        assert checked(tmp_path, text, "none", search).outcome.value == "violated"
