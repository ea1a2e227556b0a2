"""Partial-order reduction: its conditions, checked on the states of models, and its verdicts against no reduction."""

from __future__ import annotations

from pathlib import Path

import pytest

from isospin import pipeline
from isospin.analysis.ample import Ample, ample
from isospin.core.model import Model
from isospin.core.trace import Choice
from isospin.engines.contract import Question
from isospin.engines.explicit import explore as explore_compiled
from isospin.engines.interp.search import InterpreterSearch, explore
from isospin.semantics.explain import choice_of
from isospin.semantics.interp import Interpreter
from isospin.semantics.state import State
from isospin.transform.optimise import optimise
from tests.support import paths
from tests.support.generators.random_promela import generate

CORPUS = sorted((paths.CORPUS / "promela").rglob("*.pml"))
MOST_STATES, MOST_AROUND = 150, 30


def moves(interpreter: Interpreter, state: State, only: int | None = None) -> dict[tuple[Choice, ...], State | None]:
    return {tuple(map(choice_of, m.steps)): m.state for m in interpreter.moves(state, only)}


def offence(model: Model, table: Ample) -> str:
    """Where moving alone would matter: what others do changes the moves of a candidate, or does not commute."""
    search = InterpreterSearch(model, Question(all_errors=True, max_states=MOST_STATES))
    search.run()
    for state in search.states:
        for pid in table.candidates(state):
            if moves(search.interpreter, state, pid) and (found := offence_at(search.interpreter, state, pid)):
                return found
    return ""


def offence_at(interpreter: Interpreter, start: State, pid: int) -> str:
    mine, seen, todo = led(moves(interpreter, start, pid)), {start}, [start]
    while todo and len(seen) < MOST_AROUND:
        state = todo.pop(0)
        own = moves(interpreter, state, pid)
        if led(own) != mine:
            return f"process {pid} has other moves than before: {led(own) ^ mine}"
        for theirs, there in moves(interpreter, state).items():
            if theirs[0].pid == pid or there is None:
                continue
            if any(pid in (c.pid, c.partner) for c in theirs):
                return f"process {pid} takes part in {theirs}"
            for ours, here in own.items():
                if here is not None and (wrong := differs(interpreter, (here, theirs), (there, ours))):
                    return wrong
            if there not in seen:
                seen.add(there)
                todo.append(there)
    return ""


def led(found: dict[tuple[Choice, ...], State | None]) -> set[tuple[tuple[Choice, ...], bool]]:
    """The moves, and which of them end in an error."""
    return {(choices, state is None) for choices, state in found.items()}


def differs(
    interpreter: Interpreter, one: tuple[State, tuple[Choice, ...]], other: tuple[State, tuple[Choice, ...]]
) -> str:
    ends = []
    for state, choices in (one, other):
        found = moves(interpreter, state)
        if choices not in found:
            return f"{choices} is disabled"
        ends.append(found[choices])
    if None in ends:
        return ""
    a, b = (interpreter.identity(end) for end in ends if end is not None)
    return "" if a == b else f"{one[1]} and {other[1]} do not commute"


def findings(model: Model, table: Ample | None, search: str = "bfs") -> set[tuple[str, str]]:
    result = explore(model, Question(search=search, all_errors=True), ample=table)
    assert not result.incomplete
    return {(f.kind, str(f.location)) for f in result.findings}


# ------------------------------------------------------------------------------------------------ laws


