"""The hooks that `rewrite.py` puts into a program: each lets the scheduler decide, then does what was asked for."""

from __future__ import annotations

import operator
from collections.abc import Callable
from contextlib import suppress
from types import (
    BuiltinFunctionType,
    FunctionType,
    GenericAlias,
    MethodType,
    MethodWrapperType,
    ModuleType,
)
from typing import Any

from . import iterators, libraries, outside
from .border import Crossing
from .containers import READ, SIMPLE, VIEWS, contents, has_key, item_key, methods, size
from .iterators import FAILED, delegate, draw, iterate, make_iterator, next_item
from .kernel import Kernel, has_hooks
from .outside import Policy, class_attribute, has_own, is_generated, is_opaque, is_plain_container
from .reachable import everything, is_container, is_users, own_attributes, top, touched
from .records import WHOLE, Memory
from .sites import TARGET as TARGET

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add, "Sub": operator.sub, "BitOr": operator.or_, "BitAnd": operator.and_, "BitXor": operator.xor,
    "Mult": operator.mul, "Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le,
    "Gt": operator.gt, "GtE": operator.ge, "Mod": operator.mod,
}  # fmt: skip
INPLACE: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.iadd, "Sub": operator.isub, "BitOr": operator.ior, "BitAnd": operator.iand,
    "BitXor": operator.ixor, "Mult": operator.imul,
}  # fmt: skip
COMPARING = frozenset(["index", "count", "remove", "sort", "__eq__", "__ne__", "__lt__", "__contains__"])
METHODS_OF_CLASSES = (FunctionType, property, classmethod, staticmethod, BuiltinFunctionType)
HEAP_TYPE = 1 << 9
OURS = __name__.rpartition(".")[0]  # the modules of this host

K: Kernel = Kernel(Memory())  # the execution that is going on; this one is for programs that nobody checks


def activate(kernel: Kernel) -> None:
    global K
    K = iterators.K = kernel


DIRECT: dict[str, Any] = {}  # methods of threads, which need no hook of their own; filled by `threads.py`
ASKED: set[tuple[type, str]] = set()  # the same of threads and locks, by their types; filled by those who make them


class Variables:
    """Stands for the variables of one call of a function that inner functions use."""


# -------------------------------------------------------------------------------------------------- attributes


def load(thing: Any, name: str, site: int) -> Any:
    k = K
    if not k.alone:
        place = k.spots.get((id(thing), name))
        if place is not None:
            k.reach(place, False, site)
        elif (type(thing), name) in k.plain:
            k.reach(k.spot(thing, name), False, site)
        else:
            found = homes(k, thing, name)
            if len(found) == 1:
                k.reach(k.place(k.record(found[0]), name), False, site)
            else:
                k.access_all([(k.record(home), name, False) for home in found], site)
    try:
        value = getattr(thing, name)
    except AttributeError:
        k.running.log.append(FAILED)
        raise
    k.running.log.append(value)
    return value


def store(value: Any, thing: Any, name: str, site: int) -> None:
    k = K
    if not k.alone and (place := k.spots.get((id(thing), name))) is not None:  # never one of a module
        k.reach(place, True, site)
        setattr(thing, name, value)
        return
    kind = type(thing)
    if isinstance(thing, ModuleType):
        bound_again(k, thing, name)
    if k.alone:
        k.running.effects += 1
    elif (kind, name) in k.plain:
        k.reach(k.spot(thing, name), True, site)
    else:
        if isinstance(class_attribute(kind, name), FunctionType) or isinstance(thing, type):
            if name not in k.memory.known.patched:
                k.memory.learnt.patched.add(name)
                k.memory.learn()
        for home in homes(k, thing, name)[:1]:
            k.access(k.record(home), name, True, site)
    if isinstance(thing, ModuleType | type):
        libraries.remember(k, thing, name)
    setattr(thing, name, value)


def delete(thing: Any, name: str, site: int) -> None:
    k = K
    for home in homes(k, thing, name)[:1]:
        k.access(k.record(home), name, True, site)
    if isinstance(thing, ModuleType | type):
        libraries.remember(k, thing, name)
    delattr(thing, name)


def homes(k: Kernel, thing: Any, name: str) -> tuple[Any, ...]:
    """The objects in which an attribute is looked up and that may change: the instance, its class, a module."""
    kind = type(thing)
    if kind.__dictoffset__ == 0 and not kind.__flags__ & HEAP_TYPE:
        return ()
    if isinstance(thing, ModuleType):
        return (thing.__dict__,) if is_variable(k, thing, name) else ()
    if isinstance(thing, type):
        return (thing,) if name in k.memory.known.patched else ()
    if hasattr(kind, "_isospin_"):
        return ()
    attribute = class_attribute(kind, name)
    if attribute is None or type(attribute).__name__ == "member_descriptor":
        if name not in k.memory.known.patched:
            k.plain.add((kind, name))
        return (thing,)
    if isinstance(attribute, METHODS_OF_CLASSES) and name not in k.memory.known.patched:
        return ()
    return (thing, kind) if name in k.memory.known.patched else (thing,)


