"""Calls: of functions with hooks, of methods of containers, and of code that has no hooks (see `border.py`)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from types import BuiltinFunctionType, FunctionType, GeneratorType, GenericAlias, MethodType, MethodWrapperType
from typing import Any
from weakref import ReferenceType, ref

from ..control.frames import called_from_the_program, hide
from ..control.indices import Index, number
from ..control.kernel import Kernel, has_hooks
from ..control.records import NO_ITEMS, WHOLE
from ..hooking import hooks, outside
from ..hooking.containers import READ, VIEWS, contents, methods
from ..hooking.hooks import HEAP_TYPE, load, touch_item
from ..hooking.iterators import draw, iterate
from ..hooking.keys import check_method, check_order, is_read_back, stored_key
from ..hooking.learning import learn_contents, learn_failure
from ..hooking.outside import Policy, class_attribute, is_generated
from ..hooking.reachable import everything, is_users, own_attributes, top
from . import border, databases, known, tools
from .border import Crossing

__all__ = ["ask", "call", "method"]  # what rewritten code calls

COMPARING = frozenset(["index", "count", "remove", "sort", "__eq__", "__ne__", "__lt__", "__contains__"])
HASHING = frozenset(["update", "__ior__", "difference_update", "intersection_update", "symmetric_difference_update"])
DRAWING = frozenset(["extend", "extendleft", "__iadd__", "__setitem__"])  # from what they are given
FILLING: dict[tuple[type, str], Callable[[Any, Any], None]] = {
    (list, "extend"): list.append, (list, "__iadd__"): list.append, (set, "update"): set.add,
    (dict, "update"): lambda d, pair: d.update((pair,)), (deque, "__iadd__"): deque.append,
    (deque, "extend"): deque.append, (deque, "extendleft"): deque.appendleft,
}  # fmt: skip

DIRECT: dict[str, Any] = {}  # methods of threads, which need no hook of their own; filled by `threads.py`
ASKED: set[tuple[type, str]] = set()  # the same of threads and locks, by their types; filled by those who make them


def method(site: int, thing: Any, name: str, /, *arguments: Any, **keywords: Any) -> Any:
    """Hook of `thing.name(...)`: methods of containers are accesses, others are calls."""
    kind = type(thing)
    if (direct := DIRECT.get(name)) is None or direct is not getattr(kind, name, None):
        if (table := methods(kind)) is not None and not kind.__flags__ & HEAP_TYPE:
            return container_method(site, thing, getattr(thing, name), name, table, arguments, keywords)
        if not getattr(kind, "_isospin_", False):
            return call(site, load(thing, name, site), *arguments, **keywords)
    return _answered(getattr(thing, name), arguments, keywords)


def _answered(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """What a method of ours says, the thread has learnt."""
    try:
        value = function(*arguments, **keywords)
    except Exception as error:
        learn_failure(hooks.K, error)
        raise
    hooks.K.running.log.append(value)
    return value


def ask(site: int, thing: Any, name: str) -> Any:
    """A method without arguments: the same as above, but quicker for what threads are asked all the time."""
    if (type(thing), name) not in ASKED:
        return method(site, thing, name)
    try:
        value = getattr(thing, name)()
    except Exception as error:
        learn_failure(hooks.K, error)
        raise
    hooks.K.running.log.append(value)
    return value


def container_method(
    site: int, thing: Any, function: Callable[..., Any], name: str, table: dict[str, Any], arguments: tuple[Any, ...],
    keywords: dict[str, Any],
) -> Any:  # fmt: skip
    """`function` is the method: that of the builtin type, which `super()` finds behind one of the program's own."""
    k = hooks.K
    how = table.get(name, READ)
    if k.indices.is_active:
        check_method(k, thing, name, arguments, keywords)
    if how.item and arguments:  # the others are not looked into
        touch_item(k, thing, arguments[0], how.write, site)
    elif not k.alone and _is_filled_stepwise(k, thing, name, arguments):
        return fill(site, thing, name, arguments[0])
    else:
        _touch_whole(k, thing, name, how.write, (*arguments, *keywords.values()), site)
        if name in HASHING or name in DRAWING:
            learn_contents(k, arguments)
    period = k.running.period
    if arguments and type(arguments[0]) is Index:
        arguments = (stored_key(k, thing, arguments[0]), *arguments[1:])
    try:
        value = function(*arguments, **keywords)
    except Exception as error:
        learn_failure(k, error)
        raise
    finally:
        k.running.ignores_order, k.indices.sought = NO_ITEMS, None
        if k.iterators.drained:
            k.iterators.drained = []
        if k.running.period != period and how.write:
            k.objects.access_whole(k.objects.record(thing), True, site)
    if (name in HASHING or name in DRAWING) and any(hasattr(type(each), "__next__") for each in arguments):
        learn_contents(k, (thing,))  # what it has drawn
    kind = type(value)
    if kind in VIEWS:
        k.iterators.views[id(value)] = (value, thing)
    elif methods(kind) is not None and id(value) not in k.objects.records:
        k.objects.record(value)
    k.running.log.append(value)
    return value


