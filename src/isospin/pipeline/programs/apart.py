"""Work that executes a stranger's program is done in a process of its own, which tells by records what it finds.

The program can end, break or stop that process, close its files and change what Python itself consists of; whoever
asked for the work sees that, and goes by complete records alone: each is sealed with a key, and numbered.
SOUND: what was not recorded is not known, so a process that vanished never means `holds`.

The process is a copy of this one (`fork`): functions, closures and modules are there at once, and nothing of ours is
lost if the program destroys them.  It leads a process group, which is ended with it.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import hashlib
import io
import os
import pickle
import re
import resource
import select
import signal
import struct
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from ...core.deadline import end_group, reason, remaining
from ...core.errors import InternalError, IsospinError

HEAD = struct.Struct("<IQ16s")  # size, number, seal
HIGHEST = 1000  # where the channel is moved to, out of the way of a program that closes what it did not open
GRACE = 1.0  # seconds to come to an end when asked to
GLANCE = 0.2  # seconds: how often we look whether the process is still there
SLACK = 0.2  # seconds: it knows by itself when the time is over, and is on its way to say what it has
ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # for us to stop
PR_SET_PDEATHSIG = 1
SPEECHLESS = 97  # status of a child that cannot say what it found
CLOSED = "the program closed a file that it did not open"
PACKAGE = __name__.partition(".")[0] + "."
leave = os._exit  # as it is before a program is checked, in which it has a stand-in
DONE, FAILED, BROKEN = "done", "failed", "broken"  # the last record is one of these

Work = Callable[["RecordWriter"], Any]
Listener = Callable[[str, Any], None]


class WorkEnd(NamedTuple):
    """How the work ended: with an answer, or without one, and why."""

    answer: Any = None
    why: str = ""  # it has none, or was asked to come to an end
    complete: bool = False


def apart(work: Work, listener: Listener = lambda kind, what: None, seconds: float | None = None) -> WorkEnd:
    """Do the work in a process of its own; `listener` gets its records.  Errors of ours in it are raised here."""
    limit = remaining() if seconds is None else seconds
    return _Parent(listener, limit).follow(work)


# ------------------------------------------------------------------------------------------------ records


def _seal(key: bytes, number: int, body: bytes) -> bytes:
    return hashlib.blake2b(struct.pack("<Q", number) + body, key=key, digest_size=16).digest()


class RecordWriter:
    """The end on which records are written."""

    def __init__(self, file: int, key: bytes) -> None:
        self.file, self.key = file, key
        self.number = 0
        self.owner = os.getpid()
        self.stopping: Callable[[], None] = lambda: None  # called when we are asked to come to an end
        self.stopped = False

    def send(self, kind: str, what: Any = None) -> None:
        """A whole record or none; a copy of the process that the program made is silent."""
        if os.getpid() != self.owner:  # a copy of us that the program has made
            leave(0)
        body = pickle.dumps((kind, what))
        left = memoryview(HEAD.pack(len(body), self.number, _seal(self.key, self.number, body)) + body)
        self.number += 1
        signals = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGALRM])  # all of it, or nothing
        try:
            while left:
                left = left[os.write(self.file, left) :]
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, signals)

    def stop(self, *_: Any) -> None:
        self.stopped = True
        self.stopping()
        raise KeyboardInterrupt


class _Reader(pickle.Unpickler):
    """Reads what is ours, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if not module.startswith(PACKAGE):
            raise pickle.UnpicklingError(f"{module}.{name} in a record")
        return super().find_class(module, name)


class RecordReader:
    """The other end: bytes come in, complete records go out."""

    def __init__(self, key: bytes) -> None:
        self.key, self.number, self.bytes = key, 0, b""

    def take(self, data: bytes) -> Iterator[tuple[str, Any]]:
        """The records that are complete by now; what is not ours, or not in order, is damage."""
        self.bytes += data
        while len(self.bytes) >= HEAD.size:
            size, number, sealed = HEAD.unpack_from(self.bytes)
            body = self.bytes[HEAD.size : HEAD.size + size]
            if number != self.number or (len(body) == size and _seal(self.key, number, body) != sealed):
                raise ValueError("the program wrote into a file that it did not open")
            if len(body) < size:
                return
            self.bytes = self.bytes[HEAD.size + size :]
            self.number += 1
            yield _Reader(io.BytesIO(body)).load()


