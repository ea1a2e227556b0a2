"""One deadline for all that a command does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType

import pytest

from isospin.core import deadline
from isospin.core.deadline import TimeIsOver, stretch, within


def work(seconds: float = 60.0) -> None:
    """Nothing, without asking; bounded, so that a test that fails ends."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Each test leaves the timer as it was."""
    before = signal.getsignal(signal.SIGALRM)
    yield
    assert signal.getsignal(signal.SIGALRM) is before
    assert not deadline._alarm.limits


def test_a_stretch_is_left_where_it_is() -> None:
    said = r"time limit: 0\.05 s \(--max-time\), while counting"
    with within(0.05), pytest.raises(TimeIsOver, match=said), stretch("counting"):
        work()


def test_without_a_limit_nothing_is_left() -> None:
    with within(None), stretch("counting"):
        work(0.01)
    assert deadline.remaining() is None
    assert deadline.reason() == ""
    assert not deadline.is_over()
    deadline.check()


def test_the_limit_that_ends_first_counts() -> None:
    with within(50), within(100):
        assert (deadline.remaining() or 0) <= 50
    with within(100), within(50):
        assert (deadline.remaining() or 0) <= 50
    assert deadline.remaining() is None


def ask_for_ever() -> None:
    while True:
        deadline.check()


def test_a_loop_asks() -> None:
    with within(0.01), pytest.raises(TimeIsOver, match="while searching"):
        ask_for_ever()


def test_nothing_begins_when_the_time_is_over() -> None:
    with within(0.0), pytest.raises(TimeIsOver, match="while reading"), stretch("reading"):
        pytest.fail("it began")


def test_a_share_leaves_time_for_the_rest() -> None:
    with within(100):
        with pytest.raises(TimeIsOver), stretch("finding symmetries", share=0.0005):
            work()
        assert not deadline.is_over()
        deadline.check()


def test_who_asks_in_time_is_not_interrupted() -> None:
    with within(0.01), stretch("searching", grace=60):
        while not deadline.is_over():
            pass
        work(0.02)


def test_stretches_inside_stretches() -> None:
    def work_inside() -> None:
        with stretch("inner"):
            pass
        work()

    with within(0.1), pytest.raises(TimeIsOver, match="while outer"), stretch("outer"):
        work_inside()


class Careless:
    def __del__(self) -> None:
        work()


def test_an_exception_that_gets_lost_is_raised_again(monkeypatch: pytest.MonkeyPatch) -> None:
    lost: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: lost.append(type(what.exc_value)))

    def drop_and_work() -> None:
        Careless()
        work()

    with within(0.05), pytest.raises(TimeIsOver), stretch("counting"):
        drop_and_work()
    assert lost == [TimeIsOver]


def test_the_timer_of_somebody_else_comes_back() -> None:
    heard: list[int] = []

    def hear(number: int, _: FrameType | None) -> None:
        heard.append(number)

    before = signal.signal(signal.SIGALRM, hear)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with within(100), stretch("reading"):
            work(0.1)
        end = time.monotonic() + 60
        while not heard and time.monotonic() < end:
            pass
        assert heard
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_in_another_thread_it_must_ask() -> None:
    said: list[str] = []

    def count() -> None:
        try:
            with within(0.01), stretch("counting"):
                ask_for_ever()
        except TimeIsOver as over:
            said.append(str(over))

    thread = threading.Thread(target=count)
    thread.start()
    thread.join(60)
    assert said == ["time limit: 0.01 s (--max-time), while counting"]


# ------------------------------------------------------------------------------------------------ other processes

SHELL = ["sh", "-c", "sleep 600 & echo $!; wait"]  # a process that starts another one


def is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(pid: int) -> bool:
    end = time.monotonic() + 60
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not is_alive(pid)


def test_a_command_that_ends() -> None:
    with within(100):
        done = deadline.run(["sh", "-c", "echo out; echo err >&2; exit 3"], "trying")
    assert (done.stdout, done.stderr, done.returncode) == ("out\n", "err\n", 3)


def test_a_command_is_ended_with_all_that_it_started(tmp_path: object) -> None:
    file = f"{tmp_path}/pid"
    with within(0.5), pytest.raises(TimeIsOver, match="while compiling"):
        deadline.run(["sh", "-c", f"sleep 600 & echo $! >{file}; wait"], "compiling")
    with open(file) as text:
        assert gone(int(text.read()))


def test_a_child_that_does_not_keep_the_deadline_is_ended() -> None:
    child = subprocess.Popen(SHELL, stdout=subprocess.PIPE, text=True, start_new_session=True)
    with within(0.2), deadline.ending(child, grace=0.0):
        assert child.stdout is not None
        pid = int(child.stdout.readline())
        assert child.stdout.read() == ""  # to its end
        child.stdout.close()
    assert child.wait() == -signal.SIGKILL
    assert gone(pid)


def test_commands_side_by_side_come_back_in_order() -> None:
    commands = [["sh", "-c", f"echo out {n}; echo err {n} >&2; exit {n}"] for n in range(5)]
    done = deadline.run_all(commands, "trying")
    assert [(d.returncode, sorted(d.stderr.split("\n"))) for d in done] == [
        (n, ["", f"err {n}", f"out {n}"]) for n in range(5)
    ]


def test_commands_side_by_side_are_ended_with_all_that_they_started(tmp_path: object) -> None:
    files = [f"{tmp_path}/{n}" for n in range(2)]
    with within(0.5), pytest.raises(TimeIsOver, match="while compiling"):
        deadline.run_all([["sh", "-c", f"sleep 600 & echo $! >{file}; wait"] for file in files], "compiling")
    begun = [file for file in files if os.path.exists(file)]  # one core: one at a time
    assert begun
    for file in begun:
        with open(file) as text:
            assert gone(int(text.read()))
