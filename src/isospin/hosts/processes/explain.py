"""A failing schedule of processes for people: run again, made simple, told in lines of the source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...core.errors import NOWHERE
from ...core.trace import Choice, Trace, TraceStep
from ...engines.stateless.protocol import Found, Step, Thread
from .program import ProcessProgram
from .system import memory
from .system.points import Point
from .system.world import SimulatedSystem
from .words import does, name_of, number, result, waits_for

FAILS = -1  # the choice of the row that shows a failure: it is no step of its own


class ProcessWitness:
    """Runs a schedule and writes down what happens."""

    def __init__(self, program: ProcessProgram) -> None:
        self.program = program

    def explain(self, steps: Iterable[Step]) -> tuple[Trace, Found | None]:
        """The trace; a row for what failed is added behind the step in which it did.

        Steps are asked for one by one."""
        program, rows = self.program, list[TraceStep]()
        program.restart()
        output, problems = self.printed(SimulatedSystem({}, {}), program.world), list[Found]()
        for step in steps:
            if step.thread not in program.enabled():
                break
            row, new = self.row(step, output)
            rows.append(row)
            problems, output = list(new), ""
        found = problems[0] if problems else None
        if found is None and not program.enabled():
            found = program.stuck()
        if found is not None and found.kind != "deadlock" and found.location != NOWHERE:
            rows.append(self.failure(found))
        return Trace(tuple(rows)), found

    def row(self, step: Step, output: str) -> tuple[TraceStep, Sequence[Found]]:
        """Make a step, and tell it with what it changed and printed."""
        program, before = self.program, self.program.world
        process = before.processes[step.thread]
        where = program.location(process.point)
        problems = program.step(step.thread, step.choice)
        changes = self.changes(before, step.thread, process.point, bool(process.signal))
        text = program.places.text(where) or does(process.point.call)
        row = TraceStep(
            name_of(process.point.path), step.thread, where, text, changes=changes,
            output=output + self.printed(before, program.world), choice=Choice(step.thread, step.choice),
        )  # fmt: skip
        return row, problems

    def preview(self, step: Step) -> TraceStep:
        """What a step would be, without making it."""
        process = self.program.world.processes[step.thread]
        call, where = process.point.call, self.program.location(process.point)
        says = "ended by a signal" if process.signal else does(call)
        outcome = f"= {step.choice}" if call.kind == "toss" and not process.signal else ""
        return TraceStep(
            name_of(process.point.path), step.thread, where, self.program.places.text(where) or does(call),
            changes=((says, (None, outcome)),), choice=Choice(*step),
        )  # fmt: skip

    def waiting(self) -> list[str]:
        """Who cannot go on, and what for."""
        able = self.program.enabled()
        living = [(who, process.point) for who, process in self.program.living() if who not in able]
        return [f"{name_of(point.path)} {waits_for(self.program, who, point)}" for who, point in living]

    def changes(
        self, before: SimulatedSystem, who: Thread, point: Point, killed: bool
    ) -> tuple[tuple[str, tuple[str | None, str]], ...]:
        """What a step did, and what came of it."""
        call, world = point.call, self.program.world
        if killed:
            return (("ended by a signal", (None, "")),)
        if call.kind in ("write", "update"):
            name = does(call).removeprefix(call.kind + " ")
            old, new = (number(memory.load(w, *call.args[:3])) for w in (before, world))
            return ((name, (old, new)),)
        now: Point | None = world.processes[who].point
        while now is not None and now.before is not point:
            now = now.before
        return ((does(call), (None, result(call, now.answer) if now is not None else "")),)

    def printed(self, before: SimulatedSystem, after: SimulatedSystem) -> str:
        """What was printed between two states."""
        found = []
        for who, process in sorted(after.processes.items()):
            old = before.processes.get(who)
            until = old.point if old is not None else self.birth(process.point)
            point: Point | None = process.point
            part = []
            while point is not None and point is not until:
                part.append(point.output)
                point = point.before
            found += part[::-1]
        return b"".join(found).decode(errors="replace")

    @staticmethod
    def birth(point: Point) -> Point | None:
        """The fork at which a process began."""
        here: Point | None = point
        while here is not None and here.path == point.path:
            here = here.before
        return here

    def failure(self, found: Found) -> TraceStep:
        who = found.thread if found.thread is not None else 0
        text = self.program.places.text(found.location)
        return TraceStep(
            name_of(self.program.path(who)), who, found.location, text, choice=Choice(who, FAILS),
            changes=((found.kind, (None, "here")),),
        )  # fmt: skip