def _touch_whole(k: Kernel, thing: Any, name: str, write: bool, given: tuple[Any, ...], site: int) -> None:
    """A method that looks at more than one item, or changes more than one."""
    if k.alone:
        k.running.effects += write
        return
    met: list[Any] = []
    if name in COMPARING:
        found = everything(k, (*given, *contents(thing)), met=met)
    else:
        found, met = top(k, given), list(given) if name in HASHING or name in DRAWING else []
        met += [part for each in given for part in border.items(each)] if name in HASHING else []
    if any(type(part) is GeneratorType or border.is_noisy(k, part) for part in met):
        k.objects.spread(f"{type(thing).__name__}.{name}", site)
    found.append((k.objects.record(thing), WHOLE, write))
    k.iterators.drained = border.drained(k, given, found)
    k.objects.access_all(found, site)


def _is_filled_stepwise(k: Kernel, thing: Any, name: str, given: tuple[Any, ...]) -> bool:
    """Does a container take one item after the other from a generator, with its code in between?"""
    if len(given) != 1 or type(given[0]) is not GeneratorType or type(thing).__flags__ & HEAP_TYPE:
        return False
    return (type(thing), name) in FILLING


def fill(site: int, thing: Any, name: str, generator: Any) -> None:
    """As C does it: `xs.extend(gen)` can be seen half done."""
    add = FILLING[type(thing), name]
    check_order(hooks.K, thing, "is filled", True)
    for part in iterate(generator, site):
        hooks.K.objects.access_whole(hooks.K.objects.record(thing), True, site)
        add(thing, part)


def call(site: int, function: Any, /, *arguments: Any, **keywords: Any) -> Any:
    """Hook of `function(...)`: code with hooks is just called, other code goes through the border."""
    kind = type(function)
    if kind is FunctionType:
        if has_hooks(function):
            return function(*arguments, **keywords)
    elif kind is MethodType:
        inner = function.__func__
        if type(inner) is FunctionType and has_hooks(inner):
            return function(*arguments, **keywords)
        if type(inner) is FunctionType and (inner.__module__ or "").startswith(border.OURS):
            return _answered(function, arguments, keywords)  # SOUND: `get = tasks.get`, `super().get()`
    elif kind is GenericAlias:
        made = call(site, function.__origin__, *arguments, **keywords)
        with suppress(AttributeError, TypeError):
            made.__orig_class__ = function
        return made
    elif isinstance(function, type):
        return _construct(site, function, arguments, keywords)
    elif kind is BuiltinFunctionType or kind is MethodWrapperType:
        owner = getattr(function, "__self__", None)
        table = None if owner is None else methods(type(owner))
        if table is not None:
            return container_method(site, owner, function, function.__name__, table, arguments, keywords)
    elif kind.__flags__ & HEAP_TYPE and isinstance(inner := class_attribute(kind, "__call__"), FunctionType):
        if has_hooks(inner):
            return function(*arguments, **keywords)
    return _call_outside(site, function, arguments, keywords)


