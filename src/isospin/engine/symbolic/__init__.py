"""The symbolic engine: sets of states as binary decision diagrams.

Reference: Wang, Schmidt, Yu, Huang, Wang, BDD-Based Safety-Analysis of Concurrent Software with Pointer Data Structures
Using Graph Automorphism Symmetry Reduction (IEEE TSE 30(6), 2004).
Differs: it reads the model that all engines read, so it also checks Promela; its answers are replayed like all others.
"""

from __future__ import annotations

from ...ir.interp import Interpreter
from ...model import Model
from ..contract import Exploration, Question
from .backend import disjunction, manager
from .constants import fixed, simplified
from .image import Images
from .initial import Initial, cube
from .layout import Codec, Layout
from .reduce import Reduction
from .search import Backward, Clock, Forward, Problem
from .start import start
from .steps import Machine
from .world import Event, Space

def explore(model: Model, question: Question, direction: str = "forward", backend: str = "oxidd") -> Exploration:
    interpreter = Interpreter(model)
    clock = Clock(question)
    begin = start(model, interpreter, question.deadlock)
    layout = Layout(model, begin)
    m = manager(backend, 2 * layout.count, 1 << 23)
    machine = Machine(Space(layout, m))
    codec = Codec(layout, interpreter)
    if begin.states:
        initial = disjunction(m, (cube(machine, codec, s) for s in begin.states))
    else:
        initial = Initial(machine).states()
    transitions = machine.transitions()
    bits = [b for f in layout.fields.values() for b in f.bits]
    const = fixed(m, initial, bits, transitions)
    transitions = [s for t in transitions if (s := simplified(m, t, const)).guard != m.false]
    p = Problem(m, Images(m, transitions), initial, machine.space.events, len(bits), machine.free, m.true, disjunction(m, machine.space.doubts))
    print(len(bits), "bits", len(const), "constant", len(transitions), "transitions", len(p.events))
    search = {"forward": Forward, "backward": Backward}[direction](p, question, Reduction(), clock)
    search.run()
    result = Exploration()
    result.states = search.states + begin.before
    result.depth = search.depth
    result.incomplete = search.incomplete
    clock.finish(result)
    return result
