"""A failing schedule of a C program for people: run again, stopped and looked at after every step."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from ....core.errors import NOWHERE, InternalError, Location
from ....core.records import dataclass
from ....core.trace import Choice, ExecutionGraph, Trace, TraceStep, Wait
from ....core.verdict import Violation
from ....engines.stateless.protocol import Found, Step, Thread
from ....engines.stateless.shorten import minimise
from ..binary.dwarf import is_system
from ..constants import RequestKind, Space
from ..host import CProgram, run_until_known
from ..known import Places
from ..run import CFinding
from ..wire import NO_WRITE, CFound, Pending, Seen, writer_of
from .names import OPAQUE, NamedPlace
from .relations import GraphRecorder, order_word
from .view import ProcessView

MOST_DATA = 1 << 20  # bytes that are compared before and after a step
BLOCK = 4096
MOST_CHANGES = 6  # in one row
MOST_OUTPUT = 10_000  # bytes that are shown of one step
FAILS = -1  # the choice of the row that shows a failure: it is no step of its own
SLOW = ("divergence",)  # each try would take as long
SECONDS_AGAIN, SECONDS_OF_TRY = 2, 1  # of one step, where a schedule is run again
VERBS = {
    "lock": "takes", "unlock": "gives back", "read lock": "reads under", "wait": "waits at", "wake": "wakes up at",
    "timed lock": "takes", "wake or time-out": "wakes up at", "signal": "signals", "broadcast": "signals to all at",
    "semaphore wait": "passes", "timed semaphore wait": "passes", "semaphore post": "posts", "barrier": "comes to",
    "leave barrier": "leaves", "free": "frees", "sleep": "sleeps",
}  # fmt: skip
Changes = tuple[tuple[str, tuple[Any, Any]], ...]


@dataclass(frozen=True)
class Setting:
    """All that must be the same for a schedule to mean the same."""

    executable: Path
    library: Path
    arguments: tuple[str, ...] = ()
    words: str = ""  # options of the runtime
    learnt: tuple[int, ...] = ()  # what is visible, and the numbers of threads
    fork: bool = False  # a new process for each execution


class _Rerun(CProgram):
    """A program that is run again and again with the same knowledge."""

    def __init__(self, setting: Setting, stdout: Any = subprocess.DEVNULL) -> None:
        self.setting, self.stdout = setting, stdout
        self.start()

    def start(self) -> None:
        s = self.setting
        self.used = False
        super().__init__(s.executable, s.arguments, s.words, s.learnt, self.stdout, Places(s.executable, s.library))

    def restart(self) -> None:
        """SOUND: whoever has learnt something sees other steps from then on; only a new process knows what we know."""
        if self.used and (self.learnt or self.setting.fork or self.needs_fork):
            self.close()
            self.start()
            return
        self.learnt = False
        self.state(RequestKind.RESTART)

    def now_known(self) -> tuple[int, ...]:
        """What is known behind this execution, which is over then."""
        self.state(RequestKind.RESTART)
        return tuple(self.known)

    def step(self, thread: Thread, choice: int = 0) -> Sequence[Found]:
        self.used = True
        return super().step(thread, choice)


def learn(setting: Setting) -> Setting:
    """The same, with what is known when a program has been run a few times."""
    answers = Places(setting.executable, setting.library)
    program = CProgram(setting.executable, setting.arguments, setting.words, answers=answers)
    try:
        run_until_known(program)
        return replace(setting, learnt=tuple(program.known))
    except InternalError:  # the program itself went wrong: whoever runs it next sees how
        return setting
    finally:
        program.close()


def _same_failure(one: Found, other: Found) -> bool:
    """By the place in the code, where the kind has one."""
    assert isinstance(one, CFound)
    assert isinstance(other, CFound)
    if one.kind in ("deadlock", "lost-wakeup", "leak"):
        return one.kind == other.kind
    if one.kind == "divergence":  # an endless loop is interrupted anywhere in it
        return (one.kind, one.thread) == (other.kind, other.thread)
    return (one.kind, one.pc, one.other_pc) == (other.kind, other.pc, other.other_pc)


@cache
def _source_lines(file: str) -> list[str]:
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _source_text(place: Location) -> str:
    return "".join(_source_lines(place.file)[place.line - 1 : place.line]).strip() if place.line else ""


def _statement(pending: Pending, place: Location) -> str:
    return {"start": "starts", "end": "ends"}.get(pending.op.kind) or _source_text(place)


# -------------------------------------------------------------------------------------------------- one finding


@dataclass(frozen=True)
class _ExplainedFailure:
    """A failure with its trace and all that is shown beside it."""

    found: CFound
    location: Location
    message: str
    details: tuple[str, ...]
    trace: Trace
    setting: Setting
    steps: tuple[Step, ...]
    waits: tuple[Wait, ...] = ()

    def violation(self, trace: Trace) -> Violation:
        """What is told of it; the trace knows how it can be run again."""
        kind = self.found.kind
        return Violation(kind, "safety", self.message, self.location, trace, self.details, self.waits)


def explained(setting: Setting, finding: CFinding) -> _ExplainedFailure:
    """Make the schedule simple, and run it again with eyes open."""
    setting = replace(setting, learnt=finding.learnt or setting.learnt)
    assert isinstance(finding.found, CFound)
    steps: Sequence[Step] = finding.steps
    if finding.found.kind == "race":
        setting, steps = _with_racing_bytes(setting, finding.found, steps)
    fixed = "memory=" in setting.words  # a step names the writes that it sees: none can be left out
    if fixed or finding.found.kind in SLOW:  # it took as long as it may once: the same step again need not
        setting = _hasty(setting, SECONDS_AGAIN)
    else:
        program = _Rerun(_hasty(setting, SECONDS_OF_TRY))
        try:
            steps = minimise(program, finding.found, steps, same=_same_failure)
        finally:
            program.close()
    result = witnessed(setting, steps)
    if result is None or not _same_failure(result.found, finding.found):
        came = "nothing" if result is None else f"{result.found.kind} ({result.found.message})"
        raise InternalError(
            f"{finding.found.kind} ({finding.found.message}) does not come again when its schedule is repeated, but "
            f"{came}; does the program depend on something that is not the same in each run?"
        )
    return result


def _hasty(setting: Setting, seconds: int) -> Setting:
    """The same, but a step that takes longer is a divergence."""
    others = [word for word in setting.words.split() if not word.startswith("seconds=")]
    return replace(setting, words=" ".join([*others, f"seconds={seconds}"]))


def _with_racing_bytes(setting: Setting, found: CFound, steps: Sequence[Step]) -> tuple[Setting, list[Step]]:
    """Both accesses of a race as steps of their own: the bytes are made visible, and each old step is done up to the
    operation that came next."""
    wider = replace(setting, words=f"{setting.words} visible={found.address}".strip())
    coming = _coming(setting, steps)
    program = _Rerun(wider)
    made: list[Step] = []
    try:
        for step, after in zip(steps, coming, strict=False):
            problem = _follow(program, step, after, made)
            if problem is not None:
                return (wider, made) if _same_failure(problem, found) else (setting, list(steps))
    finally:
        program.close()
    return setting, list(steps)


def _coming(setting: Setting, steps: Sequence[Step]) -> list[int]:
    """Behind each step, where in the code its thread comes to its next operation; 0: it has none."""
    program = _Rerun(setting)
    found = []
    try:
        for step in steps:
            problems = program.step(*step)
            row = program.now.get(step.thread)
            found.append(0 if problems or row is None else row.pc)
    finally:
        program.close()
    return found


def _follow(program: CProgram, step: Step, after: int, made: list[Step]) -> Found | None:
    """One old step, in as many new ones as it takes."""
    while step.thread in program.enabled():
        made.append(step)
        problems = program.step(*step)
        if problems:
            return problems[0]
        row = program.now.get(step.thread)
        if row is None or row.pc == after:
            return None
        step = Step(step.thread)
    return None


# -------------------------------------------------------------------------------------------------- the trace


def witnessed(setting: Setting, steps: Sequence[Step]) -> _ExplainedFailure | None:
    """Run a schedule and write down what happens; None: nothing is wrong at its end."""
    with witnessing(setting) as witness:
        rows, found = witness.run(steps)
        return None if found is None else witness.ending(found, rows)


@contextmanager
def witnessing(setting: Setting) -> Iterator[CWitness]:
    """A process of its own, at its start, and who tells what happens in it."""
    with tempfile.TemporaryFile() as output:
        program = _Rerun(setting, output.fileno())
        witness = CWitness(program, setting, _Output(output))
        try:
            yield witness
        finally:
            witness.view.close()
            program.close()


class _Output:
    """What the program printed, as far as it came since we last looked."""

    def __init__(self, file: Any) -> None:
        self.file, self.seen = file, 0
        self.early = b""  # shown already, but not in the file yet

    def fresh(self, view: ProcessView) -> str:
        """What the program has printed since the last time, buffers of its streams included."""
        with open(f"/proc/self/fd/{self.file.fileno()}", "rb") as file:
            file.seek(self.seen)
            data = file.read()
        self.seen += len(data)
        kept = view.unwritten()
        if not kept.startswith(self.early):
            data, self.early = data.replace(self.early, b"", 1), b""
        data, self.early = data + kept[len(self.early) :], kept
        return data[:MOST_OUTPUT].decode(errors="replace")


class CWitness:
    """Makes the steps of a schedule one by one, and looks at the memory of the program in between."""

    def __init__(self, program: _Rerun, setting: Setting, output: _Output) -> None:
        self.program, self.setting, self.output = program, setting, output
        self.view = ProcessView(setting.executable, setting.library, program.process.pid)
        self.accessed: dict[tuple[Thread, int], list[str]] = {}  # thread, pc -> the stack of the last access there
        self.recorder = GraphRecorder() if "memory=" in setting.words else None
        self.view.refresh(program.now)

    def run(self, steps: Iterable[Step]) -> tuple[list[TraceStep], Found | None]:
        """All steps, asked for one by one, and what failed."""
        rows: list[TraceStep] = []
        found: Found | None = None
        for step in steps:
            if found is not None or step.thread not in self.program.enabled():
                break
            row, found = self.row(step)
            rows.append(row)
        if found is None and not self.program.enabled():
            found = self.program.stuck()
        return rows, found

    def preview(self, step: Step) -> TraceStep:
        """What a step would be, without making it."""
        pending = self.program.now[step.thread]
        said = self.said(step, pending)
        if not said and pending.op.kind in ("write", "update") and (name := self.object(pending)):
            said = ((name, (None, f"was {self.value(pending.spans[0].start)}")),)
        place = self.place(step.thread)
        return TraceStep(self.view.thread_name(step.thread), step.thread, place, _statement(pending, place),
                         changes=said, choice=Choice(*step))  # fmt: skip

    def waiting(self) -> list[str]:
        """Who cannot go on, and what for."""
        return [f"{self.view.called(t)} {self.reason(row)}" for t, row in self.program.now.items() if not row.enabled]

    def row(self, step: Step) -> tuple[TraceStep, Found | None]:
        """One step: who, where, what was said about it, what changed."""
        pending = self.program.now[step.thread]
        name, place = self.view.thread_name(step.thread), self.place(step.thread)
        self.accessed[step.thread, pending.pc] = self.stack_lines(step.thread)
        said = self.said(step, pending)
        before, time_outs = self.data(), self.view.field(step.thread, "time_outs")
        problems = self.program.step(*step)
        if self.view.field(step.thread, "time_outs") > time_outs:
            said = (("waits in vain for", (None, self.object(pending))),)
        self.view.refresh(self.program.now)
        said = self.saw(pending) or said
        self.record(step, pending)
        changes = (*said, *self.changed(before))
        row = TraceStep(name, step.thread, place, _statement(pending, place), changes=changes,
                        output=self.output.fresh(self.view), choice=Choice(*step))  # fmt: skip
        return row, problems[0] if problems else None

    def place(self, thread: Thread) -> Location:
        """Who joins others may have looked further already: he stands where he joined them."""
        row = self.program.now[thread]
        return self.view.place(thread, row.pc if row.op.kind == "join" else 0)

    # ---------------------------------------------------------------------------------------------- what a step does

    def said(self, step: Step, pending: Pending) -> Changes:
        """What the operation itself is, where the line does not say it."""
        kind = pending.op.kind
        if kind in ("start", "end", "write", "update", "create"):
            return ()
        if kind == "join":
            return (("join", (None, ", ".join(self.view.called(t) for t in sorted(pending.joins)))),)
        if kind == "toss":
            return (("toss", (None, f"= {step.choice}")),)
        name = self.object(pending)
        if kind == "read":
            return ((name, (None, f"is {self.value(pending.spans[0].start)}")),) if name else ()
        if re.search(rf"\b{re.escape(name)}\b", _source_text(self.place(step.thread))):
            return ()  # the line says it
        return ((VERBS.get(kind, kind), (None, name)),)

    def saw(self, pending: Pending) -> Changes:
        """What an atomic access saw, if it was chosen: whose write, and which newer ones it did not."""
        seen = self.program.seen
        name = self.object(pending)
        if seen is None or seen.source == NO_WRITE or not name:
            return ()
        newer = ", ".join(f"{self.number(seen, value)}{self.whose(write)}" for write, value in seen.newer)
        text = f"is {self.number(seen, seen.value)}{self.whose(seen.source)}"
        return ((name, (None, f"{text}, not the newer {newer}" if newer else text)),)

    def whose(self, write: int) -> str:
        """Of a write, for a sentence: by whom."""
        writer = writer_of(write)
        return "" if writer is None else f" of {self.view.called(writer)}"

    def record(self, step: Step, pending: Pending) -> None:
        """The step that was just made, for the execution graph."""
        if self.recorder is not None:
            seen = self.program.seen
            event = (self.event_text(pending, seen), order_word(seen))
            self.recorder.note(step.thread, pending.pc, self.program.clock, event, seen, step.choice)

    def event_text(self, pending: Pending, seen: Seen | None) -> str:
        """What happened to a variable; of other steps what they are."""
        name = self.object(pending)
        if seen is None:
            return f"{pending.op.kind} {name}".strip()
        read = "" if seen.source == NO_WRITE else self.number(seen, seen.value)
        written = "" if seen.name == NO_WRITE else self.number(seen, seen.written)
        if not written:
            return f"read {name}: {read}"
        return f"update {name}: {read} → {written}" if read else f"write {name}: {written}"

    def number(self, seen: Seen, value: int) -> str:
        """A value of an atomic variable, as its type shows it."""
        place = self.view.names.place(seen.address % 2**64)
        if place is None or place.type.size != seen.size or seen.size > 8:
            return str(value)
        data = (value % 2 ** (8 * seen.size)).to_bytes(seen.size, "little")
        return self.view.names.text(place.type, data)

    def object(self, pending: Pending) -> str:
        """The name of what the operation is about."""
        objects = [s.start for s in pending.spans if s.space in (Space.MEMORY, Space.SYNC)]
        return self.view.names.name(objects[0]) if objects else ""

    def value(self, address: int) -> str:
        place = self.view.names.place(address % 2**64)
        return "?" if place is None else self.view.names.value(place)

    def data(self) -> dict[int, bytes]:
        """The static data and what was allocated, by address; nothing if that is too much to look at."""
        ranges = [*self.view.ranges, *(self.view.heap(t) for t in self.program.now)]
        if sum(high - low for low, high in ranges) > MOST_DATA:
            return {}
        return {low: self.view.read(low, high - low) for low, high in ranges if high > low}

    def changed(self, before: Mapping[int, bytes]) -> Changes:
        """Variables whose bytes are not what they were, by their names."""
        found: dict[str, tuple[Any, Any]] = {}
        names = self.view.names
        for start, old in before.items():
            for address in _differences(start, old, self.view.read(start, len(old))):
                place = names.place(address)
                if place is None or place.name in found or not _is_shown(place):
                    continue
                data = old[place.at - start : place.at - start + place.type.size]
                if place.at - start >= 0 and len(data) == place.type.size:
                    found[place.name] = (names.text(place.type, data), names.value(place))
        shown = [(name, change) for name, change in found.items() if change[0] != change[1]]
        more = (("...", (None, f"and {len(shown) - MOST_CHANGES} more")),) if len(shown) > MOST_CHANGES else ()
        return (*shown[:MOST_CHANGES], *more)

    # ---------------------------------------------------------------------------------------------- how it ends

    def ending(self, found: Found, rows: list[TraceStep]) -> _ExplainedFailure:
        """How it failed, in words, with stacks."""
        assert isinstance(found, CFound)
        stuck = found.kind in ("deadlock", "lost-wakeup")
        if stuck:
            location, message, details = self.stuck(found)
        elif found.kind == "race":
            location, message, details = self.race(found)
        else:
            location, message = self.failing_place(found), found.message
            details = tuple(self.failing_stack(found))
        if not stuck and found.thread is not None and location != NOWHERE:
            rows.append(self.failure(found, location))
        done = tuple(Step(*row.choice[:2]) for row in rows if row.choice.action != FAILS)
        waits = self.waits() if stuck else ()
        trace = Trace(tuple(rows), graph=self.graph(found))
        return _ExplainedFailure(found, location, message, details, trace, self.setting, done, waits)

    def graph(self, found: CFound) -> ExecutionGraph | None:
        """Who saw what, where that was a choice."""
        if self.recorder is None:
            return None
        racing = found.kind == "race" and found.thread is not None
        both = ((found.other, found.other_pc), (found.thread or 0, found.pc))
        return self.recorder.graph(both if racing else None)

    def failure(self, found: CFound, location: Location) -> TraceStep:
        """The last row: where it went wrong."""
        thread = found.thread or 0
        return TraceStep(self.view.thread_name(thread), thread, location, _source_text(location),
                         choice=Choice(thread, FAILS), changes=((found.kind, (None, "here")),))  # fmt: skip

    def failing_place(self, found: CFound) -> Location:
        if found.thread is None:
            return self.view.debug.place(found.pc - 1)
        return self.view.place(found.thread, found.pc)

    def failing_stack(self, found: CFound) -> list[str]:
        """Where the thread that failed was: the runtime keeps the frame of the failure."""
        if found.thread is None or found.kind == "leak":
            return []
        frames = self.view.frames(self.view.field(found.thread, "entry"))
        self.view.names.frames[found.thread] = frames
        inside = self.view.debug.function(found.pc - 1)
        known = inside is None or any(frame.function == inside for frame in frames)
        lines = self.stack_lines(found.thread) if known else [f"in {inside.name}" if inside else ""]
        return [f"{self.view.called(found.thread)}:", *(f"  {line}" for line in lines)]

    def race(self, found: CFound) -> tuple[Location, str, tuple[str, ...]]:
        """Both accesses of a race, with the stack of each."""
        first, second = found.other, found.thread if found.thread is not None else -1
        name = self.view.names.name(found.address)
        location = self.view.debug.place(found.pc - 1)
        does = {int(t): f"{word}s" for word, t in re.findall(r"(read|write) by thread (\d+)", found.message)}
        details = []
        for thread, pc, when in ((first, found.other_pc, "first"), (second, found.pc, "then")):
            details.append(f"{when} {self.view.called(thread)} {does.get(thread, 'accesses')} {name}:")
            details += [f"  {line}" for line in self.accessed.get((thread, pc)) or self.line_of(pc)]
        both = " and ".join(f"{self.view.called(t)} {does.get(t, 'accesses')}" for t in (first, second))
        return location, f"{both} {name}, and nothing orders the two", tuple(details)

    def line_of(self, pc: int) -> list[str]:
        inside = self.view.debug.function(pc - 1)
        return [f"{inside.name if inside else '?'}  ({self.view.debug.place(pc - 1)})"]

    def stack_lines(self, thread: Thread) -> list[str]:
        return [f"{step.function}({', '.join(f'{n} = {v}' for n, v in step.locals)})  ({step.location})"
                for step in self.view.stack(thread)]  # fmt: skip

    # ---------------------------------------------------------------------------------------------- nobody can go on

    def stuck(self, found: CFound) -> tuple[Location, str, tuple[str, ...]]:
        """Who waits for what, and for whom."""
        rows = self.program.now
        waiting = [t for t in rows if rows[t].op.kind != "join"] or list(rows)
        message = "; ".join(f"{self.view.called(t)} {self.reason(rows[t])}" for t in rows)
        details = [f"who waits for whom: {' → '.join(map(self.view.called, cycle))}"] if (cycle := self.cycle()) else []
        for thread in rows:
            joins = rows[thread].op.kind == "join" and not is_system(self.view.debug.place(rows[thread].pc - 1))
            lines = self.line_of(rows[thread].pc) if joins else self.stack_lines(thread)
            details += [f"{self.view.called(thread)}:", *(f"  {line}" for line in lines)] if lines else []
        return self.place(waiting[0]), message, tuple(details)

    def reason(self, row: Pending) -> str:
        """What a thread waits for, in words."""
        kind = row.op.kind
        if kind == "join":
            living = [t for t in sorted(row.joins) if t in self.program.now]
            return f"waits for the end of {', '.join(map(self.view.called, living))}"
        objects = [s.start for s in row.spans if s.space == Space.SYNC]
        if kind in ("read", "update", "fence") and not objects:
            return f"waits for ever for a change of {self.object(row)}"
        name = self.view.names.name(objects[0]) if objects else "something"
        if kind == "lock" and objects and self.view.owner(objects[0]) is None:
            return f"goes round for ever, looking for a change under {name}"
        if kind in ("wake", "wake or time-out"):
            return (
                f"waits to be signalled by {name}"
                if self.view.owner(objects[-1]) is None
                else (f"waits for {self.view.names.name(objects[-1])}{self.held(objects[-1])}")
            )
        return f"waits for {name}{self.held(objects[0]) if objects else ''}"

    def held(self, lock: int) -> str:
        owner = self.view.owner(lock)
        return "" if owner is None else f", held by {self.view.called(owner)}"

    def waits(self) -> tuple[Wait, ...]:
        """Who waits for whom, of all that cannot go on."""
        now = self.program.now
        found = []
        for thread, row in now.items():
            if row.op.kind == "join":
                whom = [(t, "its end") for t in sorted(row.joins) if t in now]
            else:
                other = self.waits_for(thread)
                objects = [s.start for s in row.spans if s.space == Space.SYNC]
                whom = [(other, self.view.names.name(objects[-1]))] if other is not None else []
            found.append(Wait(thread, self.view.thread_name(thread), self.reason(row), tuple(whom)))
        return tuple(found)

    def waits_for(self, thread: Thread) -> Thread | None:
        """The thread that could let it go on, if that is one in particular."""
        row = self.program.now.get(thread)
        if row is None or row.op.kind in ("semaphore wait", "timed semaphore wait", "barrier", "leave barrier"):
            return None
        if row.op.kind == "join":
            return next((t for t in sorted(row.joins) if t in self.program.now), None)
        objects = [s.start for s in row.spans if s.space == Space.SYNC]
        return self.view.owner(objects[-1]) if objects else None

    def cycle(self) -> list[Thread]:
        """Threads each of which waits for the next, and the last one for the first."""
        for first in self.program.now:
            path: list[Thread] = []
            at: Thread | None = first
            while at is not None and at not in path:
                path.append(at)
                at = self.waits_for(at)
            if at is not None and len(path) > path.index(at):
                return [*path[path.index(at) :], at]
        return []


def _is_shown(place: NamedPlace) -> bool:
    """Not the inside of library objects, nor what a macro made up."""
    return place.type.name not in OPAQUE and place.type.kind != "unknown" and "__" not in place.name


def _differences(start: int, old: bytes, new: bytes) -> Iterator[int]:
    """Where two pieces of memory differ, word by word."""
    if old == new:
        return
    for block in range(0, len(old), BLOCK):
        if old[block : block + BLOCK] != new[block : block + BLOCK]:
            for at in range(block, min(block + BLOCK, len(old))):
                if old[at : at + 1] != new[at : at + 1]:
                    yield start + at