def _call_outside(site: int, function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """A function without hooks: what it is given it may read, or change if it is not known to be harmless."""
    k = hooks.K
    value = tools.in_steps(site, function, arguments, keywords)
    if value is not NotImplemented:
        return value
    policy = outside.policy(function)
    if policy.uncontrolled:
        k.border.uncontrolled.setdefault(policy.name, site)
    if policy.random and not k.memory.known.random:
        k.memory.learnt.random = True
        k.memory.learn()
    if policy.special is not None:
        special = hooks.SPECIAL.get(policy.special)
        if special is not None:
            return special(site, *arguments, **keywords)
    if not policy.pure:
        k.running.effects += 1
    owner = getattr(function, "__self__", None)
    if k.border.connections or policy.name in databases.CONNECTS:
        function = databases.controlled(k, policy.name, owner, function)
    if owner is not None and hasattr(type(owner), "__next__"):
        return draw(site, owner, function, *arguments, **keywords)
    if policy.name == "print" and k.indices.numbers and not is_read_back(k, keywords):
        arguments = tuple(map(number, arguments))  # what is shown tells nothing
    crossing = Crossing(k, policy, owner, arguments, keywords, site)
    arguments = crossing.begin()
    try:
        value = (called_from_the_program(function, arguments, keywords) if policy.framed
                 else function(*arguments, **keywords))  # fmt: skip
    except Exception as error:
        learn_failure(k, error)
        raise
    finally:
        crossing.end()
    home = type(value).__module__
    if not k.memory.known.foreign and border.is_strange(k, type(value)) and not known.is_pythons(home):
        k.memory.meet_package()
    if methods(type(value)) is not None and id(value) not in k.objects.records:
        k.objects.record(value)
    k.running.log.append(value)
    return value


def _construct(site: int, kind: type, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """A new object gets its name from the thread that makes it."""
    if getattr(kind, "_isospin_", False) or kind is type:
        return kind(*arguments, **keywords)
    k = hooks.K
    policy = k.border.constructors.get(kind)
    if policy is None:
        policy = k.border.constructors[kind] = maker(kind) if is_users(kind) else outside.class_policy(kind)
    if policy.uncontrolled:
        k.border.uncontrolled.setdefault(policy.name, site)
    if policy.users:
        if not policy.why and not k.is_solo():
            k.border.run_as_one_step(policy.name, site)
        made = called_from_the_program(kind, arguments, keywords) if policy.framed else kind(*arguments, **keywords)
    else:
        crossing = Crossing(k, policy, None, arguments, keywords, site)
        given = crossing.begin()
        made = called_from_the_program(kind, given, keywords) if policy.framed else kind(*given, **keywords)
        crossing.end()
    if isinstance(made, ReferenceType) and (thing := ReferenceType.__call__(made)) is not None:
        k.border.seen_weakly.append(ref(thing))
    if methods(type(made)) is not None or type(made).__dictoffset__:
        k.objects.record(made)
        for value in list(own_attributes(made).values()):  # made by a generated __init__, without hooks
            if methods(type(value)) is not None:
                k.objects.record(value)
    return made


def maker(kind: type) -> Policy:
    """How objects of a class of the program are made: by code with hooks, or by that of a library."""
    for home, name in ((kind, "__init__"), (kind, "__new__"), (type(kind), "__call__")):
        function = class_attribute(home, name)
        if isinstance(function, FunctionType) and not has_hooks(function) and not is_generated(kind, function):
            policy = outside.policy(function)
            if not policy.why:
                return policy._replace(users=True)
    return Policy(kind.__qualname__, "its code has hooks", users=True)


hooks.call, hooks.method, hooks.container_method, hooks.fill = call, method, container_method, fill
EXPORTED: dict[str, Any] = {f"_iso_{name}": globals()[name] for name in __all__}
for function in (method, ask, _answered, call, _call_outside, container_method, _construct):
    hide(function)
