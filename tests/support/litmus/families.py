"""The classical litmus tests, in all combinations of memory orders.

A shape says what each thread does, one word for each access: `Wx1` stores 1 to x, `Rx` loads x, `Ux1` adds 1, `Xx2`
exchanges for 2, `Cx01` replaces 0 by 1, `F` is a fence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from tests.support.litmus.language import (
    ACQUIRE,
    EXCHANGE,
    FENCE_ORDERS,
    LOAD_ORDERS,
    RELAXED,
    SEQ_CST,
    STORE_ORDERS,
    UPDATE_ORDERS,
    Compare,
    Fence,
    Load,
    Program,
    Statement,
    Store,
    Update,
)

SHAPES = {
    "SB": ("Wx1 Ry", "Wy1 Rx"),
    "MP": ("Wx1 Wy1", "Ry Rx"),
    "LB": ("Rx Wy1", "Ry Wx1"),
    "2+2W": ("Wx1 Wy2", "Wy1 Wx2"),
    "R": ("Wx1 Wy1", "Wy2 Rx"),
    "S": ("Wx2 Wy1", "Ry Wx1"),
    "WRC": ("Wx1", "Rx Wy1", "Ry Rx"),
    "ISA2": ("Wx1 Wy1", "Ry Wz1", "Rz Rx"),
    "IRIW": ("Wx1", "Wy1", "Rx Ry", "Ry Rx"),
    "RWC": ("Wx1", "Rx Ry", "Wy1 Rx"),
    "WWC": ("Wx2", "Rx Wy1", "Ry Wx1"),
    "CoRR": ("Wx1", "Rx Rx"),
    "CoRR2": ("Wx1", "Wx2", "Rx Rx", "Rx Rx"),
    "CoWW": ("Wx1 Wx2", "Rx"),
    "CoWR": ("Wx1 Rx", "Wx2"),
    "CoRW": ("Rx Wx1", "Wx2"),
    "CoRW1": ("Rx Wx1",),
    "2xAdd": ("Ux1", "Ux1"),
    "3xAdd": ("Ux1", "Ux1", "Ux1"),
    "AddStore": ("Ux1", "Wx5", "Rx"),
    "2xCas": ("Cx01", "Cx02"),
    "CasStore": ("Cx01 Ry", "Wy1 Wx1"),
    "SB+xchg": ("Xx1 Ry", "Xy1 Rx"),
    "SB+xchgs": ("Xx1 Uy0", "Xy1 Ux0"),
    "MP+xchg": ("Wx1 Xy1", "Uy0 Rx"),
    "RelSeqStore": ("Wx1 Wy1 Wy2", "Ry Rx"),
    "RelSeqUpdate": ("Wx1 Wy1", "Uy1", "Ry Rx"),
    "RelSeqBroken": ("Wx1 Wy1", "Wy2", "Ry Rx"),
    "RelSeqCas": ("Wx1 Wy1", "Cy12", "Ry Rx"),
    "LB+upd": ("Ux1 Wy1", "Uy1 Wx5"),
    "Dekker+cas": ("Wx1 Cy01", "Wy1 Cx01"),
}  # fmt: skip
FENCED = ("SB", "MP", "LB", "2+2W", "R", "S", "WRC", "ISA2", "IRIW", "RWC", "RelSeqUpdate")
SHORT = {"relaxed": "rlx", "acquire": "acq", "release": "rel", "acq_rel": "ar", "seq_cst": "sc"}
ORDERS = {"W": STORE_ORDERS, "R": LOAD_ORDERS, "F": FENCE_ORDERS, "U": UPDATE_ORDERS, "X": UPDATE_ORDERS,
          "C": UPDATE_ORDERS}  # fmt: skip


def statement(word: str, number: int, order: str) -> Statement:
    kind, place, rest = word[0], word[1:2], word[2:]
    match kind:
        case "W":
            return Store(place, int(rest), order)
        case "R":
            return Load(f"r{number}", place, order)
        case "U":
            return Update(f"r{number}", place, "add", int(rest), order)
        case "X":
            return Update(f"r{number}", place, EXCHANGE, int(rest), order)
        case "C":
            failing = SEQ_CST if order == SEQ_CST else ACQUIRE if order in (ACQUIRE, "acq_rel") else RELAXED
            return Compare(f"r{number}", f"e{number}", place, int(rest[0]), int(rest[1]), order, failing)
    return Fence(order)


def program(name: str, threads: Sequence[str], orders: Sequence[str]) -> Program:
    """A shape with one order for each of its words."""
    left, made = iter(orders), []
    for thread in threads:
        made.append(tuple(statement(word, number, next(left)) for number, word in enumerate(thread.split())))
    return Program(f"{name}+{'-'.join(SHORT[order] for order in orders)}", tuple(made))


def words(threads: Sequence[str]) -> list[str]:
    return [word for thread in threads for word in thread.split()]


def all_orders(shape: str) -> Iterator[Program]:
    """A shape in all combinations."""
    threads = SHAPES[shape]
    for orders in product(*(ORDERS[word[0]] for word in words(threads))):
        yield program(shape, threads, orders)


def fenced(shape: str) -> Iterator[Program]:
    """A shape of relaxed accesses, with each kind of fence, or none, between any two of a thread."""
    gaps = sum(len(thread.split()) - 1 for thread in SHAPES[shape])
    for orders in product((None, *FENCE_ORDERS), repeat=gaps):
        left = iter(orders)
        threads, used = [], list[str]()
        for thread in SHAPES[shape]:
            first, *rest = thread.split()
            line = [first]
            used.append(RELAXED)
            for word in rest:
                order = next(left)
                line += ["F", word] if order else [word]
                used += [order, RELAXED] if order else [RELAXED]
            threads.append(" ".join(line))
        yield program(f"{shape}+f", threads, used)


def everything() -> list[Program]:
    """All of it: some thousands."""
    found = [p for shape in SHAPES for p in all_orders(shape)]
    return found + [p for shape in FENCED for p in fenced(shape) if any(isinstance(s, Fence) for s in p.statements())]
