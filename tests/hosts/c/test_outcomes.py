"""What a C program says that it saw: collected over all executions, counted, and the same whatever search runs it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from isospin import check

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

HEAD = """#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static atomic_int n, x, y;
static int cell[3];
static void run(void *(*one)(void *), void *(*other)(void *), void *(*third)(void *))
{
    pthread_t threads[3];
    void *(*code[3])(void *) = {one, other, third};
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, code[i], (void *)(intptr_t)i);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}
static void *idle(void *unused) { return unused; }
"""
STORE_BUFFERING = """
static void *first(void *unused) { x = 1; isospin_outcome("a=%d", (int)y); return unused; }
static void *second(void *unused) { y = 1; isospin_outcome("b=%d", (int)x); return unused; }
int main(void) { run(second, first, idle); }
"""
TICKETS = """
static void *work(void *unused) { isospin_outcome("%d", n++); return unused; }
int main(void) { run(work, work, work); }
"""
CELLS = """
static void *work(void *own) { cell[(intptr_t)own] = n++; return NULL; }
int main(void) { run(work, work, work); isospin_outcome("%d%d%d", cell[0], cell[1], cell[2]); }
"""
FIRST = """
static void *work(void *own) { if (n++ == 0) isospin_outcome("%d", (int)(intptr_t)own); return NULL; }
int main(void) { run(work, work, work); }
"""
NUMBERED = """
static void *work(void *own) { int i = (int)(intptr_t)own; cell[i] = n++; isospin_outcome("%d", cell[i]); return NULL; }
int main(void) { run(work, work, work); isospin_outcome("%d of %c", (int)n, 'n'); }
"""
BY_ADDRESS = """
static void *work(void *own)
{
    char text[2] = {(char)('0' + (intptr_t)own), 0};
    if (n++ == 0) isospin_outcome("%s", text);
    return NULL;
}
int main(void) { run(work, work, work); }
"""
SAID_BEFORE = """
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, door = PTHREAD_MUTEX_INITIALIZER;
static int came, turn;
static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    isospin_outcome(came++ ? "b" : "a");
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&door);
    isospin_outcome("%d", turn++);
    pthread_mutex_unlock(&door);
    return unused;
}
int main(void) { run(work, work, idle); }
"""
ORDERS = dict.fromkeys(("012", "021", "102", "120", "201", "210"), 1)


def outcomes(folder: Path, body: str, **options: Any) -> dict[str, int]:
    file = folder / "program.c"
    file.write_text(HEAD + body)
    verdict = check(file, **options)
    assert verdict.outcome == "holds"
    assert sum(count for _, count in verdict.outcomes) in (0, verdict.statistics.executions)
    return dict(verdict.outcomes)


@pytest.mark.parametrize("how", [{}, {"search": "optimal"}, {"fork": True}], ids=["dpor", "optimal", "fork"])
def test_each_outcome_with_its_executions(tmp_path: Path, how: dict[str, Any]) -> None:
    expected = {"a=0 b=1": 1, "a=1 b=0": 1, "a=1 b=1": 1}
    assert outcomes(tmp_path, STORE_BUFFERING, **how) == expected


@pytest.mark.parametrize(("body", "alone", "folded"), [
    (TICKETS, {"0 1 2": 6}, {"0 1 2": 1}),  # nobody knows who said what
    (CELLS, ORDERS, ORDERS),  # the outcome tells the threads apart
    (FIRST, dict.fromkeys("012", 2), dict.fromkeys("012", 2)),
    (NUMBERED, {"0 1 2 3 of n": 6}, {"0 1 2 3 of n": 1}),  # it says no number of a thread
    (BY_ADDRESS, dict.fromkeys("012", 2), dict.fromkeys("012", 2)),
], ids=["tickets", "cells", "first", "numbered", "by address"])  # fmt: skip
def test_symmetry_loses_no_outcome(tmp_path: Path, body: str, alone: dict[str, int], folded: dict[str, int]) -> None:
    assert outcomes(tmp_path, body, symmetry="none") == alone
    assert outcomes(tmp_path, body) == folded


def test_executions_in_which_nothing_is_said(tmp_path: Path) -> None:
    body = 'int main(void) { if (isospin_toss(3) == 1) isospin_outcome("one"); }'
    assert outcomes(tmp_path, body) == {"": 2, "one": 1}
    assert outcomes(tmp_path, "int main(void) { isospin_toss(3); }") == {}


def test_what_is_said_at_length_is_cut(tmp_path: Path) -> None:
    body = 'int main(void) { for (int i = 0; i < 9; i++) isospin_outcome("%0*d", 100, i); }'
    [said] = outcomes(tmp_path, body)
    assert said.startswith("0" * 100 + " " + "0" * 99 + "1")
    assert len(said) == 255


ERRNO = """#include <errno.h>
#include <string.h>
""" + SAID_BEFORE.replace('isospin_outcome(came++ ? "b" : "a")', "errno = came++ ? EBUSY : EAGAIN").replace(
    "%d", "%m %d"
)


def test_what_errno_is_tells_threads_apart_that_say_it(tmp_path: Path) -> None:
    alone = outcomes(tmp_path, ERRNO, symmetry="none")
    assert len(alone) == 2
    assert set(outcomes(tmp_path, ERRNO)) == set(alone)


@pytest.mark.parametrize("symmetry", ["none", "auto"])
def test_what_was_said_before_tells_threads_apart(tmp_path: Path, symmetry: str) -> None:
    assert set(outcomes(tmp_path, SAID_BEFORE, symmetry=symmetry)) == {"a 0 b 1", "a 1 b 0"}
