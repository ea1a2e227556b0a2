"""What looks alike about threads with numbers,
    and is not: each program fails only in schedules that a search leaves out
which takes numbers for indices where they are told apart.  The unsound variant is part of the test: it finds nothing.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from isospin.engines.stateless.alike import ThreadSymmetry
from isospin.engines.stateless.registry import explore
from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.python.control.indices import Indices
from isospin.hosts.python.program import Learnt, PythonProgram
from tests.hosts.python.test_indices import outcomes

HEAD = """\
import threading

N = 3
lock = threading.Lock()
cell = [0] * N
order, results, x, last, members, d = [], {}, 0, None, set(), {}
flag, boxes = [0] * N, []
y = 0


class box:
    owner = None


"""
START = """
threads = [threading.Thread(target=worker, args=(i,)) for i in range(N)]
for t in threads:
    t.start()
for t in threads:
    t.join()
"""
FIRST = "    with lock:\n        order.append(i)\n"  # who comes first

TOLD = {  # told by a use of the number, which the unsound variant does not notice
    "a constant": "def worker(i):\n    with lock:\n        order.append(i)\n"
    "        assert not (i == 2 and len(order) == 1)\n",
    "an order": "def worker(i):\n    with lock:\n        order.append(i)\n"
    "        assert not (i > 1 and len(order) == 1)\n",
    "an item by a constant": "def worker(i):\n    with lock:\n        cell[i] = max(cell) + 1\n"
    "        assert cell[2] != 1\n",
    "a loop over all": "def worker(i):\n    with lock:\n        cell[i] = max(cell) + 1\n        for k in range(N):\n"
    "            assert k < 2 or cell[k] != 1\n",
    "a computation that is remembered": "def worker(i):\n    z = 2 * i\n    with lock:\n        order.append(i)\n"
    "        first = len(order) == 1\n    assert not (first and z == 4)\n",
    "text": "def worker(i):\n    with lock:\n        order.append(f'{i}')\n    assert order[0] != '2'\n",
    "text by percent": "def worker(i):\n    with lock:\n        order.append('%d' % i)\n    assert order[0] != '2'\n",
    "bytes": "def worker(i):\n    with lock:\n        order.append(bytes([i]))\n    assert order[0] != b'\\2'\n",
    "a range": "def worker(i):\n    with lock:\n        order.append(len(range(i)))\n    assert order[0] != 2\n",
    "a new list": "def worker(i):\n    with lock:\n        order.append([5, 6, 7][i])\n    assert order[0] != 7\n",
    "a tuple": "def worker(i):\n    with lock:\n        order.append((5, 6, 7)[i])\n    assert order[0] != 7\n",
    "a key that is missing": "def worker(i):\n    with lock:\n        order.append({(2, 5): 'found'}.get((i, 5)))\n"
    "    assert order[0] is None\n",
    "is": "def worker(i):\n    with lock:\n        order.append(i is 2)\n    assert not order[0]\n",
    "the order of a dictionary": "def worker(i):\n    with lock:\n        results[i] = 1\n"
    "    assert next(iter(results)) != 2\n",
    "a set in order": "def worker(i):\n    with lock:\n        members.add(i)\n"
    "        order.append(tuple(sorted(members)))\n"
    "    assert order[0] != (2,)\n",
    "the place of the largest": "def worker(i):\n    with lock:\n        cell[i] = max(cell) + 1\n"
    "        assert cell.index(1) != 2\n",
    "the name of a thread": "def worker(i):\n    with lock:\n        order.append(threading.current_thread().name)\n"
    "    assert 'Thread-3' not in order[0]\n",
    "the number of a thread": "def worker(i):\n    with lock:\n        order.append(threading.get_ident())\n"
    "    assert order[0] != 1003\n",
}  # fmt: skip
ENDS = {  # told by the main thread, when all others have ended
    "a constant in the end": (FIRST, "assert order[0] != 2\n"),
    "a loop in the end": (
        FIRST + "        cell[i] = len(order)\n",
        "for k in range(N):\n    assert k < 2 or cell[k] != 1\n",
    ),
    "results in order": (FIRST + "        cell[i] = len(order)\n", "x = [c for c in cell]\nassert x[-1] != 1\n"),
    "a loop variable": (FIRST, "for i in range(N):\n    x = i\nassert order[0] != x\n"),
    "an item that is written in the end": (FIRST, "flag[2] = 5\nassert flag[order[0]] != 5\n"),
    "a key of a comprehension": (FIRST, "d = {k: 1 for k in order[:1]}\nassert 2 not in d\n"),
}


def written(folder: Path, body: str, end: str = "") -> Path:
    file = folder / "trap.py"
    file.write_text(HEAD + body + START + end)
    return file


def fails(file: Path, symmetry: str = "discovered") -> bool:
    found, _ = outcomes(file, "dpor", symmetry)
    return any(v[0] == "assertion" for v in found)


def make_unsound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing tells a number."""
    monkeypatch.setattr(Indices, "tell_number", lambda *_: None)
    monkeypatch.setattr(Indices, "_split", lambda *_: None)


