"""The border of control: what happens when a program calls code that has no hooks.

Such a call is taken for one step.  That is right in three cases, and in no other:
- it is one: C code that holds the interpreter's lock from its beginning to its end, since nothing that it is given
  makes it run Python code;
- it is several, but touches only what it is given (`known.py`), and nobody else touches that meanwhile: the call is
  *spread*, and the race detector looks after it as after an access.  Two calls that race are not believed;
- nobody else is there: no other thread lives, or could have lived in another schedule.
Else the verdict is incomplete, and names the call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from string import Formatter
from types import BuiltinFunctionType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

from ..control.kernel import Kernel
from ..control.notes import OUTSIDE
from ..control.records import NO_ITEMS, WHOLE, Touched
from ..hooking import iterators
from ..hooking.containers import HEAP_TYPE, SIMPLE, VIEWS, contents, methods
from ..hooking.iterators import Drawn, Reading, containers_of, given, is_one_step, looks_inside, readings
from ..hooking.keys import ANY_ORDER_OF_INTS, check_given, ignored_order, is_safe
from ..hooking.libraries import log_streams
from ..hooking.outside import IMMUTABLE, Policy, class_attribute, is_value, may_change
from ..hooking.reachable import everything, held, is_users, is_wrapper, top
from . import known

OURS = __name__.rsplit(".", 2)[0]  # the modules of this host, in all of its rooms
UNCHANGED = (BaseException, ModuleType, type, tuple, str, int, float, frozenset)
SILENT = known.words("""
    __init__ __new__ __init_subclass__ __class_getitem__ __set_name__ __enter__ __exit__ __setattr__ __delattr__
    __post_init__ __del__ __subclasshook__ __set__ __delete__ __aenter__ __aexit__ __await__
