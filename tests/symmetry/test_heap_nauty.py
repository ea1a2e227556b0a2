"""Heaps that are too large for brute force: two states fold to one exactly if nauty takes their graphs for one."""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

import pytest

from isospin import pipeline
from isospin.engines.explicit.codegen.render import render
from isospin.engines.explicit.drive.build import FLAGS, RUNTIME, SOURCES, compiler, includes
from isospin.engines.explicit.state.cells import make_room
from isospin.engines.explicit.state.facts import gather
from isospin.engines.explicit.state.layout import Layout, Packing, lay_out
from isospin.engines.explicit.state.probe import probe
from isospin.semantics.state import FREE, Cell, State, trimmed
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
    population = found.symmetries.population
    assert population is not None
    size = random.choice((3, 4, 9, 12))

    def pointer() -> int:
        return max(random.randint(-size // 2, size), 0)

    cells = [
        Cell(1, (random.randint(0, 1), pointer(), pointer(), random.choice((0, *PROCESSES))))
        if random.random() < 0.85 else FREE for _ in range(size)
    ]  # fmt: skip
    processes = tuple(
        p._replace(frame=(pointer(),)) if pid in PROCESSES else p for pid, p in enumerate(population.state.processes)
    )
    values = (random.choice((0, pointer())),)
    return population.state._replace(values=values, processes=processes, heap=trimmed(cells))


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


def compare(states: list[State], keys: list[object]) -> None:
    """Keys are equal exactly where certificates are."""
    by_key: dict[object, object] = {}
    by_certificate: dict[object, object] = {}
    for state, key in zip(states, keys, strict=True):
        seen = certificate(state)
        assert by_key.setdefault(key, seen) == seen, "different structures became one"
        assert by_certificate.setdefault(seen, key) == key, "one structure became two"
    assert 20 < len(by_key) < len(states) / 2


def samples(found: Reduction, seed: int, count: int) -> list[State]:
    """Random states, each with two that differ in names only."""
    assert found.symmetries.order == 6
    random = Random(seed)
    states = [random_state(found, random) for _ in range(count)]
    return [one for s in states for one in (s, moved(s, random), moved(s, random))]


@pytest.mark.parametrize("seed", range(3))
def test_states_fold_to_one_as_nauty_says(seed: int) -> None:
    found = reduce(pipeline.load(MODEL), "exact")
    states = samples(found, seed, 60)
    compare(states, [found.strategy.fold(s).key for s in states])


HARNESS = """
int main(void) {
    word s[STATE_WORDS] = {0};
    while (fread(s, sizeof *s, KEY_WORDS, stdin) == KEY_WORDS) {
        fold_state(s, NULL);
        fwrite(s, sizeof *s, KEY_WORDS, stdout);
    }
    return 0;
}
"""


def packed(layout: Layout, state: State) -> bytes:
    heap, packing = layout.heap, Packing(layout)
    assert heap is not None
    words = packing.pack(state._replace(heap=()))
    for place, cell in zip(heap.cells, state.heap, strict=False):
        words[place.word] |= cell.type << place.shift
        for offset, value in enumerate(cell.fields):
            packing.put(words, heap.objects[0][offset], 0, value, place.word, place.shift)
    return b"".join(w.to_bytes(8, "little") for w in words)


def test_the_compiled_fold_agrees_with_nauty(tmp_path: Path) -> None:
    found = reduce(pipeline.load(MODEL), "exact")
    folding, interpreter = found.folding, found.symmetries.interpreter
    assert folding is not None
    facts = gather(found.model, interpreter, list(interpreter.initial_states()))
    sizes = probe(facts, folding.settle)
    make_room(folding, facts, sizes)
    sizes.objects = 13
    layout = lay_out(facts, sizes)
    source, program = tmp_path / "fold.c", tmp_path / "fold"
    source.write_text("#include <stdio.h>\n" + render(facts, layout, folding) + HARNESS)
    runtime = [str(RUNTIME / name) for name in SOURCES if name != "core/main.c"]
    command = [*compiler(), *FLAGS, "-O0", *includes(tmp_path), str(source), *runtime, "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True)
    states = samples(found, 7, 600)
    given = b"".join(packed(layout, s) for s in states)
    said = subprocess.run([program], input=given, check=True, capture_output=True).stdout
    size = len(said) // len(states)
    assert len(said) == len(given)
    compare(states, [said[i * size : (i + 1) * size] for i in range(len(states))])
