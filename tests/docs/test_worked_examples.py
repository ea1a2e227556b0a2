"""The worked examples in the docstrings of hard modules: what they say comes out is what comes out.

An example uses a word such as `fold(1, 2, 1)` that is defined here, so that it can be read without the words of the
package; what it prints is computed by the module that it explains.
"""

from __future__ import annotations

import ast
import doctest
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from isospin import load
from isospin.analysis import stutter
from isospin.analysis.ample import ample
from isospin.core.partition import Partition
from isospin.engines.contract import Question
from isospin.engines.interp.graph import StateGraph
from isospin.engines.interp.search import InterpreterSearch
from isospin.engines.interp.tour import Tour, TourEdge
from isospin.engines.stateless.graphs.graph import Graph
from isospin.engines.stateless.graphs.search import GraphSearch
from isospin.engines.stateless.orbit import Seen, SymmetricNode
from isospin.engines.stateless.search import SearchRequest
from isospin.engines.stateless.symmetric_dpor import SymmetricDpor
from isospin.hosts.memory import MemoryCell, MemoryCode, MemoryInstruction, MemoryProgram
from isospin.hosts.python.rewriting.rewrite import _Rewriter
from isospin.hosts.python.rewriting.sites import Sites
from isospin.semantics.interp import Interpreter
from isospin.semantics.state import Cell, State
from isospin.symmetry.detection.detect import detect
from isospin.symmetry.folding.canon import Canon
from isospin.symmetry.folding.heap import HeapFold
from isospin.symmetry.groups.group import Group
from isospin.symmetry.strategies import strategy

TOGGLES = "bit b[2]; active [2] proctype P() { do :: b[_pid] = 1 - b[_pid] od }"


def several(count: int, what: str, plural: str = "") -> str:
    return f"{count} {what if count == 1 else plural or what + 's'}"


def row(values: Any) -> str:
    return " ".join(map(str, values))


# ---------------------------------------------------------------------------------------------- folding


def fold(*named: int) -> None:
    options = " ".join(f":: next[_pid] = {pid}" for pid in range(3))
    end = "end: next[_pid] == _pid -> goto end"
    found = detect(load(f"byte next[3] = 9; active [3] proctype P() {{ if {options} fi; {end} }}"))
    (state,) = found.interpreter.initial_states()
    for pid, other in enumerate(named):
        state = next(
            m.state for m in found.interpreter.moves(state, pid) if m.state is not None and m.state.values[pid] == other
        )
    exact = strategy("exact", found)
    canon: Canon = exact.canon  # type: ignore[attr-defined]
    found_leaves = 0

    def leaf(run: Any, element: Any, path: Any) -> int:
        nonlocal found_leaves
        found_leaves += 1
        return Canon.leaf(canon, run, element, path)

    canon.leaf = leaf  # type: ignore[method-assign]
    run = canon.run(state)
    leaves = several(found_leaves, "leaf", "leaves")
    count = several(Group(run.automorphisms, 3).order, "automorphism")
    best = run.best
    assert best is not None
    assert exact.fold(state).state == best.image
    size = exact.orbit_size(state)
    print(f"next {row(best.image.values)} by {row(best.element[:3])}: {leaves}, {count}, {size} states in the orbit")


def fold_heap(head: int, mine: int, old: int, cells: list[tuple[int, int]]) -> None:
    text = "typedef Node { byte value; Node *next }; Node *head; active proctype P() { Node *mine, *old; mine = old }"
    interpreter = Interpreter(load(text))
    (state,) = interpreter.initial_states()
    (process,) = state.processes
    full = state._replace(values=(head,), processes=(process._replace(frame=(mine, old)),),
                          heap=tuple(Cell(1, fields) for fields in cells))  # fmt: skip
    done = HeapFold(interpreter).fold(full)
    frame = done.processes[0].frame
    print(f"head {done.values[0]}, mine {frame[0]}, old {frame[1]}, cells {row(cell.fields for cell in done.heap)}")


# ---------------------------------------------------------------------------------------------- partial orders


def search(*processes: str) -> None:
    model = load("byte x, y; " + " ".join(f"active proctype {p}" for p in processes))
    searches = [InterpreterSearch(model, Question(all_errors=True), None, table) for table in (None, ample(model))]
    findings = [{f.kind for f in s.run().findings} for s in searches]
    ends = [sorted(x.values for x in s.states if not x.processes) for s in searches]
    assert findings[0] == findings[1]
    assert ends[0] == ends[1]
    last = f"in the end (x, y) is {' or '.join(map(str, ends[0]))}"
    what = "the assertion fails" if findings[0] == {"assertion"} else last
    sizes = [len(s.states) for s in searches]
    print(f"{sizes[0]} states without reduction, {sizes[1]} with it; {what} in both")