def is_variable(k: Kernel, module: ModuleType, name: str) -> bool:
    """Is a global of a module one that may be bound again?"""
    names = module.__dict__.get("__builtins__")
    if type(names) is not dict or "_iso_code" not in names:
        return False
    if name in names["_iso_code"].private:  # SOUND: so others do look at it
        become_variable(k, names, name)
    return name in names["_iso_code"].variable


def become_variable(k: Kernel, names: dict[str, Any], name: str) -> None:
    k.memory.learnt.variable.setdefault(names["_iso_file"], set()).add(name)
    k.memory.learn()


# -------------------------------------------------------------------------------------------------- variables


def scope() -> Variables:
    made = Variables()
    K.record(made)
    return made


def read(home: Any, name: str, site: int) -> None:
    k = K
    if not k.alone:
        k.reach(k.spots.get((id(home), name)) or k.spot(home, name), False, site)


def fetch(home: dict[str, Any], name: str, site: int) -> Any:
    """A global variable."""
    k = K
    if not k.alone:
        k.reach(k.spots.get((id(home), name)) or k.spot(home, name), False, site)
    try:
        value = home[name]
    except KeyError:
        if name not in home["__builtins__"]:
            k.running.log.append(FAILED)
            raise NameError(f"name {name!r} is not defined", name=name) from None
        value = home["__builtins__"][name]
    k.running.log.append(value)
    return value


def seen(_: None, value: Any) -> Any:
    K.running.log.append(value)
    return value


def write(value: Any, home: Any, name: str, site: int) -> Any:
    k = K
    if k.alone:
        k.running.effects += 1
    else:
        k.reach(k.spots.get((id(home), name)) or k.spot(home, name), True, site)
    return value


def bound_again(k: Kernel, module: ModuleType, name: str) -> None:
    """A global is changed from outside its module: it is no constant."""
    names = module.__dict__.get("__builtins__")
    if type(names) is dict and "_iso_code" in names and name not in names["_iso_code"].variable:
        become_variable(k, names, name)


# -------------------------------------------------------------------------------------------------- items


def item(thing: Any, key: Any, site: int) -> Any:
    k = K
    if not k.alone:
        kind = type(thing)
        if is_plain_container(k, kind, "__getitem__"):
            touch_item(k, thing, key, is_opaque(k, kind, "__missing__") and is_missing(thing, key), site)
        elif kind not in outside.IMMUTABLE and methods(kind) is None and is_opaque(k, kind, "__getitem__"):
            k.access_whole(k.record(thing), False, site)
    try:
        value = thing[key]
    except Exception:
        k.running.log.append(FAILED)
        raise
    if type(value) is list and id(value) not in k.records:
        k.record(value)
    k.running.log.append(value)
    return value


def is_missing(thing: Any, key: Any) -> bool:
    """Will a dictionary be asked to make this item?  Perhaps, if only the program can say which keys are equal."""
    return item_key(thing, key) is None or not has_key(thing, key)


def touch_item(k: Kernel, thing: Any, key: Any, change: bool, site: int) -> None:
    name = item_key(thing, key)
    if name is None:
        k.access_whole(k.record(thing), change, site)
        return
    keyed = change and isinstance(thing, dict | set)
    if not keyed or has_key(thing, key):
        k.access_item(k.record(thing), name, change, site)
        keyed = keyed and not has_key(thing, key)  # it may have gone while others ran
    # SOUND: a new key is a change of the whole, since the order of the keys can be seen.
    if keyed:
        k.access_whole(k.record(thing), True, site)


def setitem(value: Any, thing: Any, key: Any, site: int) -> None:
    k = K
    plain = is_plain_container(k, type(thing), "__setitem__")
    if type(key) is slice and plain:
        k.access_all([*top(k, (value,)), (k.record(thing), WHOLE, True)], site)  # the items of the value are read
    elif plain:
        touch_item(k, thing, key, True, site)
    elif is_opaque(k, type(thing), "__setitem__"):
        k.access_whole(k.record(thing), True, site)
    thing[key] = value


def delitem(thing: Any, key: Any, site: int) -> None:
    k = K
    if is_plain_container(k, type(thing), "__delitem__") or is_opaque(k, type(thing), "__delitem__"):
        k.access_whole(k.record(thing), True, site)
    del thing[key]


