"""The explicit engine: C generated from the model, compiled, run as a process of its own."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import Any

from ...errors import InternalError
from ...ir.ample import Ample
from ...ir.evaluate import Fault
from ...ir.interp import Interpreter
from ...model import Claim, Model
from ...symmetry.protocol import Folding
from ..contract import Exploration, Finding, Question
from . import automaton, replay, saved
from .alone import narrowed
from .build import NoCompiler, cache_directory
from .cells import make_room
from .facts import Facts, gather
from .fold import objection
from .layout import lay_out
from .probe import FIELD, GLOBAL, OBJECT, VALUES, Sizes, enlarge, enlarge_value, probe
from .program import compiled
from .render import render
from .run import REASONS, Outcome, run_checker

__all__ = ["NoCompiler", "cache_directory", "explore", "objection"]

MOST_ATTEMPTS = 60
CUT_OBJECTS, CUT_CALLS = 1, 2  # as in engine.h
QUICK_TO_COMPILE = 40_000  # characters of step functions; more would take the compiler too long at its best


def explore(
    model: Model, question: Question, optimisation: str = "", flags: tuple[str, ...] = (),
    folding: Folding | None = None, ample: Ample | None = None, claim: Claim | None = None,
) -> Exploration:  # fmt: skip
    """Search the states of a model, or for a run that violates a claim.

    The counts and findings are those of the reference semantics.
    """
    begin = time.perf_counter()
    interpreter = Interpreter(model)
    try:
        initial = list(interpreter.initial_states())
    except Fault as fault:
        finding = Finding(fault.kind, fault.message, fault.location, (), before_start=True)
        return Exploration([finding], seconds=time.perf_counter() - begin, mode=question.mode)
    if not initial:
        return declared(Exploration(seconds=time.perf_counter() - begin), question, 0.0)
    facts = gather(model, interpreter, initial)
    facts.ample = narrowed(ample)
    facts.claim = None if claim is None else automaton.of(claim)
    facts.fair = claim is not None and question.fair
    outcome = Attempts(facts, question, begin, optimisation, flags, folding).run()
    result = exploration(facts, outcome, folding)
    if claim is not None:
        move = None if folding is None else folding.move
        result.findings = [replay.claim_finding(facts, claim, run, move) for run in outcome.runs]
    result.seconds = time.perf_counter() - begin
    return declared(result, question, outcome.last.get("omission"))


class Attempts:
    """Run; if the layout turns out to be too small, run again with a larger one.  The limits are for all together."""

    def __init__(
        self, facts: Facts, question: Question, begin: float, optimisation: str, flags: tuple[str, ...],
        folding: Folding | None,
    ) -> None:  # fmt: skip
        self.facts, self.question, self.begin = facts, question, begin
        self.optimisation, self.flags, self.folding = optimisation, flags, folding
        self.sizes = probe(facts, None if folding is None else folding.settle)
        if folding is not None:
            make_room(folding, facts, self.sizes)
        self.overflows: list[saved.Overflow] = []
        self.first = ""  # what was generated first
        self.cpu_seconds = 0.0
        self.notes: list[str] = []

    def run(self) -> Outcome:
        source = self.first = self.source()
        if self.question.resume is not None:
            for overflow in saved.overflows(source, self.question, self.strategy):
                source = self.larger(overflow)
        least = (self.question.max_time or 0.0) / 10  # so that a slow compiler does not leave nothing
        for _ in range(MOST_ATTEMPTS):
            outcome = self.attempt(source, least)
            if outcome.overflow is None:
                return self.ended(outcome)
            source = self.larger(outcome.overflow)
            if self.question.max_time is not None and self.remaining() <= 0:
                outcome.reason = REASONS["time"]
                return self.ended(outcome)
            self.question = replace(self.question, resume=None)  # from the beginning, as the search that was saved
            least = 0.0
        raise InternalError("the layout of the states does not become large enough")

    @property
    def strategy(self) -> str:
        return "none" if self.folding is None else self.folding.strategy

    def source(self) -> str:
        return render(self.facts, lay_out(self.facts, self.sizes), self.folding)

    def larger(self, overflow: saved.Overflow) -> str:
        self.overflows.append(overflow)
        widen(self.facts, self.sizes, *overflow)
        return self.source()

    def remaining(self) -> float:
        return (self.question.max_time or 0.0) - (time.perf_counter() - self.begin)

    def attempt(self, source: str, least: float) -> Outcome:
        _, _, steps = source.partition('#include "search.h"')
        asked = self.optimisation or os.environ.get("ISOSPIN_OPTIMISATION")  # tests compile more than they search
        level = asked or ("-O2" if len(steps) < QUICK_TO_COMPILE else "-O1")
        program, note = compiled(source, level, self.flags)
        if note:
            self.notes.append(note)
        question = self.question
        if question.max_time is not None:
            question = replace(question, max_time=max(self.remaining(), least, 0.0))
        head = ""
        if question.checkpoint is not None:
            head = saved.head(self.first, question, self.strategy, self.overflows)
        outcome = run_checker(program, question, self.begin, head)
        self.cpu_seconds += outcome.last.get("cpu", outcome.cpu_seconds)
        self.notes += outcome.warnings
        return outcome

    def ended(self, outcome: Outcome) -> Outcome:
        outcome.cpu_seconds = self.cpu_seconds
        outcome.warnings = list(dict.fromkeys(self.notes))
        return outcome


def declared(result: Exploration, question: Question, probability: float | None) -> Exploration:
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


def widen(facts: Facts, sizes: Sizes, kind: int, where: int, what: int) -> None:
    if kind not in VALUES:
        enlarge(sizes, facts, kind, where, what)
        return
    first, second = divmod(where, 65536)
    key: tuple[int, ...] = (kind, where) if kind == GLOBAL else (kind, first, second)
    if kind == GLOBAL:
        signed = facts.model.globals[where].type.signed
    elif kind == FIELD:
        signed = facts.channel_types[first].fields[second].signed
    elif kind == OBJECT:
        signed = facts.model.objects[first].fields[second].type.signed
    else:
        signed = facts.model.templates[first].locals[second].type.signed
    enlarge_value(sizes, key, what if signed else what & 0xFFFFFFFF)


def cut_off(model: Model, last: dict[str, Any]) -> str:
    """SOUND: what lies behind a bound was not seen, and the verdict says so."""
    if last.get("cut", 0) & CUT_OBJECTS and last["end"] != "violation":
        return f"more than {model.max_objects} objects (--max-objects)"
    if last.get("cut", 0) & CUT_CALLS and last["end"] != "violation":
        return f"more than {model.max_recursion} calls (--max-recursion)"
    return ""


def exploration(facts: Facts, outcome: Outcome, folding: Folding | None) -> Exploration:
    last = outcome.last
    outcome.reason = outcome.reason or cut_off(facts.model, last)
    complete = outcome.ended and not outcome.reason and last["end"] == ""
    states, memory = last.get("states", 0), last.get("memory", 0)
    result = Exploration(
        states=states,
        transitions=last.get("transitions", 0),
        depth=last.get("depth", 0),
        incomplete=outcome.reason,
        executed=set(last.get("executed", ())),
        cpu_seconds=outcome.cpu_seconds,
        memory_bytes=last.get("peak", memory),
        bytes_per_state=memory / states if states else None,
        orbit_sum=last.get("orbits") if complete else None,
        notes=tuple(outcome.warnings),
    )
    seen = set()
    move = None if folding is None else folding.move
    for start, path in outcome.paths:
        for finding in replay.findings(facts.interpreter, facts.initial[start], path, move):
            if (finding.kind, finding.location, finding.message) not in seen:
                seen.add((finding.kind, finding.location, finding.message))
                result.findings.append(finding)
    return result
