"""What a program can show on two machines: one that interleaves (sequential consistency), and one in which each thread
has a buffer for its stores (x86-TSO).

Reference: Lamport 1979; Owens, Sarkar, Sewell, A Better x86 Memory Model: x86-TSO (TPHOLs 2009).
Differs: there is nothing clever in here.  All runs are made, step by step; runs in which each read saw the same write,
and stores to each place came to memory in the same order, are one execution.

How C is compiled for x86: a store that is seq_cst, a fence that is seq_cst, locks and all updates wait until the buffer
is empty; everything else is an ordinary access.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from tests.support.litmus.language import (
    SEQ_CST,
    Await,
    Code,
    Compare,
    Fence,
    If,
    Load,
    Lock,
    Program,
    Retry,
    State,
    Store,
    Success,
    Unlock,
    Update,
    final_state,
    updated,
    value_of,
)

Write: TypeAlias = tuple[int, int, int]  # thread, its how-manieth access, value; the initial one: -1, 0, value
Places: TypeAlias = tuple[tuple[str, tuple[Write, ...]], ...]  # to each place, the writes in their order


class _Thread(NamedTuple):
    """One thread: what is left to do, what it knows, what it saw, what is in its buffer."""

    code: Code
    known: tuple[tuple[str, int], ...] = ()
    seen: tuple[Write, ...] = ()  # by each of its reads
    made: int = 0  # accesses so far
    buffer: tuple[tuple[str, Write], ...] = ()


class _World(NamedTuple):
    """All threads, and the memory with its history."""

    threads: tuple[_Thread, ...]
    memory: Places


def executions(program: Program, buffers: bool) -> Counter[State]:
    """Final states, each with the number of executions that have it."""
    begin = _World(
        tuple(_Thread(code) for code in program.threads),
        tuple((place, ((-1, 0, program.start(place)),)) for place in (*program.places, *program.locks)),
    )
    todo, known, ended = [begin], {begin}, set[_World]()
    while todo:
        world = todo.pop()
        following = list(_steps(world, buffers))
        if not following and not any(t.code for t in world.threads):
            ended.add(world)
        fresh = set(following) - known
        known |= fresh
        todo += fresh
    return Counter(_final(program, world) for world in ended)


def _final(program: Program, world: _World) -> State:
    memory = {place: writes[-1][2] for place, writes in world.memory}
    return final_state(program, [dict(thread.known) for thread in world.threads], memory)


def _steps(world: _World, buffers: bool) -> Iterator[_World]:
    for number, thread in enumerate(world.threads):
        if thread.buffer:
            (place, write), *rest = thread.buffer
            yield _with(world, number, thread._replace(buffer=tuple(rest)), place, write)
        if thread.code:
            yield from _step(world, number, thread, buffers)


def _step(world: _World, number: int, thread: _Thread, buffers: bool) -> Iterator[_World]:
    statement, rest = thread.code[0], thread.code[1:]
    after = thread._replace(code=rest, made=thread.made + 1)
    known = dict(thread.known)
    match statement:
        case If():
            chosen = statement.then if value_of(statement.condition, known) else statement.otherwise
            yield _with(world, number, thread._replace(code=chosen + rest))
        case Retry():
            yield _with(world, number, thread._replace(code=statement.last_round + rest))
        case Await() if _visible(world, thread, statement.place)[2] != statement.value:
            return
        case Load() | Await():
            write = _visible(world, thread, statement.place)
            yield _with(world, number, _saw(after, write, {statement.register: write[2]}))
        case Store():
            write = (number, thread.made, value_of(statement.value, known))
            if buffers and statement.order != SEQ_CST:
                buffer = (*thread.buffer, (statement.place, write))
                yield _with(world, number, after._replace(buffer=buffer))
            elif not thread.buffer:
                yield _with(world, number, after, statement.place, write)
        case Fence() if statement.order != SEQ_CST:
            yield _with(world, number, after)
        case _ if thread.buffer:
            return
        case Fence():
            yield _with(world, number, after)
        case _:
            yield from _locked(world, number, after, statement)


def _locked(world: _World, number: int, after: _Thread, statement: Any) -> Iterator[_World]:
    """What reads and writes memory in one go."""
    before = _visible(world, after, statement.place)
    known = dict(after.known)

    def wrote(value: int, new: dict[str, int]) -> _World:
        return _with(world, number, _saw(after, before, new), statement.place, (number, after.made - 1, value))

    match statement:
        case Update(register=register, how=how, value=value):
            yield wrote(updated(how, before[2], value_of(value, known)), {register: before[2]})
        case Compare(register=register, seen=seen) if before[2] == statement.expected:
            yield wrote(value_of(statement.desired, known), {register: 1, seen: before[2]})
        case Compare(register=register, seen=seen):
            yield _with(world, number, _saw(after, before, {register: 0, seen: before[2]}))
        case Success(expected=expected, desired=desired) if before[2] == value_of(expected, known):
            yield wrote(value_of(desired, known), {})
        case Lock() if before[2] == 0:
            yield wrote(1, {})
        case Unlock():
            yield _with(world, number, after, statement.place, (number, after.made - 1, 0))


def _visible(world: _World, thread: _Thread, place: str) -> Write:
    """The last store of its own that is still in its buffer, or what is in memory."""
    own = [write for there, write in thread.buffer if there == place]
    return own[-1] if own else dict(world.memory)[place][-1]


def _saw(thread: _Thread, write: Write, new: dict[str, int]) -> _Thread:
    known = tuple(sorted((dict(thread.known) | new).items()))
    return thread._replace(seen=(*thread.seen, write), known=known)


def _with(world: _World, number: int, thread: _Thread, place: str = "", write: Write | None = None) -> _World:
    threads = (*world.threads[:number], thread, *world.threads[number + 1 :])
    memory = world.memory
    if write is not None:
        memory = tuple((there, (*writes, write) if there == place else writes) for there, writes in memory)
    return _World(threads, memory)
