"""Heaps that are too large for brute force: two states fold to one exactly if nauty takes their graphs for one."""

from __future__ import annotations

from random import Random

import pytest

from isospin import pipeline
from isospin.ir.evaluate import State
from isospin.ir.heap import FREE, Cell, trimmed
from isospin.symmetry.reduction import Reduction, reduce

pynauty = pytest.importorskip("pynauty")

MODEL = """
typedef Node { bit key; Node *left; Node *right; pid who };
Node *root;
proctype P() { Node *p; do :: p = new Node; p->who = _pid; root = p :: p->left = root; p->right = p; p->key = 1 od }
init { atomic { run P(); run P(); run P() } }
"""
PROCESSES = (1, 2, 3)
Graph = tuple[list[object], list[tuple[int, int]]]  # the colour of each vertex, and the edges


def random_state(found: Reduction, random: Random) -> State:
    """Some objects with random links, some places that only pointers name; processes point anywhere."""
    grown = found.symmetries.grown
    assert grown is not None
    size = random.choice((3, 4, 9, 12))
    pointer = lambda: random.choice((0, *range(1, size + 1), *range(1, size + 1)))  # noqa: E731
    cells = [
        Cell(1, (random.randint(0, 1), pointer(), pointer(), random.choice((0, *PROCESSES))))
        if random.random() < 0.85 else FREE for _ in range(size)
    ]  # fmt: skip
    processes = tuple(
        p._replace(frame=(pointer(),)) if pid in PROCESSES else p for pid, p in enumerate(grown.state.processes)
    )
    values = (random.choice((0, pointer())),)
    return grown.state._replace(values=values, processes=processes, heap=trimmed(cells))


def moved(state: State, random: Random) -> State:
    """The same with other addresses and with the processes in another order."""
    size = 1 + max(12, len(state.heap))
    names = [0, *random.sample(range(1, size), size - 1)]
    order = [0, *random.sample(PROCESSES, 3)]
    cells = [FREE] * size
    for slot, cell in enumerate(state.heap):
        if cell.type:
            key, left, right, who = cell.fields
            cells[names[slot + 1] - 1] = Cell(1, (key, names[left], names[right], order[who]))
    processes = list(state.processes)
    for pid in PROCESSES:
        processes[order[pid]] = state.processes[pid]._replace(frame=(names[state.processes[pid].frame[0]],))
    return state._replace(values=(names[state.values[0]],), processes=tuple(processes), heap=trimmed(cells))


def graph_of(state: State) -> Graph:
    """Vertices for the global pointer, the processes, the objects that can be reached, and each pointer or name."""
    colours: list[object] = ["root", "init", "P", "P", "P"]
    edges: list[tuple[int, int]] = []
    number: dict[int, int] = {}
    todo: list[int] = []

    def vertex(value: int) -> int:
        if value not in number:
            number[value] = len(colours)
            cell = state.heap[value - 1] if value <= len(state.heap) else FREE
            colours.append(("object", cell.type, cell.fields[:1]))
            todo.append(value)
        return number[value]

    def point(source: int, label: str, target: int) -> None:
        edges.extend([(source, len(colours)), (len(colours), target)])
        colours.append(("field", label))

    for source, value in [(0, state.values[0]), *((1 + pid, state.processes[pid].frame[0]) for pid in PROCESSES)]:
        if value:
            target = vertex(value)
            point(source, "pointer", target)
    for value in todo:  # grows while we walk
        fields = state.heap[value - 1].fields if value <= len(state.heap) else ()
        for label, there in zip(("left", "right"), fields[1:3], strict=False):
            if there:
                target = vertex(there)
                point(number[value], label, target)
        if fields:
            point(number[value], "who", 1 + fields[3])
    return colours, edges


def certificate(state: State) -> object:
    """The certificate ignores which colour is which, so the colours with their numbers go with it."""
    colours, edges = graph_of(state)
    classes: dict[str, set[int]] = {}
    for v, colour in enumerate(colours):
        classes.setdefault(str(colour), set()).add(v)
    adjacent: dict[int, list[int]] = {}
    for a, b in edges:
        adjacent.setdefault(a, []).append(b)
    ordered = [classes[c] for c in sorted(classes)]
    graph = pynauty.Graph(len(colours), directed=True, adjacency_dict=adjacent, vertex_coloring=ordered)
    return tuple((c, len(classes[c])) for c in sorted(classes)), pynauty.certificate(graph)


@pytest.mark.parametrize("seed", range(3))
def test_states_fold_to_one_as_nauty_says(seed: int) -> None:
    found, random = reduce(pipeline.load(MODEL), "exact"), Random(seed)
    assert found.symmetries.order == 6
    by_key: dict[object, object] = {}
    by_certificate: dict[object, object] = {}
    for _ in range(60):
        state = random_state(found, random)
        for one in (state, moved(state, random), moved(state, random)):
            key, seen = found.strategy.fold(one).key, certificate(one)
            assert by_key.setdefault(key, seen) == seen, "different structures became one"
            assert by_certificate.setdefault(seen, key) == key, "one structure became two"
    assert len(by_key) > 20