def contains(key: Any, thing: Any, site: int) -> bool:
    k = K
    if not k.alone:
        if isinstance(thing, dict | set) and is_plain_container(k, type(thing), "__contains__"):
            touch_item(k, thing, key, False, site)
        elif not has_own(k, type(thing), "__contains__"):
            k.access_all(everything(k, (key, thing)), site)
    answer = key in thing
    k.running.log.append(answer)
    return answer


def touch(thing: Any, site: int) -> Any:
    """All of a container is read."""
    k = K
    if type(thing) not in SIMPLE and is_container(k, thing) and not has_own(k, type(thing), "__iter__"):
        k.access_all([touched(k, thing, False)], site)
        if not hasattr(type(thing), "__next__"):
            snapshot = tuple(contents(thing))
            k.running.log.append(snapshot if all(type(part) in SIMPLE for part in snapshot) else object())
    return thing


def show(thing: Any, site: int) -> Any:
    """Part of a text: all that is in it is read."""
    k = K
    if type(thing) not in SIMPLE and not k.alone:
        k.access_all(everything(k, (thing,)), site)
    return thing


def test(thing: Any, site: int) -> Any:
    """A condition: of a container only whether it is empty is read."""
    k = K
    if type(thing) not in SIMPLE and not hasattr(type(thing), "__next__") and is_container(k, thing):
        if not has_own(k, type(thing), "__len__") and not has_own(k, type(thing), "__bool__"):
            k.access_all([touched(k, thing, False)], site)
            k.running.log.append(size(thing))
    return thing


def new(thing: Any) -> Any:
    k = K
    k.records.pop(id(thing), None)
    k.record(thing)
    return thing


# -------------------------------------------------------------------------------------------------- operators


def binary(name: str, first: Any, second: Any, site: int) -> Any:
    if type(first) in SIMPLE and type(second) in SIMPLE:  # then nothing is learnt that was not known
        return OPERATORS[name](first, second)
    k = K
    k.access_all(everything(k, (first, second)) if name == "Mod" else top(k, (first, second)), site)
    value = OPERATORS[name](first, second)
    if methods(type(value)) is not None:
        new(value)
    K.running.log.append(value)
    return value


def compare(name: str, first: Any, second: Any, site: int) -> Any:
    if type(first) in SIMPLE and type(second) in SIMPLE:
        return OPERATORS[name](first, second)
    if not K.alone:
        K.access_all(everything(K, (first, second)), site)
    value = OPERATORS[name](first, second)
    K.running.log.append(value)
    return value


def inplace(name: str, first: Any, second: Any, site: int) -> Any:
    if type(first) not in SIMPLE:
        k = K
        own = [(k.record(first), WHOLE, True)] if methods(type(first)) is not None else []
        k.access_all([*top(k, (second,)), *own], site)
    return INPLACE[name](first, second)


def turn(site: int, clean: bool) -> None:
    K.turn(site, clean)


# -------------------------------------------------------------------------------------------------- calls


def method(site: int, thing: Any, name: str, /, *arguments: Any, **keywords: Any) -> Any:
    kind = type(thing)
    if (direct := DIRECT.get(name)) is None or direct is not getattr(kind, name, None):
        if (table := methods(kind)) is not None and not kind.__flags__ & HEAP_TYPE:
            return container_method(site, thing, getattr(thing, name), name, table, arguments, keywords)
        if not hasattr(kind, "_isospin_"):
            return call(site, load(thing, name, site), *arguments, **keywords)
    try:
        value = getattr(thing, name)(*arguments, **keywords)
    except Exception:
        K.running.log.append(FAILED)
        raise
    K.running.log.append(value)
    return value


def ask(site: int, thing: Any, name: str) -> Any:
    """A method without arguments: the same as above, but quicker for what threads are asked all the time."""
    if (type(thing), name) not in ASKED:
        return method(site, thing, name)
    try:
        value = getattr(thing, name)()
    except Exception:
        K.running.log.append(FAILED)
        raise
    K.running.log.append(value)
    return value


def container_method(
    site: int, thing: Any, function: Callable[..., Any], name: str, table: dict[str, Any], arguments: tuple[Any, ...],
    keywords: dict[str, Any],
) -> Any:  # fmt: skip
    """`function` is the method: that of the builtin type, which `super()` finds behind one of the program's own."""
    k = K
    how = table.get(name, READ)
    if how.item and arguments:  # the others are not looked into
        touch_item(k, thing, arguments[0], how.write, site)
    else:
        given_parts = everything(k, (*arguments, *contents(thing))) if name in COMPARING else top(k, arguments)
        k.access_all([*given_parts, (k.record(thing), WHOLE, how.write)], site)
    try:
        value = function(*arguments, **keywords)
    except Exception:
        k.running.log.append(FAILED)
        raise
    kind = type(value)
    if kind in VIEWS:
        k.views[id(value)] = (value, thing)
    elif methods(kind) is not None and id(value) not in k.records:
        k.record(value)
    k.running.log.append(value)
    return value


