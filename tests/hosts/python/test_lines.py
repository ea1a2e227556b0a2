"""Queues as lines of places, and workers that are as new after each task: nothing may be lost, and much is saved.

The reference is a plain search of every interleaving in which every access is visible, and in which each queue is a
single object, as it is in Python.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import isospin
from isospin.engines.stateless.protocol import Found
from isospin.engines.stateless.registry import explore
from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.python.explain import run_guided
from isospin.hosts.python.program import Learnt, PythonProgram
from isospin.hosts.python.stdlib.lines import WaitingLine
from tests.support.generators.random_lines import pool_program, queue_program

Outcomes = set[str]
MOST_EXECUTIONS = 1500


class _Watched(PythonProgram):
    """Writes down how each execution ends."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.outcomes: Outcomes = set()

    def stuck(self) -> Found | None:
        found = super().stuck()
        out: Any = vars(sys.modules["__main__"])["out"]
        self.outcomes.add(f"{found.kind if found else 'ends'} {sorted(out.items() if isinstance(out, dict) else out)}")
        return None


@contextmanager
def _single_objects() -> Iterator[None]:
    """Every queue is one object."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WaitingLine, "suits", staticmethod(lambda whole: False))
        yield


def _outcomes(file: Path, search: str, symmetry: str, most: int | None = None, everything: bool = False) -> Any:
    host = _Watched(str(file))
    try:
        run_guided(host, ())
        if everything:
            host.memory.learnt.shared.update(n for n, place in enumerate(host.sites.places) if place.function)
        while True:
            host.memory.begin_search()
            host.outcomes.clear()
            try:
                asked = SearchRequest(all_errors=True, symmetry=symmetry, max_executions=most)
                result = explore(host, search, asked)
            except Learnt:
                continue
            errors = {f"{f.found.kind} {f.found.location.line}" for f in result.findings}
            if not host.memory.again or result.incomplete:
                return set(host.outcomes) | errors, result.executions, result.incomplete
    finally:
        host.close()


def _compare(text: str, file: Path, most: int = MOST_EXECUTIONS) -> tuple[int, int] | None:
    """How many executions there are without and with all that is left out; None: too many to tell."""
    file.write_text(text)
    with _single_objects():
        want, whole, incomplete = _outcomes(file, "dfs", "none", most, True)
    if incomplete:
        return None
    for search, symmetry in (("dpor", "none"), ("optimal", "none"), ("dpor", "discovered")):
        got, executions, _ = _outcomes(file, search, symmetry)
        assert want == got, f"{file.name}, {search}, symmetry {symmetry}: {want ^ got}"
    return whole, executions


def _campaign(make: Callable[[int], str], seeds: range, folder: Path, most: int) -> list[tuple[int, int]]:
    found = (_compare(make(seed), folder / f"lines_{make.__name__}_{seed}.py", most) for seed in seeds)
    return [pair for pair in found if pair is not None]


def test_nothing_is_lost_at_queues(tmp_path: Path) -> None:
    found = _campaign(queue_program, range(12), tmp_path, 100)
    assert sum(executions < whole for whole, executions in found) >= 3


def test_nothing_is_lost_in_pools(tmp_path: Path) -> None:
    found = _campaign(pool_program, range(8), tmp_path, 100)
    assert sum(executions < whole for whole, executions in found) >= 1


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 2000, 100))
def test_nothing_is_lost_in_many(start: int, tmp_path: Path) -> None:
    queues = _campaign(queue_program, range(start, start + 70), tmp_path, MOST_EXECUTIONS)
    pools = _campaign(pool_program, range(start, start + 30), tmp_path, MOST_EXECUTIONS)
    assert len(queues) >= 40
    assert len(pools) >= 4


POOL = """
from concurrent.futures import ThreadPoolExecutor
def work(n):
    return n
with ThreadPoolExecutor(max_workers=2) as pool:
    found = [pool.submit(work, n) for n in range({tasks})]
    assert sum(f.result() for f in found) == sum(range({tasks}))
"""
WORKERS = """
import queue, threading
q, out = queue.Queue(), [None] * {items}
def work():
    while (item := q.get()) is not None:
        out[item] = item
threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads: t.start()
for n in [*range({items}), None, None]: q.put(n)
for t in threads: t.join()
assert None not in out
"""
ONE_TO_ONE = """
import queue, threading
q = queue.Queue({room})
def produce():
    for n in range(6): q.put(n)
thread = threading.Thread(target=produce)
thread.start()
assert [q.get() for _ in range(6)] == list(range(6))
thread.join()
"""
TASKS_DONE = """
import queue, threading
q, out = queue.Queue(), []
def work():
    while True:
        out.append(q.get())
        q.task_done()
