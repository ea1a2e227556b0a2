"""What fixes a program with too weak orders: changes that were tried, the smallest ones."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from isospin import check
from isospin.hosts.c.constants import AccessKind
from isospin.hosts.c.strengthen import candidates
from isospin.hosts.c.wire import OrderMessage
from tests.support import paths

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

WEAK = paths.EXAMPLES / "c" / "weak"
# By hand, from the papers that the structures come from: the line, and what the order becomes.
FIXES = {
    "spsc_ring": [("store", "atomic_store_explicit(&next", "relaxed -> release")],
    "treiber_stack": [("update", "atomic_compare_exchange_weak_explicit(&top, &node->below", "relaxed -> release")],
    "michael_scott_queue": [("update", "atomic_compare_exchange_strong_explicit(&last->next", "relaxed -> release")],
    "chase_lev_deque": [("fence", "atomic_thread_fence(FENCE)", "acq_rel -> seq_cst")] * 2,
    "seqlock": [("load", "atomic_load_explicit(&one", "relaxed -> acquire"),
                ("load", "atomic_load_explicit(&other", "relaxed -> acquire")],
    "publication": [("store", "atomic_store_explicit(&current", "relaxed -> release")],
    "ticket_lock": [("store", "atomic_store_explicit(&served", "relaxed -> release")],
    "mcs_lock": [("update", "atomic_compare_exchange_strong_explicit(&last", "relaxed -> release"),
                 ("store", "atomic_store_explicit(&next->waits", "relaxed -> release")],
    "dekker": [("store", "atomic_store_explicit(&wants", "relaxed -> seq_cst"),
               ("load", "atomic_load_explicit(&wants", "relaxed -> seq_cst")],
    "double_checked": [("store", "atomic_store_explicit(&instance", "relaxed -> release")],
}  # fmt: skip
QUICK = ("spsc_ring", "mcs_lock")


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in FIXES])
def test_the_smallest_change_that_helps(name: str) -> None:
    file = WEAK / f"{name}.c"
    [violation] = check(file, defines=("WEAK",)).violations
    said = [line.strip().removeprefix("and ") for line in violation.details if "->" in line]
    assert any("what fixes it" in line for line in violation.details)
    text = file.read_text().splitlines()
    found = []
    for line in said:
        place, change = line.split(": ", 1)
        kind, where = place.split(" at ")
        found.append((kind, text[int(where.rsplit(":", 1)[1]) - 1], change))
    assert len(found) == len(FIXES[name]), said
    for (kind, source, change), (wanted, part, becomes) in zip(found, FIXES[name], strict=True):
        assert (kind, part in source, change) == (wanted, True, becomes), said


@pytest.mark.parametrize("body", [
    "atomic_store(&x, 1); assert(atomic_load(&x) == 2);",  # nothing can be stronger
    "atomic_store_explicit(&x, 1, memory_order_relaxed); assert(atomic_load(&x) == 2);",  # it would not help
    "assert(0);",
])  # fmt: skip
def test_where_orders_are_not_the_reason(body: str, tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(f"#include <assert.h>\n#include <stdatomic.h>\natomic_int x;\nint main(void) {{ {body} }}\n")
    [violation] = check(file).violations
    assert not any("what fixes it" in line for line in violation.details)


def test_small_changes_come_first() -> None:
    load, store = OrderMessage(1, AccessKind.LOAD, 0), OrderMessage(2, AccessKind.STORE, 3)
    tried = [tuple((part.access.pc, part.order) for part in change) for change in candidates([load, store])]
    assert tried == [((1, 2),), ((2, 5),), ((1, 5),), ((1, 2), (2, 5)), ((1, 5), (2, 5))]
