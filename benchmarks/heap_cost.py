"""What folding costs: CPU time for a stored state with and without it, in the same engine, side by side.

The checker is compiled once for each column and then run by turns; the best of several runs counts, without the start
of the process.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from isospin import pipeline
from isospin.core.model import Model
from isospin.engines.contract import Question
from isospin.engines.explicit import Attempts, Levels
from isospin.engines.explicit.drive.program import compile_checker
from isospin.engines.explicit.state.facts import gather
from isospin.semantics.interp import Interpreter
from isospin.symmetry.reduction import reduce
from isospin.transform.optimise import optimise

EXAMPLES = Path(__file__).parent.parent / "examples" / "heap"
ROWS = [("ordered_list", ("L=4",)), ("btree", ("N=2", "K=4", "D=2")), ("btree", ("N=3", "K=4", "D=2"))]
COLUMNS = {"none": ("none", False), "heap": ("none", True), "process": ("exact", False), "both": ("exact", True)}
RUNS = 7


def program(model: Model, symmetry: str, heap: bool) -> Path:
    """The checker with the layout that is large enough in the end."""
    one = reduce(model, symmetry, None, heap)
    searched = one.model if one.folds else model
    interpreter = Interpreter(searched)
    facts = gather(searched, interpreter, list(interpreter.initial_states()))
    tries = Attempts(facts, Question(), Levels("-O2"), one.folding if one.folds else None)
    tries.run()
    return compile_checker(tries.source(), "-O2", ())[0]


def counts(path: Path, **given: int) -> tuple[int, float]:
    """States and CPU seconds of one run."""
    command = [str(path), "search=bfs", "threads=1", "all_errors=0", "deadlock=1"]
    said = subprocess.run(
        [*command, *(f"{k}={v}" for k, v in given.items())], capture_output=True, text=True, check=True
    ).stdout
    last = json.loads(said.splitlines()[-1])
    return last["states"], last["cpu"]


def cost() -> None:
    print(f"\n{'CPU time for a stored state':28}" + "".join(f"{c:>20}" for c in COLUMNS))
    for name, defines in ROWS:
        model = optimise(pipeline.load(EXAMPLES / f"{name}.pml", defines), "full")
        programs = {c: program(model, *way) for c, way in COLUMNS.items()}
        whole, start = dict.fromkeys(programs, 1e9), dict.fromkeys(programs, 1e9)
        states = {}
        for _ in range(RUNS):
            for column, path in programs.items():
                states[column], seconds = counts(path)
                whole[column] = min(whole[column], seconds)
                start[column] = min(start[column], counts(path, max_states=1)[1])
        each = {c: (whole[c] - start[c]) / states[c] for c in programs}
        cells = [f"{each[c] * 1e9:.0f} ns ({each[c] / each['none']:.2f}x)" for c in programs]
        print(f"{name + ' ' + ' '.join(defines):28}" + "".join(f"{c:>20}" for c in cells), flush=True)
