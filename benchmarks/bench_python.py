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
FORMAT = "{:22} {:>9} {:>8} {:>9} {:>8} {:>9} {:>7}"

PROGRAMS = {
    "lost update, 3": ("n = 0", "v = s.n\n    s.n = v + 1", 3),
    "lost update, 4": ("n = 0", "v = s.n\n    s.n = v + 1", 4),
    "locked counter, 4": ("n = 0; lock = threading.Lock()", "with s.lock:\n        s.n += 1", 4),
    "two locks, 3": ("n = 0; a = threading.Lock(); b = threading.Lock()",
                     "with s.a:\n        with s.b:\n            s.n += 1", 3),
    "check then act, 3": ("n = 100", "if s.n >= 80:\n        s.n = s.n - 80", 3),
    "with local work, 3": ("n = 0", "t = 0\n    for i in range(20):\n        t += i * i % 7\n    s.n += t", 3),
    "dictionary, 3": ("d = {}", "if 'k' not in s.d:\n        s.d['k'] = 1", 3),
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
from isospin import check
begin = time.process_time()
verdict = check(sys.argv[1], search=sys.argv[2], symmetry=sys.argv[3], max_time={seconds})
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
    print(FORMAT.format("", "frontrun", "per s", "ours", "per s", "symmetric", "ratio"))
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (setup, body, count) in PROGRAMS.items():
            theirs, rate, ours, our_rate, orbits = compared(Path(folder), command, setup, body, count)
            ratios.append(our_rate / rate)
            row = (name, theirs, f"{rate:.0f}", ours, f"{our_rate:.0f}", orbits, f"{our_rate / rate:.1f}")
            print(FORMAT.format(*row), flush=True)
            assert ours <= theirs, f"{name}: more executions than frontrun"
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"executions per CPU second, geometric mean of ours over frontrun's: {mean:.1f} (wanted: at least 15)")


def compared(folder: Path, command: Path, setup: str, body: str, count: int) -> tuple[int, float, int, float, int]:
    setup = "; ".join(f"self.{part.strip()}" for part in setup.split(";"))
    text = COMMON.format(setup=setup, body=body)
    theirs, ours = folder / "theirs.py", folder / "ours.py"
    theirs.write_text(text)
    ours.write_text(text + OURS.format(count=count))
    explored, seconds, _ = answer([str(command), sys.executable, "-c", RUN_FRONTRUN, str(theirs), str(count)])
    plain, our_seconds, outcome = answer([sys.executable, "-c", RUN_OURS, str(ours), "dpor", "none"])
    orbits, _, _ = answer([sys.executable, "-c", RUN_OURS, str(ours), "dpor", "discovered"])
    assert outcome == "holds", outcome
    return explored, explored / seconds, plain, plain / our_seconds, orbits


def answer(command: list[str]) -> tuple[int, float, str]:
    command = [part.replace("{seconds}", str(SECONDS)) for part in command]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    count, seconds, outcome = json.loads(done.stdout.strip().splitlines()[-1])
    return int(count), float(seconds), str(outcome)