def candidates(*processes: str) -> None:
    model = load("byte x, y; " + " ".join(f"active proctype {p}" for p in processes))
    table = ample(model)
    assert table is not None
    names = [t.name for t in model.templates]
    (start,) = Interpreter(model).initial_states()
    following = next(m.state for m in Interpreter(model).moves(start, 0))
    assert following is not None
    for statement, state in (("y = 1", start), ("y = 2", following)):
        who = sorted(names[state.processes[p].template] for p in table.candidates(state))
        may = f"{who[0]} or {who[1]} may move alone" if len(who) > 1 else f"only {who[0]} may"
        print(f"A before `{statement}`: {may}")


# ---------------------------------------------------------------------------------------------- the annotated quotient


def quotient(text: str) -> StateGraph:
    found = detect(load(text))
    graph = StateGraph(found.interpreter, strategy("exact", found))
    for state in found.interpreter.initial_states():
        graph.add(state)
    number = 0
    while number < len(graph.states):
        graph.expand(number)
        number += 1
    return graph


def bits(state: State) -> str:
    return "".join(map(str, state.values))


def edges(text: str) -> None:
    graph = quotient(text)
    for number, state in enumerate(graph.states):
        for arc in graph.expand(number):
            how = " (0 and 1 exchanged)" if arc.permutation == (1, 0) else ""
            print(f"{bits(state)}: {row(arc.movers)} moves to {bits(graph.states[arc.target])}{how}")


def threads(*wanted: str, without: str = "") -> None:
    graph = quotient(TOGGLES)
    nodes = [n for n, state in enumerate(graph.states) if bits(state) in wanted]
    arcs = {n: [a for a in graph.expand(n) if not (without and a.permutation)] for n in nodes}
    product = SimpleNamespace(
        edges={n: [TourEdge(a.target, a) for a in arcs[n]] for n in nodes},
        disabled=graph.disabled, processes=graph.processes,
    )  # fmt: skip
    tour = Tour(product, nodes, True)
    threads = Partition[tuple[int, int]]()
    for n in nodes:
        for edge, there in tour.inner(n):
            for p in range(2):
                threads.join((n, p), (there, edge.image(p)))
    served = {threads.find((n, p)) for n in nodes for edge, _ in tour.inner(n) for p in range(2) if edge.moves(p)}
    count = len({threads.find((n, p)) for n in nodes for p in range(2)})
    missing = count - len(served)
    assert tour.is_fair() == (missing == 0)
    print(f"{several(count, 'thread')}, {'served: fair' if not missing else f'{missing} of them not served: not fair'}")


# ---------------------------------------------------------------------------------------------- decision diagrams


@cache
def toggles(body: str = "do :: b[_pid] = 1 - b[_pid] od") -> SimpleNamespace:
    pytest.importorskip("oxidd")
    from isospin.engines.symbolic import Method, _Engine
    from isospin.engines.symbolic.backend import manager
    from isospin.engines.symbolic.encoding.layout import Codec
    from isospin.engines.symbolic.encoding.problem import encode
    from isospin.engines.symbolic.lemma import Lemma
    from isospin.engines.symbolic.reduce import STRATEGIES
    from isospin.engines.symbolic.search import Clock
    from isospin.engines.symbolic.swaps import Swaps
    from isospin.symmetry.folding.exchange import exchanges

    (exchange,) = exchanges(detect(load(TOGGLES)))
    question = Question()
    model = load(f"bit b[2]; active [2] proctype P() {{ {body} }}")
    engine = _Engine(model, question, Method(symmetry="bdd-sorted", exchanges=(exchange,)), Clock(question))
    diagrams = manager("oxidd", 2 * engine.layout.count, 1 << 16)
    codec = Codec(engine.layout, engine.interpreter)
    problem = encode(codec, engine.begin, diagrams, True, [], lambda: None)
    swap = Swaps(problem.encoding, problem.constant).swap(exchange)
    assert swap is not None
    folding = STRATEGIES["bdd-sorted"](problem.encoding, [swap])
    return SimpleNamespace(problem=problem, swap=swap, lemma=Lemma(problem), fold=folding.fold, diagrams=diagrams)


def diagram(states: str) -> Any:
    known = toggles()
    found = known.diagrams.false
    for state in states.split():
        one = known.diagrams.true
        for number, bit in enumerate(state):
            variable = known.problem.encoding.now["global", number][0]
            one = one & (variable if bit == "1" else ~variable)
        found = found | one
    return found


def show(states: Any) -> None:
    print(row(s for s in ("00", "01", "10", "11") if diagram(s) & states != toggles().diagrams.false))


def swapped(states: str) -> None:
    show(toggles().diagrams.substitute(diagram(states), toggles().swap.substitution))


