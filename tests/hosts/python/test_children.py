"""Pools, and threads that start threads: folding them loses no outcome, and the counts are those by hand."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isospin.hosts.python import symmetry
from isospin.hosts.python.control.records import Fiber
from isospin.hosts.python.stdlib.futures import SubmittedCall
from tests.hosts.python import test_indices
from tests.hosts.python.test_index_traps import counted
from tests.support.generators import random_children

MOST_EXECUTIONS = 60


def final_values() -> tuple[Any, ...]:
    """What shared variables hold; objects by where they were seen first."""
    space = vars(sys.modules["__main__"])
    seen: dict[int, int] = {}

    def shown(value: Any) -> Any:
        if not isinstance(value, list):
            return repr(value)
        first = id(value) not in seen
        number = seen.setdefault(id(value), len(seen))
        return (number, *map(shown, value)) if first else number

    return shown(space["order"]), shown(space["cell"]), space["x"]


@pytest.fixture(autouse=True)
def _outcomes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_indices, "final_values", final_values)


def compare(
    seed: int, folder: Path, most: int = MOST_EXECUTIONS, program: Callable[[int], str] = random_children.program
) -> tuple[int, int] | None:
    """How many executions without and with symmetry; None if there are too many to compare."""
    file = folder / f"random_{seed}.py"
    file.write_text(program(seed))
    want, whole = test_indices.outcomes(file, "dpor", "none", most)
    if not whole:
        return None
    got, executions = test_indices.outcomes(file, "dpor", "discovered")
    assert got == want, f"seed {seed}: lost {want - got}, new {got - want}"
    return whole, executions


def test_nothing_is_lost(tmp_path: Path) -> None:
    found = [c for seed in range(40) if (c := compare(seed, tmp_path)) is not None]
    assert sum(executions < whole for whole, executions in found) >= 8


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 4000, 250))
def test_nothing_is_lost_in_many(start: int, tmp_path: Path) -> None:
    found = [c for seed in range(start, start + 250) if (c := compare(seed, tmp_path, 400)) is not None]
    assert sum(executions < whole for whole, executions in found) >= 40


NESTED = """
import threading
lock, total = threading.Lock(), 0
def leaf():
    global total
    with lock:
        total += 1
def middle():
    children = [threading.Thread(target=leaf) for _ in range({children})]
    for c in children: c.start()
    for c in children: c.join()
threads = [threading.Thread(target=middle) for _ in range(2)]
for t in threads: t.start()
for t in threads: t.join()
"""
POOL = """
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
lock, total = Lock(), 0
def work():
    global total
    with lock:
        total += 1
with ThreadPoolExecutor(2) as pool:
    for i in range(2):
        pool.submit(work)
"""
FOLDED = {  # executions without and with symmetry, the order of the group, families
    "a child each": (NESTED.format(children=1), 2, 1, 2, [("middle", 2, "symmetric"), ("leaf", 2, "symmetric")]),
    "two children each": (NESTED.format(children=2), 24, 2, 8, [("middle", 2, "symmetric"), ("leaf", 4, "other")]),
    "a pool": (POOL, 13, 3, 2, [("ThreadPoolExecutor", 2, "symmetric")]),
}


@pytest.mark.parametrize("name", FOLDED)
def test_what_is_folded(name: str, tmp_path: Path) -> None:
    """Four leaves of two mothers, by hand: 4! orders; the first is any of them, the second its sister or not, and then
    the two that are left are alike."""
    text, whole, fewer, order, families = FOLDED[name]
    file = tmp_path / "folded.py"
    file.write_text(text)
    assert counted(file, "none")[1] == whole
    found, executions, alike = counted(file, "discovered")
    assert (found, executions, alike.order) == (set(), fewer, order)
    assert [(f.name, f.size, f.group) for f in alike.families] == families


RANKS = """
import threading
lock, x = threading.Lock(), 0
def work():
    global x
    with lock:
        threading.current_thread().rank = x
        x += 1
a, b = threading.Thread(target=work), threading.Thread(target=work)
a.start()
b.start()
with lock:
    x += 10
for t in [a, b]:
    t.join()
assert not (a.rank == 1 and b.rank == 0)
"""
TASKS = """
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
lock, order = Lock(), []
def task(given):
    with lock:
        order.append(given)
