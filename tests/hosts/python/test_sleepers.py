"""Races of what symmetry leaves out, and threads that sleep: in whatever order they are looked at, nothing is lost."""

from __future__ import annotations

import sys
from collections.abc import Iterator
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


class Shuffled(set[Any]):
    """A set in another order in each run."""

    random = Random(0)

    def __iter__(self) -> Iterator[Any]:
        members = list(super().__iter__())
        self.random.shuffle(members)
        return iter(members)


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
    skip = SymmetricDpor.skip
    monkeypatch.setattr(Shuffled, "random", Random(seed))
    monkeypatch.setattr(SymmetricDpor, "skip", lambda self, node, t, images: skip(self, node, t, Shuffled(images)))
    want, _ = test_indices.outcomes(file, "optimal", "none")
    assert test_indices.outcomes(file, "dpor", "discovered")[0] == want
