"""Python programs: verdicts, numbers of traces, findings and their replay, what cannot be controlled."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from isospin import SourceError, UsageError, Verdict, check
from isospin.cli import main
from isospin.engines.stateless.protocol import Step
from isospin.engines.stateless.shorten import switches
from isospin.hosts.python import program
from isospin.hosts.python.control import loops, scheduler, watchdog
from tests.support import paths
from tests.support.expectations import expectation

STARTS = "_start_new_thread(int, ())" if sys.version_info < (3, 13) else "_start_joinable_thread(int)"
PROGRAMS = sorted((paths.PROGRAMS / "python").glob("*.py")) + sorted((paths.EXAMPLES / "python").glob("*.py"))
START = """
for t in threads: t.start()
for t in threads: t.join()
"""


def checked(tmp_path: Path, text: str, **options: Any) -> Verdict:
    file = tmp_path / "prog.py"
    file.write_text(text)
    return check(file, **options)


def executions(tmp_path: Path, text: str, **options: Any) -> int:
    verdict = checked(tmp_path, text, all_errors=True, **options)
    assert verdict.statistics.blocked == 0
    assert verdict.statistics.executions is not None
    return verdict.statistics.executions


# -------------------------------------------------------------------------------------------------- verdicts


def test_half_of_the_programs_are_wrong() -> None:
    wrong = [p for p in PROGRAMS if expectation(p).outcome == "violated"]
    assert len(PROGRAMS) >= 40
    assert len(wrong) * 3 > len(PROGRAMS) < len(wrong) * 2.5


# -------------------------------------------------------------------------------------------------- traces


def lockers(n: int) -> str:
    return f"""import threading
lock, x = threading.Lock(), 0
def work():
    global x
    with lock: x += 1
threads = [threading.Thread(target=work) for _ in range({n})]""" + START


def racy(n: int) -> str:
    return f"""import threading
x = 0
def work():
    global x
    r = x
    x = r + 1
threads = [threading.Thread(target=work) for _ in range({n})]""" + START


def readers(n: int) -> str:
    return f"""import threading
x = 0
def write():
    global x
    x = 1
def read():
    r = x
threads = [threading.Thread(target=f) for f in [write] + [read] * {n}]""" + START


def store_buffering(n: int) -> str:
    return f"""import threading
x = [0] * {n}
def work(i):
    x[i] = 1
    r = x[(i + 1) % {n}]
threads = [threading.Thread(target=work, args=(i,)) for i in range({n})]""" + START


def philosophers(n: int, one_right_first: bool) -> str:
    return f"""import threading
forks = [threading.Lock() for _ in range({n})]
def dine(first, second):
    with first:
        with second: pass
pairs = [(forks[i], forks[(i + 1) % {n}]) for i in range({n})]
if {one_right_first}: pairs[0] = pairs[0][::-1]
threads = [threading.Thread(target=dine, args=pair) for pair in pairs]""" + START


def ring(n: int) -> str:
    """Store buffering with an object for each thread, which can change places."""
    return f"""import threading, isospin
class Box:
    def __init__(self): self.v = 0
boxes = [Box() for _ in range({n})]
def work(mine, next):
    mine.v = 1
    r = next.v
