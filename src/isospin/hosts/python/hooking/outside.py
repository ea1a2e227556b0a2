"""Functions that are not the user's: which of them change what they are given, and which cannot be controlled."""

from __future__ import annotations

from enum import EnumMeta
from functools import lru_cache
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from ..border import known
from ..control.indices import Index
from ..control.kernel import Kernel, has_hooks
from .containers import HEAP_TYPE, methods


class Policy(NamedTuple):
    """What is known about a function without hooks: what it touches, and whether it is one step."""

    name: str
    why: str = ""  # the reason why it is known what it touches; empty if that is not known
    python: bool = False  # it is written in Python, or may be: others may come in between its steps
    writes: bool = False  # may change containers that it is given
    pure: bool = False  # has no effect that a later call could see
    uncontrolled: bool = False  # may block, or start something, where the scheduler cannot see it
    iterates: bool = False  # reads its arguments step by step, later
    shallow: bool = False  # does not look at what is in the items of containers that it is given
    inside: bool = False  # looks at the attributes of any object
    stepwise: bool = False  # one item after the other, with the program's functions in between
    users: bool = False  # a class of the program itself
    random: bool = False
    framed: bool = False  # looks at the frame from which it is called
    special: str | None = None  # has a hook of its own


OURS = __name__.rsplit(".", 2)[0]
LOCKS = (f"{OURS}.stdlib.sync", f"{OURS}.stdlib.queues", f"{OURS}.stdlib.futures")
TAKEN = known.words("""
    name version known time owner count lock waiters value flag insides items unfinished line round action timeout
    is_broken state error callbacks work workers idle initial is_shutdown closed most prefix initializer initargs
""")  # attributes of our locks, queues and futures that Python's do not have: a program may have its own of that name
STAND_INS = (".surroundings", ".packages")  # modules whose functions stand for others
SPECIAL = known.words("getattr setattr delattr hasattr iter next")
IMMUTABLE: frozenset[type] = frozenset(
    [int, Index, str, bytes, bool, float, type(None), complex, tuple, frozenset, range, slice, type, ModuleType]
)


def may_change(thing: Any) -> bool:
    """May calling a method of this object of a library, or asking it for items, change what others see of it?"""
    kind = type(thing)
    if kind in IMMUTABLE or isinstance(thing, type | ModuleType):
        return False
    return not is_value(kind)


def check_private(k: Kernel, thing: Any, name: str) -> None:
    """A lock or thread of ours has not all that is inside of Python's: that one lacks it is no failure."""
    kind = type(thing)
    if name in known.INSIDE_OF_LOCKS and hasattr(kind, "_isospin_") and kind.__module__.startswith(OURS):
        k.refuse(f"{kind.__name__}.{name}")


def is_lock(thing: Any) -> bool:
    """Is this a lock, queue or future, perhaps of a class that the program has derived from ours?"""
    return hasattr(type(thing), "_isospin_") and any(base.__module__ in LOCKS for base in type(thing).__mro__)


def is_used_unseen(thing: Any, name: str) -> bool:
    """Is an attribute asked for without hooks: a special method by an operator, the size of a queue by `put`?"""
    return name.startswith("__") if isinstance(thing, type) else name in ("maxsize", "parties") and is_lock(thing)


def program_name(thing: Any, name: str) -> str:
    """Where an attribute is kept that the program gives to a lock, beside our own of the same name."""
    return name if class_attribute(type(thing), name) is not None else f"{name} of the program"


def is_value(kind: type) -> bool:
    """Does a library define such objects, and never change them?"""
    return kind.__module__.split(".")[0] in known.VALUES


def policy(function: Any) -> Policy:
    """Nothing is remembered that would keep an object of the program alive."""
    kind = type(function)
    if kind is MethodType:
        return policy(function.__func__)
    if kind is FunctionType or (kind is BuiltinFunctionType and isinstance(function.__self__, ModuleType | None)):
        return _looked_up(function)
    return _judged(function)