# ------------------------------------------------------------------------------------------------ the child


def child(work: Work, channel: RecordWriter, crash: int, parent: int) -> NoReturn:
    """The new process.  It never comes back into the code that it is a copy of."""
    status = SPEECHLESS
    try:
        prepare(channel, crash, parent)
        tell(work, channel)
        status = 0
    except BaseException:  # the channel is gone, or too much is broken to say anything
        pass
    finally:
        leave(status)


def prepare(channel: RecordWriter, crash: int, parent: int) -> None:
    """What the child does before it runs a stranger's program: a group, silence, signals, and no life without us."""
    with suppress(OSError):
        os.setpgid(0, 0)
    LIBC.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:
        leave(1)
    for file, mode in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
        nothing = os.open(os.devnull, mode)
        os.dup2(nothing, file)
        if nothing != file:
            os.close(nothing)
    for number in (*ASKING, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, channel.stop)
    signal.set_wakeup_fd(-1)
    faulthandler.enable(crash)
    gc.freeze()


def tell(work: Work, channel: RecordWriter) -> None:
    """Do the work and send its last record: an answer, a mistake of the user, or an error of ours."""
    try:
        last = DONE, work(channel)
    except IsospinError as error:
        last = FAILED, error
    except KeyboardInterrupt:
        last = BROKEN, ""
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        said = "".join(traceback.format_exception_only(error)).strip()
        last = BROKEN, f"{said} ({os.path.basename(place.filename)}:{place.lineno})"
    with suppress(KeyboardInterrupt):  # asked too late: it is all done
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel.send(*last)


LIBC = ctypes.CDLL(None)


# ------------------------------------------------------------------------------------------------ the parent


