"""All that a program of `random_c_families` can do, by brute force, with nothing of ours.

Every prefix of every trace (Mazurkiewicz) is visited once: a thread is named by its last event, and an event by its
thread, by the event before it there, and by those on the same objects that it comes behind.  What can happen at the end
is put together: who fails, who waits for ever, what was said; and how many classes of traces there are, and orbits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from types import CodeType
from typing import Any, NamedTuple

from tests.support.generators.random_c_families import Code, FamilyProgram, main_code, told

Object = tuple[str, int]
READ, WRITE, ADD = "read", "write", "adds"
REGISTERS = ("i", "k", "a", "b", "j", "r0", "r1", "r2", "r3")
NOBODY = -1


class TooLarge(Exception):
    pass


class Event(NamedTuple):
    """A step: what it does to which objects, and whom it wakes."""

    thread: int
    kind: str
    touches: tuple[tuple[Object, str], ...]
    wakes: int = NOBODY

    def renamed(self, to: tuple[int, ...]) -> Event:
        def image(number: int) -> int:
            return to[number] if 0 <= number < len(to) else number

        moved = tuple(
            ((n, image(k)) if n in ("cell", "locks", "bell") else (n, k), how) for (n, k), how in self.touches
        )
        return Event(image(self.thread), self.kind, moved, image(self.wakes))


class _Thread(NamedTuple):
    at: int
    registers: tuple[int, ...]
    said: str = ""
    waits: Object | None = None
    woken: bool = False


class _State(NamedTuple):
    atomics: Mapping[Object, int]
    plain: Mapping[str, Any]
    owners: Mapping[Object, int]
    threads: tuple[_Thread, ...]
    failed: bool = False


@dataclass
class FamilyBehaviour:
    """What can happen; `runs` has one execution of each trace."""

    fails: bool
    waits_for_ever: bool
    outcomes: set[str]
    runs: list[list[Event]]
    has_loops: bool  # there is code that waits by looking again and again


# ---------------------------------------------------------------------------------------------- the code


def flat(code: Code, count: int) -> Code:
    """Without structure: `unless e target` and `jump target`, by distances."""
    found: Code = []
    for step in code:
        kind = step[0]
        if kind in ("if", "while"):
            body = flat(step[2], count)
            found += [("unless", step[1], len(body) + (2 if kind == "while" else 1)), *body]
            found += [("jump", -len(body) - 1)] if kind == "while" else []
        elif kind == "each":
            body = [*flat(step[1], count), ("set", "j", "j + 1")]
            found += [("set", "j", "0"), ("unless", f"j < {count}", len(body) + 2), *body, ("jump", -len(body) - 1)]
        elif kind == "wait":
            found += [step, ("wake", step[1])]
        else:
            found.append(step)
    return found


@cache
def _compiled(expression: str) -> CodeType:
    return compile(expression, "expression", "eval")


@cache
def _split(place: str) -> tuple[str, str]:
    name, _, index = place.rstrip("]").partition("[")
    return name, index or "0"


LOCAL = ("set", "unless", "jump", "check", "say")


class Machine:
    """Executes one program."""

    def __init__(self, program: FamilyProgram) -> None:
        self.count = count = program.count
        main, says = main_code(program)
        bodies = [[*flat(body, count), ("say", told(program))] for body in program.bodies]
        self.codes = [bodies[role] for role in program.roles]
        self.codes.append([*flat(program.beside, count), ("join",), *flat(main, count), ("say", says)])
        size = count + 1
        atomics = {("x", 0): program.start[0], ("y", 0): program.start[1], ("who", 0): count}
        atomics |= {("cell", k): 0 for k in range(size)}
        owners = {("m", 0): NOBODY} | {("locks", k): NOBODY for k in range(size)}
        threads = tuple(_Thread(0, (i, i, *(0 for _ in REGISTERS[2:]))) for i in range(size))
        self.start = _State(atomics, {"p": 0, "held": count, "mark": (0,) * size}, owners, threads)
        for thread in range(size):
            self.start = self.settled(self.start, thread)

    def value(self, state: _State, thread: int, expression: str) -> int:
        names = {**dict(zip(REGISTERS, state.threads[thread].registers, strict=True)), **state.plain}
        return int(eval(_compiled(expression), {}, names))

    def place(self, state: _State, thread: int, place: str) -> Object:
        name, index = _split(place)
        return name, self.value(state, thread, index)

    # ---------------------------------------------------------------- what comes next

    def moves(self, state: _State) -> Iterable[tuple[Event, _State]]:
        for thread, code in enumerate(self.codes):
            if state.failed or state.threads[thread].at == len(code):
                continue
            step = code[state.threads[thread].at]
            for event, after in self.steps(state, thread, step):
                yield event, self.settled(after, thread)

    def steps(self, state: _State, thread: int, step: tuple[Any, ...]) -> Iterable[tuple[Event, _State]]:
        """All ways to take a step; none: it has to wait."""
        kind, *words = step
        if kind == "join":
            if all(t.at == len(c) for t, c in zip(state.threads[:-1], self.codes[:-1], strict=True)):
                yield Event(thread, kind, ()), self.moved(state, thread)
            return
        here = self.place(state, thread, words[1] if kind in ("load", "note") else words[0])
        if kind in ("lock", "unlock"):
            if kind == "unlock" or state.owners[here] == NOBODY:
                owners = {**state.owners, here: thread if kind == "lock" else NOBODY}
                yield Event(thread, kind, ((here, WRITE),)), self.moved(state._replace(owners=owners), thread)
        elif kind in ("wait", "wake", "signal", "broadcast"):
            yield from self.condition(state, thread, kind, here)
        else:
            yield from self.access(state, thread, kind, here, words)

    def condition(self, state: _State, thread: int, kind: str, here: Object) -> Iterable[tuple[Event, _State]]:
        mutex, mine = ("m", 0), state.threads[thread]
        both = ((here, WRITE), (mutex, WRITE))
        if kind == "wait":
            owners = {**state.owners, mutex: NOBODY}
            waits = self.moved(state._replace(owners=owners), thread, waits=here)
            yield Event(thread, kind, both), waits
        elif kind == "wake":
            if mine.woken and state.owners[mutex] == NOBODY:
                owners = {**state.owners, mutex: thread}
                yield (
                    Event(thread, kind, both),
                    self.moved(state._replace(owners=owners), thread, waits=None, woken=False),
                )
        else:
            waiters = [t for t, other in enumerate(state.threads) if other.waits == here and not other.woken]
            for woken in [waiters] if kind == "broadcast" else [[w] for w in waiters] or [[]]:
                after = self.moved(state, thread)
                for w in woken:
                    after = _with(after, w, after.threads[w]._replace(woken=True))
                whom = woken[0] if woken and kind == "signal" else NOBODY
                yield Event(thread, kind, ((here, WRITE),), whom), after

    def access(
        self, state: _State, thread: int, kind: str, here: Object, words: list[Any]
    ) -> Iterable[tuple[Event, _State]]:
        old, register, new, how = state.atomics[here], "", None, READ
        if kind in ("load", "note"):
            register = words[0]
        elif kind == "await":
            negated = words[1].startswith("!")
            if (old == self.value(state, thread, words[1].lstrip("!"))) == negated:
                return
        elif kind == "compare":
            equal = old == self.value(state, thread, words[1])
            new = self.value(state, thread, words[2]) if equal else None
            how, register, old = WRITE if equal else READ, words[3], int(equal)
        elif kind == "add":
            new, register, how = old + words[1], words[2], WRITE if words[2] else ADD
        else:
            new, how = self.value(state, thread, words[1]), WRITE
            register = words[2] if kind == "exchange" else ""
        after = state if new is None else state._replace(atomics={**state.atomics, here: new})
        after = self.moved(after, thread)
        if register:
            twice = 2 * self.value(state, thread, register) if kind in ("note", "add") else 0
            after = _with(after, thread, _set(after.threads[thread], register, twice + old))
        yield Event(thread, "load" if kind == "note" else kind, ((here, how),)), after

    @staticmethod
    def moved(state: _State, thread: int, **changes: Any) -> _State:
        mine = state.threads[thread]
        return _with(state, thread, mine._replace(at=mine.at + 1, **changes))

    # ---------------------------------------------------------------- what nobody sees

    def settled(self, state: _State, thread: int) -> _State:
        """Up to the next step that others can notice."""
        code = self.codes[thread]
        while (at := state.threads[thread].at) < len(code) and code[at][0] in LOCAL and not state.failed:
            state = self.local(state, thread, code[at])
        return state

    def local(self, state: _State, thread: int, step: tuple[Any, ...]) -> _State:
        kind, mine = step[0], state.threads[thread]
        if kind == "jump":
            return _with(state, thread, mine._replace(at=mine.at + step[1]))
        if kind == "unless":
            goes = not self.value(state, thread, step[1])
            return _with(state, thread, mine._replace(at=mine.at + (step[2] if goes else 1)))
        if kind == "say":
            said = " ".join(str(self.value(state, thread, e)) for e in step[1])
            return _with(state, thread, mine._replace(at=mine.at + 1, said=said))
        if kind == "check":
            good = self.value(state, thread, step[1])
            return self.moved(state, thread) if good else state._replace(failed=True)
        target, value = step[1], self.value(state, thread, step[2])
        if target in REGISTERS:
            state = _with(state, thread, _set(mine, target, value))
        else:
            name, index = self.place(state, thread, target)
            kept = _put(state.plain[name], index, value) if name == "mark" else value
            state = state._replace(plain={**state.plain, name: kept})
        return self.moved(state, thread)


def _put(values: tuple[int, ...], at: int, value: int) -> tuple[int, ...]:
    return (*values[:at], value, *values[at + 1 :])


def _set(thread: _Thread, register: str, value: int) -> _Thread:
    return thread._replace(registers=_put(thread.registers, REGISTERS.index(register), value))


def _with(state: _State, number: int, thread: _Thread) -> _State:
    return state._replace(threads=(*state.threads[:number], thread, *state.threads[number + 1 :]))


# ---------------------------------------------------------------------------------------------- all traces


class _Names:
    """Numbers for whatever can be compared."""

    def __init__(self) -> None:
        self.known: dict[Hashable, int] = {}

    def of(self, what: Hashable) -> int:
        return self.known.setdefault(what, len(self.known) + 1)


class _Seen(NamedTuple):
    """Of each thread its last event; of each object the last writer, and who read since then."""

    last: tuple[int, ...]
    objects: Mapping[Object, tuple[int, frozenset[int]]]

    def behind(self, event: Event, names: _Names) -> _Seen:
        before = [self.objects.get(o, (0, frozenset())) for o, _ in event.touches]
        seen = tuple(
            (w, frozenset() if how == READ else readers)
            for (w, readers), (_, how) in zip(before, event.touches, strict=True)
        )
        name = names.of((event, self.last[event.thread], seen))
        objects = dict(self.objects)
        for (o, how), (writer, readers) in zip(event.touches, before, strict=True):
            objects[o] = (writer, readers | {name}) if how == READ else (name, frozenset())
        return _Seen(_put(self.last, event.thread, name), objects)


def behaviour(program: FamilyProgram, most: int) -> FamilyBehaviour:
    """TooLarge: more than so many traces, or twenty times as many prefixes."""
    machine, names = Machine(program), _Names()
    has_loops = any(step[0] == "await" for code in machine.codes for step in code)
    found = FamilyBehaviour(False, False, set(), [], has_loops)
    first = _Seen((0,) * len(machine.codes), {})
    known = {first.last}
    stack: list[tuple[_State, _Seen, list[Event]]] = [(machine.start, first, [])]
    while stack:
        state, seen, run = stack.pop()
        ended = True
        for event, after in machine.moves(state):
            ended = False
            then = seen.behind(event, names)
            if then.last not in known:
                known.add(then.last)
                stack.append((after, then, [*run, event]))
        if ended:
            found.runs.append(run)
            found.fails |= state.failed
            stuck = any(t.at < len(c) for t, c in zip(state.threads, machine.codes, strict=True))
            found.waits_for_ever |= stuck and not state.failed
            said = sorted(t.said for t in state.threads if t.said)
            found.outcomes |= set() if state.failed else {" ".join(said)}
        if len(found.runs) > most or len(known) > 20 * most:
            raise TooLarge
    return found


# ---------------------------------------------------------------------------------------------- classes, orbits


def _kinds(runs: list[list[Event]], graphs: bool, waits: bool) -> dict[Object, str]:
    """How each object is used: `adds` commute; over graphs, what is only loaded and stored is a register, and what is
    only loaded and added to a counter; everything else keeps its order.  Where loops wait, additions do, too; one that
    never has to wait only loads."""
    used: dict[Object, set[str]] = {}
    for event in {e for run in runs for e in run}:
        for o, how in event.touches:
            kind = "load" if event.kind == "await" and not waits else event.kind
            used.setdefault(o, set()).add(ADD if how == ADD else kind)
    found = {}
    for o, kinds in used.items():
        if graphs and kinds <= {"load", "store"}:
            found[o] = "register"
        elif graphs and kinds <= {"load", ADD} and not waits:
            found[o] = "counter"
        else:
            found[o] = "order" if waits or graphs else "adds"
    return found


def _before(how: str, kind: str, earlier: list[tuple[int, str]]) -> frozenset[int]:
    """The events on an object which one that does this to it comes behind."""
    if kind == "register":
        writes = [name for name, other in earlier if other != READ]
        return frozenset(writes[-1:]) if how == READ else frozenset()
    if kind == "counter":
        return frozenset(name for name, other in earlier if how == READ and other != READ)
    commute = {(READ, READ), *([(ADD, ADD)] if kind == "adds" else [])}
    return frozenset(name for name, other in earlier if (other, how) not in commute)


def _class(run: Iterable[Event], kinds: Mapping[Object, str], names: _Names) -> Hashable:
    last: dict[int, int] = {}
    touched: dict[Object, list[tuple[int, str]]] = {}
    for event in run:
        before = tuple(_before(how, kinds[o], touched.get(o, [])) for o, how in event.touches)
        name = last[event.thread] = names.of((event, last.get(event.thread, 0), before))
        for o, how in event.touches:
            touched.setdefault(o, []).append((name, how))
    return frozenset(last.values())


def classes(found: FamilyBehaviour, graphs: bool, ordered: bool = False) -> tuple[int, int]:
    """Of traces in which nobody sees the order of some operations; the second number: if additions are ordered, as they
    are where a loop has to wait."""
    counts = []
    for waits in (False, ordered or found.has_loops):
        kinds, names = _kinds(found.runs, graphs, waits), _Names()
        counts.append(len({_class(run, kinds, names) for run in found.runs}))
    return counts[0], counts[1]


def orbits(program: FamilyProgram, found: FamilyBehaviour, ordered: bool = False) -> int:
    """Of traces, under the renamings of numbers that do not change the program; `ordered`: additions are, too."""
    names = _Names()
    group = [to for to in permutations(range(program.count)) if program.is_symmetry(to)]
    kinds = defaultdict[Object, str](lambda: "order" if ordered or found.has_loops else "adds")
    return len({frozenset(_class([e.renamed(to) for e in run], kinds, names) for to in group) for run in found.runs})