threads = [threading.Thread(target=work, args=(boxes[i], boxes[(i + 1) % {n}])) for i in range({n})]
isospin.permutation(threads, boxes)""" + START


def round_table(n: int) -> str:
    text = philosophers(n, False).replace("import threading", "import threading, isospin")
    return text.replace("for pair in pairs]", "for pair in pairs]\nisospin.permutation(threads, forks)")


COUNTS = [
    *((lockers(n), count) for n, count in ((2, 2), (3, 6), (4, 24))),
    *((racy(n), (n + 1) ** (n - 1)) for n in (2, 3)),  # nobody reads the last write
    *((readers(n), 2**n) for n in (1, 2, 3, 4, 5)),
    *((store_buffering(n), 2**n - 1) for n in (2, 3, 4, 5)),
    *((philosophers(n, False), 2**n - 1) for n in (2, 3, 4)),
    *((philosophers(n, True), 2**n - 2) for n in (2, 3, 4)),
]
MORE = [(lockers(5), 120), (lockers(6), 720), (racy(4), 125), (store_buffering(6), 63), (philosophers(5, False), 31),
        (philosophers(5, True), 30)]  # fmt: skip


@pytest.mark.parametrize(("text", "count"), COUNTS)
def test_one_execution_for_each_trace(text: str, count: int, tmp_path: Path) -> None:
    assert executions(tmp_path, text, search="optimal", symmetry="none") == count


@pytest.mark.slow
@pytest.mark.parametrize(("text", "count"), MORE)
def test_one_execution_for_each_trace_of_larger_programs(text: str, count: int, tmp_path: Path) -> None:
    assert executions(tmp_path, text, search="optimal", symmetry="none") == count


ORBITS = [
    *((lockers(n), 1) for n in (2, 3, 4, 5)),
    *((racy(n), count) for n, count in ((2, 2), (3, 6), (4, 24))),
    *((readers(n), n + 1) for n in (1, 2, 3, 4)),
    *((ring(n), count) for n, count in ((2, 2), (3, 3), (4, 5))),
    *((round_table(n), count) for n, count in ((2, 2), (3, 3))),
]


@pytest.mark.parametrize(("text", "most"), ORBITS)
def test_at_most_one_execution_for_each_orbit(text: str, most: int, tmp_path: Path) -> None:
    verdict = checked(tmp_path, text, all_errors=True)
    assert verdict.statistics.executions is not None
    assert verdict.statistics.executions <= most
    assert [v.kind for v in verdict.violations] == (["deadlock"] if "forks" in text else [])


def test_a_wrong_permutation_is_not_believed(tmp_path: Path) -> None:
    """The second box is another one than the first, so the threads cannot be exchanged: nothing is left out."""
    text = ring(2).replace("boxes = [Box() for _ in range(2)]", "boxes = [Box() for _ in range(2)]; boxes[1].v = 5")
    assert executions(tmp_path, text) == executions(tmp_path, text, symmetry="none") == 3


@pytest.mark.parametrize("search", ["dfs", "persistent", "dpor", "optimal"])
def test_all_searches_agree(search: str, tmp_path: Path) -> None:
    assert checked(tmp_path, racy(2) + "assert x == 2\n", search=search).violations[0].kind == "assertion"
    assert checked(tmp_path, lockers(2) + "assert x == 2\n", search=search)


@pytest.mark.parametrize("search", ["random", "pct"])
def test_random_schedules_are_never_complete(search: str, tmp_path: Path) -> None:
    verdict = checked(tmp_path, lockers(2), search=search, max_executions=5)
    assert verdict.outcome.value == "incomplete"
    assert checked(tmp_path, racy(2) + "assert x == 2\n", search=search, max_executions=300).violations


# -------------------------------------------------------------------------------------------------- findings


def test_a_schedule_is_small_and_is_shown_with_its_lines(tmp_path: Path) -> None:
    violation = checked(tmp_path, racy(3) + "assert x >= 2\n").violations[0]
    steps = [Step(s.pid) for s in violation.trace.steps]
    assert switches(steps) <= 4
    assert violation.location.line == 10
    assert {s.statement for s in violation.trace.steps} >= {"r = x", "x = r + 1", "assert x >= 2", "ends"}
    changes = [c for s in violation.trace.steps for c in s.changes]
    assert ("x", (None, "is 0")) in changes
    assert ("x", ("2", "1")) in changes


def test_a_deadlock_says_who_waits_for_whom(tmp_path: Path) -> None:
    message = checked(tmp_path, philosophers(2, False)).violations[0].message
    assert "Thread-1 (dine) waits for Lock forks[1], held by Thread-2 (dine)" in message
    assert "Thread-2 (dine) waits for Lock forks[0], held by Thread-1 (dine)" in message


def test_races_are_warnings_unless_asked_for(tmp_path: Path) -> None:
    verdict = checked(tmp_path, racy(2))
    assert verdict
    assert [d.location.line for d in verdict.warnings] == [5, 6]
    violation = checked(tmp_path, racy(2), races=True).violations[0]
    assert violation.kind == "race"
    assert violation.trace.steps
    assert not checked(tmp_path, lockers(2), races=True).violations


def test_an_endless_loop_is_divergence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "PATIENCE", 0.02)
    assert checked(tmp_path, "while True:\n    n = 1\n").violations[0].kind == "divergence"
    text = "import threading\nt = threading.Thread(target=lambda: 0)\nt.start()\nn = 0\nwhile True:\n    n += 1\n"
    assert checked(tmp_path, text).violations[0].kind == "divergence"


def test_an_exception_before_the_first_step(tmp_path: Path) -> None:
    violation = checked(tmp_path, "x = 1\nx.missing\n").violations[0]
    assert (violation.kind, violation.location.line) == ("exception", 2)
    assert checked(tmp_path, "import sys\nsys.exit(0)\n")
    assert checked(tmp_path, "import sys\nsys.exit(3)\n").violations


def test_polling_loops_end(tmp_path: Path) -> None:
    text = """import queue, threading
