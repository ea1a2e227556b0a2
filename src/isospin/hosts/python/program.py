"""A Python program as something that can be stepped: the host behind the stateless searches."""

from __future__ import annotations

import gc
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import ExceptHookArgs
from types import ModuleType, TracebackType
from typing import Any, NoReturn

from ...core.errors import NOWHERE, Location, SourceError, UsageError
from ...engines.stateless.protocol import Asleep, ExecutedStep, Found, Moment, Move, Op, Renaming, Thread
from .candidates import candidates
from .census import Census
from .control.kernel import Kernel
from .control.lifetimes import describe_late
from .control.outcome import ExecutionOutcome, NotControllable
from .control.records import Fiber, ProgramFacts, SearchMemory, SharedPlace, place_text
from .control.scheduler import ENDS, installed
from .control.waiting import describe_stuck
from .control.watchdog import Blocked, Watchdog
from .hooking import hooks
from .hooking.libraries import put_back
from .images import Differs
from .rewriting.loading import Session
from .rewriting.sites import Site, Sites
from .stdlib import shim
from .stdlib.passing import passes_after
from .stdlib.sync import LockMisuse, Overrelease
from .symmetry import difference, find_image, place_of_thread

GONE = "this needs greenlet, which is not installed; pip install greenlet"
IDLE = Kernel(SearchMemory())
CHANGES = "the program does not do the same again in the same schedule: it depends on something else"


class Learnt(Exception):
    """The last execution showed that more is shared than was known: the search has to start again."""


class Uncontrollable(Exception):
    """The program waits for something outside; the message says where."""


class _Findings(ExecutionOutcome):
    """What goes wrong in one execution of a user's program, in the user's words."""

    __slots__ = ("_program",)

    def __init__(self, program: PythonProgram) -> None:
        super().__init__(program.past_errors)
        self._program = program

    def leave_control(self, error: Blocked | NotControllable) -> None:
        if isinstance(error, NotControllable):
            self._program.outside = self._program.outside or str(error)
            return
        place, line = self._program.place_of(error)
        self._program.outside = f"{place.file}:{place.line} waits for something that cannot be controlled: {line}"

    def fail(self, error: BaseException, fiber: Fiber, again: bool) -> None:
        """An exception that ended a thread, unless the program expects it."""
        if isinstance(error, SystemExit) and (fiber.tid or error.code in (None, 0)):
            return  # in a thread, Python takes no notice of it
        if not isinstance(error, AssertionError) and _is_handled(error, fiber):
            return
        location, line = self._program.place_of(error)
        stack = tuple(self._program.stack_of(error))
        if self._program.keeps_errors:
            self._program.error = error
        self._tell(Found(_kind_of(error), _message_of(error, line), location, fiber.tid, stack), again)

    def _tell(self, found: Found, again: bool) -> None:
        if not (self.past_errors and again):  # those of steps that are made again are known
            self.news.append(found)

    def race(self, first: int, second: int, place: SharedPlace, fiber: Fiber, again: bool) -> None:
        if self._program.report_races and not self.found:
            here, there = self._program.sites.places[second], self._program.sites.places[first]
            where = f"{fiber.name} accesses it at line {here.line}, another thread at line {there.line}"
            message = f"{place_text(place)}: {where}, and nothing orders the two"
            self._tell(Found("race", message, location_of(here), fiber.tid), again)

    def diverge(self, fiber: Fiber, site: int) -> None:
        place = self._program.sites.places[site]
        message = f"{fiber.name} goes round a loop without end, and without anything that another thread could see"
        self.found.append(Found("divergence", message, location_of(place), fiber.tid))


def _is_handled(error: BaseException, fiber: Fiber) -> bool:
    """Has the program a `threading.excepthook` of its own, which takes what a thread does not catch?"""
    hook = shim.STAND_INS["threading"].excepthook
    if not fiber.tid or hook is shim.EXCEPTHOOK:
        return False
    hooks.K.indices.use_handle(fiber.tid, "is given to an excepthook")
    try:
        hooks.call(hooks.TARGET, hook, ExceptHookArgs((type(error), error, error.__traceback__, fiber.handle)))
    except ENDS:
        raise
    except BaseException:
        return False
    return True