class _Parent:
    """Starts a child, reads what it says, and sees to it that it ends."""

    def __init__(self, listener: Listener, limit: float | None) -> None:
        self.listener = listener
        self.end = None if limit is None else time.monotonic() + limit
        self.until: float | None = None  # asked to come to an end, it has time until then
        self.why = ""  # it was asked to
        self.key = os.urandom(16)
        self.records = RecordReader(self.key)
        self.last: tuple[str, Any] | None = None
        self.status: int | None = None
        self.pid = self.file = self.crash = -1

    def follow(self, work: Work) -> WorkEnd:
        try:
            with self.asked_to_stop():
                self.start(work)
                while self.last is None and self.goes_on():
                    pass
        finally:
            self.finish()
        return self.ended()

    def start(self, work: Work) -> None:
        """Fork the child; both have the key by which records are sealed."""
        self.crash = os.memfd_create("crash", os.MFD_CLOEXEC)
        self.file, theirs = os.pipe()
        theirs = moved(theirs)
        os.set_blocking(self.file, False)
        me = os.getpid()
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # that there are threads; the child has only this one
            self.pid = os.fork()
        if not self.pid:
            os.close(self.file)
            child(work, RecordWriter(theirs, self.key), self.crash, me)
        os.close(theirs)
        with suppress(OSError):  # both do it, so that it is done whoever comes first
            os.setpgid(self.pid, self.pid)

    @contextmanager
    def asked_to_stop(self) -> Iterator[None]:
        """Who wants us to stop gets what was found so far; a signal that nobody handles does what it always does."""
        mine = threading.current_thread() is threading.main_thread()
        before = {s: signal.getsignal(s) for s in ASKING} if mine else {}
        before = {s: handler for s, handler in before.items() if callable(handler)}
        for number in before:
            signal.signal(number, self.interrupted)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def goes_on(self) -> bool:
        """One look at the child; False if nothing more is to come."""
        ready = select.select([self.file], [], [], self.patience())[0]
        data = self.read() if ready else None
        if not data and self.has_ended():
            while data := self.read():  # what it said before
                self.take(data)
            return False
        if data:
            self.take(data)
        elif data == b"" and not self.ends_soon():
            self.stop(CLOSED)
        now = time.monotonic()
        if self.end is not None and now >= self.end + SLACK:
            self.stop(reason("searching") or "there was no more time")
        return self.until is None or now < self.until

    def ends_soon(self) -> bool:
        """Nobody can write any more: is the child just about to end?"""
        until = time.monotonic() + GRACE
        while not self.has_ended() and time.monotonic() < until:
            time.sleep(GLANCE / 20)
        return self.has_ended()

    def patience(self) -> float:
        ends = [end - time.monotonic() for end in (self.end, self.until) if end is not None]
        return max(min([GLANCE, *(e for e in ends if e > 0)]), 0.001)

    def read(self) -> bytes | None:
        """What is there; empty if nobody can write any more, None if nothing is there."""
        try:
            return os.read(self.file, 1 << 20)
        except BlockingIOError:
            return None

    def take(self, data: bytes) -> None:
        """Pass records on; damage ends the work."""
        try:
            for kind, what in self.records.take(data):
                if kind in (DONE, FAILED, BROKEN):
                    self.last = kind, what
                else:
                    self.listener(kind, what)
        except (ValueError, pickle.UnpicklingError) as error:
            self.why = str(error)
            self.until = 0.0

    def stop(self, why: str) -> None:
        """Ask the child to come to an end."""
        if self.until is None:
            self.why, self.until = why, time.monotonic() + GRACE
            if self.pid > 0:
                with suppress(ProcessLookupError):
                    os.kill(self.pid, signal.SIGINT)

    def interrupted(self, *_: Any) -> None:
        if self.why == "interrupted":  # once more: at once
            self.until = 0.0
        self.stop("interrupted")

    def has_ended(self) -> bool:
        """Also if it was stopped: it would never end by itself."""
        if self.status is None:
            # SOUND: it is not waited for here, so that its number, by which the group is ended, stays taken.
            found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
            if found is None:
                return False
            if found.si_code in (os.CLD_STOPPED, os.CLD_TRAPPED):
                self.status = -int(signal.SIGSTOP)
            else:
                self.status = found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
        return True

    def finish(self) -> None:
        """Nothing of the child remains, nor of what it started."""
        if self.pid > 0:
            end_group(self.pid)
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)  # if it has not come so far as to lead its group
            os.waitpid(self.pid, 0)
        if self.file >= 0:
            os.close(self.file)

    # ---------------------------------------------------------------- what to make of it

    def ended(self) -> WorkEnd:
        """The answer, or why there is none; errors are raised as if the work had been done here."""
        kind, what = self.last or ("", None)
        place = self.crash_place()
        if kind == DONE:
            return WorkEnd(what, self.why, True)
        if kind == FAILED and isinstance(what, IsospinError):
            raise what
        if kind == BROKEN and what:
            raise InternalError(what)
        return WorkEnd(why=self.why or self.how_it_ended(place))

    def how_it_ended(self, place: str) -> str:
        if self.status == SPEECHLESS:
            return CLOSED
        if self.status is None or self.status >= 0:
            return f"the program ended the process that it runs in (status {self.status}), where nobody could see it"
        name = signal.Signals(-self.status).name
        if self.status == -signal.SIGSTOP:
            return f"the program stopped its own process ({name})"
        return f"the program crashed ({name}){place}" if place else f"the program's process was ended by {name}"

    def crash_place(self) -> str:
        """Where Python says that it crashed: in which line that is not ours."""
        size = os.fstat(self.crash).st_size
        text = os.pread(self.crash, min(size, 1 << 16), 0).decode(errors="replace")
        os.close(self.crash)
        ours = str(Path(__file__).absolute().parents[2])
        lines = re.findall(r'^  File "(.*)", line (\d+) in', text, re.MULTILINE)
        found = [f" at {file}:{line}" for file, line in lines if not file.startswith((ours, *LIBRARIES))]
        return found[0] if found else " outside of its own code" if lines else ""


LIBRARIES = (os.path.dirname(os.__file__), "<")


def moved(file: int) -> int:
    """The same file under a high number, which no program started by this one gets."""
    import fcntl

    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    place = HIGHEST if soft == resource.RLIM_INFINITY else max(min(soft - 8, HIGHEST), 3)
    try:
        high = fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, place)
    except OSError:
        return file
    os.close(file)
    return high
