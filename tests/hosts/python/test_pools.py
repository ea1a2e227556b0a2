"""A worker of a pool that has done a task is as good as new, unless the task left something behind in it.

Each program is one in which a condition of that is not met; with the condition taken out, an outcome is lost, or
something is told that does not happen.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import isospin
from isospin.core.verdict import Outcome
from tests.hosts.python import test_indices
from tests.hosts.python.test_children import final_values

HEAD = """\
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import ContextVar

lock, own, variable = threading.Lock(), threading.local(), ContextVar("variable", default="")
order, cell, x = [], [], 0

"""
# Two tasks, by one worker or by two; then a third, by any of them.
THREE = """
with ThreadPoolExecutor(2) as pool:
    wait([pool.submit(task, k) for k in range(2)])
    pool.submit(task, 2).result()
"""
LEFT_BEHIND = {
    "a variable of the thread": (
        "def task(k):\n    own.done = getattr(own, 'done', '') + str(k)\n    with lock: order.append(own.done)\n"
    ),
    "an attribute of the thread": (
        "def task(k):\n    me = threading.current_thread()\n    me.done = getattr(me, 'done', '') + str(k)\n"
        "    with lock: order.append(me.done)\n"
    ),
    "a variable of its context": (
        "def task(k):\n    done = variable.get() + str(k)\n    variable.set(done)\n    with lock: order.append(done)\n"
    ),
    "a lock that it has": (
        "again = threading.RLock()\ndef task(k):\n    got = again.acquire(blocking=False)\n"
        "    with lock: order.append((k, got))\n"
    ),
    "a thread that it has started": (
        "def task(k):\n    if not k:\n        own_thread = threading.Thread(target=order.append, args=(k,))\n"
        "        own_thread.start()\n    with lock: order.append(k)\n"
    ),
}


@pytest.mark.parametrize("name", LEFT_BEHIND)
def test_nothing_is_lost(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_indices, "final_values", final_values)
    file = tmp_path / "pool.py"
    file.write_text(HEAD + LEFT_BEHIND[name] + THREE)
    want, _ = test_indices.outcomes(file, "dpor", "none")
    got, _ = test_indices.outcomes(file, "dpor", "discovered")
    assert got == want


ONE_AFTER_THE_OTHER = """
gate = threading.Event()
def task():
    global x
    x += 1
with ThreadPoolExecutor(2) as pool:
    pool.submit(gate.wait)
    wait([pool.submit(task) for _ in range(2)])
    gate.set()
"""
NOTICED = """
import copy
class Noted:
    def __del__(self): order.append("gone")
first = Noted()
def task():
    copy.copy(first)
    order.append("done")
with ThreadPoolExecutor(2) as pool:
    pool.submit(task).result()
assert order != ["done", "gone"]
"""


def test_what_one_worker_does_is_no_race(tmp_path: Path) -> None:
    """The other one waits meanwhile, so that both tasks are done by the same."""
    file = tmp_path / "races.py"
    file.write_text(HEAD + ONE_AFTER_THE_OTHER)
    assert isospin.check(file, races=True).outcome is Outcome.HOLDS


def test_what_a_task_has_seen_does_not_end_with_it(tmp_path: Path) -> None:
    """It should have ended before; that it ends later is told, and no failure is made of it."""
    file = tmp_path / "noticed.py"
    file.write_text(HEAD + NOTICED)
    found = isospin.check(file)
    assert found.outcome is Outcome.INCOMPLETE
    assert "lives longer" in found.reason
