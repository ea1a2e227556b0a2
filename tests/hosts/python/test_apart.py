"""A program runs in a process of its own: whatever it does to that process, the verdict is no accident."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from isospin.cli import main
from isospin.core.deadline import within
from isospin.core.errors import InternalError, SourceError
from isospin.core.verdict import Outcome
from isospin.pipeline.programs import python as programs
from isospin.pipeline.programs import road
from isospin.pipeline.programs.apart import RecordReader, RecordWriter, apart
from isospin.pipeline.programs.python import check_program
from isospin.pipeline.settings import ProgramOptions

HOSTILE = {
    "leaves": ("import os\nos._exit(0)", "os._exit at {file}:2"),
    "leaves in a thread": ("import os, threading\nthreading.Thread(target=os._exit, args=(0,)).start()", "os._exit"),
    "leaves and catches that": (
        "import os\ntry: os._exit(0)\nexcept BaseException: pass\nassert False", "os._exit at {file}:2"
    ),
    "leaves by C": ("import ctypes\nctypes.CDLL(None)._exit(0)", "ended the process that it runs in (status 0)"),
    "closes all files": ("import os\nos.closerange(0, 70000)", "os.closerange at {file}:2"),
    "closes all files by C": (
        "import ctypes\nfor i in range(1100): ctypes.CDLL(None).close(i)\nwhile True: pass", "closed a file"
    ),
    "closes its output": ("import os\nos.close(1)", "os.close of a file that the program did not open at {file}:2"),
    "deletes a builtin": ("import builtins\ndel builtins.len", "changing builtins.len at {file}:2"),
    "replaces a builtin": ("import builtins\nbuiltins.print = 1", "changing builtins.print at {file}:2"),
    "traces": ("import sys\ndef t(*a): raise ValueError\nsys.settrace(t)", "sys.settrace at {file}:3"),
    "kills itself": ("import os\nos.kill(os.getpid(), 9)", "os.kill at {file}:2"),
    "kills itself by C": ("import ctypes\nctypes.CDLL(None)['raise'](9)", "ended by SIGKILL"),
    "stops itself by C": ("import ctypes\nctypes.CDLL(None)['raise'](19)", "stopped its own process (SIGSTOP)"),
    "crashes": ("import ctypes\ndef f():\n    ctypes.string_at(0)\nf()", "crashed (SIGSEGV) at {file}:3"),
    "is copied": ("import os\nfor _ in range(3): os.fork()", "fork at {file}:2"),
}  # fmt: skip
ENDLESS = {
    "in C": "sum(range(10**12))",
    "printing": "for i in range(10**12): print(i)",
    "catching everything": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "sleeping": "import ctypes\nctypes.CDLL(None).sleep(1000)",
}


def written(folder: Path, text: str) -> Path:
    path = folder / "program.py"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", HOSTILE)
def test_the_verdict_is_no_accident(name: str, tmp_path: Path) -> None:
    text, said = HOSTILE[name]
    path = written(tmp_path, text)
    verdict = check_program(path, ProgramOptions(max_time=60))
    assert verdict.outcome is Outcome.INCOMPLETE, verdict
    assert said.format(file=path) in verdict.reason


def test_the_command_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(written(tmp_path, HOSTILE["leaves by C"][0]))]) == 3
    assert "ended the process" in capsys.readouterr().out


def test_what_was_searched_is_told_whatever_comes_behind_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the process is asked to end while it makes its answer."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(road, "_confirm_all", interrupted)
    text = "import threading\nx = []\nfor i in 1, 2: threading.Thread(target=x.append, args=(i,)).start()"
    verdict = check_program(written(tmp_path, text), ProgramOptions(symmetry="none"))
    assert (verdict.outcome, verdict.statistics.executions) == (Outcome.INCOMPLETE, 2)


@pytest.mark.parametrize("name", ENDLESS)
def test_the_time_is_kept(name: str, tmp_path: Path) -> None:
    verdict = check_program(written(tmp_path, ENDLESS[name]), ProgramOptions(max_time=0.5))
    assert (verdict.outcome, verdict.reason) == (
        Outcome.INCOMPLETE, "time limit: 0.5 s (--max-time), while searching"
    )  # fmt: skip


def test_nothing_of_the_program_remains(tmp_path: Path) -> None:
    text = f"""
import os, subprocess, sys
child = subprocess.Popen(["sleep", "1000"])
if os.fork() == 0:
    open({str(tmp_path / "copy")!r}, "a").write(f"{{os.getpid()}}\\n")
    while True: pass