def folded(states: str) -> None:
    show(toggles().fold(diagram(states))[0])


def counts_steps(body: str) -> bool:
    text = f"bool p, q; active proctype P() {{ p = true }} never {{ {body} }}"
    template = load(text).claims[0].template
    assert template is not None
    return stutter.counts_steps(template)


def may_exchange(body: str) -> bool:
    known = toggles(body)
    return bool(known.lemma.kept(known.swap))


# ---------------------------------------------------------------------------------------------- machine code


def marked(name: str) -> Any:
    pytest.importorskip("capstone")
    pytest.importorskip("elftools")
    from tests.hosts.c.test_points import Marked, code

    return Marked(code(), name)


def live(name: str) -> None:
    function = marked(name)
    print(f"{function.bytes(0)} bytes, then {function.bytes(1)}")


def pair(first: str, second: str) -> None:
    one, other = marked(first), marked(second)
    slots = one.code.residual.pair(one.points[0], other.points[0])
    print("other code" if slots is None else f"partners of {', '.join(map(str, sorted(s.size for s in slots)))} bytes")


# ---------------------------------------------------------------------------------------------- schedules

OPERATIONS = {"=": "write", "?": "read", "+": "add"}


def threads_of(texts: tuple[str, ...]) -> MemoryProgram:
    """`x=` writes x, `x?` reads it, `x+` adds to it."""
    names = sorted({word[0] for text in texts for word in text.split()})
    codes = [
        tuple(MemoryInstruction(OPERATIONS[w[1]], MemoryCell(w[0]), value=1) for w in text.split()) for text in texts
    ]
    return MemoryProgram(MemoryCode(dict.fromkeys(names, (0,)), tuple(codes)))


def letters(threads: Iterable[int]) -> str:
    return "".join("abcdef"[thread] for thread in threads)


def graphs(*texts: str) -> None:
    class Told(GraphSearch):
        def go_on(self, graph: Graph) -> None:
            given = len(self.trail.events)
            super().go_on(graph)
            print(f"{letters(e.thread for e in self.trail.events)}, {given} of them given")

    result = Told(threads_of(texts), SearchRequest()).run()
    print(f"{several(result.executions, 'execution')}, {result.blocked} in vain")


def symmetric(*texts: str) -> None:
    class Told(SymmetricDpor):
        def ended(self, node: SymmetricNode) -> None:
            super().ended(node)
            print(letters(e.thread for e in self.trail.events))

        def skip(self, node: SymmetricNode, thread: int, images: Seen) -> None:
            before, twins = [len(n.todo) for n in self.stack], [t for t in node.sleep if self.symmetry.here(t, thread)]
            super().skip(node, thread, images)
            places = [place(self, depth) for depth in range(len(self.stack))]
            new = [
                f", explore {letters(n.todo[count:])} {where}"
                for n, count, where in zip(self.stack, before, places, strict=True)
                if len(n.todo) > count
            ]
            print(f"{places[-1]}: {letters([thread])} is the image of {letters(twins[:1])}{''.join(new)}")

    result = Told(threads_of(texts), SearchRequest(symmetry="discovered")).run()
    print(several(result.executions, "execution"))


def place(search: SymmetricDpor, depth: int) -> str:
    return f"after {letters(e.thread for e in search.trail.events[:depth])}" if depth else "at the beginning"


def hooked(source: str) -> None:
    tree = ast.parse(source)
    rewriter = _Rewriter(tree, source, "example.py", Sites(), set())
    rewriter.module(tree)
    print("\n".join(line for line in ast.unparse(tree).splitlines() if line))


# ---------------------------------------------------------------------------------------------- the tests

WORDS: dict[str, tuple[Callable[..., Any], ...]] = {
    "symmetry.folding.canon": (fold,),
    "symmetry.folding.heap": (fold_heap,),
    "analysis.ample": (search, candidates),
    "engines.interp.graph": (edges,),
    "engines.interp.tour": (threads,),
    "analysis.stutter": (counts_steps,),
    "engines.symbolic.swaps": (swapped, folded),
    "engines.symbolic.lemma": (may_exchange,),
    "hosts.c.binary.liveness": (live,),
    "hosts.c.binary.residual": (pair,),
    "engines.stateless.graphs.search": (graphs,),
    "engines.stateless.symmetric_dpor": (symmetric,),
    "hosts.python.rewriting.rewrite": (hooked,),
}


@pytest.mark.parametrize("name", WORDS)
def test_examples(name: str) -> None:
    module = import_module(f"isospin.{name}")
    words = {word.__name__: word for word in WORDS[name]}
    example = doctest.DocTestParser().get_doctest(module.__doc__ or "", words, name, None, 0)
    assert len(example.examples) > 0
    told: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(example, out=told.append)
    assert result.failed == 0, "".join(told)
