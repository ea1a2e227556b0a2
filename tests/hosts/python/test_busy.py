"""Alike workers beside a main thread that does something: folding them loses no outcome.

Main has the handles of its workers.  They are exchanged all the same, and the handles stay where they are, as long as
nobody can find out which thread a handle stands for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from isospin.hosts.python import symmetry
from tests.hosts.python import test_indices
from tests.hosts.python.test_children import compare, final_values
from tests.hosts.python.test_index_traps import counted
from tests.support.generators import random_busy

MOST_EXECUTIONS = 60


@pytest.fixture(autouse=True)
def _outcomes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_indices, "final_values", final_values)


def folded(seeds: range, folder: Path, most: int) -> int:
    """In how many programs symmetry saves executions."""
    found = [compare(seed, folder, most, random_busy.program) for seed in seeds]
    return sum(each is not None and each[1] < each[0] for each in found)


def test_nothing_is_lost(tmp_path: Path) -> None:
    assert folded(range(40), tmp_path, MOST_EXECUTIONS) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 11_000, 250))
def test_nothing_is_lost_in_many(start: int, tmp_path: Path) -> None:
    assert folded(range(start, start + 250), tmp_path, 150) >= 100


HEAD = """\
import queue
import threading

lock, x, order, tasks, results = threading.Lock(), 0, [], queue.Queue(), queue.Queue()

"""
START = """
threads = [threading.Thread(target=work) for _ in range({count})]
for t in threads: t.start()
"""
WAIT = "for t in threads: t.join()\n"
FOLDED = {  # what workers do and how many, what main does beside them; executions without and with symmetry
    "main takes the same lock": (  # first, second, third or last of all
        "def work():\n    global x\n    with lock: x += 1\n", 3, "with lock: x += 10\n", 24, 4,
    ),
    "main takes what they put": (  # whose item is the first one
        "def work():\n    results.put(1)\n", 2, "order.append(results.get())\n", 2, 1,
    ),
    "main stops them": (  # who takes which place of the line
        "def work():\n    tasks.get()\n", 3, "for t in threads: tasks.put(None)\n", 6, 1,
    ),
    "handles in an object that they share": (
        "class Pool: threads = []\npool = Pool()\ndef work():\n    with lock: pool.x = 1\n", 2,
        "pool.threads = threads\nwith lock: pool.x = 2\n", 6, 3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOLDED)
def test_what_is_folded(name: str, tmp_path: Path) -> None:
    work, count, main, whole, fewer = FOLDED[name]
    file = tmp_path / "busy.py"
    file.write_text(HEAD + work + START.format(count=count) + main + WAIT)
    assert counted(file, "none")[1] == whole
    found, executions, alike = counted(file, "discovered")
    assert (found, executions) == (set(), fewer)
    assert [(f.size, f.group) for f in alike.families] == [(count, "symmetric")]


LATE = """
def work():
    global x
    with lock:
        rank, x = x, x + 1
    if not rank:
        with lock: order.append('who came first')
"""
TRAPS = {  # what workers do, what main does; what is said of them
    "whether one lives": (
        LATE, "with lock: pass\nif not threads[0].is_alive():\n    with lock: assert order\n",
        "Thread-1 (work) is asked whether it lives",
    ),
    "one is waited for": (
        LATE, "with lock: pass\nthreads[0].join()\nwith lock: assert order\n",
        "Thread-1 (work) is waited for, and the other is not",
    ),
    "some are waited for": (
        LATE, "with lock: pass\nfor t in threads[:1]: t.join()\nwith lock: assert order\n",
        "Thread-1 (work) is waited for, and the other is not",
    ),
    "one gives its handle away": (
        "def work():\n    with lock: pass\n    results.put(threading.current_thread())\n",
        "assert results.get() is threads[0]\n", "Thread-1 (work) asks for its own handle",
    ),
    "one has kept its handle": (
        "def work():\n    me = threading.current_thread()\n    with lock: pass\n    results.put(me)\n",
        "assert results.get() is threads[0]\n", "and these know who they are",
    ),
    "one is its handle": (
        "class Worker(threading.Thread):\n    def run(self): results.put(self)\n"
        "def work(): pass\ndef new(target): return Worker()\n",
        "assert results.get() is threads[0]\n", "and these know who they are",
    ),
    "one fails, and a function is told so": (
        "def told(about): results.put(about.thread)\nthreading.excepthook = told\n"
        "def work():\n    tasks.get()\n    raise ValueError\n",
        "tasks.put(1)\nassert results.get() is threads[0]\ntasks.put(1)\n",
        "Thread-1 (work) is given to an excepthook",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TRAPS)
def test_handles_that_lead_to_threads(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each fails only if the second worker comes first.  A search that takes handles for constants finds nothing."""
    work, main, reason = TRAPS[name]
    start = START.replace("threading.Thread", "new") if "def new" in work else START
    file = tmp_path / "trap.py"
    file.write_text(HEAD + work + start.format(count=2) + main + WAIT)
    found, _, alike = counted(file, "discovered")
    assert found == {"assertion"}
    assert any(str(o).endswith(reason) for o in alike.obstacles), [str(o) for o in alike.obstacles]

    def believe(self: Any, _: Any, child: Any) -> None:
        self.constant.add(id(child.handle))

    monkeypatch.setattr(symmetry._Comparison, "unseen", believe)
    assert counted(file, "discovered")[0] == set()


WOKEN = """
changed, ready = threading.Condition(), threading.Semaphore(0)
def work():
    with changed:
        ready.release()
        order.append(changed.wait(1))
"""
FAILED = """
def told(about):
    me = about.thread
    with lock: pass
    results.put(me)
threading.excepthook = told
def work():
    raise ValueError
"""


@pytest.mark.parametrize(
    ("work", "main"),
    [
        (WOKEN, START.format(count=2) + "for t in threads: ready.acquire()\n"
         "with changed:\n    order.append('now')\n    changed.notify()\n" + WAIT
         + "assert order != ['now', False, True]\n"),
        (FAILED, "a, b = threading.Thread(target=work), threading.Thread(target=work)\na.start()\nb.start()\n"
         "assert results.get() is a\n"),
    ],
    ids=["one was woken", "one was given to a function that takes failures"],
)  # fmt: skip
def test_what_tells_threads_apart_beside_their_logs(work: str, main: str, tmp_path: Path) -> None:
    """Who waits at a condition is known there only; a handle that others have is nobody's own."""
    file = tmp_path / "trap.py"
    file.write_text(HEAD + work + main)
    assert counted(file, "discovered")[0] == {"assertion"}
