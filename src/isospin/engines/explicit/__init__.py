"""The explicit engine: C generated from the model, compiled, run as a process of its own.

In goes a model with a question and a strategy; out comes an `Exploration`.  `explore` below is the way in: `state` lays
out the bits, `folding` and `codegen` write the C file, `drive` compiles and runs it with the files of `runtime/`, and
what did not fit is tried again with more room.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ...analysis.ample import Ample
from ...core.deadline import TimeIsOver, remaining, stretch, within
from ...core.errors import InternalError, Location
from ...core.model import Claim, Model
from ...semantics.interp import Interpreter
from ...semantics.state import Fault
from ...symmetry.protocol import USED_AGAIN, Folding
from ..contract import Exploration, Finding, Question
from .codegen import automaton
from .codegen.ample import narrowed
from .codegen.render import render
from .codegen.templates import include
from .constants import WHERE, Cut, EndReason, Overflow, OverflowKind
from .drive import mpi, replay, saved
from .drive.beside import Beside
from .drive.build import NoCompiler, cache_directory, is_known
from .drive.messages import EndMessage
from .drive.program import compile_checker
from .drive.run import CheckerOutcome, run_checker
from .folding.fold import objection
from .state.cells import make_room
from .state.facts import Facts, gather
from .state.layout import lay_out
from .state.probe import VALUES, Sizes, enlarge, enlarge_value, probe

__all__ = ["ModelSearch", "NoCompiler", "cache_directory", "codegen", "drive", "explore", "objection"]

MOST_ATTEMPTS = 60
PREPARING = "generating the code of the checker"
GRACE = 1.0  # seconds for a counterexample that was found at the last moment
LEAST = 0.5  # seconds for a search, if the compiler took all the time
QUICKEST = "-O0"  # compiled in a fifth of the time, and searching takes four times as long
UNTIL_BETTER = 0.5  # seconds of a search until it is compiled better, beside it
INTERRUPTED = "interrupted"
FAIR_RUNS, DEPTH_FIRST = "fair runs are searched for", "a depth-first search runs"
QUICK_TO_COMPILE = 200_000  # characters of step functions; more would take the compiler too long at its best


def explore(
    model: Model, question: Question, optimisation: str = "", flags: tuple[str, ...] = (),
    folding: Folding | None = None, ample: Ample | None = None, claim: Claim | None = None,
) -> Exploration:  # fmt: skip
    """Search the states of a model, or for a run that violates a claim.

    The counts and findings are those of the reference semantics.
    """
    return ModelSearch(model, question, optimisation, flags, folding, ample, claim).run()


class Levels(NamedTuple):
    """How well a checker is compiled: as somebody asks, or quickly, and well only if the search goes on."""

    asked: str = ""
    flags: tuple[str, ...] = ()
    quick: bool = False

    def of(self, source: str, question: Question) -> list[str]:
        """The levels of optimisation that are used one after the other."""
        if asked := self.asked or os.environ.get("ISOSPIN_OPTIMISATION"):  # tests compile more than they search
            return [asked]
        _, _, steps = source.partition(include("search/search"))
        best = "-O2" if len(steps) < QUICK_TO_COMPILE else "-O1"
        kept = question.checkpoint or question.resume
        long = question.threads > 1 or question.mpi or question.mode != "exact" or kept
        return [best] if not self.quick or long or is_known(source, best, self.flags) else [QUICKEST, best]


def _may_compress(question: Question) -> bool:
    """Are wide states kept as pairs of their halves?  By one thread, where the table alone has all states."""
    saved_whole = question.mpi is None and bool(question.checkpoint or question.resume)
    return question.search == "bfs" and question.mode == "exact" and question.threads == 1 and not saved_whole


class ModelSearch:
    """The model, all that the engine must know of it, and what came of it."""

    def __init__(
        self, model: Model, question: Question, optimisation: str = "", flags: tuple[str, ...] = (),
        folding: Folding | None = None, ample: Ample | None = None, claim: Claim | None = None, quick: bool = False,
    ) -> None:  # fmt: skip
        self.model, self.question, self.folding = model, question, folding
        self.levels = Levels(optimisation, flags, quick)
        self.ample, self.claim = ample, claim
        self.known: Facts | None = None  # if they were gathered already
        self.attempts: Attempts | None = None

    def begin_compiling(self) -> None:
        """Do what can be done before it is known whether the search is needed: the compiler runs, and we go on."""
        with suppress(Fault):
            self.known = self.facts()
        if self.known is not None:
            self.attempts = Attempts(self.known, self.question, self.levels, self.folding)
            self.attempts.begin_compiling()

    def give_up(self) -> None:
        """It is not needed."""
        if self.attempts is not None:
            self.attempts.give_up()

    def run(self) -> Exploration:
        """Search in the time that there is."""
        begin = time.perf_counter()
        try:
            with within(self.question.max_time):
                found = self.search()
        finally:
            self.give_up()
        found.seconds = time.perf_counter() - begin
        return found

    def search(self) -> Exploration:
        """Gather facts, search, and run again what was found; a fault before the start is a finding of its own."""
        question = self.question
        for path in (question.checkpoint, question.resume):
            saved.sweep(path or "")
        try:
            with stretch(PREPARING):
                facts = self.known or self.facts()
        except Fault as fault:
            finding = Finding(fault.kind, fault.message, fault.location, (), before_start=True)
            return Exploration([finding], mode=question.mode)
        if facts is None:
            return _declared(Exploration(), question, 0.0)
        outcome = (self.attempts or Attempts(facts, question, self.levels, self.folding)).run()
        result = _exploration(facts, outcome)
        try:
            with stretch("running a counterexample again", grace=GRACE):
                result.findings = self.findings(facts, outcome)
        except TimeIsOver as over:
            # SOUND: what was not run again on the reference semantics is no violation.
            result.incomplete = f"{over}: a violation was found, but not confirmed"
        if outcome.ended is not None:
            result.sample = outcome.ended.sample
        return _declared(result, question, None if outcome.ended is None else outcome.ended.omission)

    def facts(self) -> Facts | None:
        """None: there is no initial state."""
        if self.question.checkpoint is not None:
            saved.check_place(self.question.checkpoint, self.question.mpi is not None)
        interpreter = Interpreter(self.model)
        initial = list(interpreter.initial_states())
        if not initial:
            return None
        facts = gather(self.model, interpreter, initial)
        facts.ample = narrowed(self.ample)
        facts.claim = None if self.claim is None else automaton.of(self.claim)
        facts.fair = self.claim is not None and self.question.fair
        facts.several = self.claim is not None and not facts.fair and self.question.threads > 1
        if facts.several and facts.ample is not None and facts.ample.wants_new:
            raise InternalError("who moves alone may not depend on what threads have found")
        facts.compresses = _may_compress(self.question) and self.claim is None
        return facts

    def findings(self, facts: Facts, outcome: CheckerOutcome) -> list[Finding]:
        """What the checker found, run again on the reference semantics, each once."""
        move = None if self.folding is None else self.folding.move
        if self.claim is not None:
            return [replay.claim_finding(facts, self.claim, run, move) for run in outcome.runs]
        found: dict[tuple[str, Location, str], Finding] = {}
        for start, path, moves in outcome.paths:
            for finding in replay.findings(facts.interpreter, facts.initial[start], path, move):
                if finding.kind != "deadlock" or self.question.deadlock:  # the state behind another error may be one
                    key = finding.kind, finding.location, finding.message
                    found.setdefault(key, replace(finding, moves=moves))
        return list(found.values())


class Attempts:
    """Run; if the layout turns out to be too small, run again with a larger one.  The limits are for all together."""

    def __init__(self, facts: Facts, question: Question, levels: Levels, folding: Folding | None) -> None:
        self.facts, self.question, self.levels, self.folding = facts, question, levels, folding
        self.begun: Beside | None = None  # what is compiled before it is needed
        with stretch(PREPARING):
            self.sizes = probe(facts, None if folding is None else folding.settle)
            if folding is not None:
                self.sizes.fixed.clear()  # SOUND: processes change places, and with them what they were given
                make_room(folding, facts, self.sizes)
        self.overflows: list[Overflow] = []
        self.first = ""  # what was generated first
        self.resumed = ""  # the first line of the file with which the search goes on
        self.begin = self.cpu_seconds = self.compile_seconds = 0.0
        self.notes: list[str] = []
        if question.search == "dfs" and question.threads > 1 and not facts.several:
            self.notes.append(f"--threads: {FAIR_RUNS if facts.fair else DEPTH_FIRST} with one thread")

    def begin_compiling(self) -> None:
        """Start the compiler with what will be asked for first."""
        self.first = self.source()
        level, *_ = self.levels.of(self.first, self.question)
        self.begun = Beside(self.first, level, self.levels.flags)

    def give_up(self) -> None:
        if self.begun is not None:
            self.begun.give_up()

    def run(self) -> CheckerOutcome:
        """Search until a layout was large enough, or the time is over."""
        self.begin = time.perf_counter()
        source = self.first = self.first or self.source()
        if self.question.resume is not None:
            self.resumed = saved.head_of(self.question.resume, self.question.mpi is not None)
            for overflow in saved.overflows(self.resumed, source, self.question, self.strategy):
                source = self.larger(overflow)
        least = min((self.question.max_time or 0.0) / 10, LEAST)  # so that a slow compiler does not leave nothing
        outcome = self.attempt(source, least)
        for _ in range(MOST_ATTEMPTS):
            if outcome.overflow is None:
                return self.ended(outcome)
            self.question = replace(self.question, resume=None)  # from the beginning, as the search that was saved
            try:
                outcome = self.attempt(self.larger(outcome.overflow), 0.0)
            except TimeIsOver as over:
                outcome.reason = str(over)
                return self.ended(outcome)
        raise InternalError("the layout of the states does not become large enough")

    @property
    def strategy(self) -> str:
        return "none" if self.folding is None else self.folding.strategy

    def source(self) -> str:
        """The checker as C, for the sizes that are known so far."""
        with stretch(PREPARING):
            return render(self.facts, lay_out(self.facts, self.sizes), self.folding)

    def larger(self, overflow: Overflow) -> str:
        """The checker again, with room for what did not fit."""
        self.overflows.append(overflow)
        if overflow.kind == OverflowKind.PIDS:
            assert self.folding is not None
            self.folding = self.folding.cautious
            self.notes.append(USED_AGAIN)
        else:
            wide = lay_out(self.facts, self.sizes).key_words > 2
            _widen(self.facts, self.sizes, overflow, generous=wide)  # a state that is wide anyway costs no more
        if self.folding is not None:
            make_room(self.folding, self.facts, self.sizes)
        return self.source()

    def attempt(self, source: str, least: float) -> CheckerOutcome:
        """Compile one source and let its checker search; another one that is compiled better may overtake it."""
        level, *better = self.levels.of(source, self.question)
        program = self.compiled(source, level)
        if not better:
            return self.searched(program, least)
        faster = Beside(source, better[0], self.levels.flags, UNTIL_BETTER)
        try:
            outcome = self.searched(program, least, faster)
            # SOUND: a checker without its last word has decided nothing; nothing of it is used.
            if outcome.ended is not None or faster.found is None or outcome.reason == INTERRUPTED:
                return outcome
            return self.searched(faster.result()[0], least)
        finally:
            faster.give_up()

    def compiled(self, source: str, level: str) -> Path:
        """The checker for a source."""
        begin = time.perf_counter()
        made_from = source, level, self.levels.flags
        if self.begun is not None and self.begun.made_from == made_from:
            program, note = self.begun.result()
        else:
            program, note = compile_checker(*made_from, mpi.find() if self.question.mpi is not None else None)
        self.compile_seconds += time.perf_counter() - begin
        if note:
            self.notes.append(note)
        return program

    def searched(self, program: Path, least: float, faster: Beside | None = None) -> CheckerOutcome:
        """One search in the time that is left."""
        question = self.question
        if (left := remaining()) is not None:
            question = replace(question, max_time=max(left, least))
        head = ""
        if question.checkpoint is not None:
            head = saved.head(self.first, question, self.strategy, self.overflows)
        outcome = run_checker(program, question, self.begin, head, self.resumed, faster)
        self.cpu_seconds += outcome.cpu_seconds if outcome.ended is None else outcome.ended.cpu
        self.notes += outcome.warnings
        return outcome

    def ended(self, outcome: CheckerOutcome) -> CheckerOutcome:
        """The outcome of the last attempt, with the time and the notes of all of them."""
        outcome.cpu_seconds, outcome.compile_seconds = self.cpu_seconds, self.compile_seconds
        outcome.warnings = list(dict.fromkeys(self.notes))
        return outcome


def _declared(result: Exploration, question: Question, probability: float | None) -> Exploration:
    """SOUND: a search that may omit states says so, and is never complete."""
    result.mode = question.mode
    if question.mode == "exact":
        return result
    result.orbit_sum = None  # of what was stored, which may not be all
    result.omission_probability = 1.0 if probability is None else probability
    chance = f"{result.omission_probability:.2g}"
    if question.mode == "bitstate":
        text = f"bitstate search: states may have been omitted, each with a probability of up to about {chance}"
    else:
        text = f"fingerprint search: states may have been omitted; the probability that one was is about {chance}"
    result.incomplete = f"{result.incomplete}; {text}" if result.incomplete else text
    return result


def _widen(facts: Facts, sizes: Sizes, overflow: Overflow, generous: bool) -> None:
    """Make room for what did not fit."""
    kind, where, what = overflow
    if kind not in VALUES:
        enlarge(sizes, facts, overflow)
        return
    first, second = divmod(where, WHERE)
    key: tuple[int, ...] = (kind, where) if kind == OverflowKind.GLOBAL else (kind, first, second)
    if kind == OverflowKind.GLOBAL:
        signed = facts.model.globals[where].type.signed
    elif kind == OverflowKind.FIELD:
        signed = facts.channel_types[first].fields[second].signed
    elif kind == OverflowKind.OBJECT:
        signed = facts.model.objects[first].fields[second].type.signed
    else:
        signed = facts.model.templates[first].locals[second].type.signed
    enlarge_value(sizes, key, what if signed else what & 0xFFFFFFFF, generous)


def _cut_off(model: Model, ended: EndMessage | None) -> str:
    """SOUND: what lies behind a bound was not seen, and the verdict says so."""
    if ended is None or ended.end == EndReason.VIOLATION:
        return ""
    if ended.cut & Cut.OBJECTS:
        return f"more than {model.max_objects} objects (--max-objects)"
    if ended.cut & Cut.CALLS:
        return f"more than {model.max_recursion} calls (--max-recursion)"
    return ""


def _exploration(facts: Facts, outcome: CheckerOutcome) -> Exploration:
    """What the checker counted, as an answer of the engine."""
    last, ended = outcome.last, outcome.ended
    outcome.reason = outcome.reason or _cut_off(facts.model, ended)
    complete = ended is not None and not outcome.reason and ended.end == EndReason.COMPLETE
    return Exploration(
        states=last.states,
        transitions=last.transitions,
        depth=last.depth,
        incomplete=outcome.reason,
        executed=set() if ended is None else set(ended.executed),
        cpu_seconds=outcome.cpu_seconds,
        compile_seconds=outcome.compile_seconds,
        memory_bytes=last.memory if ended is None else ended.peak,
        bytes_per_state=last.memory / last.states if last.states else None,
        orbit_sum=ended.orbits if ended is not None and complete else None,
        notes=tuple(outcome.warnings),
    )