@lru_cache(maxsize=4096)
def _looked_up(function: Any) -> Policy:
    return _judged(function)


def _judged(function: Any) -> Policy:
    """What is known about a function, by the names of its module and of itself."""
    if isinstance(function, FunctionType) and function.__globals__.get("__name__", "").endswith(STAND_INS):
        function = getattr(function, "__wrapped__", function)  # what it stands for
    module = str(getattr(function, "__module__", None) or "")
    name = str(getattr(function, "__name__", type(function).__name__))
    qualname = str(getattr(function, "__qualname__", name))
    owner = getattr(function, "__self__", None)
    if isinstance(owner, ModuleType) and not module:
        module = owner.__name__
    if not module:
        home = type(owner) if owner is not None else getattr(function, "__objclass__", type(function))
        module, qualname = home.__module__, f"{home.__qualname__}.{name}"
    if isinstance(function, FunctionType):  # a wrapper has the name of what it wraps, and the code of its own
        module, qualname = str(function.__globals__.get("__name__", module)), function.__code__.co_qualname
        name = qualname.rpartition(".")[2]
    root = module.split(".")[0]
    full = f"{module}.{qualname}" if module != "builtins" else qualname
    if root in known.UNCONTROLLED or name in known.UNCONTROLLED_CALLS.get(root, ()):
        return Policy(full, uncontrolled=True)
    if module == "builtins" and name in SPECIAL and qualname == name:
        return Policy(full, special=name)
    why = known.reason(module, qualname, qualname.split(".")[0])
    plain = type(owner) in (str, bytes, int, float, tuple)
    return Policy(full, why, python=_is_python(function), writes=name in known.WRITERS or not why,
                  pure=bool(why) and (name in known.PURE or plain), iterates=name in known.LAZY,
                  shallow=name in known.SHALLOW, inside=name in known.INSIDE, stepwise=name in known.STEPWISE,
                  framed=root in known.FRAMED, random=root in ("random", "_random"))  # fmt: skip


def _is_python(function: Any) -> bool:
    inner = function.__func__ if isinstance(function, MethodType) else function
    return isinstance(inner, FunctionType) or isinstance(class_attribute(type(inner), "__call__"), FunctionType)


def class_policy(kind: type) -> Policy:
    """What it means to make an object of a library."""
    module, name = kind.__module__, kind.__qualname__
    root = module.split(".")[0]
    full = f"{module}.{name}" if module != "builtins" else name
    if root in known.UNCONTROLLED and not issubclass(kind, BaseException):
        return Policy(full, uncontrolled=True)
    lazy = kind.__name__ in known.LAZY and root in ("builtins", "itertools")
    homes = ((kind, "__init__"), (kind, "__new__"), (type(kind), "__call__"))
    why = known.reason(module, name + "()", name) or ("an exception is new" if issubclass(kind, BaseException) else "")
    return Policy(full, why, python=any(isinstance(class_attribute(*home), FunctionType) for home in homes),
                  writes=not why, random=root == "random", iterates=lazy, shallow=kind.__name__ in known.SHALLOW,
                  framed=root in known.FRAMED or isinstance(kind, EnumMeta),
                  pure=root in ("builtins", "itertools", "collections"), stepwise=kind.__name__ in known.STEPWISE,
                  )  # fmt: skip


def is_generated(kind: type, function: FunctionType) -> bool:
    """Was a method written by `dataclass` or `namedtuple`?"""
    return function.__code__.co_filename.startswith("<") and (hasattr(kind, "__dataclass_fields__") or _is_tuple(kind))


def _is_tuple(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


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
    known = k.border.opaque.get((kind, name))
    if known is None:
        attribute = class_attribute(kind, name)
        own = isinstance(attribute, FunctionType) and has_hooks(attribute)
        known = k.border.opaque[kind, name] = attribute is not None and not own and not issubclass(kind, type)
    return known
