"""The explicit engine: C generated from the model, compiled, run as a process of its own."""

from __future__ import annotations

import time

from ...errors import InternalError
from ...ir.evaluate import Fault
from ...ir.interp import Interpreter
from ...model import Model
from ..contract import Exploration, Finding, Question
from . import replay
from .build import NoCompiler, cache_directory, checker
from .facts import Facts, gather
from .layout import lay_out
from .probe import FIELD, GLOBAL, LOCAL, Sizes, enlarge, enlarge_value, probe
from .render import render
from .run import Outcome, run_checker

__all__ = ["NoCompiler", "cache_directory", "explore"]

MOST_ATTEMPTS = 60
QUICK_TO_COMPILE = 40_000  # characters; longer files would take the compiler too long at its best


def explore(model: Model, question: Question, optimisation: str = "", flags: tuple[str, ...] = ()) -> Exploration:
    """Search the states of a model.  The counts and findings are those of the reference semantics."""
    begin = time.perf_counter()
    interpreter = Interpreter(model)
    try:
        initial = list(interpreter.initial_states())
    except Fault as fault:
        finding = Finding(fault.kind, fault.message, fault.location, ())
        return Exploration([finding], seconds=time.perf_counter() - begin)
    if not initial:
        return Exploration(seconds=time.perf_counter() - begin)
    facts = gather(model, interpreter, initial)
    outcome = attempts(facts, probe(facts), question, optimisation, flags)
    result = exploration(facts, outcome)
    result.seconds = time.perf_counter() - begin
    return result


def attempts(facts: Facts, sizes: Sizes, question: Question, optimisation: str, flags: tuple[str, ...]) -> Outcome:
    """Run; if the layout turns out to be too small, run again with a larger one."""
    for _ in range(MOST_ATTEMPTS):
        source = render(facts, lay_out(facts, sizes))
        level = optimisation or ("-O2" if len(source) < QUICK_TO_COMPILE else "-O1")
        program = checker(source, level, flags)
        outcome = run_checker(program, question)
        if outcome.overflow is None:
            return outcome
        widen(facts, sizes, *outcome.overflow)
    raise InternalError("the layout of the states does not become large enough")


def widen(facts: Facts, sizes: Sizes, kind: int, where: int, what: int) -> None:
    if kind not in (GLOBAL, LOCAL, FIELD):
        enlarge(sizes, facts, kind, where, what)
        return
    first, second = divmod(where, 65536)
    key: tuple[int, ...] = (kind, where) if kind == GLOBAL else (kind, first, second)
    if kind == GLOBAL:
        signed = facts.model.globals[where].type.signed
    elif kind == LOCAL:
        signed = facts.model.templates[first].locals[second].type.signed
    else:
        signed = facts.channel_types[first].fields[second].signed
    enlarge_value(sizes, key, what if signed else what & 0xFFFFFFFF)


def exploration(facts: Facts, outcome: Outcome) -> Exploration:
    last = outcome.last
    states, memory = last.get("states", 0), last.get("memory", 0)
    result = Exploration(
        states=states,
        transitions=last.get("transitions", 0),
        depth=last.get("depth", 0),
        incomplete=outcome.reason,
        executed=set(last.get("executed", ())),
        cpu_seconds=last.get("cpu", outcome.cpu_seconds),
        memory_bytes=last.get("peak", memory),
        bytes_per_state=memory / states if states else None,
    )
    seen = set()
    for start, path in outcome.paths:
        for finding in replay.findings(facts.interpreter, facts.initial[start], path):
            if (finding.kind, finding.location, finding.message) not in seen:
                seen.add((finding.kind, finding.location, finding.message))
                result.findings.append(finding)
    return result