q, out = queue.Queue(), []
def work():
    while True:
        try:
            out.append(q.get(timeout=0.1))
            return
        except queue.Empty:
            continue
t = threading.Thread(target=work)
t.start()
q.put(1)
while t.is_alive():
    t.join(0.1)
assert out == [1]
"""
    assert checked(tmp_path, text), checked(tmp_path, text).reason


def test_deadlines_pass(tmp_path: Path) -> None:
    text = """import threading, time
def work(): pass
threading.Thread(target=work).start()
end = time.monotonic() + 5
while time.monotonic() < end: time.sleep(1)
"""
    assert checked(tmp_path, text)


def test_toss_tries_everything(tmp_path: Path) -> None:
    assert executions(tmp_path, "import isospin\nx = [isospin.toss(3) for _ in range(2)]\n") == 9


def test_a_bound_is_named(tmp_path: Path) -> None:
    verdict = checked(tmp_path, racy(3), max_preemptions=1)
    assert (verdict.outcome.value, "preemptions" in verdict.reason) == ("incomplete", True)
    verdict = checked(tmp_path, racy(3), max_depth=5)
    assert (verdict.outcome.value, "max-depth" in verdict.reason) == ("incomplete", True)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("import socket\ns = socket.socket()\ns.close()\n", "socket.socket"),
        ("import subprocess\nsubprocess.run(['true'])\n", "subprocess.run"),
        ("import asyncio\nasync def f(): pass\nasyncio.run(f())\n", "asyncio.runners.run"),
        ("import os\nos.system('true')\n", "system"),
        (
            f"import importlib\nimportlib.import_module('threading').{STARTS}\n",
            "a thread that a library starts",
        ),
    ],
)
def test_what_cannot_be_controlled_is_reported(text: str, call: str, tmp_path: Path) -> None:
    verdict = checked(tmp_path, text)
    assert verdict.outcome.value == "incomplete"
    assert call in verdict.reason
    assert "prog.py:" in verdict.reason


def test_a_program_that_waits_outside_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "PATIENCE", 0.3)
    text = "import os\nmine, yours = os.pipe()\n\n\nos.read(mine, 1)\n"
    verdict = checked(tmp_path, text)
    assert verdict.outcome.value == "incomplete"
    assert "prog.py:5 waits for something that cannot be controlled: os.read(mine, 1)" in verdict.reason


def test_modules_of_the_user_are_fresh_each_time(tmp_path: Path) -> None:
    (tmp_path / "helper_of_prog.py").write_text("value = 0\ndef bump():\n    global value\n    value += 1\n")
    text = """import threading, helper_of_prog
