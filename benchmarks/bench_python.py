"""Python programs beside frontrun: executions per CPU second, and executions until nothing is left to try.

The same classes and worker functions for both, without a bound on preemptions.  Each runs in a process of its own and
tells its CPU time; what counts is the ratio.  frontrun is used here only.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS = 20
FORMAT = "{:20} {:>9} {:>7} {:>7} {:>7} {:>7} {:>6} {:>10} {:>8} {:>7}"

PROGRAMS = {
    "lost update, 3": ("n = 0", "v = s.n\n    s.n = v + 1", 3),
    "lost update, 4": ("n = 0", "v = s.n\n    s.n = v + 1", 4),
    "locked counter, 6": ("n = 0; lock = threading.Lock()", "with s.lock:\n        s.n += 1", 6),
    "two locks, 5": ("n = 0; a = threading.Lock(); b = threading.Lock()",
                     "with s.a:\n        with s.b:\n            s.n += 1", 5),
    "check then act, 3": ("n = 100", "if s.n >= 80:\n        s.n = s.n - 80", 3),
    "with local work, 4": ("n = 0", "t = 0\n    for i in range(20):\n        t += i * i % 7\n    s.n += t", 4),
}  # fmt: skip

COMMON = """import threading

class State:
    def __init__(self):
        {setup}

def work(s):
    {body}
"""
OURS = """
state = State()
threads = [threading.Thread(target=work, args=(state,)) for _ in range({count})]
for t in threads:
    t.start()
for t in threads:
    t.join()
"""
RUN_OURS = """
import json, sys, time
from isospin.pipeline.programs.python import check_program
from isospin.pipeline.settings import ProgramOptions
options = ProgramOptions(search=sys.argv[2], symmetry=sys.argv[3], max_time={seconds})
begin = time.process_time()
verdict = check_program(sys.argv[1], options)
seconds = time.process_time() - begin
print(json.dumps([verdict.statistics.executions, seconds, verdict.outcome.value]))
"""
RUN_FRONTRUN = """
import json, runpy, sys, time
import frontrun
space = runpy.run_path(sys.argv[1])
begin = time.process_time()
found = frontrun.explore(setup=space["State"], workers=space["work"], count=int(sys.argv[2]), invariant=lambda s: True,
                         preemption_bound=None, stop_on_first=False, detect_io=False, total_timeout={seconds})
print(json.dumps([found.num_explored, time.process_time() - begin, ""]))
"""


def run() -> None:
    command = Path(sys.executable).parent / "frontrun"
    if not command.exists():
        print("frontrun is not installed: nothing to compare with")
        return
    head = ("frontrun", "CPU s", "per s", "ours", "CPU s", "per s", "symmetric", "rate", "time")
    print(FORMAT.format("executions of", *head))
    rates, times = [], []
    with tempfile.TemporaryDirectory() as folder:
        for name, (setup, body, count) in PROGRAMS.items():
            theirs, ours, orbits = compared(Path(folder), command, setup, body, count)
            rates.append((ours[0] / ours[1]) / (theirs[0] / theirs[1]))
            times.append(theirs[1] / orbits[1])
            cells = [*map(str, cell(theirs)), *map(str, cell(ours)), str(orbits[0])]
            print(FORMAT.format(name, *cells, f"{rates[-1]:.1f}", f"{times[-1]:.1f}"), flush=True)
            assert ours[0] <= theirs[0], f"{name}: more executions than frontrun"
    print(f"executions per CPU second, ours over frontrun's, geometric mean: {mean(rates):.1f} (wanted: at least 15)")
    print(f"CPU time until nothing is left, frontrun's over ours with symmetry, geometric mean: {mean(times):.1f}")


def cell(found: tuple[int, float, str]) -> tuple[int, str, str]:
    return found[0], f"{found[1]:.2f}", f"{found[0] / found[1]:.0f}"


def mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


Answer = tuple[int, float, str]  # executions, CPU seconds, outcome


def compared(folder: Path, command: Path, setup: str, body: str, count: int) -> tuple[Answer, Answer, Answer]:
    setup = "; ".join(f"self.{part.strip()}" for part in setup.split(";"))
    text = COMMON.format(setup=setup, body=body)
    theirs, ours = folder / "theirs.py", folder / "ours.py"
    theirs.write_text(text)
    ours.write_text(text + OURS.format(count=count))
    explored = answer([str(command), sys.executable, "-c", RUN_FRONTRUN, str(theirs), str(count)])
    plain = answer([sys.executable, "-c", RUN_OURS, str(ours), "dpor", "none"])
    orbits = answer([sys.executable, "-c", RUN_OURS, str(ours), "dpor", "discovered"])
    assert plain[2] == orbits[2] == "holds", (plain, orbits)
    return explored, plain, orbits


def answer(command: list[str]) -> tuple[int, float, str]:
    command = [part.replace("{seconds}", str(SECONDS)) for part in command]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    count, seconds, outcome = json.loads(done.stdout.strip().splitlines()[-1])
    return int(count), float(seconds), str(outcome)
