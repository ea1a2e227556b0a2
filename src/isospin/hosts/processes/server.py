"""The processes that really run: a server forks one when it is needed, which is told the answers that it got before.

A process stays where it is until somebody wants to know how it goes on from there; the oldest ones are given up.
"""

from __future__ import annotations

import os
import select
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ...core import deadline
from ...core.errors import UsageError
from .constants import ANSWER, CALL
from .system.points import LAST, Answer, Point, Request, SystemCall

MOST_ALIVE = 24
CPU_SECONDS = 2  # without a call: the process goes round and round
PATIENCE = 20.0  # seconds without a call and without an end: it waits for something that nobody controls


class UncontrollableProcess(Exception):
    """The program does something that cannot be controlled; the message says what."""


class _Alive:
    """A process, and its channel."""

    def __init__(self, channel: socket.socket, output: int) -> None:
        self.channel, self.output, self.shown = channel, output, 0

    def receive(self) -> Request:
        header = self.exactly(CALL.size)
        kind, place, *args, stored, size = CALL.unpack(header)
        data = self.exactly(stored + size)
        call = SystemCall(kind.rstrip(b"\0").decode(), tuple(args), data[stored:], place)
        return Request(call, data[:stored], self.written())

    def written(self) -> bytes:
        """What was printed since the last call."""
        found = os.pread(self.output, 1 << 16, self.shown)
        self.shown += len(found)
        return found

    def exactly(self, size: int) -> bytes:
        """So many bytes from the process; raises if it waits or ends where we cannot see why."""
        found = b""
        while len(found) < size:
            left = deadline.remaining()
            if not select.select([self.channel], [], [], PATIENCE if left is None else min(left, PATIENCE))[0]:
                if deadline.is_over():
                    raise deadline.TimeIsOver(deadline.reason())
                raise UncontrollableProcess("a process waits for something that cannot be controlled")
            try:
                part = self.channel.recv(size - len(found))
            except ConnectionError:
                part = b""
            if not part:
                raise UncontrollableProcess("a process ended in a way that was not seen: was it killed from outside?")
            found += part
        return found

    def answer(self, answer: Answer) -> None:
        with suppress(ConnectionError):  # then it says nothing any more, either
            self.channel.sendall(ANSWER.pack(answer.value, answer.error, len(answer.data)) + answer.data)

    def close(self) -> None:
        self.channel.close()
        os.close(self.output)


class ProcessServer:
    """Runs the processes: each to its next call, as often as is asked for."""

    def __init__(self, executable: Path, arguments: Sequence[str] = (), seconds: int = CPU_SECONDS) -> None:
        self.executable, self.arguments, self.seconds = executable, arguments, seconds
        self.process: subprocess.Popen[bytes] | None = None
        self.channel: socket.socket | None = None
        self.standing: dict[Point, _Alive] = {}
        self.latest: _Alive | None = None
        self.started = 0  # processes

    # ---------------------------------------------------------------- processes

    def start(self) -> socket.socket:
        """Start the program; its first process serves us over the socket that is returned."""
        ours, theirs = socket.socketpair()
        environment = {**os.environ, "ISOSPIN_PROCESSES": str(theirs.fileno()), "ISOSPIN_SECONDS": str(self.seconds)}
        self.process = subprocess.Popen(
            [str(self.executable), *self.arguments], env=environment, pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        theirs.close()
        self.channel = ours
        return ours

    def fresh(self) -> _Alive:
        """A process at its beginning."""
        server = self.channel or self.start()
        ours, theirs = socket.socketpair()
        output = os.memfd_create("output", os.MFD_CLOEXEC)
        try:
            socket.send_fds(server, [b"+"], [theirs.fileno(), output])
        except OSError:
            raise UsageError(f"{self.executable} cannot be started under control") from None
        finally:
            theirs.close()
        self.started += 1
        return _Alive(ours, output)

    def close(self) -> None:
        """End the server and all processes that it still keeps."""
        for alive in (*self.standing.values(), *([self.latest] if self.latest else [])):
            alive.close()
        self.latest = None
        self.standing.clear()
        if self.channel is not None:
            self.channel.close()
            self.channel = None
        if self.process is not None:
            deadline.end_group(self.process.pid)  # whatever they are doing
            self.process.wait()
            self.process = None

    # ---------------------------------------------------------------- going on

    def run(self, point: Point | None, answer: Answer) -> Request:
        """How does the process that stands at a point go on with an answer?  None: at its beginning."""
        alive = self.latest = self.fresh() if point is None else self.at(point)
        if point is not None:
            alive.answer(answer)
        return alive.receive()

    def stands(self, point: Point) -> None:
        """The process that was run last stands at a point now."""
        assert self.latest is not None
        while len(self.standing) >= MOST_ALIVE:
            self.standing.pop(next(iter(self.standing))).close()
        if point.call.kind in LAST:
            self.latest.close()
        else:
            self.standing[point] = self.latest
        self.latest = None

    def at(self, point: Point) -> _Alive:
        alive = self.standing.pop(point, None)
        return alive if alive is not None else self.again(point)

    def again(self, point: Point) -> _Alive:
        """A new process, led to the point."""
        alive = self.fresh()
        asked = alive.receive()
        for before, answer in point.history():
            self.expect(asked, before)
            alive.answer(answer)
            asked = alive.receive()
        self.expect(asked, point)
        return alive

    def expect(self, asked: Request, point: Point) -> None:
        """SOUND: a process that does not do the same again depends on something that nobody controls."""
        if (asked.call, asked.stored) != (point.call, point.stored):
            raise UncontrollableProcess(
                f"a process does {asked.call.kind} where it did {point.call.kind} before with the same answers: it "
                "depends on something that is not the same in each run"
            )