@pytest.mark.parametrize("trap", TOLD)
def test_what_tells_a_number(trap: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path, TOLD[trap])
    assert fails(file)
    make_unsound(monkeypatch)
    assert not fails(file)


@pytest.mark.parametrize("trap", ENDS)
def test_what_tells_a_number_in_the_end(trap: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body, end = ENDS[trap]
    file = written(tmp_path, f"def worker(i):\n{body}", end)
    assert fails(file)
    make_unsound(monkeypatch)
    assert not fails(file)


# -------------------------------------------------------------------------------------------------- without numbers

WITHOUT_NUMBERS = {
    "a name": "def worker(_):\n    with lock:\n        order.append(1)\n        first = len(order) == 1\n"
    "    assert not (first and threading.current_thread().name.startswith('Thread-3'))\n",
    "a method that reads a global": "class Job:\n    def run(self):\n        with lock:\n            order.append(1)\n"
    "            assert not (len(order) == 1 and owner is threading.current_thread())\n\n\ndef worker(_):\n"
    "    job.run()\n\n\n"
    "job = Job()\n",
    "the head of a draw": "def numbers():\n    yield 1\n    yield 2\n    yield 3\n\n\n"
    "it = numbers()\n\n\ndef worker(_):\n    try:\n        next(it)\n    except ValueError:\n        assert False\n",
}
IDENTICAL = """
threads = [threading.Thread(target=worker, args=(None,)) for _ in range(N)]
owner = threads[2]
for t in threads:
    t.start()
for t in threads:
    t.join()
"""


@pytest.mark.parametrize("trap", WITHOUT_NUMBERS)
def test_identical_threads_that_are_told_apart(trap: str, tmp_path: Path) -> None:
    file = tmp_path / "trap.py"
    file.write_text(HEAD + WITHOUT_NUMBERS[trap] + IDENTICAL)
    assert fails(file, "none")
    assert fails(file)


# -------------------------------------------------------------------------------------------------- what is folded

CELLS = """
import threading
lock, cell, total = threading.Lock(), [0] * {size}, 0
def worker(i):
    global total
    cell[i] += 1
    with lock:
        total += cell[i]
threads = [threading.Thread(target=worker, args=(i,)) for i in range(4)]
for t in threads: t.start()
for t in threads: t.join()
assert total == 4 and sum(cell) == 4
"""
OBJECTS = """
import threading
class Job:
    def __init__(self, number):
        self.number, self.done = number, 0
lock, total = threading.Lock(), 0
def work(job):
    global total
    with lock:
        total += 1
    with lock:
        job.done = total
jobs = [Job(i) for i in range(3)]
threads = [threading.Thread(target=work, args=(job,)) for job in jobs]
for t in threads: t.start()
for t in threads: t.join()
"""
PHILOSOPHERS = """
import threading
N = 3
forks, eaten = [threading.Lock() for _ in range(N)], [0] * N
def philosopher(i):
    with forks[i]:
        with forks[(i + 1) % N]:
            eaten[i] += 1
threads = [threading.Thread(target=philosopher, args=(i,)) for i in range(N)]
for t in threads: t.start()
for t in threads: t.join()
"""
TWO_FAMILIES = """
import threading
lock, read, written = threading.Lock(), [0, 0], [0, 0]
def reader(i):
    with lock:
        read[i] = 1
def writer(i):
    with lock:
        written[i] = 1
threads = [threading.Thread(target=reader, args=(i,)) for i in range(2)]
threads += [threading.Thread(target=writer, args=(i,)) for i in range(2)]
for t in threads: t.start()
for t in threads: t.join()
"""
LEADER = """
import threading
lock, leader, x = threading.Lock(), None, 0
def worker(i):
    global leader, x
    with lock:
        if leader is None:
            leader = i
    with lock:
        if i == leader:
            x += 10
        x += 1
threads = [threading.Thread(target=worker, args=(i,)) for i in range(3)]
for t in threads: t.start()
for t in threads: t.join()
assert x == 13
"""
TICKETS = """
import threading
lock, tickets, x = threading.Lock(), 0, []
def worker(i):
    global tickets
    with lock:
        mine = tickets
        tickets += 1
        x.append(mine)
    assert not (mine == 0 and i == 2)
threads = [threading.Thread(target=worker, args=(i,)) for i in range(3)]
for t in threads: t.start()
for t in threads: t.join()
"""
SPLIT = CELLS.format(size=4).replace("    cell[i] += 1\n", "    cell[i] += 1 if i else 1\n")
FOLDED = {  # executions without and with symmetry, families
    "cells": (CELLS.format(size=4), 24, 1, [("worker", 4, "symmetric")]),
    "more cells than threads": (CELLS.format(size=6), 24, 1, [("worker", 4, "symmetric")]),
    "one of them is special": (SPLIT, 24, 4, [("worker", 3, "symmetric")]),
    "objects of their own": (OBJECTS, 90, 15, [("work", 3, "symmetric")]),
    "two families over the same numbers": (TWO_FAMILIES, 24, 6, [("reader", 2, "symmetric"), ("writer", 2,
        "symmetric")]),
    "an index variable": (LEADER, 90, 10, [("worker", 3, "symmetric")]),
}  # fmt: skip


@pytest.mark.parametrize("name", FOLDED)
def test_what_is_folded(name: str, tmp_path: Path) -> None:
    """Of n threads that do the same, n! schedules that differ by their names only are one.  By hand: 4!; 6! / 2!^3, and
    that by 3!; with a leader, the two others are alike again: two ways for them,
        and five places for its second turn."""
    text, whole, fewer, families = FOLDED[name]
    file = tmp_path / "folded.py"
    file.write_text(text)
    assert counted(file, "none")[1] == whole
    found, executions, alike = counted(file, "discovered")
    assert (found, executions) == (set(), fewer)
    assert [(f.name, f.size, f.group) for f in alike.families] == families


def test_philosophers_rotate(tmp_path: Path) -> None:
    file = tmp_path / "philosophers.py"
    file.write_text(PHILOSOPHERS)
    found, executions, alike = counted(file, "discovered")
    assert [(f.name, f.size, f.group) for f in alike.families] == [("philosopher", 3, "cyclic")]
    assert found == {"deadlock"}
    assert executions < counted(file, "none")[1]


def test_a_ticket_is_no_index(tmp_path: Path) -> None:
    file = tmp_path / "tickets.py"
    file.write_text(TICKETS)
    found, _, alike = counted(file, "discovered")
    assert found == {"assertion"}
    assert {(o.variable, o.why) for o in alike.obstacles} == {("i", "is compared with 2")}
    assert {o.location.line for o in alike.obstacles} == {10}


def counted(file: Path, symmetry: str) -> tuple[set[str], int, ThreadSymmetry]:
    """What is found, in how many executions, and which threads are alike."""
    host = PythonProgram(str(file))
    try:
        while True:
            host.memory.begin_search()
            with suppress(Learnt):
                result = explore(host, "dpor", SearchRequest(all_errors=True, symmetry=symmetry))
                if not host.memory.again:
                    return {f.found.kind for f in result.findings}, result.executions, host.census.families()
    finally:
        host.close()
