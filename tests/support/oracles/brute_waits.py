"""All that a program of `random_c_waits` can do, by brute force over the states of a machine of a few lines.

Nothing is reduced, and a loop that waits is just a loop: its rounds are steps, and since they change nothing, there are
finitely many states.  A program can wait for ever if there is a state from which no end can be reached.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.support.generators.random_c_waits import MODULUS, Instruction, WaitingProgram, key

REGISTERS = 8


class _Local(NamedTuple):
    at: int
    registers: tuple[int, ...]
    noted: int


class _State(NamedTuple):
    memory: tuple[int, ...]
    owners: tuple[int, ...]  # of the two mutexes; -1: free
    threads: tuple[_Local, ...]


class WaitingBehaviour(NamedTuple):
    """The ends that can be reached, and whether it is possible that none is."""

    ends: frozenset[int]
    waits_for_ever: bool


def behaviour(program: WaitingProgram, most: int = 60_000) -> WaitingBehaviour | None:
    """None: too many states."""
    codes = [t.code for t in program.threads]
    start = _State(program.initial, (-1, -1), tuple(_settled(_Local(0, (0,) * REGISTERS, 0), c) for c in codes))
    following: dict[_State, list[_State]] = {}
    todo = [start]
    while todo:
        state = todo.pop()
        if state in following:
            continue
        if len(following) == most:
            return None
        nexts = (_step(state, t, codes[t]) for t in range(len(codes)))
        following[state] = [s for s in nexts if s is not None]
        todo += following[state]
    ended = [s for s in following if all(t.at == len(c) for t, c in zip(s.threads, codes, strict=True))]
    ends = frozenset(key(s.memory, [t.noted for t in s.threads]) for s in ended)
    return WaitingBehaviour(ends, len(_reaching(following, ended)) < len(following))


def _reaching(following: dict[_State, list[_State]], ended: list[_State]) -> set[_State]:
    before: dict[_State, list[_State]] = {}
    for state, others in following.items():
        for other in others:
            before.setdefault(other, []).append(state)
    seen: set[_State] = set()
    todo = list(ended)
    while todo:
        state = todo.pop()
        if state not in seen:
            seen.add(state)
            todo += before.get(state, ())
    return seen


LOCAL = ("note", "unless", "if", "set", "differ")


def _settled(local: _Local, code: list[Instruction]) -> _Local:
    """Up to the next instruction that others can notice."""
    while local.at < len(code) and code[local.at][0] in LOCAL:
        kind, v, c, r = code[local.at]
        at, registers, noted = local
        if kind == "note":
            noted = (noted * 3 + registers[r]) % MODULUS
        elif kind == "set":
            registers = _put(registers, r, c)
        jump = (
            (kind == "unless" and registers[v] != c) or (kind == "if" and registers[v] == c)
            or (kind == "differ" and registers[v] != registers[c])
        )  # fmt: skip
        local = _Local(r if jump else at + 1, registers, noted)
    return local


def _put(values: tuple[int, ...], place: int, value: int) -> tuple[int, ...]:
    return (*values[:place], value, *values[place + 1 :])


def _step(state: _State, thread: int, code: list[Instruction]) -> _State | None:
    """One step of a thread; None: it cannot go on."""
    local = state.threads[thread]
    if local.at == len(code):
        return None
    kind, v, c, r = code[local.at]
    memory, owners, registers = state.memory, state.owners, local.registers
    if kind in ("lock", "try"):
        if kind == "lock" and owners[v] >= 0:
            return None
        registers = _put(registers, r, int(owners[v] < 0)) if kind == "try" else registers
        owners = _put(owners, v, thread) if owners[v] < 0 else owners
    elif kind == "unlock":
        owners = _put(owners, v, -1)
    else:
        memory, registers = _access(kind, memory, registers, v, c, r)
    moved = _settled(_Local(local.at + 1, registers, local.noted), code)
    return _State(memory, owners, (*state.threads[:thread], moved, *state.threads[thread + 1 :]))


def _access(
    kind: str, memory: tuple[int, ...], registers: tuple[int, ...], v: int, c: int, r: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """One atomic access: the memory and the registers behind it."""
    old = memory[v]
    if kind == "load":
        return memory, _put(registers, r, old)
    if kind == "store":
        return _put(memory, v, c), registers
    if kind == "add":
        return _put(memory, v, old + c), _put(registers, r, old)
    if kind == "exchange":
        return _put(memory, v, c), _put(registers, r, old)
    equal = old == registers[r]
    after = _put(registers, 4 + r, int(equal))
    if kind == "update":
        after = _put(after, r, old)
    return (_put(memory, v, old + c) if equal else memory), after
