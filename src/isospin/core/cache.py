"""What was made from a content is kept by that content, in the user's cache directory.

The name of a file is the key that it was asked by, and the digest of its content together with that key.
SOUND: names are not trusted.  A file is used only if it is a regular file of ours with the content that its name says;
one that is torn, planted or somebody else's is removed and made again.  Folders are ours alone, whatever the umask, and
files appear in them whole.
"""

from __future__ import annotations

import atexit
import fcntl
import hashlib
import os
import re
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from . import deadline

MOST_KEPT = 400  # files in one directory, and all that were used just now:
JUST_NOW = 3600.0  # seconds; a check that runs may start its program again
ROOM = 1 << 20  # bytes: a cache with less than that is full
PART = "isospin-part-"  # how folders begin in which something is being made
ABANDONED = 60.0  # seconds after which such a folder that nobody holds is removed
COMPILER = re.compile(r"(^|-)(gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(-[\d.]+)?$")  # not ccache, which calls another one
ELF = b"\x7fELF"


def cache_root() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "isospin"


def digest(*parts: str | bytes) -> str:
    state = hashlib.sha256()
    for part in parts:
        data = part.encode(errors="surrogateescape") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little") + data)
    return state.hexdigest()[:32]


# ------------------------------------------------------------------------------------------------ folders


def made(directory: Path) -> Path:
    """The folder, of ours alone; PermissionError if it is not."""
    missing = [path for path in (directory, *directory.parents) if not path.exists()]
    for path in reversed(missing):
        with suppress(FileExistsError):  # somebody was faster
            path.mkdir()
            path.chmod(0o700)
    found = directory.stat()
    if not _ours(found):
        raise PermissionError(1, "it belongs to somebody else", str(directory))
    if found.st_uid == os.geteuid() and found.st_mode & 0o077:
        directory.chmod(found.st_mode & 0o700)
    elif found.st_mode & 0o022:
        raise PermissionError(1, "others may write there", str(directory))
    return directory


def _ours(found: os.stat_result) -> bool:
    """The user's, or of the one who could change everything else as well."""
    return found.st_uid in (0, os.geteuid())


@contextmanager
def workplace(parent: Path) -> Iterator[Path]:
    """A folder for what is being made; it goes at the end, and what others left who were killed goes now."""
    sweep(parent)
    place = Path(tempfile.mkdtemp(prefix=PART, dir=parent))
    lock = -1
    try:
        lock = _held(place)
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        if lock >= 0:
            os.close(lock)


@cache
def temporary_directory() -> Path:
    """One for this process."""
    opened = workplace(Path(tempfile.gettempdir()))
    place = opened.__enter__()
    atexit.register(opened.__exit__, None, None, None)
    return place


@cache
def usable(directory: Path) -> tuple[Path, str]:
    """The folder; or, where nothing can be kept in it or started from it, a temporary one, and what the user should
    know about that."""
    try:
        with workplace(made(directory)) as place:
            tried = place / "tried"
            tried.write_bytes(bytes(ROOM))
            tried.chmod(0o700)
            if os.access(tried, os.X_OK):
                return directory, ""
        problem = f"{directory}: programs may not be started from there"
    except OSError as error:
        problem = f"{error.filename or directory}: {error.strerror}"
    return temporary_directory(), unusable(problem)


def unusable(problem: str) -> str:
    return f"the cache cannot be used ({problem}): every run compiles; XDG_CACHE_HOME names another one"


def _held(place: Path) -> int:
    """The folder is in use until what is returned is closed, or we are dead."""
    lock = os.open(place, os.O_RDONLY)
    with suppress(OSError):  # a file system without locks: its age says that it is in use
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    return lock


def sweep(parent: Path, prefix: str = PART) -> None:
    """Remove the folders in which nobody works any more."""
    for place in parent.glob(f"{prefix}*"):
        with suppress(OSError):
            found = place.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
                continue
            if time.time() - found.st_mtime < ABANDONED:
                continue
            lock = os.open(place, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(place, ignore_errors=True)
            finally:
                os.close(lock)


# ------------------------------------------------------------------------------------------------ files


def kept(directory: Path, key: str, ending: str = "") -> Path | None:
    """What was kept under this key, if its content is what was kept."""
    if not directory.is_dir():
        return None
    made(directory)
    for path in sorted(directory.glob(f"{key}-*{ending}")):
        if is_whole(path):
            with suppress(OSError):  # in use: not the first to be removed
                os.utime(path)
            return path
        _discard(path)
    return None


def is_whole(path: Path) -> bool:
    """Is this a file of ours, with the content that was kept under its name?"""
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) or not _ours(found) or found.st_mode & 0o022:
            return False
        key = path.name.partition("-")[0]
        return path.name == _named(key, path.read_bytes(), path.suffix)
    except OSError:
        return False


def keep(directory: Path, key: str, content: Path, ending: str = "") -> Path:
    """Keep a file that was made in a workplace below the directory.  SOUND: others see nothing or a whole file."""
    result = directory / _named(key, content.read_bytes(), ending)
    content.chmod(0o700)
    with content.open("rb") as file:
        os.fsync(file.fileno())
    content.replace(result)
    _tidy(directory)
    return result


def _named(key: str, content: bytes, ending: str) -> str:
    return f"{key}-{digest(key, content)}{ending}"


def _discard(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _tidy(directory: Path) -> None:
    """Remove what was not used for longest, but nothing that a run may still need."""
    found = []
    for path in directory.iterdir():
        with suppress(OSError):
            if path.is_file():
                found.append((path.stat().st_mtime, path))
    found.sort(reverse=True)
    for used, path in found[MOST_KEPT:]:
        if time.time() - used > JUST_NOW:
            _discard(path)


# ------------------------------------------------------------------------------------------------ compilers


def ask(command: tuple[str, ...], question: str) -> str:
    """What a compiler says about itself; remembered as long as it is the same file."""
    key = _remembered_as(command, question)
    directory = cache_root() / "answers"
    with suppress(OSError):
        if key and (known := kept(directory, key)) is not None:
            return known.read_text()
    done = deadline.run([*command, *question.split()], "asking the compiler for its version")
    if key and done.returncode == 0:
        with suppress(OSError), workplace(made(directory)) as place:
            answer = place / "answer"
            answer.write_text(done.stdout)
            keep(directory, key, answer)
    return done.stdout if done.returncode == 0 else ""


def _remembered_as(command: tuple[str, ...], question: str) -> str:
    """The key of an answer.  SOUND: empty for scripts and for what calls a compiler: today it may be another one."""
    path = os.path.realpath(shutil.which(command[0]) or "")
    if len(command) != 1 or not COMPILER.search(os.path.basename(path)):
        return ""
    with open(path, "rb") as file:
        found = os.fstat(file.fileno())
        same = (path, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, question)
        return digest(*map(str, same)) if file.read(len(ELF)) == ELF else ""


def _environment(place: Path) -> Mapping[str, str]:
    """For a compiler: what it leaves behind when it is ended goes with its workplace."""
    return {**os.environ, "TMPDIR": str(place)}


def compile_in(place: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a compiler in the time that is left."""
    return deadline.run(command, "compiling", env=_environment(place), umask=0o077)


def compile_all_in(
    place: Path, commands: Sequence[list[str]], tell: Callable[[int, deadline.Ended], None] | None = None
) -> list[deadline.Ended]:
    """Run a compiler several times, as often at once as there are cores."""
    return deadline.run_all(commands, "compiling", tell, env=_environment(place), umask=0o077)