open({str(tmp_path / "child")!r}, "a").write(f"{{child.pid}}\\n")
"""
    assert check_program(written(tmp_path, text), ProgramOptions(max_time=60)).outcome is Outcome.INCOMPLETE
    for name in ("child", "copy"):
        for pid in (tmp_path / name).read_text().split() if (tmp_path / name).exists() else ():
            until = time.monotonic() + 30
            while Path(f"/proc/{pid}/stat").exists() and time.monotonic() < until:
                if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                    break  # dead, and not yet waited for by whoever has it now
                time.sleep(0.05)
            else:
                assert not Path(f"/proc/{pid}").exists(), name


@pytest.fixture
def interruptible() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("rest", ["for _ in range(10**12): pass", "sum(range(10**12))"])
def test_an_interrupt_gives_what_was_found(rest: str, tmp_path: Path) -> None:
    """The first failure is known when the interrupt comes; the program does not come to an end by itself."""
    started = tmp_path / "started"
    text = f"""
import isospin
if isospin.toss(2) == 0:
    raise ValueError("found")
open({str(started)!r}, "w").close()
{rest}
"""
    done = threading.Event()

    def interrupt() -> None:
        while not done.is_set() and not started.exists():
            time.sleep(0.01)
        if not done.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        verdict = check_program(written(tmp_path, text), ProgramOptions(all_errors=True, max_time=300))
    finally:
        done.set()
        thread.join()
    assert verdict.outcome is Outcome.VIOLATED
    assert [v.message for v in verdict.violations] == ["ValueError: found"]
    assert verdict.violations[0].trace.steps
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_errors_of_ours_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "x = 1")

    def wrong(*_: Any) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(programs.PythonHost, "learn", wrong)
    with pytest.raises(InternalError, match="ValueError: a bug"):
        check_program(path, ProgramOptions())
    assert main(["check", str(path)]) == 4


def test_mistakes_in_the_source_are_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        check_program(written(tmp_path, "def f(:\n"), ProgramOptions())
    assert caught.value.diagnostics[0].location.line == 1


def test_what_is_changed_of_the_process_is_put_back(tmp_path: Path) -> None:
    text = """
import os, sys, threading
assert "ISOSPIN_LEFT" not in os.environ and os.getcwd() != "/" and sys.getrecursionlimit() != 777
os.environ["ISOSPIN_LEFT"] = "1"
os.chdir("/")
sys.setrecursionlimit(777)
lock = threading.Lock()
def work():
    with lock: pass
threads = [threading.Thread(target=work, name=str(i), args=()) for i in range(2)]
for t in threads: t.start()
for t in threads: t.join()
"""
    verdict = check_program(written(tmp_path, text), ProgramOptions(symmetry="none"))
    assert verdict.outcome is Outcome.HOLDS, verdict.reason or verdict.violations
    assert verdict.statistics.executions == 2


# ------------------------------------------------------------------------------------------------ records


def test_records_that_are_not_ours_are_refused() -> None:
    reading, writing = os.pipe()
    key = bytes(16)
    channel = RecordWriter(writing, key)
    for number in range(3):
        channel.send("progress", number)
    data = os.read(reading, 1 << 16)
    os.close(reading)
    os.close(writing)
    assert [what for _, what in RecordReader(key).take(data)] == [0, 1, 2]
    records = RecordReader(key)
    assert [what for byte in data for _, what in records.take(bytes([byte]))] == [0, 1, 2]
    size = len(data) // 3
    for place in range(len(data)):
        wrong = bytearray(data)
        wrong[place] ^= 1
        got: list[int] = []
        try:
            for _, what in RecordReader(key).take(bytes(wrong)):
                got.append(what)
        except ValueError:
            pass
        assert got == list(range(place // size)), place  # those before it, and none after
    with pytest.raises(ValueError, match="did not open"):
        list(RecordReader(key).take(data[size:]))  # one is missing


def test_an_answer_and_none() -> None:
    assert apart(lambda channel: 42).answer == 42
    told: list[tuple[str, int]] = []

    def work(channel: RecordWriter) -> None:
        channel.send("first", 1)
        os.kill(os.getpid(), signal.SIGKILL)

    ended = apart(work, lambda kind, what: told.append((kind, what)))
    assert (ended.complete, told) == (False, [("first", 1)])
    with within(0.2):
        ended = apart(lambda channel: time.sleep(1000))
    assert not ended.complete
    assert "time limit" in ended.why
