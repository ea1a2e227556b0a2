"""Runs programs on the real interpreter, with real threads that are switched at random bytecodes.

    python forced.py RUNS PROGRAM...

prints one line for each program: how many of the runs failed, and how.  One thread has the baton at a time; before
each bytecode, of the program and of every library in Python, it may have to hand it on.
"""

from __future__ import annotations

import functools
import gc
import os
import random
import subprocess
import sys
import threading
from types import CodeType, FrameType, ModuleType
from typing import Any

PATIENCE = 20.0
OWN = (__file__, threading.__file__, random.__file__)  # what is done while a thread hands the baton on
RealLock = threading.Lock


class Baton:
    def __init__(self, seed: int, chance: float) -> None:
        self.random, self.chance = random.Random(seed), chance
        self.turns: dict[int, Any] = {}  # a lock for each thread: it is free when the thread may go on
        self.living: list[int] = []
        self.failed: list[str] = []

    def pass_on(self, me: int, leaving: bool = False) -> None:
        others = [n for n in self.living if n != me]
        if not others:
            return
        self.turns[self.random.choice(others)].release()
        if not leaving and not self.turns[me].acquire(timeout=PATIENCE):
            os._exit(3)  # somebody holds a lock that we do not know

    def point(self, me: int) -> None:
        if self.random.random() < self.chance:
            self.pass_on(me)


class Forced(threading.Thread):
    """A thread that waits for the baton before each bytecode."""

    baton: Baton

    def start(self) -> None:
        baton = Forced.baton
        self.number = len(baton.turns)
        baton.turns[self.number] = RealLock()
        baton.turns[self.number].acquire()
        baton.living.append(self.number)
        super().start()

    def run(self) -> None:
        baton, me = Forced.baton, self.number
        baton.turns[me].acquire()
        sys.settrace(self.trace)
        try:
            super().run()
        except BaseException as error:
            baton.failed.append(f"{type(error).__name__}: {error}")
        finally:
            sys.settrace(None)
            baton.living.remove(me)
            baton.pass_on(me, leaving=True)

    def trace(self, frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename in OWN:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            Forced.baton.point(self.number)
        return self.trace

    def join(self, timeout: float | None = None) -> None:
        baton = Forced.baton
        if not hasattr(baton, "begun"):
            baton.begun = True  # type: ignore[attr-defined]
            baton.turns[baton.random.choice(baton.living)].release()
        super().join(timeout)


class Lock:
    """Hands the baton on while it is taken."""

    def __init__(self) -> None:
        self.inner = RealLock()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        while not self.inner.acquire(False):
            here = threading.current_thread()
            assert isinstance(here, Forced)
            Forced.baton.pass_on(here.number)
        return True

    def release(self) -> None:
        self.inner.release()

    __enter__ = acquire

    def __exit__(self, *_: object) -> None:
        self.release()


class RLock(Lock):
    """The lock of a cached property, and those of packages."""

    def __init__(self) -> None:
        super().__init__()
        self.owner, self.count = 0, 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        if self.owner != threading.get_ident():
            super().acquire()
            self.owner = threading.get_ident()
        self.count += 1
        return True

    def release(self) -> None:
        self.count -= 1
        if not self.count:
            self.owner = 0
            super().release()

    __enter__ = acquire


def fails(files: list[str], runs: int) -> dict[str, str]:
    """What goes wrong in these programs, in a process of their own; empty if nothing does."""
    command = [sys.executable, __file__, str(runs), *files]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t", 2) for line in done.stdout.splitlines()]
    assert len(rows) == len(files)
    return {file: said for file, _, said in rows}


def run(code: CodeType, seed: int) -> str:
    """What went wrong, or nothing."""
    baton = Forced.baton = Baton(seed, (0.02, 0.05, 0.1, 0.3)[seed % 4])
    stand_in = ModuleType("threading")
    vars(stand_in).update(vars(threading), Thread=Forced, Lock=Lock, RLock=RLock)
    sys.modules["threading"] = stand_in
    before = set(sys.modules)
    try:
        exec(code, {"__name__": "__main__", "__file__": "program.py"})
    except AssertionError as error:
        return f"AssertionError: {error}"
    finally:
        sys.modules["threading"] = threading
        for name in set(sys.modules) - before:
            if name not in sys.stdlib_module_names:  # a package has the locks of this run
                del sys.modules[name]
    return baton.failed[0] if baton.failed else ""


def main() -> None:
    most, files = int(sys.argv[1]), sys.argv[2:]
    sys.setswitchinterval(1000)
    gc.disable()  # it may run Python code in the middle of any call, if there are callbacks of weak references
    if hasattr(functools, "RLock"):
        functools.RLock = RLock
    for file in files:
        with open(file) as text:
            code = compile(text.read(), file, "exec")
        said, runs = "", 0
        while runs < most and not said:
            said = run(code, runs)
            runs += 1
            gc.collect() if runs % 50 == 0 else None
        print(f"{file}\t{runs}\t{said}", flush=True)


if __name__ == "__main__":
    main()
