"""Verdicts, traces and errors for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ..core.deadline import TimeIsOver, stretch
from ..core.errors import NOWHERE, Diagnostic, Location, SourceError, UsageError
from ..core.files import read_text
from ..core.trace import HeapView, Trace, TraceStep
from ..core.verdict import Outcome, Statistics, Symmetry, Verdict, Violation
from .ink import Console, Grid, Text
from .words import cycle_words, factor_words, memory_words

STYLE = {Outcome.HOLDS: "bold green", Outcome.VIOLATED: "bold red", Outcome.INCOMPLETE: "bold yellow"}
SHORT = 0.2  # seconds
ENOUGH = 1000  # states or executions: with fewer, a figure for each is that of starting up
WORDS = {Outcome.HOLDS: "holds", Outcome.VIOLATED: "violated", Outcome.INCOMPLETE: "no violation found, but incomplete"}
ORDINARY = ("", "not asked for", "nobody can move alone")  # reasons for no partial orders that need no words
FEWEST_LANE_COLUMNS = 14
MOST_LANE_LINES = 5  # of one statement: a whole function in one line is not shown to its end
MOST_UNREACHED = 12
GRACE = 1.0  # seconds for a counterexample, where the time is over


# -------------------------------------------------------------------------------------------------- errors


def _show_diagnostics(console: Console, diagnostics: Iterable[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        _show_diagnostic(console, diagnostic)


def _show_diagnostic(console: Console, diagnostic: Diagnostic) -> None:
    """file:line:col: error: message, the line, a caret, a hint."""
    colour = "red" if diagnostic.severity == "error" else "yellow"
    place = "" if diagnostic.location == NOWHERE else f"{diagnostic.location}: "
    head = Text.assemble((place, "bold"), (f"{diagnostic.severity}: ", f"bold {colour}"), diagnostic.message)
    console.print(head, soft_wrap=True)
    line = _source_line(diagnostic.location) if diagnostic.source == "" else diagnostic.source
    if line is not None:
        console.print(Text(f"  {line.expandtabs(4)}"), soft_wrap=True)
        console.print(Text("  " + _caret(line, diagnostic.location), style=colour), soft_wrap=True)
    if diagnostic.hint:
        console.print(Text(f"  hint: {diagnostic.hint}", style="cyan"), soft_wrap=True)


def _caret(line: str, location: Location) -> str:
    before = line[: location.column - 1].expandtabs(4)
    room = max(len(line.expandtabs(4)) - len(before), 1)
    return " " * len(before) + "^" * max(min(location.length, room), 1)


def _source_line(location: Location) -> str | None:
    try:
        lines = read_text(location.file).split("\n")
    except UsageError:
        return None
    return lines[location.line - 1] if 0 < location.line <= len(lines) else None


def show_source_error(console: Console, error: SourceError) -> None:
    _show_diagnostics(console, error.diagnostics)
    count = len(error.diagnostics)
    console.print(f"{count} error{'s' * (count != 1)}", style="bold")


# -------------------------------------------------------------------------------------------------- verdicts


def show_verdict(console: Console, verdict: Verdict, quiet: bool = False, verbose: bool = False) -> None:
    """What was found, what holds, and what it took."""
    for violation in verdict.violations:
        show_violation(console, violation)
    if not quiet:
        _show_diagnostics(console, verdict.warnings)
        _show_unreached(console, verdict, verbose)
    if not quiet:
        _show_outcomes(console, verdict)
    for result in verdict.properties:
        line = Text.assemble(f"{result.name}: ", (WORDS[result.outcome], STYLE[result.outcome]))
        if result.outcome is Outcome.HOLDS:
            line.append(memory_words(verdict.memory))
        if result.reason:
            line.append(f" ({result.reason})")
        if result.por_reason not in ORDINARY and not quiet:
            line.append(f"  without partial orders: {result.por_reason}", style="dim")
        console.print(line, soft_wrap=not console.is_terminal)
    if not quiet:
        console.print(Text(summary(verdict)), style="dim", soft_wrap=not console.is_terminal)
    if verbose:
        for told in effort(verdict.statistics):
            console.print(Text(told), style="dim", soft_wrap=True)


def _show_outcomes(console: Console, verdict: Verdict) -> None:
    """What the program said that it saw, and how often."""
    if not verdict.outcomes:
        return
    so_far = "" if verdict.outcome is Outcome.HOLDS else " so far"
    console.print(f"outcomes{so_far}, and in how many executions:", style="bold")
    for text, count in verdict.outcomes:
        console.print(Text(f"  {count:6,}  {text or '(nothing was said)'}"), soft_wrap=True)


def summary(verdict: Verdict) -> str:
    """The last line: what was searched, what that stands for, by what means, and what it took."""
    s = verdict.statistics
    lasts = s.search_seconds > SHORT  # else a rate says nothing
    rate = f", {s.states / s.search_seconds:,.0f} states/s" if lasts and s.states >= ENOUGH else ""
    inexact = "" if verdict.mode == "exact" else f" {verdict.mode}"
    counted = f"{s.states:,} states"
    if s.executions is not None:  # of a stateless search
        counted = f"{s.executions:,} execution" + ("s" if s.executions != 1 else "")
        counted += f" and {s.blocked:,} blocked" if s.blocked else ""
        if s.expected is not None:
            counted += f" of about {s.expected:,.0f} (an estimate)"
        rate = f", {s.executions / s.search_seconds:,.0f} executions/s" if lasts and s.executions >= ENOUGH else ""
    size = f", {s.bytes_per_state:,.0f} bytes a state" if s.bytes_per_state and s.states >= ENOUGH else ""
    memory = f", {s.memory_bytes / 1e6:.0f} MB" if s.memory_bytes else ""
    parts = [
        f"{counted}, {s.transitions:,} transitions, depth {s.depth}",
        *_stands_for(verdict),
        f"{verdict.engine} {verdict.search}{inexact}, {_reductions(verdict)}",
        f"{s.search_seconds:.2f} s{_compiling(s)}{rate}{size}{memory}",
    ]
    chosen = f"\nengine {verdict.engine}: {verdict.engine_reason}" if verdict.engine == "symbolic" else ""
    return "; ".join(parts) + chosen + _unlike(verdict)


def effort(s: Statistics) -> Iterator[str]:
    """Where the executions of a program come from, and what was saved."""
    if s.reversals:
        yield "most executions come from these places, which were tried in both orders:"
    for pair in s.reversals:
        one, other = (f"{where.file}:{where.line} {does}" for where, does in
                      ((pair.first, pair.first_does), (pair.second, pair.second_does)))  # fmt: skip
        yield f"  {pair.times:8,} times  {one} and {other}"
    if s.left_out:
        yield f"symmetry left out {s.left_out:,} subtree{'s' * (s.left_out != 1)} that others are the image of"
    if s.awaited:
        yield f"loops that wait: {s.awaited:,} failed round{'s' * (s.awaited != 1)}, each taken for a wait from then on"


def _unlike(verdict: Verdict) -> str:
    """Of a program: why threads that run the same are not alike, in one line."""
    refused = verdict.symmetry.refused if verdict.statistics.executions is not None else ()
    if not refused:
        return ""
    place = "" if refused[0].location == NOWHERE else f" ({refused[0].location})"
    more = f", and {len(refused) - 1} more" if refused[1:] else ""
    return f"\n{refused[0].why}{place}{more}; `isospin symmetry` tells all"


def _stands_for(verdict: Verdict) -> list[str]:
    """By how much symmetry made the search smaller, where that is known."""
    factor = verdict.reduction_factor
    if factor is None:
        return []
    least = "at least " if verdict.por else ""
    sums = f"standing for {least}{int(verdict.orbit_sum or 0):,}"
    return [f"{sums}: {factor_words(factor)} times fewer by symmetry"]


def _compiling(s: Statistics) -> str:
    return f" and {s.compile_seconds:.2f} s of compiling" if s.compile_seconds > SHORT else ""


def _reductions(verdict: Verdict) -> str:
    """By what the search was made smaller."""
    used = [verdict.symmetry.strategy] if verdict.symmetry.strategy != "none" or not verdict.symmetry.heap else []
    if used and verdict.symmetry.group_order != "1":
        used = [f"{used[0]} (group of order {int(verdict.symmetry.group_order):,})"]
    symmetry = " and ".join([*used, *(["heap"] if verdict.symmetry.heap else [])])
    return f"symmetry {symmetry}" + (", partial orders" if verdict.por else "")


def show_symmetry(console: Console, symmetry: Symmetry, generators: list[str]) -> None:
    if symmetry.started:
        alike = ", ".join(symmetry.started)
        console.print(f"started at run time: {alike}; those that are alive take each other's place", soft_wrap=True)
    else:
        console.print(f"group of order {symmetry.group_order}")
    for family in symmetry.families:
        console.print(f"  {family.size} x {family.name}: {family.group}")
    for generator in generators:
        console.print(f"  generator {generator}")
    console.print(f"why: {symmetry.justification}", soft_wrap=True)
    found = symmetry.group_order != "1" or bool(symmetry.started)
    if found and symmetry.refused:
        smaller = " and ".join(dict.fromkeys(f.group for f in symmetry.families if f.group != "symmetric")) or "this"
        console.print(f"more than {smaller} would need these lines to treat all alike:")
    severity = "here" if found else "refused"
    _show_diagnostics(console, [Diagnostic(r.location, r.why, severity=severity) for r in symmetry.refused])


def show_active(console: Console, active: list[tuple[str, str, str]]) -> None:
    """In which modes the local variables of processes matter."""
    for process, variable, modes in active:
        console.print(f"{variable} of {process} is active {modes}", soft_wrap=True)
    if not active:
        console.print("there are no variables that belong to processes: this is for pointer automata")


def _show_unreached(console: Console, verdict: Verdict, verbose: bool) -> None:
    found = verdict.unreached
    if not found:
        return
    console.print(f"never executed ({len(found)} statement{'s' * (len(found) != 1)}):", style="yellow")
    shown = found if verbose else found[:MOST_UNREACHED]
    for item in shown:
        console.print(Text(f"  {item.location}  {item.process}: {item.statement}"), soft_wrap=True)
    if len(shown) < len(found):
        console.print(f"  ... and {len(found) - len(shown)} more (--verbose lists all)")


def show_violation(console: Console, violation: Violation) -> None:
    """What was violated, and the run that leads there, if there is time to show it."""
    head = Text.assemble((violation.kind, "bold red"), ": ", violation.message)
    if violation.location != NOWHERE:
        head.append(f"  ({violation.location})", style="dim")
    console.print(head, soft_wrap=True)
    for line in violation.details:
        console.print(Text(f"  {line}"), soft_wrap=True)
    if violation.trace.start:
        values = ", ".join(f"{name} = {value}" for name, value in violation.trace.start)
        console.print(Text(f"  the run starts with {values}"), soft_wrap=True)
    if violation.trace.steps or violation.trace.cycle_start is not None:
        try:
            with stretch("showing the counterexample", grace=GRACE):
                show_trace(console, violation.trace)
                _show_heap(console, violation.trace.steps[-1].heap)
        except TimeIsOver as over:
            count = len(violation.trace.steps)
            console.print(Text(f"  the counterexample has {count:,} steps ({over}); --trace saves it"), soft_wrap=True)
    else:
        console.print("  in the initial state, before any step")


# -------------------------------------------------------------------------------------------------- traces


def _show_heap(console: Console, heap: HeapView | None) -> None:
    """The objects at the end of a trace."""
    if heap is None or not heap.objects:
        return
    console.print("objects at the end:", style="bold")
    for item in heap.objects:
        fields = ", ".join(f"{name} = {value}" for name, value in item.fields)
        here = ", ".join(variable for variable, name in heap.pointers if name == item.name)
        line = Text(f"  {item.name} (line {item.allocated.line}): {fields}")
        line.append(f"  <- {here}" if here else "", style="dim")
        console.print(line, soft_wrap=True)


def show_trace(console: Console, trace: Trace) -> None:
    """A table with a lane for each process, or with a column that names it where the lanes would be too narrow."""
    if trace.steps:
        console.print(_fitting_table(trace, console.width))
    if trace.cycle_start is not None:
        console.print(f"  {cycle_words(trace)}", style="bold yellow")


def _fitting_table(trace: Trace, most: int) -> Grid:
    """With the widest lanes for which there is room; what does not fit is broken into lines."""
    lanes = process_lanes(trace)
    narrow, wide = (most - 45) // len(lanes), max(len(step.statement) for step in trace.steps)
    table = _trace_table(trace, lanes, max(narrow, wide, FEWEST_LANE_COLUMNS))
    if table.width <= most or narrow < FEWEST_LANE_COLUMNS:
        return table if table.width <= most else _trace_table(trace, lanes, narrow)
    while narrow < wide:
        middle = (narrow + wide + 1) // 2
        fits = _trace_table(trace, lanes, middle).width <= most
        narrow, wide = (middle, wide) if fits else (narrow, middle - 1)
    return _trace_table(trace, lanes, narrow)


def _trace_table(trace: Trace, lanes: dict[int, str], width: int) -> Grid:
    """The steps, with lanes of at most this width."""
    wide_enough = width >= FEWEST_LANE_COLUMNS
    table = Grid()
    table.add_column("step", justify="right", style="dim", no_wrap=True)
    table.add_column("line", justify="right", style="dim", no_wrap=True)
    for pid, name in lanes.items() if wide_enough else ():
        table.add_column(f"{name} {pid}")
    if not wide_enough:
        table.add_column("process")
        table.add_column("statement")
    table.add_column("changes", style="cyan")
    for number, step in enumerate(trace.steps, 1):
        if number - 1 == trace.cycle_start:
            table.add_row(Text("cycle", style="bold yellow"))
        cells = _lane_cells(step, lanes, width) if wide_enough else _narrow_cells(step)
        line = f"{'│' if step.atomic else ' '}{step.location.line or ''}"
        table.add_row(str(number), line, *cells, Text(change_text(step)))
    return table


def process_lanes(trace: Trace) -> dict[int, str]:
    """Which process has which lane; a pid that is used again shares the lane."""
    lanes: dict[int, str] = {}
    for step in trace.steps:
        for pid, name in ((step.pid, step.process), (step.partner, step.partner_process)):
            if pid is not None and name not in lanes.get(pid, "").split("/"):
                lanes[pid] = f"{lanes[pid]}/{name}" if pid in lanes else name
    return dict(sorted(lanes.items()))


def _lane_cells(step: TraceStep, lanes: dict[int, str], width: int) -> list[Text]:
    def cell(pid: int) -> Text:
        if pid == step.pid:
            return Text(_few_lines(step.statement, width))
        return Text(_few_lines(step.partner_statement, width) if pid == step.partner else "")

    return [cell(pid) for pid in lanes]


def broken(statement: str, width: int) -> list[str]:
    """A statement in lines that fit, broken behind blanks, commas and parentheses rather than inside of words."""
    lines = [""]
    for piece in re.findall(r"[^\s(,]*[\s(,]*", statement):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


def _few_lines(statement: str, width: int) -> str:
    lines = broken(statement, width)
    if len(lines) > MOST_LANE_LINES:
        lines[MOST_LANE_LINES - 1 :] = ["…"]
    return "\n".join(lines)


def _narrow_cells(step: TraceStep) -> list[Text]:
    if step.partner is None:
        return [Text(f"{step.process} {step.pid}"), Text(step.statement)]
    names = f"{step.process} {step.pid} > {step.partner_process} {step.partner}"
    return [Text(names), Text(f"{step.statement} > {step.partner_statement}")]


def change_text(step: TraceStep) -> str:
    parts = [_change(name, old, new).rstrip() for name, (old, new) in step.changes]
    if step.output.strip():
        parts.append(f"prints {step.output.strip()!r}")
    return ", ".join(parts)


def _change(name: str, old: Any, new: Any) -> str:
    if old is None:
        return f"{name} {new}"
    if new is None:
        return f"{name} {old}"
    return f"{name}: {old} → {new}"


# -------------------------------------------------------------------------------------------------- the machine


def show_findings(console: Console, found: Iterable[Any]) -> None:
    """What `isospin doctor` saw: each thing, what it is for, and, where it is missing, how one gets it."""
    marks = {"ok": ("yes", "green"), "missing": ("no", "yellow"), "broken": ("broken", "bold red")}
    for one in found:
        word, style = marks[one.status]
        console.print(Text.assemble((f"{word:>6}", style), f"  {one.name:16} ", (one.seen, "dim")), soft_wrap=True)
        if one.status != "ok" or one.advice:
            console.print(Text(f"{'':24} for {one.needed_for}"), soft_wrap=True)
        if one.advice:
            console.print(Text(f"{'':24} {one.advice}", style="cyan"), soft_wrap=True)