@pytest.mark.parametrize("path", CORPUS[::3], ids=lambda p: p.stem)
def test_candidates_are_independent(path: Path) -> None:
    check_law(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_candidates_are_independent_everywhere(path: Path) -> None:
    check_law(path)


def check_law(path: Path) -> None:
    model = pipeline.load(path)
    if (table := ample(model)) is not None:
        assert offence(model, table) == ""


@pytest.mark.parametrize("path", CORPUS[1::3], ids=lambda p: p.stem)
def test_verdicts_of_the_corpus(path: Path) -> None:
    check_verdicts(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_verdicts_of_the_whole_corpus(path: Path) -> None:
    check_verdicts(path)


def check_verdicts(path: Path) -> None:
    model = optimise(pipeline.load(path), "full", por=True)
    whole = explore(model, Question(all_errors=True, max_states=3000))
    if (table := ample(model)) is None or whole.incomplete:
        return
    assert {(f.kind, str(f.location)) for f in whole.findings} == findings(model, table)


def check_random(seed: int) -> None:
    text = generate(seed)
    for level in ("none", "full"):
        model = optimise(pipeline.load(text), level, por=True)
        whole = explore(model, Question(all_errors=True, max_states=1500))
        if (table := ample(model)) is None or whole.incomplete:
            continue
        expected = {(f.kind, str(f.location)) for f in whole.findings}
        assert findings(model, table) == expected, text
        assert findings(model, table, "dfs") == expected, text
        assert offence(model, table) == "", text


@pytest.mark.parametrize("seed", range(16))
def test_random(seed: int) -> None:
    check_random(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(16, 400))
def test_more_random(seed: int) -> None:
    check_random(seed)


# ------------------------------------------------------------------------------------------------ traps

TRAPS = {
    "else sees that a channel is empty": """
        chan c = [1] of { byte }; bool late
        active proctype sender() { c!1 }
        active proctype looker() { do :: c?_ -> break :: else -> late = true od; assert(!late) }
        """,
    "control is lost in an atomic sequence": """
        chan c = [1] of { byte }; byte x
        active proctype sender() { c!1 }
        active proctype waiter() { atomic { x = 1; c?_; x = 0 } }
        active proctype witness() { assert(x == 0) }
        """,
    "a d_step takes its first executable option": """
        chan c = [1] of { byte }; byte x
        active proctype sender() { c!1 }
        active proctype chooser() { d_step { if :: len(c) > 0 -> x = 1 :: else -> x = 2 fi }; assert(x != 2) }
        """,
    "an escape clause waits for a channel": """
        chan c = [1] of { byte }; byte x
        active proctype sender() { c!1 }
        active proctype worker() { { x = 1; x = 2; assert(x != 2) } unless { c?_ } }
        """,
    "an escape clause waits for a partner": """
        chan c = [0] of { byte }; byte x
        active proctype partner() { byte i; i = 1; c?_ }
        active proctype worker() { { x = 1; x = 2; assert(x != 2) } unless { c!1 } }
        """,
    "a rendezvous writes what others read": """
        chan c = [0] of { byte }; byte x
        active proctype sender() { c!1 }
        active proctype receiver() { c?x; x = 0 }
        active proctype witness() { assert(x == 0) }
        """,
    "a rendezvous gives atomic control away": """
        chan c = [0] of { byte }; byte x
        active proctype sender() { atomic { x = 1; c!1; x = 2 } }
        active proctype receiver() { atomic { c?_; assert(x == 1); x = 3 }; assert(x != 2) }
        """,
    "a local loop does not hide the others": """
        byte x
        active proctype looper() { byte i; do :: i = 1 - i od }
        active proctype failing() { x = 1; assert(x == 0) }
        """,
    "two loops of receives": """
        chan c = [1] of { byte }; chan d = [1] of { byte }
        active proctype left() { byte i; c!0; do :: d?i; c!i od }
        active proctype right() { byte i; do :: c?i; d!i od }
        active proctype failing() { assert(false) }
        """,
    "a label that others look at": """
        active proctype walker() { byte i; i = 1; here: i = 2; i = 3 }
        active proctype watcher() { if :: walker@here -> assert(false) :: timeout fi }
        """,
    "a local variable that others look at": """
        active proctype walker() { byte i; i = 1; i = 2; i = 3 }
        active proctype watcher() { if :: walker:i == 2 -> assert(false) :: timeout fi }
        """,
    "a timeout that waits": """
        chan c = [1] of { byte }; byte x
        active proctype sender() { byte i; i = 1; i = 2; c!i }
        active proctype patient() { do :: c?_ -> break :: timeout -> x = 1; break od; assert(x == 0) }
        """,
    "a sorted send overtakes": """
        chan c = [2] of { byte }; byte x
        active proctype first() { c!2 }
        active proctype second() { c!!1 }
        active proctype taker() { c?x; assert(x == 2) }
        """,
    "how many are alive": """
        active proctype brief() { skip }
        init { byte n; n = _nr_pr; assert(n == 2) }
        """,
    "the channel of a process that ends": """
        chan reg = [1] of { chan }
        active proctype owner() { chan own = [1] of { byte }; reg!own }
        active proctype user() { chan c; reg?c; c!1 }
        """,
    "a pid is used again": """
        proctype child() { skip }
        init { pid a; pid b; a = run child(); b = run child(); assert(a != b) }
        """,
    "two takers are given one channel": """
        chan c = [1] of { byte }; byte got
        proctype taker(chan from) { byte x; from?x; got = got * 3 + x; assert(got != 7) }
        init { run taker(c); run taker(c); c!1; c!2 }
        """,
    "a taker that comes later is given the channel": """
        chan c = [1] of { byte }; chan d = [1] of { byte }; byte got
        proctype taker(chan from) { byte x; from?x; got = got * 3 + x; assert(got != 7) }
        proctype starter(chan it) { d?_; run taker(it) }
        init { run starter(c); run taker(c); d!1; c!1; c!2 }
        """,
    "a channel that is given is changed": """
        chan c = [1] of { byte }; chan d = [1] of { byte }; byte got
        proctype taker(chan from) { byte x; if :: from = d :: skip fi; from?x; got = got * 3 + x; assert(got != 7) }
        init { run taker(c); run taker(d); c!1; d!2 }
        """,
    "a channel of a process is given": """
        byte got
        proctype taker(chan from) { byte x; from?x; got = got * 3 + x; assert(got != 7) }
        init { chan c = [2] of { byte }; run taker(c); run taker(c); c!1; c!2 }
        """,
    "a started process reads when it is started": """
        byte g; proctype R() { byte l = g; assert(l == 1) }
        active proctype Q() { run R() }   active proctype P() { g = 1 }
        """,
    "a started process looks at a channel when it is started": """
        chan q = [1] of { byte }; proctype R() { byte l = len(q); assert(l == 1) }
        active proctype Q() { run R() }   active proctype P() { q!1 }
        """,
    "a started process looks at the channel that it is given": """
        chan q = [1] of { byte }; proctype R(chan c) { byte l = len(c); assert(l == 1) }
        active proctype Q() { run R(q) }   active proctype P() { q!1 }
        """,
    "a started process divides when it is started": """
        byte g; proctype R() { byte l = 1 / g }
        active proctype Q() { run R() }   active proctype P() { g = 1 }
        """,
    "a started process counts": """
        proctype R() { byte l = _nr_pr; assert(l == 2) }
        active proctype P() { skip }   init { run R() }
        """,
    "the owner of a channel ends before it is used": """
        chan reg = [1] of { chan };
        active proctype A() { chan c; reg?c; c!1 }
        active proctype B() { chan mine = [1] of { byte }; reg!mine }
        """,
    "the owner of a channel ends before somebody looks into it": """
        chan reg = [1] of { chan };
        active proctype A() { chan c; byte x; reg?c; x = len(c) }
        active proctype B() { chan mine = [1] of { byte }; reg!mine }
        """,
    "the owner of a channel ends before it is given to somebody": """
        chan held; proctype R(chan c) { c!1 }
        active proctype A() { held != 0; run R(held) }
        active proctype B() { chan mine = [1] of { byte }; held = mine }
        """,
    "the number of a channel is used again": """
        chan reg = [1] of { chan };
        proctype R() { chan own = [1] of { byte }; byte x; if :: own?x -> assert(x == 0) :: timeout fi }
        active proctype A() { chan c; reg?c; _nr_pr == 1; run R(); c!1 }
        active proctype B() { chan mine = [1] of { byte }; reg!mine }
        """,
    "a number that is used again is a rendezvous": """
        chan reg = [1] of { chan };
        proctype R() { chan own = [0] of { byte }; own?_; assert(false) }
        active proctype A() { chan c; reg?c; _nr_pr == 1; run R(); c!1 }
        active proctype B() { chan mine = [1] of { byte }; reg!mine }
        """,
    "an exclusive receiver that is none": """
        chan c = [1] of { byte }; byte got
        active proctype sender() { c!1; c!2 }
        active [2] proctype taker() { byte x; c?x; got = got * 3 + x; assert(got != 7) }
        """,
}


@pytest.mark.parametrize("name", TRAPS)
@pytest.mark.parametrize("level", ["none", "spin", "full"])
def test_traps(name: str, level: str) -> None:
    model = optimise(pipeline.load(TRAPS[name]), level, por=True)
    assert findings(model, ample(model)) == findings(model, None)
    table = ample(model)
    assert table is None or offence(model, table) == ""


def test_it_reduces() -> None:
    text = """
        active [3] proctype counter() { byte i; do :: i < 4 -> i++ :: else -> break od }
        """
    model = optimise(pipeline.load(text), "none")
    whole, reduced = explore(model, Question()), explore(model, Question(), ample=ample(model))
    assert reduced.states * 5 < whole.states


def test_threads_and_depth_first_store_what_breadth_first_stores() -> None:
    """SOUND: the choice depends on the state, so no search needs a condition of its own."""
    text = """
        byte x
        active [3] proctype counter() { byte i; do :: i < 4 -> i++ :: i == 4 -> i = 0; x = 1 - x :: x == 1 -> break od }
        """
    model = optimise(pipeline.load(text), "full", por=True)
    table = ample(model)
    expected = explore(model, Question(), ample=table).states
    for asked in (Question(threads=2), Question(search="dfs")):
        assert explore_compiled(model, asked, "-O0", ample=table).states == expected


def test_channels_that_processes_are_given_are_told_apart() -> None:
    text = """
        chan c[4] = [2] of { byte }
        proctype pass(chan from, to) { byte x; from?x; to!x; from?x; to!x }
        init { byte x; atomic { run pass(c[0], c[1]); run pass(c[1], c[2]); run pass(c[2], c[3]) }
               c[0]!1; c[0]!2; c[3]?x; c[3]?x }
        """
    model = optimise(pipeline.load(text), "none")
    whole, reduced = explore(model, Question()), explore(model, Question(), ample=ample(model))
    assert reduced.states * 5 < whole.states
    assert explore_compiled(model, Question(), "-O0", ample=ample(model)).states == reduced.states


@pytest.mark.parametrize(
    "text",
    [
        "active proctype a() priority 2 { skip } active proctype b() priority 1 { skip }",
        "bool go = true; active proctype a() provided (go) { go = false; skip }",
        "active proctype a() { skip } active proctype b() { assert(_last != 1) }",
    ],
)
def test_refused(text: str) -> None:
    assert ample(pipeline.load(text)) is None


def test_bits_can_be_shared() -> None:
    """With few bits less is reduced, and the verdicts stay."""
    for path in CORPUS[::10]:
        model = pipeline.load(path)
        narrow = ample(model, most_bits=3)
        if narrow is not None:
            assert offence(model, narrow) == ""


EXCHANGED = """
bool b[3];
chan c = [2] of { pid };
active proctype A() {
    pid y;
    c?y;
    if :: y == 1 -> goto l1 :: y == 2 -> goto l2 fi;
l1: y = 1; goto l2;
l2: y = 2; goto l1
}
active [2] proctype P() { c!_pid; b[_pid] = 1; assert(false) }
"""


@pytest.mark.parametrize("search", ["bfs", "dfs"])
def test_a_symmetry_that_exchanges_locations_keeps_the_cycle_condition(search: str) -> None:
    """In the quotient l1 and l2 are one place.  Everybody moves at one of them; the other must not be for A alone."""
    for por in ("on", "off"):
        what = pipeline.Options(engine="interp", symmetry="exact", por=por, optimise="none", search=search)
        verdict = pipeline.check(pipeline.load(EXCHANGED), what)
        assert (verdict.outcome.value, verdict.symmetry.group_order) == ("violated", "2")
