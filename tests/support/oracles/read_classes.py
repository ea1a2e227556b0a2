"""How many executions the programs of benchmarks/waiting have, by brute force over all interleavings.

Two executions are the same if each read of each thread sees the same write (`reads`), or if besides the writes of each
variable come in the same order (`orders`).  An update that changes nothing is a read.  A round of a loop that wrote
nothing is taken out, so there are finitely many; it changes nothing, and its thread is where it was.

A program is a list of instructions: (kind, ...), where what is computed is a function of the thread's registers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

Registers = dict[str, Any]
Instruction = tuple[Any, ...]
ACCESSES = ("load", "store", "compare", "exchange", "add")
INITIAL = (-1, -1)


class Classes(NamedTuple):
    """Of all executions that go to their end."""

    reads: int
    orders: int


class _Thread(NamedTuple):
    """Where a thread is; `marks`: of each loop, how much it had done and known when the round began."""

    at: int
    registers: tuple[tuple[str, Any], ...]
    done: tuple[tuple[str, int, Hashable, Any], ...]  # what it did, where, to what, and what it saw
    marks: tuple[tuple[str, Any], ...]


class _State(NamedTuple):
    memory: tuple[tuple[Hashable, tuple[Any, Any]], ...]  # values, and who wrote them
    orders: tuple[tuple[Hashable, tuple[Any, ...]], ...]
    threads: tuple[_Thread, ...]


def _sorted(items: dict[Any, Any]) -> tuple[tuple[Any, Any], ...]:
    return tuple(sorted(items.items(), key=str))


def _settled(code: list[Instruction], thread: _Thread, memory: dict[Hashable, tuple[Any, Any]]) -> _Thread:
    """The thread where it makes its next access, or at its end."""
    labels = {i[1]: n for n, i in enumerate(code) if i[0] == "label"}
    at, registers, done, marks = thread.at, dict(thread.registers), thread.done, dict(thread.marks)
    while at < len(code) and code[at][0] not in ACCESSES:
        kind, *words = code[at]
        at += 1
        match kind:
            case "set":
                registers[words[0]] = words[1](registers)
            case "look":  # at plain memory
                registers[words[0]] = memory[words[1](registers)][0]
            case "put":
                memory[words[0](registers)] = (words[1](registers), None)
            case "if":
                at = labels[words[1]] if words[0](registers) else at
            case "round":
                marks[words[0]] = (len(done), _sorted(registers))
            case "again":
                length, known = marks[words[0]]
                if all(what == "reads" for what, *_ in done[length:]):
                    done, registers = done[:length], dict(known)
                at = labels[words[0]]
            case "end":
                at = len(code)
    return _Thread(at, _sorted(registers), done, _sorted(marks))


def _accessed(state: _State, t: int, code: list[Instruction]) -> _State:
    """The next access of a thread, and what follows from it."""
    thread, memory, orders = state.threads[t], dict(state.memory), dict(state.orders)
    registers = dict(thread.registers)
    kind, *words = code[thread.at]
    place = (words[0] if kind == "store" else words[1])(registers)
    value, writer = memory[place]
    new = value
    match kind:
        case "store":
            new = words[1](registers)
        case "exchange":
            new = words[2](registers)
        case "add":
            new = value + words[2](registers)
        case "compare":  # the register that it expects is told what it finds
            equal = value == registers[words[2]]
            new = words[3](registers) if equal else value
            registers[words[2]] = value
            value = equal
    if kind != "store":
        registers[words[0]] = value
    writes = kind == "store" or new != memory[place][0]
    done = (*thread.done, ("writes" if writes else "reads", thread.at, place, None if kind == "store" else writer))
    if writes:
        memory[place] = new, (t, len(done))
        orders[place] = (*orders.get(place, ()), (t, len(done)))
    moved = _settled(code, _Thread(thread.at + 1, _sorted(registers), done, thread.marks), memory)
    return _State(_sorted(memory), _sorted(orders), (*state.threads[:t], moved, *state.threads[t + 1 :]))


def classes(codes: list[list[Instruction]], initial: dict[Hashable, Any]) -> Classes:
    """Of a program with these threads."""
    memory = {place: (value, INITIAL) for place, value in initial.items()}
    threads = tuple(_settled(code, _Thread(0, (), (), ()), memory) for code in codes)
    start = _State(_sorted(memory), (), threads)
    seen, todo = {start}, [start]
    ends: set[tuple[Any, Any]] = set()
    while todo:
        state = todo.pop()
        moves = [t for t, thread in enumerate(state.threads) if thread.at < len(codes[t])]
        if not moves:
            ends.add((tuple(thread.done for thread in state.threads), state.orders))
        for following in (_accessed(state, t, codes[t]) for t in moves):
            if following not in seen:
                seen.add(following)
                todo.append(following)
    return Classes(len({done for done, _ in ends}), len(ends))


# -------------------------------------------------------------------------------------------------- the programs

Value = Callable[[Registers], Any]


def _is(value: Any) -> Value:
    return lambda registers: value


def _held(name: str) -> Value:
    return lambda registers: registers[name]


def _of(array: str, name: str) -> Value:
    return lambda registers: (array, registers[name])


def _lacks(name: str) -> Value:
    return lambda registers: not registers[name]


def _until(loop: str, register: str, place: Value, passes: Value) -> list[Instruction]:
    """Load until it is so."""
    return [("label", loop), ("round", loop), ("load", register, place), ("if", passes, f"after {loop}"),
            ("again", loop), ("label", f"after {loop}")]  # fmt: skip


def treiber(readers: int, writers: int) -> Classes:
    """A failed round of a push has written to its node, so it is none that changes nothing."""

    def push(node: int) -> list[Instruction]:
        return [("label", "go"), ("load", "old", _is("top")), ("put", _is(("next", node)), _held("old")),
                ("compare", "done", _is("top"), "old", _is(node)), ("if", _lacks("done"), "go")]  # fmt: skip

    pop: list[Instruction] = [
        ("label", "go"), ("round", "go"), ("load", "old", _is("top")), ("if", _lacks("old"), "out"),
        ("look", "next", _of("next", "old")), ("compare", "done", _is("top"), "old", _held("next")),
        ("if", _held("done"), "out"), ("again", "go"), ("label", "out"),
    ]  # fmt: skip
    nodes = range(1, writers + 1)
    initial: dict[Hashable, Any] = {"top": 0, **{("next", n): 0 for n in nodes}}
    return classes([*(push(n) for n in nodes), *[pop] * readers], initial)


def mutex(threads: int) -> Classes:
    code: list[Instruction] = [
        ("set", "free", _is(0)), ("compare", "done", _is("state"), "free", _is(1)), ("if", _held("done"), "in"),
        ("label", "go"), ("round", "go"), ("exchange", "old", _is("state"), _is(2)), ("if", _lacks("old"), "in"),
        *_until("wait", "now", _is("state"), lambda r: r["now"] != 2),
        ("again", "go"), ("label", "in"), ("store", _is("state"), _is(0)),
    ]  # fmt: skip
    return classes([code] * threads, {"state": 0})


def mcs(threads: int) -> Classes:
    def work(me: int) -> list[Instruction]:
        return [
            ("exchange", "before", _is("last"), _is(me)), ("if", _lacks("before"), "in"),
            ("store", _of("next", "before"), _is(me)), *_until("wait", "waits", _is(("waits", me)), _lacks("waits")),
            ("label", "in"), ("load", "next", _is(("next", me))), ("if", _held("next"), "hand over"),
            ("set", "own", _is(me)), ("compare", "done", _is("last"), "own", _is(0)), ("if", _held("done"), "out"),
            ("label", "hand over"), *_until("look", "next", _is(("next", me)), _held("next")),
            ("store", _of("waits", "next"), _is(0)), ("label", "out"),
        ]  # fmt: skip

    names = range(1, threads + 1)
    initial: dict[Hashable, Any] = {"last": 0, **{("next", n): 0 for n in names}, **{("waits", n): 1 for n in names}}
    return classes([work(n) for n in names], initial)


def mpmc(readers: int, writers: int, size: int = 2) -> Classes:
    def turn(registers: Registers) -> Hashable:
        return "turn", registers["place"] % size

    def work(counter: str, late: int, then: int) -> list[Instruction]:
        waits = _until("wait", "turn", turn, lambda r: r["turn"] == r["place"] + late)
        return [("add", "place", _is(counter), _is(1)), *waits, ("store", turn, lambda r: r["place"] + then)]

    initial: dict[Hashable, Any] = {"produced": 0, "consumed": 0, **{("turn", i): i for i in range(size)}}
    return classes([work("produced", 0, 1)] * writers + [work("consumed", 1, size)] * readers, initial)


def exchanges(threads: int) -> Classes:
    codes: list[list[Instruction]] = [
        [("set", "own", _is(i)), ("compare", "done", _is("x"), "own", _is(i + 1))] for i in range(threads)
    ]
    return classes(codes, {"x": 0})


def msqueue(readers: int, writers: int) -> Classes:
    def put(node: int) -> list[Instruction]:
        return [
            ("label", "go"), ("round", "go"), ("load", "last", _is("tail")), ("load", "next", _of("next", "last")),
            ("load", "tail", _is("tail")), ("if", lambda r: r["last"] != r["tail"], "fail"),
            ("if", _lacks("next"), "add"), ("compare", "done", _is("tail"), "last", _held("next")),
            ("label", "fail"), ("again", "go"),
            ("label", "add"), ("compare", "done", _of("next", "last"), "next", _is(node)),
            ("if", _lacks("done"), "fail"), ("compare", "done", _is("tail"), "last", _is(node)), ("end",),
        ]  # fmt: skip

    take: list[Instruction] = [
        ("label", "go"), ("round", "go"), ("load", "first", _is("head")), ("load", "last", _is("tail")),
        ("load", "next", _of("next", "first")), ("load", "head", _is("head")),
        ("if", lambda r: r["first"] != r["head"], "fail"), ("if", _lacks("next"), "out"),
        ("if", lambda r: r["first"] != r["last"], "take"), ("compare", "done", _is("tail"), "last", _held("next")),
        ("label", "fail"), ("again", "go"),
        ("label", "take"), ("compare", "done", _is("head"), "first", _held("next")), ("if", _lacks("done"), "fail"),
        ("label", "out"), ("end",),
    ]  # fmt: skip
    initial: dict[Hashable, Any] = {"head": 1, "tail": 1, **{("next", n): 0 for n in range(1, writers + 2)}}
    return classes([*(put(n) for n in range(2, writers + 2)), *[take] * readers], initial)
