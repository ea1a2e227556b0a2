"""A program that waits where the scheduler cannot see it would wait for ever: an alarm ends it, and says where."""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType
from typing import Any

PATIENCE = 10.0  # seconds without a step and without work


class Blocked(BaseException):
    """Raised in a thread of the program that waits for something outside."""


class Watchdog:
    """Looks now and then whether the program still does something.  Only the main thread of a process can have one."""

    def __init__(self) -> None:
        self.steps = 0  # counted by the host
        self.seen = (0, 0.0, 0.0)  # steps, time and CPU time when they changed last
        self.before: Any = None
        self.active = False

    def start(self) -> None:
        """Look from time to time, if the alarm is ours to use."""
        if self.active:
            return
        free = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
        if not free or signal.getsignal(signal.SIGALRM) not in (signal.SIG_DFL, None):
            return
        self.before = signal.signal(signal.SIGALRM, self.look)
        self.seen = (self.steps, time.monotonic(), time.process_time())
        signal.setitimer(signal.ITIMER_REAL, PATIENCE / 4, PATIENCE / 4)
        self.active = True

    def stop(self) -> None:
        if self.active:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self.before)
            self.active = False

    def look(self, _: int, __: FrameType | None) -> None:
        """No step and hardly any work for too long: something outside of our control waits."""
        now, cpu = time.monotonic(), time.process_time()
        steps, since, used = self.seen
        if steps != self.steps or cpu - used > 0.1 * (now - since):
            self.seen = (self.steps, now, cpu)
        elif now - since > PATIENCE:
            self.seen = (self.steps, now, cpu)
            raise Blocked