with ThreadPoolExecutor(2) as pool:
    for k in range(2):
        pool.submit(task, k)
assert order != [1, 0]
"""


START = """
def begin(inner):
    for t in inner: t.start()
    for t in inner: t.join()
"""
HELD = {  # what a thread has made itself and looks at in the end, while another one waits for those who changed it
    "an object": START + """
class Box: rank = None
def work(box):
    global n
    with lock:
        box.rank = n
        n += 1
def main():
    a, b = Box(), Box()
    m = threading.Thread(target=begin, args=([threading.Thread(target=work, args=(box,)) for box in (a, b)],))
    m.start()
    m.join()
    assert a.rank == 0
main()
""",
    "a number": START + """
cell = [None] * 2
def work(i):
    global n
    with lock:
        cell[i] = n
        n += 1
def main():
    inner = []
    for i in range(2):
        inner.append(threading.Thread(target=work, args=(i,)))
    m = threading.Thread(target=begin, args=(inner,))
    m.start()
    m.join()
    assert cell[i] == 1
main()
""",
    "something without a name": START + """
order = []
def work(it):
    with lock:
        order.append(it)
def middle():
    a, b = object(), object()
    m = threading.Thread(target=begin, args=([threading.Thread(target=work, args=(it,)) for it in (a, b)],))
    m.start()
    m.join()
    assert order[0] is a
threads = [threading.Thread(target=middle)]
for t in threads: t.start()
for t in threads: t.join()
""",
}  # fmt: skip
OWN_ATTRIBUTES = {
    "of a class of threads": """
class Worker(threading.Thread):
    def __init__(self, letter):
        super().__init__()
        self.letter = letter
    def run(self):
        with lock:
            order.append(self.letter)
threads = [Worker(letter) for letter in "ab"]
""",
    "given to a thread": """
def work():
    with lock:
        order.append(threading.current_thread().letter)
threads = [threading.Thread(target=work) for _ in "ab"]
for t, letter in zip(threads, "ab"): t.letter = letter
""",
}


class Forgetful(list[Any]):
    """The log of a thread that does not remember its tasks."""

    def append(self, value: Any) -> None:
        if not isinstance(value, SubmittedCall):
            super().append(value)


def test_main_has_handles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks at one of them in the end.  A search that does not count with that finds nothing."""
    file = tmp_path / "ranks.py"
    file.write_text(RANKS)
    assert counted(file, "discovered")[0] == {"assertion"}
    monkeypatch.setattr(symmetry._Comparison, "children", lambda *_: None)
    assert counted(file, "discovered")[0] == set()


@pytest.mark.parametrize("name", HELD)
def test_who_does_not_just_wait_has_variables(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "held.py"
    file.write_text(f"import threading\nlock, n = threading.Lock(), 0\n{HELD[name]}")
    assert counted(file, "discovered")[0] == {"assertion"}
    monkeypatch.setattr(symmetry._Comparison, "stays", lambda *_: False)
    assert counted(file, "discovered")[0] == set()


@pytest.mark.parametrize("name", OWN_ATTRIBUTES)
def test_a_thread_has_its_handle(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in the handle tells threads apart before they have looked."""
    file = tmp_path / "letters.py"
    file.write_text(
        f"import threading\nlock, order = threading.Lock(), []\n{OWN_ATTRIBUTES[name]}"
        "for t in threads: t.start()\nfor t in threads: t.join()\nassert order != ['b', 'a']\n"
    )
    found, _, alike = counted(file, "discovered")
    assert found == {"assertion"}
    assert str(alike.obstacles[0]).endswith("are not alike: self.letter ('b', 'a') differs")
    monkeypatch.setattr(symmetry, "attributes", lambda *_: [])
    assert counted(file, "discovered")[0] == set()


def test_a_worker_has_its_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "tasks.py"
    file.write_text(TASKS)
    assert counted(file, "discovered")[0] == {"assertion"}
    made = Fiber.__init__

    def forget(self: Fiber, *arguments: Any, **keywords: Any) -> None:
        made(self, *arguments, **keywords)
        self.log = Forgetful()

    monkeypatch.setattr(Fiber, "__init__", forget)
    assert counted(file, "discovered")[0] == set()