for _ in range(2): threading.Thread(target=work, daemon=True).start()
for n in range(2): q.put(n)
q.join()
assert sorted(out) == [0, 1]
"""


@pytest.mark.parametrize(("text", "without", "with_symmetry"), [
    (POOL.format(tasks=2), 9, 2),  # one execution if the first worker is idle in time, one if not
    (POOL.format(tasks=3), 25, 3),
    (POOL.format(tasks=4), 57, 4),
    (WORKERS.format(items=3), 16, 8),  # who gets which of three items, and who ends first
    (ONE_TO_ONE.format(room=0), 1, 1),
    (ONE_TO_ONE.format(room=2), 1, 1),
])  # fmt: skip
def test_who_puts_and_who_takes_need_no_order(text: str, without: int, with_symmetry: int, tmp_path: Path) -> None:
    file = tmp_path / "line.py"
    file.write_text("out = {}\n" + text)
    assert _outcomes(file, "optimal", "none")[1] == without
    assert _outcomes(file, "dpor", "discovered")[1] == with_symmetry
    assert isospin.check(file).statistics.blocked == 0


def test_waiting_for_all_tasks(tmp_path: Path) -> None:
    file = tmp_path / "tasks.py"
    file.write_text(TASKS_DONE)
    with _single_objects():
        _, before, _ = _outcomes(file, "optimal", "none")
    got, now, incomplete = _outcomes(file, "optimal", "none")
    assert not incomplete
    assert now < before
    assert all(outcome.startswith("ends") for outcome in got), got


RACE = """
import threading
from concurrent.futures import ThreadPoolExecutor
x, out = 0, {}
def look():
    return x
def add():
    global x
    v = x
    x = v + 1
pool = ThreadPoolExecutor(max_workers=2)
first = pool.submit(look)
second, third = pool.submit(add), pool.submit(add)
second.result(), third.result()
pool.shutdown()
out["x"] = x
"""


def test_a_worker_is_somebody_else_with_each_task(tmp_path: Path) -> None:
    """What one worker does in two tasks, two could do at the same time."""
    file = tmp_path / "race.py"
    file.write_text(RACE)
    for search, symmetry in (("optimal", "none"), ("dpor", "discovered")):
        assert {"ends [('x', 1)]", "ends [('x', 2)]"} <= _outcomes(file, search, symmetry)[0]


MIDDLE = """
from concurrent.futures import ThreadPoolExecutor
x = seen = 0
out = {}
def look():
    global seen
    seen = x
def nothing():
    pass
def add():
    global x
    x += 1
    x += 1
pool = ThreadPoolExecutor(2)
pool.submit(look)
pool.submit(nothing).result()
pool.submit(add)
pool.submit(nothing)
pool.shutdown()
out["seen"] = seen
"""


def test_a_worker_forgets_what_its_last_task_knew(tmp_path: Path) -> None:
    """The one that has done nothing knows what came before it only as long as it does that: another worker, which is as
    good, does not know it.  Else nobody sees that `look` and `add` race."""
    file = tmp_path / "middle.py"
    file.write_text(MIDDLE)
    want = {f"ends [('seen', {n})]" for n in range(3)}
    assert _outcomes(file, "optimal", "none")[0] == want
    assert _outcomes(file, "dpor", "discovered")[0] == want


LAST = """
from concurrent.futures import ThreadPoolExecutor
y, out = 0, {}
def one():
    global y
    y = 1
    y = 2
def other():
    global y
    y += 1
    y = 12
def nothing():
    pass
pool = ThreadPoolExecutor(2)
pool.submit(one)
pool.submit(other).result()
pool.submit(nothing)
pool.shutdown()
out["y"] = y
"""


def test_what_one_worker_does_in_two_tasks_may_race(tmp_path: Path) -> None:
    """In all executions that symmetry leaves, one worker does both tasks: it must be somebody else in the second."""
    file = tmp_path / "last.py"
    file.write_text(LAST)
    want = {"ends [('y', 2)]", "ends [('y', 12)]"}
    assert _outcomes(file, "optimal", "none")[0] == want
    assert _outcomes(file, "dpor", "discovered")[0] == want


TAKEN_BACK = """
from concurrent.futures import ThreadPoolExecutor
out, x = {}, 0
pool = ThreadPoolExecutor(max_workers=1)
def add():
    global x
    x += 1
def wait():
    pool.submit(pow, 2, 3).result()
pool.submit(wait)
pool.submit(add)
pool.shutdown(cancel_futures=True)
out["x"] = x
"""


def test_tasks_are_taken_back_one_by_one(tmp_path: Path) -> None:
    """A worker that is freed by the end of one task may take the next one before it is taken back."""
    file = tmp_path / "back.py"
    file.write_text(TAKEN_BACK)
    want = {"ends [('x', 0)]", "ends [('x', 1)]"}
    assert all(_outcomes(file, search, "none")[0] == want for search in ("dfs", "dpor", "optimal"))