""")  # methods that no function asks for just because it is given an object


class Crossing:
    """A call of code without hooks: what it touches, before it and perhaps again behind it."""

    __slots__ = ("arguments", "found", "k", "keywords", "owner", "period", "policy", "site", "solo", "spread")

    def __init__(
        self, k: Kernel, policy: Policy, owner: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], site: int
    ) -> None:
        self.k, self.policy, self.owner, self.site = k, policy, owner, site
        self.arguments, self.keywords = arguments, keywords
        self.period = k.running.period
        self.spread = False

    def begin(self) -> tuple[Any, ...]:
        """Let the scheduler decide; the arguments to call it with."""
        k, policy, site = self.k, self.policy, self.site
        self.solo = bool(policy.why) or k.is_solo()
        if not self.solo:
            k.border.run_as_one_step(policy.name, site)
        if not policy.why or (self.owner is not None and is_strange(k, type(self.owner))):
            k.memory.guesses.add(site)
        arguments = self.arguments
        if policy.random and policy.name.endswith(("seed", "setstate", ".Random")):
            k.border.has_own_seed = True
        if k.indices.numbers:
            self.check_numbers()
        if policy.iterates or policy.pure:
            safe = is_safe(policy.name, arguments, self.keywords) or policy.name in ANY_ORDER_OF_INTS
            arguments = tuple(
                given(a, site, safe) if policy.iterates or type(a) is GeneratorType else a for a in arguments
            )
        if k.alone:
            return arguments
        met: list[Any] = []
        found = self.touched(met)
        if policy.name.startswith("logging."):
            found += self.logged()
        noisy = any(is_noisy(k, thing) for thing in met)
        for thing in met:
            notice(k, type(thing), policy.name, site)
        tops = sum(methods(type(a)) is not None for a in arguments)
        flat = len(found) <= tops  # SOUND: containers in the items are looked at later, between the program's functions
        if policy.stepwise and noisy and flat:  # the items are drawn one by one, with hooks: nothing is read at once
            if policy.name in ("min", "max") and len(arguments) > 1:
                return arguments
            joined = policy.name in ("min", "max") and self.keywords.get("key") is None  # two are compared at a time
            return tuple(Reading(a, a, site, joined) if methods(type(a)) is not None else a for a in arguments)
        self.spread = bool(found and policy.why) and (policy.python or noisy) and not (policy.name == "sorted" and flat)
        if (policy.random and not k.border.has_own_seed) or policy.name.startswith("logging."):
            self.spread = False  # any number may come: which thread gets which is no promise; logs have a lock
        if self.spread:
            k.objects.spread(policy.name, site)
        k.iterators.drained = drained(k, arguments, found)
        k.running.ignores_order = ignored_order(policy.name, arguments)
        k.objects.access_all(found, site)
        k.running.ignores_order = NO_ITEMS
        return arguments

    def check_numbers(self) -> None:
        """Numbers of threads that are given to code which may look at them unseen."""
        k, name = self.k, self.policy.name
        check_given(k, name, self.arguments, self.keywords)
        drawn = any(hasattr(type(a), "__next__") for a in (*self.arguments, *self.keywords.values()))
        if drawn and not (self.policy.iterates or self.policy.pure or is_safe(name, self.arguments, self.keywords)):
            for family in k.memory.known.indices.values:  # SOUND: it may draw numbers unseen
                k.indices.make_ordinary(family)

    def logged(self) -> list[Touched]:
        own, streams = log_streams()
        if own and not self.k.is_solo():  # its lock would let all our threads in
            self.k.border.run_as_one_step(self.policy.name, self.site)
        return [(self.k.objects.record(stream), WHOLE, True) for stream in streams]

    def touched(self, met: list[Any]) -> list[Touched]:
        """What the call may read and write, by what is known of the function; `met` gets the objects it may meet."""
        k, policy, owner = self.k, self.policy, self.owner
        found: list[Touched] = [] if policy.why else [(k.objects.record(OUTSIDE), WHOLE, True)]
        things = [*self.arguments, *self.keywords.values(), *known.SUBJECTS.get(policy.name, ())]
        things += [owner] if isinstance(owner, tuple | frozenset) else []  # which cannot change, but what is in it can
        met += things
        if owner is not None and may_change(owner):
            writes = policy.name.rpartition(".")[2] not in known.LOOKING
            found.append((k.objects.record(owner), WHOLE, writes))
            # SOUND: an object of C code may stand for others: a csv.writer changes the file that it was made with.
            below = [owner] if policy.python else _below(owner)
            found += everything(k, below, writes, policy.python, met)
        if policy.iterates:
            return found
        if policy.shallow:
            met += [part for thing in things for part in items(thing)] if policy.name in known.HASHING else []
            return found + top(k, things, policy.writes)
        inside = policy.inside or policy.python or _names_attributes(policy.name, owner)
        inside = inside or any(looks_inside(thing) for thing in things)
        return found + everything(k, things, policy.writes, inside, met)

    def end(self) -> None:
        """SOUND: others may have run meanwhile; then what is touched at the end is touched once more."""
        k, policy = self.k, self.policy
        k.iterators.drained = []
        if self.solo and not policy.why and not k.is_solo():  # threads were started on the way
            k.border.run_as_one_step(policy.name, self.site)
        if not self.spread:
            return
        waited = k.running.period != self.period
        if waited or policy.writes or (policy.python and self.owner is not None):
            found = self.touched([])
            k.objects.access_all(found, self.site)
            if waited and any(k.objects.is_shared(record) for record, _, _ in found):
                k.border.run_as_one_step(policy.name, self.site)


def _names_attributes(name: str, text: Any) -> bool:
    """Does a format ask what it is given for attributes or items: `"{0.name}".format(x)`?"""
    if name not in ("str.format", "str.format_map"):
        return False
    return any("." in field or "[" in field for _, field, _, _ in Formatter().parse(text) if field)


def _below(owner: Any) -> list[Any]:
    """What an object of C code holds; those whose items we know are looked at by others."""
    if methods(type(owner)) is not None or is_users(type(owner)):
        return []
    return held(owner)


def drained(k: Kernel, arguments: tuple[Any, ...], found: list[Touched]) -> list[Reading]:
    """Iterators that C code uses up in one step: what they draw from is read in it."""
    ended: list[Reading] = []
    for thing in arguments:
        if hasattr(type(thing), "__next__") and type(thing) is not GeneratorType and is_one_step(thing):
            below = readings(thing)
            found += containers_of(k, thing, below)
            ended += below
    return ended


def items(thing: Any) -> list[Any]:
    return contents(thing) if methods(type(thing)) is not None or type(thing) in VIEWS else []


def is_noisy(k: Kernel, thing: Any) -> bool:
    """May C code that looks at this object run Python code?"""
    kind = type(thing)
    if (
        kind in SIMPLE
        or (kind in IMMUTABLE and not isinstance(thing, type))
        or (methods(kind) is not None and not (kind.__flags__ & HEAP_TYPE))
    ):
        return False
    if kind is FunctionType or kind is MethodType:
        return True
    if kind is partial:
        return is_noisy(k, thing.func)
    if isinstance(thing, type):
        return bool(thing.__flags__ & HEAP_TYPE) and not is_value(thing)
    if kind in (BuiltinFunctionType, GeneratorType, Reading, Drawn, ModuleType):  # generators are drawn from with hooks
        return False
    found = k.border.noisy.get(kind)
    if found is None:
        found = k.border.noisy[kind] = bool(kind.__flags__ & HEAP_TYPE) and not is_value(kind) and _has_python(kind)
    return found


def _has_python(kind: type) -> bool:
    """Has the type special methods that are Python code?"""
    for base in kind.__mro__:
        for name, member in vars(base).items():
            if name.startswith("__") and name not in SILENT and isinstance(member, FunctionType):
                return True
    return False


def compares_in_python(k: Kernel, key: Any) -> bool:
    """Does a dictionary or set run Python code to find this key?  Its hash is asked for before anything is touched."""
    kind = type(key)
    if kind in SIMPLE:
        return False
    if kind is tuple:
        return any(compares_in_python(k, part) for part in key)
    return isinstance(class_attribute(kind, "__eq__"), FunctionType) and not is_value(kind)


# ---------------------------------------------------------------------------------------------- operators


def is_strange(k: Kernel, kind: type) -> bool:
    """Does an unknown library define such objects, or what they inherit?"""
    found = k.border.strange.get(kind)
    if found is None:
        bases = kind.__mro__ if is_users(kind) else (kind,)
        found = k.border.strange[kind] = any(not _is_known(base) for base in bases)
    return found


def _is_known(kind: type) -> bool:
    """Do we know what the operators of the type do?"""
    if is_users(kind) or getattr(kind, "_isospin_", False) or issubclass(kind, UNCHANGED):
        return True
    module = str(kind.__module__)
    return bool(known.reason(module, f"{kind.__qualname__}()", kind.__qualname__)) or module.startswith(OURS)


def notice(k: Kernel, kind: type, name: str, site: int) -> None:
    """An attribute or operator of a type that may be unknown."""
    if kind not in SIMPLE and is_strange(k, kind) and not k.is_solo():
        k.border.run_as_one_step(f"{kind.__module__}.{kind.__qualname__}.{name}", site)


def operate(k: Kernel, thing: Any, name: str, write: bool, site: int) -> None:
    """Items and the like of an object of a library: found by code without hooks."""
    kind = type(thing)
    notice(k, kind, name, site)
    home = thing.obj if kind is memoryview else thing
    found: list[Touched] = [(k.objects.record(home), WHOLE, write)] if may_change(home) else []
    is_python = isinstance(class_attribute(kind, name), FunctionType) and not is_value(kind)
    met: list[Any] = []
    if is_python or is_wrapper(k, kind):
        found += everything(k, [thing], write, True, met)
    if is_python or any(is_noisy(k, part) for part in met):
        k.objects.spread(f"{kind.__module__}.{kind.__qualname__}.{name}", site)
    k.objects.access_all(found, site)


def look(k: Kernel, what: str, things: tuple[Any, ...], site: int, also: Sequence[Touched] = ()) -> None:
    """Containers themselves are looked at, not what is in their items; `also` is touched in the same step."""
    met: list[Any] = []
    found = top(k, things, met=met)
    if not k.alone and any(is_noisy(k, thing) for thing in met):
        k.objects.spread(what, site)
    k.objects.access_all([*found, *also], site)


def change(k: Kernel, what: str, thing: Any, given: tuple[Any, ...], site: int) -> None:
    """A container takes in what is in others."""
    met: list[Any] = []
    own = top(k, (thing,), True, met) if methods(type(thing)) is not None or is_wrapper(k, type(thing)) else []
    if any(is_noisy(k, part) for part in met):
        k.objects.spread(what, site)
    look(k, what, given, site, own)


def walk(k: Kernel, thing: Any, site: int) -> Iterator[Any]:
    """A loop over an object of a library, which looks at it at every step."""
    iterator = iter(thing)
    while True:
        operate(k, thing, "__iter__", False, site)
        try:
            value = next(iterator)
        except StopIteration:
            return
        yield value


class Managed:
    """An object of an unknown library in a `with` statement."""

    def __init__(self, k: Kernel, thing: Any, site: int) -> None:
        self.k, self.thing, self.site = k, thing, site

    def __enter__(self) -> Any:
        k = self.k
        notice(k, type(self.thing), "__enter__", self.site)
        k.memory.guesses.add(self.site)
        # in which order locks are taken matters
        k.objects.access_all([(k.objects.record(OUTSIDE), WHOLE, True)], self.site)
        return self.thing.__enter__()

    def __exit__(self, *error: Any) -> Any:
        notice(self.k, type(self.thing), "__exit__", self.site)
        return self.thing.__exit__(*error)


iterators.WALK, iterators.TOUCHED, iterators.INSIDE = walk, top, everything
