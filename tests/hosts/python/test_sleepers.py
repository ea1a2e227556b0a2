"""Races of what symmetry leaves out, and threads that sleep: in whatever order they are looked at, nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from isospin.engines.stateless.symmetric_dpor import SymmetricDpor
from tests.hosts.python import test_indices

SLEEPING = """
import threading
lock, order, x = threading.Lock(), [], 0
def work():
    global x
    with lock: order.append('a')
    x += 1
def other():
    order.append(True)
    order.append(x)
threads = [threading.Thread(target=other)] + [threading.Thread(target=work) for _ in range(2)]
for t in threads: t.start()
"""


def final_values() -> tuple[Any, ...]:
    space = vars(sys.modules["__main__"])
    return repr(space["order"]), space["x"]


@pytest.mark.parametrize("seed", range(8))
def test_races_that_are_gone_back_for_in_any_order(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread that sleeps since an earlier node is wanted, and somebody else has to come before it: in about half of
    the orders an outcome was lost where he was not explored."""
    file = tmp_path / "sleeping.py"
    file.write_text(SLEEPING)
    monkeypatch.setattr(test_indices, "final_values", final_values)
    in_order, random = SymmetricDpor.in_order, Random(seed)

    def shuffled(self: SymmetricDpor, seen: Any, lengths: Any) -> list[Any]:
        """Any thread first, and of what it may do as its how many-th operation any."""
        place = {thread: random.random() for thread, *_ in seen}
        return sorted(in_order(self, seen, lengths), key=lambda which: (place[which[0]], which[1], random.random()))

    monkeypatch.setattr(SymmetricDpor, "in_order", shuffled)
    want, _ = test_indices.outcomes(file, "dpor", "none")
    assert test_indices.outcomes(file, "dpor", "discovered")[0] == want


TEXT = """
import sys
from isospin.engines.stateless.protocol import Op
from isospin.engines.stateless.search import SearchRequest
from isospin.engines.stateless.symmetric_dpor import SymmetricDpor
from isospin.hosts.memory import MemoryCode, MemoryProgram
search = SymmetricDpor(MemoryProgram(MemoryCode({"x": (0,)}, ())), SearchRequest())
print([t for t, *_ in search.in_order({(t, 0, Op("read", frozenset(f"{t}{n}"))) for t in range(9) for n in "abc"}, {})])
print([sorted(op.reads) for *_, op in search.in_order({(0, 1, Op("read", frozenset([n]))) for n in "sunday"}, {})])
"""


def test_the_order_does_not_depend_on_hashing() -> None:
    said = {
        subprocess.run([sys.executable, "-c", TEXT], env={**os.environ, "PYTHONHASHSEED": str(n)}, check=True,
                       capture_output=True, text=True).stdout
        for n in range(3)
    }  # fmt: skip
    assert len(said) == 1