def call(site: int, function: Any, /, *arguments: Any, **keywords: Any) -> Any:
    kind = type(function)
    if kind is FunctionType:
        if has_hooks(function):
            return function(*arguments, **keywords)
    elif kind is MethodType:
        inner = function.__func__
        if type(inner) is FunctionType and (has_hooks(inner) or (inner.__module__ or "").startswith(OURS)):
            return function(*arguments, **keywords)
    elif kind is GenericAlias:
        made = call(site, function.__origin__, *arguments, **keywords)
        with suppress(AttributeError, TypeError):
            made.__orig_class__ = function
        return made
    elif isinstance(function, type):
        return construct(site, function, arguments, keywords)
    elif kind is BuiltinFunctionType or kind is MethodWrapperType:
        owner = getattr(function, "__self__", None)
        table = None if owner is None else methods(type(owner))
        if table is not None:
            return container_method(site, owner, function, function.__name__, table, arguments, keywords)
    elif kind.__flags__ & HEAP_TYPE and isinstance(inner := class_attribute(kind, "__call__"), FunctionType):
        if has_hooks(inner):
            return function(*arguments, **keywords)
    return call_outside(site, function, arguments, keywords)


def call_outside(site: int, function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """A function without hooks: what it is given it may read, or change if it is not known to be harmless."""
    k = K
    policy = outside.policy(function)
    if policy.uncontrolled:
        k.uncontrolled.setdefault(policy.name, site)
    if policy.random and not k.memory.known.random:
        k.memory.learnt.random = True
        k.memory.learn()
    if policy.special is not None:
        special = SPECIAL.get(policy.special)
        if special is not None:
            return special(site, *arguments, **keywords)
    if not policy.pure:
        k.running.effects += 1
    owner = getattr(function, "__self__", None)
    if owner is not None and hasattr(type(owner), "__next__"):
        return draw(site, owner, function, *arguments, **keywords)
    crossing = Crossing(k, policy, owner, arguments, keywords, site)
    arguments = crossing.begin()
    try:
        value = function(*arguments, **keywords)
    except Exception:
        k.running.log.append(FAILED)
        raise
    finally:
        crossing.end()
    if methods(type(value)) is not None and id(value) not in k.records:
        k.record(value)
    k.running.log.append(value)
    return value


def construct(site: int, kind: type, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """A new object gets its name from the thread that makes it."""
    if hasattr(kind, "_isospin_") or kind is type:
        return kind(*arguments, **keywords)
    k = K
    policy = k.classes.get(kind)
    if policy is None:
        policy = k.classes[kind] = maker(kind) if is_users(kind) else outside.class_policy(kind)
    if policy.uncontrolled:
        k.uncontrolled.setdefault(policy.name, site)
    if policy.users:
        if not policy.why and not k.is_solo():
            k.ran_as_one_step(policy.name, site)
        made = kind(*arguments, **keywords)
    else:
        crossing = Crossing(k, policy, None, arguments, keywords, site)
        made = kind(*crossing.begin(), **keywords)
        crossing.end()
    if methods(type(made)) is not None or type(made).__dictoffset__:
        k.record(made)
        for value in list(own_attributes(made).values()):  # made by a generated __init__, without hooks
            if methods(type(value)) is not None:
                k.record(value)
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


def get_attribute(site: int, thing: Any, name: str, *default: Any) -> Any:
    try:
        return load(thing, name, site)
    except AttributeError:
        if default:
            return default[0]
        raise


def set_attribute(site: int, thing: Any, name: str, value: Any) -> None:
    store(value, thing, name, site)


def delete_attribute(site: int, thing: Any, name: str) -> None:
    delete(thing, name, site)


def has_attribute(site: int, thing: Any, name: str) -> bool:
    try:
        load(thing, name, site)
    except AttributeError:
        return False
    return True


SPECIAL: dict[str, Callable[..., Any]] = {
    "getattr": get_attribute, "setattr": set_attribute, "delattr": delete_attribute, "hasattr": has_attribute,
    "iter": make_iterator, "next": next_item,
}  # fmt: skip

EXPORTED = {
    f"_iso_{f.__name__}": f
    for f in (load, store, delete, scope, read, fetch, seen, write, item, setitem, delitem, contains, touch, show, test,
              iterate, delegate, new, binary, compare, inplace, turn, method, ask, call, slice)
}  # fmt: skip
