"""Canonical heaps of 50 objects: the compiled folding against nauty on the graph of the same state, CPU time.

nauty is called in C: sparse nauty on a digraph with a layer for each field, and on a graph with a vertex for each
field, and Traces on the latter.  Building its graph is not counted, taking our state apart is.  Without libnauty
(Debian: libnauty2-dev) only our times are shown.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from isospin import pipeline
from isospin.engines.explicit.codegen.render import render
from isospin.engines.explicit.constants import OverflowKind
from isospin.engines.explicit.drive.build import FLAGS, RUNTIME, SOURCES, compiler, includes, machine_flags
from isospin.engines.explicit.state.facts import gather
from isospin.engines.explicit.state.layout import Layout, lay_out
from isospin.engines.explicit.state.probe import probe
from isospin.semantics.interp import Interpreter
from isospin.symmetry.reduction import reduce

HERE = Path(__file__).parent
OBJECTS = 50
MODEL = """
typedef Node {{ byte key; Node *left; Node *right }};
Node *root;
active [{n}] proctype P() {{
    Node *a, *b;
    do
    :: a = new Node; a->key = 2; b = a; root = b
    :: a = root; b = a->left; b = a->right
    od
}}
"""
KINDS = ("one structure below a global pointer", "a list of random keys for each process", "equal lists")
METHODS = ("nauty, layers", "nauty, fields", "Traces, fields")


def source(processes: int) -> tuple[str, Layout]:
    """The generated checker, with room for the objects."""
    one = reduce(pipeline.load(MODEL.format(n=processes)), "exact")
    interpreter = Interpreter(one.model)
    facts = gather(one.model, interpreter, list(interpreter.initial_states()))
    sizes = probe(facts, None if one.folding is None else one.folding.settle)
    sizes.objects = OBJECTS
    sizes.see((OverflowKind.OBJECT, 0, 0), 3)
    layout = lay_out(facts, sizes)
    return render(facts, layout, one.folding), layout


def build(folder: Path, processes: int, with_nauty: bool) -> Path | None:
    text, layout = source(processes)
    assert layout.heap is not None
    key = layout.heap.objects[0][0]
    (folder / "bench.c").write_text(f'{text}\n#include "{HERE / "heap_canon.c"}"\n')
    defines = [f"-DBENCH_PROCESSES={processes}", f"-DKEY_AT={key.word}", f"-DKEY_SHIFT={key.shift}",
               f"-DKEY_MASK={(1 << key.bits) - 1}ULL"]  # fmt: skip
    runtime = [str(RUNTIME / name) for name in SOURCES if name != "core/main.c"]
    program = folder / f"bench{processes}{int(with_nauty)}"
    nauty = ["-DWITH_NAUTY", str(HERE / "nauty_side.c"), "-lnauty"] if with_nauty else []
    files = [*includes(folder), str(folder / "bench.c"), *runtime, *nauty, "-o", str(program)]
    command = [*compiler(), *FLAGS, *machine_flags(), "-O2", *defines, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return program if done.returncode == 0 else None


def run() -> None:
    print(f"{'heap of 50 objects':48}{'isospin':>12}" + "".join(f"{m:>18}" for m in METHODS))
    with tempfile.TemporaryDirectory() as name:
        for processes in (1, 4):
            program = build(Path(name), processes, True) or build(Path(name), processes, False)
            if program is None:
                print("no C compiler that builds it")
                return
            for line in subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines():
                kind, *seconds = line.split()
                ours = float(seconds[0])
                what = f"{processes} processes: {KINDS[int(kind)]}"
                cells = [f"{float(s) * 1e6:9.2f} us {float(s) / ours:4.1f}x" for s in seconds[1:]] or ["not installed"]
                print(f"{what:48}{ours * 1e6:9.2f} us" + "".join(f"{c:>18}" for c in cells), flush=True)
