"""Functions that are not the user's: which of them change what they are given, and which cannot be controlled."""

from __future__ import annotations

from functools import lru_cache
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from .containers import HEAP_TYPE, methods
from .kernel import Kernel, has_hooks


class Policy(NamedTuple):
    name: str
    writes: bool = False  # may change containers that it is given
    pure: bool = False  # has no effect that a later call could see
    uncontrolled: bool = False  # may block, or start something, where the scheduler cannot see it
    iterates: bool = False  # reads its arguments step by step, later
    shallow: bool = False  # does not look at what is in the items of containers that it is given
    inside: bool = False  # looks at the attributes of any object
    users: bool = False  # a class of the program itself
    random: bool = False
    special: str | None = None  # has a hook of its own


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


READING = words("""
    builtins json copy math statistics itertools functools operator collections string re pprint textwrap time logging
    os posixpath dataclasses enum typing abc warnings traceback types contextlib inspect pickle struct hashlib decimal
    fractions io sys _io _operator _functools _collections _json random numbers datetime uuid pathlib isospin pytest
    _pytest unittest unicodedata weakref _weakref gc
""")
PURE = words("""
    len isinstance issubclass repr str sorted sum min max any all abs hash id bool int float round divmod ord chr
    callable format print tuple list dict set frozenset sleep
""")
WRITERS = words("""
    heappush heappop heapify heappushpop heapreplace shuffle insort insort_left insort_right setitem delitem iadd
    iconcat ior iand isub ixor imul exec eval append extend
""")
SPECIAL = words("getattr setattr delattr hasattr iter next")
SHALLOW = words("len list tuple dict set frozenset deque bool reversed iter shuffle choice sample")
INSIDE = words("attrgetter methodcaller copy deepcopy asdict astuple replace dumps dump pformat pprint")
LAZY = words("enumerate zip map filter chain islice cycle starmap accumulate pairwise")
UNCONTROLLED = words("""
    socket _socket ssl _ssl subprocess _posixsubprocess multiprocessing _multiprocessing asyncio _asyncio select
    selectors http urllib ftplib smtplib imaplib poplib telnetlib xmlrpc socketserver trio anyio gevent requests
""")
PROCESSES = words("""
    fork forkpty system popen wait waitpid wait3 wait4 pipe spawnv spawnl execv execve execl posix_spawn
""")
UNCONTROLLED_CALLS = {
    "os": PROCESSES,
    "posix": PROCESSES,
    "builtins": words("input exec eval breakpoint"),
    "signal": words("pause sigwait alarm setitimer signal"),
    "_signal": words("pause sigwait alarm setitimer"),
    "_thread": words("start_new_thread start_new acquire allocate_lock allocate start_joinable_thread"),
    "fcntl": words("flock lockf"),
    "threading": words("_start_new_thread"),
}


IMMUTABLE: frozenset[type] = frozenset(
    [int, str, bytes, bool, float, type(None), complex, tuple, frozenset, range, slice, type, ModuleType]
)
UNCHANGING = words("""
    logging re _sre pathlib datetime decimal _decimal fractions uuid enum string isospin pytest _pytest abc
""")


def may_change(thing: Any) -> bool:
    """May calling a method of this object of a library, or asking it for items, change what others see of it?"""
    kind = type(thing)
    if kind in IMMUTABLE or isinstance(thing, type | ModuleType):
        return False
    return kind.__module__.split(".")[0] not in UNCHANGING


def policy(function: Any) -> Policy:
    try:
        return known(function)
    except TypeError:  # not hashable
        return judged(function)


@lru_cache(maxsize=4096)
def known(function: Any) -> Policy:
    return judged(function)


def judged(function: Any) -> Policy:
    module = str(getattr(function, "__module__", None) or "")
    name = str(getattr(function, "__name__", type(function).__name__))
    owner = getattr(function, "__self__", None)
    if not module and owner is not None:
        module = type(owner).__module__
    root = module.split(".")[0]
    full = f"{module}.{name}" if module and module != "builtins" else name
    if root in UNCONTROLLED or name in UNCONTROLLED_CALLS.get(root, ()):
        return Policy(full, uncontrolled=True)
    if module == "builtins" and name in SPECIAL:
        return Policy(full, special=name)
    if name in WRITERS or root not in READING:
        return Policy(full, writes=True)
    return Policy(full, pure=name in PURE or type(owner) in (str, bytes, int, float, tuple), iterates=name in LAZY,
                  shallow=name in SHALLOW, inside=name in INSIDE, random=root in ("random", "_random"))  # fmt: skip


def class_policy(kind: type) -> Policy:
    root = kind.__module__.split(".")[0]
    full = f"{kind.__module__}.{kind.__qualname__}"
    if root in UNCONTROLLED and not issubclass(kind, BaseException):
        return Policy(full, uncontrolled=True)
    lazy = kind.__name__ in LAZY and root in ("builtins", "itertools")
    return Policy(full, iterates=lazy, shallow=kind.__name__ in SHALLOW)


def class_attribute(kind: type, name: str) -> Any:
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None


def is_plain_container(k: Kernel, kind: type, name: str) -> bool:
    """Is this a container, and does this method of it touch the container by itself?  One that the program overrides
    has hooks where it does."""
    return methods(kind) is not None and (not kind.__flags__ & HEAP_TYPE or is_opaque(k, kind, name))


def has_own(k: Kernel, kind: type, name: str) -> bool:
    """Has the program given this type such a method, with hooks?"""
    return bool(kind.__flags__ & HEAP_TYPE) and class_attribute(kind, name) is not None and not is_opaque(k, kind, name)


def is_opaque(k: Kernel, kind: type, name: str) -> bool:
    """Are items of such objects found by code without hooks?"""
    known = k.opaque.get((kind, name))
    if known is None:
        attribute = class_attribute(kind, name)
        own = isinstance(attribute, FunctionType) and has_hooks(attribute)
        known = k.opaque[kind, name] = attribute is not None and not own and not issubclass(kind, type)
    return known