class PythonProgram:
    """`main` gets the fresh module, not yet executed, and the function that executes it."""

    def __init__(
        self, file: str, name: str = "__main__", arguments: Sequence[str] = (),
        main: Callable[[ModuleType, Callable[[], None]], Any] | None = None,
    ) -> None:  # fmt: skip
        if not installed():
            raise UsageError(GONE)
        self.keeps_errors = False  # for a debugger: an exception keeps its frames
        self.error: BaseException | None = None
        self.file = file
        self.memory = SearchMemory()
        self.sites = Sites()
        self.session = Session(self.memory, self.sites, file, name, arguments)
        self.main = main
        self.kernel: Kernel | None = None
        self.uncontrolled: dict[str, str] = {}
        self.crossed: dict[str, str] = {}  # calls that were taken for one step, and may not be
        self.watching: Callable[[Fiber], None] | None = None
        self.prepared: ProgramFacts | None = None  # for a search with this knowledge
        self.learning = True  # stop as soon as something was learnt
        self.report_races = False
        self.past_errors = False  # an execution goes on when a thread has failed
        self.outside = ""
        self.lateness = ""  # what lived too long in some execution
        self.watchdog = Watchdog()
        self.census = Census()
        self.now = self._new_kernel()

    # ---------------------------------------------------------------------------------------------- the protocol

    def restart(self) -> None:
        """Begin an execution from its start, in modules and with a kernel of its own."""
        self.end_execution()
        if self.memory.again and self.learning:
            raise Learnt
        if self.prepared is not self.memory.known:
            self.prepare()
        self.watchdog.steps += 1
        kernel = self.kernel = self.now = self._new_kernel()
        kernel.watching = self.watching or (self.session.packages.watch if self.session.packages.uncontrolled else None)
        hooks.activate(kernel)
        module = self.session.fresh(kernel)
        execute = partial(self.session.code.execute, module, self.file, kernel)
        kernel.start(execute if self.main is None else partial(self.main, module, execute))
        self.look_outside(kernel)

    def _new_kernel(self) -> Kernel:
        return Kernel(self.memory, _Findings(self), self.report_races)

    def prepare(self) -> None:
        """Once for each search."""
        self.session.enter()
        self.watchdog.start()
        self.compile()
        self.prepared = self.memory.known

    def look_outside(self, kernel: Kernel) -> None:
        if kernel.interrupted:
            raise KeyboardInterrupt
        if self.outside:
            raise Uncontrollable(self.outside)

    def compile(self) -> None:
        """Rewrite the program once before all executions: a syntax error is the user's."""
        try:
            self.session.code.of(self.file)
        except SyntaxError as error:
            place = Location(self.file, error.lineno or 1, error.offset or 1)
            self.close()
            raise SourceError.at(place, f"syntax error: {error.msg}") from None

    def end_execution(self) -> None:
        """Take back all that the execution did to this process, and keep what is known of its border."""
        kernel = self.kernel
        if kernel is None:
            return
        for call, site in kernel.border.uncontrolled.items():
            self.uncontrolled.setdefault(call, self.where(site))
        for call, site in {**kernel.border.crossed, **({} if kernel.alone else kernel.border.risky)}.items():
            self.crossed.setdefault(call, self.where(site))
        kernel.kill()
        put_back(kernel)
        self.session.forget()
        failed = bool(kernel.outcome.found or kernel.outcome.news)
        kernel.forget()
        if failed and self.memory.known.foreign:
            gc.collect()  # a failure leaves a cycle, and packages may have weak references into it
        self.kernel = None

    def close(self) -> None:
        """Give the modules back that were replaced."""
        self.end_execution()
        hooks.activate(IDLE)
        self.watchdog.stop()
        self.session.leave()
        self.prepared = None

    def end_with(self, channel: Any) -> None:
        """Who wants the search to stop need not rely on the program, which may catch the exception that says so."""

        def stop() -> None:
            self.now.interrupt()

        channel.stopping = stop

    def where_is(self, thread: Thread) -> Location:
        return place_of_thread(self.now.fibers[thread])

    def become_copy(self) -> None:
        """Timers are not copied."""
        if self.watchdog.active:
            self.watchdog.stop()
            self.watchdog.start()

    def show_accesses(self, wanted: bool) -> None:
        self.memory.shows_all = wanted

    def has_learnt(self) -> object:
        memory = self.memory
        numbers = len(memory.threads), len(memory.races), len(memory.spread), len(memory.guesses)
        said = self.outside, self.lateness, *self.uncontrolled, *self.crossed
        return numbers, memory.again, said, memory.learnt.copy()

    def pending(self) -> Mapping[Thread, Op]:
        kernel = self.now
        return {} if kernel.outcome.found else kernel.pending.copy()

    def enabled(self) -> Sequence[Thread]:
        kernel = self.now
        return [] if kernel.outcome.found else kernel.enabled()

    def choices(self, thread: Thread) -> int:
        count = self.now.tossing.get(thread, 1)
        return count if isinstance(count, int) else count()

    def step(self, thread: Thread, choice: int = 0) -> Sequence[Found]:
        kernel = self.now
        outcome, fiber = kernel.outcome, kernel.fibers.get(thread)
        if fiber is None or fiber.done:
            self.changed()
        if outcome.past_errors and outcome.stepped:  # what failed before the first step is told with it
            outcome.news.clear()
        outcome.stepped = True
        self.watchdog.steps += 1
        kernel.resume(fiber, choice)
        if self.outside or kernel.interrupted:
            self.look_outside(kernel)
        if outcome.news and self.memory.mortal and (problem := self.describe_late()):
            raise Uncontrollable(problem)
        return [*outcome.news, *outcome.found] if outcome.past_errors else outcome.found

    def describe_late(self) -> str:
        """What lives too long in the current execution."""
        return describe_late(self.now, [*self.session.specs, self.session.name])

    def changed(self) -> NoReturn:
        """It did not do the same as before in the same schedule.

        SOUND: perhaps only because it is not known yet that some access is shared; then that was just learnt."""
        if self.memory.again and self.learning:
            raise Learnt
        raise Uncontrollable(CHANGES)

    def replay(self, past: Sequence[ExecutedStep]) -> None:
        self.restart()
        if past:
            kernel = self.now
            thread, choice, _ = kernel.plan(past)
            self.step(thread, choice)
            if kernel.is_astray or (kernel.outcome.found and not kernel.outcome.past_errors):
                self.changed()

    def run_ahead(
        self, past: Sequence[Move] | None, step: Move, asleep: Asleep, most: int
    ) -> tuple[int, list[Moment], Sequence[Found]]:
        """Make a step (behind `past`, if the execution begins anew) and go on without asking, up to `most` steps."""
        if past is not None:
            self.restart()
        kernel = self.now
        autopilot = kernel.run_ahead(asleep, most)
        if past:
            step = kernel.plan([*past, step])
        found = self.step(step[0], step[1])
        if kernel.is_astray:
            self.changed()
        kernel.ask_hub()
        if kernel.outcome.found or not autopilot.moments:
            autopilot.moments.append((kernel.running.tid, None, {}, {}))
        return autopilot.choices, autopilot.moments, found

    def stuck(self) -> Found | None:
        """What is wrong when nobody can go on; nothing, if all threads are done."""
        kernel = self.now
        if self.memory.mortal and (problem := self.describe_late()):
            self.lateness = problem
            if kernel.outcome.found or kernel.pending:
                raise Uncontrollable(problem)
        if kernel.outcome.found:  # what went wrong before the first step has not been told yet
            return kernel.outcome.found[0] if not kernel.outcome.stepped else None
        return describe_stuck(kernel)

    def passes_after(self, earlier: Iterator[Op], op: Op) -> bool | None:
        return passes_after(earlier, op)

    def find_renaming(self, first: Thread, second: Thread) -> Renaming | None:
        if self.report_races or not self._expects_symmetries(numbers=True):
            return None  # SOUND: what threads know of each other is not compared, and decides what is a race
        problems: list[Differs] = []
        for threads in candidates(self.now, first, second):
            try:
                found = find_image(self.now, threads, self.sites)
            except Differs as problem:
                problems.append(problem)
            else:
                self.census.note(self.now, first, second, found)
                return found
        self.census.note(self.now, first, second, problems[0])
        return None

    def what_changes(self, renaming: Renaming) -> str:
        if self.report_races:
            return "races are looked for, and what threads know of each other is not compared"
        if not self._expects_symmetries(numbers=False):
            return "the threads have not been watched from the beginning"
        return difference(self.now, renaming, self.sites)

    def _expects_symmetries(self, numbers: bool) -> bool:
        """SOUND: whoever uses symmetries must have seen from the beginning what tells threads apart."""
        memory = self.memory
        if not memory.symmetric or (numbers and not memory.numbering):
            memory.symmetric = True
            memory.numbering |= numbers
            memory.learn()
        return self.now.indices.is_active

    # ---------------------------------------------------------------------------------------------- places

    def place_of(self, error: BaseException) -> tuple[Location, str]:
        """Where in the user's code an exception came from."""
        steps = self._users_steps(error)
        if not steps:
            return NOWHERE, ""
        file, line = steps[-1].tb_frame.f_code.co_filename, steps[-1].tb_lineno
        text = source_lines(file)[line - 1 : line]
        return Location(file, line, 1 + _indentation(text)), "".join(text).strip()

    def stack_of(self, error: BaseException) -> Iterator[str]:
        """Who called whom in the user's code, as a traceback shows it; nothing if one function says it all."""
        steps = self._users_steps(error)
        for step in steps if steps[1:] else ():
            code, line = step.tb_frame.f_code, step.tb_lineno
            text = "".join(source_lines(code.co_filename)[line - 1 : line]).strip()
            yield f"{code.co_filename}:{line} in {code.co_name}: {text}"

    def _users_steps(self, error: BaseException) -> list[TracebackType]:
        found, step = [], error.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_filename in self.session.code.files:
                found.append(step)
            step = step.tb_next
        return found

    def where(self, site: int | str) -> str:
        """A site of a hook as file and line."""
        if isinstance(site, str):
            return site
        if not 0 <= site < len(self.sites.places):
            return "somewhere"
        place = self.sites.places[site]
        return f"{place.file}:{place.line}"


def _indentation(text: list[str]) -> int:
    return len(text[0]) - len(text[0].lstrip()) if text else 0


def source_lines(file: str) -> list[str]:
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def location_of(place: Site) -> Location:
    return Location(place.file, place.line, place.column) if place.line else NOWHERE


def _kind_of(error: BaseException) -> str:
    if isinstance(error, AssertionError):
        return "assertion"
    return "lock-misuse" if isinstance(error, LockMisuse | Overrelease) else "exception"


def _message_of(error: BaseException, line: str) -> str:
    said = "".join(traceback.format_exception_only(error)).strip()
    if isinstance(error, AssertionError):
        text = str(error)
        return f"{line}  [{text}]" if text and line else line or said
    return said
