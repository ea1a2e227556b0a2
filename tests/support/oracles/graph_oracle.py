"""How many executions tiny programs of atomic accesses have under a memory model: all graphs, by the axioms.

Programs are the scripts of weak_oracle.

Reference: Lahav, Vafeiadis, Kang, Hur, Dreyer, PLDI 2017 (RC11, with "program order and sources have no cycle");
Alglave, Maranget, Tautschnig, TOPLAS 2014 (x86-TSO); Shasha, Snir, TOPLAS 1988 (sequential consistency).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from .weak_oracle import SEQ_CST, Event, Execution, acyclic, executions, random_access

MOST_EVENTS = 7


def random_program(random: Random) -> list[str]:
    """Two to four threads; some programs keep to one or two orders."""
    orders = random.choice(((5,), (0,), (0, 5), (2, 3, 4), (2, 3, 4, 5), (0, 2, 3, 4, 5)))
    lengths = [random.randint(1, 3) for _ in range(random.choice((2, 2, 3, 3, 4)))]
    if sum(lengths) > MOST_EVENTS:
        return random_program(random)
    return ["".join(random_access(random, orders) for _ in range(length)) for length in lengths]


def count(scripts: Sequence[str], model: str) -> int:
    """The graphs that the model allows."""
    allowed: dict[str, Callable[[Execution], bool]] = {"sc": Execution.is_interleaving, "tso": is_tso, "rc11": is_rc11}
    return sum(e.is_atomic() and allowed[model](e) for e in executions(scripts))


def is_rc11(e: Execution) -> bool:
    return acyclic(e.sb | e.rf) and acyclic(e.rf | e.mo | e.rb) and e.is_allowed()


def is_tso(e: Execution) -> bool:
    place = [event.place for event in e.events]
    local = frozenset((a, b) for a, b in e.sb if place[a] and place[a] == place[b])
    kept = frozenset((a, b) for a, b in e.sb if stays_in_order(e, a, b))
    external = frozenset((a, b) for a, b in e.rf if e.events[a].thread != e.events[b].thread)
    return acyclic(local | e.rf | e.mo | e.rb) and acyclic(kept | external | e.mo | e.rb)


def stays_in_order(e: Execution, a: int, b: int) -> bool:
    """All but a store before a load, unless something between them, or the store itself, empties the buffer."""
    one, other = e.events[a], e.events[b]
    if "F" in (one.kind, other.kind):
        return False
    between = [e.events[c] for c in range(len(e.events)) if (a, c) in e.sb and (c, b) in e.sb]
    return one.kind != "S" or other.kind != "L" or empties(one) or any(empties(c) for c in between)


def empties(event: Event) -> bool:
    return event.kind == "A" or (event.order == SEQ_CST and event.kind in "SF")