threads = [threading.Thread(target=helper_of_prog.bump) for _ in range(2)]
for t in threads: t.start()
for t in threads: t.join()
assert helper_of_prog.value == 2
"""
    violation = checked(tmp_path, text).violations[0]
    assert violation.trace.steps[0].location.file.endswith("helper_of_prog.py")
    (tmp_path / "helper_of_prog.py").write_text("value = 0\ndef bump(): pass\n")
    assert checked(tmp_path, text.replace("== 2", "== 0"))


def test_globals_bound_while_threads_run_are_shared(tmp_path: Path) -> None:
    text = """import threading
def work(): assert late
t = threading.Thread(target=work)
t.start()
late = 1
t.join()
"""
    assert checked(tmp_path, text).violations[0].message.startswith("NameError")


# -------------------------------------------------------------------------------------------------- command


def test_a_failure_is_saved_and_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, trace = tmp_path / "prog.py", tmp_path / "bug.json"
    file.write_text(racy(2) + "import sys\nassert x == int(sys.argv[1])\n")
    assert main(["check", str(file), "--trace", str(trace), "--json", "--", "2"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["violations"][0]["kind"] == "assertion"
    assert (document["engine"], document["executions"] >= 1) == ("stateless", True)
    assert main(["replay", str(file), str(trace)]) == 1
    shown = capsys.readouterr().out
    assert "r = x" in shown
    assert "assertion: assert x == int(sys.argv[1])" in shown
    file.write_text(racy(2).replace("r + 1", "r + 2"))
    assert main(["replay", str(file), str(trace)]) == 2
    assert "was the program changed?" in capsys.readouterr().err
    assert main(["check", str(file), "--quiet"]) == 0
    assert "holds" in capsys.readouterr().out


def test_mistakes_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SourceError, match=r"prog\.py:2:.*syntax error"):
        checked(tmp_path, "x = 1\ny = (\n")
    with pytest.raises(SourceError, match=r"prog\.py:1:1.*encoding"):
        checked(tmp_path, "# coding: nothing\n")
    with pytest.raises(UsageError, match="cannot read"):
        check(tmp_path / "nothing.py")
    with pytest.raises(UsageError, match="available"):
        checked(tmp_path, "", search="bfs")
    with pytest.raises(UsageError, match="available"):
        checked(tmp_path, "", no_such_option=1)
    monkeypatch.setattr(scheduler, "greenlet", None)
    with pytest.raises(UsageError, match="pip install greenlet"):
        program.PythonProgram("x.py")


def test_options_of_models_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "prog.py"
    file.write_text("x = 1\n")
    for option in (["--permutation", "swap"], ["--engine", "explicit"], ["-D", "N=3"], ["--max-states", "5"]):
        assert main(["check", str(file), *option]) == 2
        told = capsys.readouterr().err
        assert f"{option[0]} is for models" in told
        assert ("isospin.permutation(threads" in told) == (option[0] == "--permutation")  # what to write instead


def test_an_interrupt_is_not_a_failure_of_the_program(tmp_path: Path) -> None:
    verdict = checked(tmp_path, "import threading\nlock = threading.Lock()\nlock.acquire()\nraise KeyboardInterrupt\n")
    assert (verdict.outcome.value, verdict.reason) == ("incomplete", "interrupted")


def test_same_input_same_output(tmp_path: Path) -> None:
    text = racy(3) + "assert x == 3\n"
    first, second = checked(tmp_path, text), checked(tmp_path, text)
    assert first.violations[0].trace.choices == second.violations[0].trace.choices
    assert first.statistics.transitions == second.statistics.transitions


def test_a_program_that_changes_from_run_to_run_is_told(tmp_path: Path) -> None:
    """Its threads depend on a counter that outlives executions."""
    (tmp_path / "counter").write_text("0")
    text = """
import threading, pathlib
counter = pathlib.Path(__file__).with_name("counter")
n = int(counter.read_text())
counter.write_text(str(n + 1))
x = 0
def work():
    global x
    for _ in range(1 + n % 3):
        v = x
        x = v + 1
threads = [threading.Thread(target=work) for _ in range(2 + n % 2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
"""
    verdict = checked(tmp_path, text, symmetry="none")
    assert verdict.outcome.value == "incomplete"
    assert "same schedule" in verdict.reason
