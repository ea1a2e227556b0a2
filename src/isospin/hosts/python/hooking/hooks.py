"""The hooks that `rewrite.py` puts into a program: each lets the scheduler decide, then does what was asked for."""

from __future__ import annotations

import operator
from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    ModuleType,
)
from typing import Any

from ..border import border, spaces
from ..control import indices, loops
from ..control.indices import Index, number, plain
from ..control.kernel import Kernel, has_hooks
from ..control.notes import OUTSIDE
from ..control.records import NAMES, WHOLE, AttributeSpace, SearchMemory
from ..rewriting.sites import TARGET as TARGET
from . import iterators, keys, libraries, outside, variables
from .containers import SIMPLE, has_key, item_key, methods, size
from .iterators import delegate, failed, iterate, next_item, program_iterator
from .keys import check_key, check_made, check_order, formatted, place_key, stored_key
from .learning import learn_all, learn_contents, learn_failure, noting, tried
from .outside import class_attribute, has_own, is_opaque, is_plain_container
from .reachable import everything, is_container, is_users, own_attributes

# What rewritten code calls, by these names with `_iso_` before them.
__all__ = [
    "asked_for", "attributes_of", "binary", "binding", "compare", "contains", "decorator", "delegate", "delete",
    "delitem", "dynamic_code", "failed", "fetch", "inplace", "item", "iterate", "linked", "load", "manager", "new",
    "noticed", "read", "rebind", "scope", "seen", "setitem", "show", "shown", "store", "test", "touch", "turn", "write",
]  # fmt: skip

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add, "Sub": operator.sub, "BitOr": operator.or_, "BitAnd": operator.and_, "BitXor": operator.xor,
    "Mult": operator.mul, "Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le,
    "Gt": operator.gt, "GtE": operator.ge, "Mod": operator.mod,
}  # fmt: skip
INPLACE: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.iadd, "Sub": operator.isub, "BitOr": operator.ior, "BitAnd": operator.iand,
    "BitXor": operator.ixor, "Mult": operator.imul,
}  # fmt: skip
METHODS_OF_CLASSES = (FunctionType, property, classmethod, staticmethod, BuiltinFunctionType)
SPECIAL_NAMES = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}
HEAP_TYPE = 1 << 9
# What changes many attributes at once, or what a function does: such an assignment is not followed.
REPLACING = frozenset(
    ["__dict__", "__class__", "__bases__", "__code__", "__defaults__", "__kwdefaults__", "cell_contents"]
)

K: Kernel = Kernel(SearchMemory())  # the execution that is going on; this one is for programs that nobody checks


def activate(kernel: Kernel) -> None:
    global K
    K = iterators.K = keys.K = kernel
    indices.activate(kernel.indices)
    kernel.objects.watches_order = kernel.indices.is_active
    kernel.objects.check_order, kernel.objects.check_made = _check_order, _check_made


def _check_order(thing: Any, write: bool) -> None:
    check_order(K, thing, "is looked at as a whole", write)


def _check_made(thing: Any) -> None:
    check_made(K, thing)


class ClosureVariables:
    """Stands for the variables of one call of a function that inner functions use."""


# -------------------------------------------------------------------------------------------------- attributes


def load(thing: Any, name: str, site: int) -> Any:
    """`thing.name`"""
    k = K
    if type(thing) is Index:
        thing = plain(thing, f"is asked for {name}")
    if name in outside.TAKEN and outside.is_lock(thing):
        name = outside.program_name(thing, name)
    if not k.alone:
        objects = k.objects
        place = objects.spots.get((id(thing), name))
        if place is not None:
            objects.reach(place, False, site)
        else:
            look_up(k, thing, name, site)
    try:
        value = getattr(thing, name)
    except AttributeError as error:
        outside.check_private(k, thing, name)
        learn_failure(k, error)
        raise
    if name == "__dict__":
        spaces.opened(k, thing, value, site)
    k.running.log.append(value)
    return value


def look_up(k: Kernel, thing: Any, name: str, site: int) -> None:
    """An attribute is about to be read."""
    kind = type(thing)
    if (kind, name) in k.objects.plain:
        k.objects.reach(k.objects.spot(thing, name), False, site)
        return
    border.notice(k, kind, name, site)
    found = _homes(k, thing, name)
    if len(found) == 1:
        k.objects.reach(k.objects.place(k.objects.record(found[0]), name), False, site)
    else:
        k.objects.access_all([(k.objects.record(home), name, False) for home in found], site)


def store(value: Any, thing: Any, name: str, site: int) -> None:
    """`thing.name = value`"""
    k = K
    if name in outside.TAKEN and outside.is_lock(thing):
        name = outside.program_name(thing, name)
    if not k.alone and not k.memory.known.spaces and (place := k.objects.spots.get((id(thing), name))) is not None:
        k.objects.reach(place, True, site)  # never one of a module
    else:
        _announce_change(k, thing, name, site)
    tried(k, setattr, thing, name, value)


def _announce_change(k: Kernel, thing: Any, name: str, site: int, assigns: bool = True) -> None:
    """An attribute is about to be assigned to, or changed in another way."""
    kind = type(thing)
    if isinstance(thing, ModuleType):
        variables.bound_again(k, thing, name, site)
    if name in REPLACING:
        k.border.risky.setdefault(f"{kind.__name__}.{name}", site)
    if k.alone:
        k.running.effects += 1
    elif k.memory.known.spaces and name not in own_attributes(thing):
        home = k.objects.record(thing.__dict__ if isinstance(thing, ModuleType) else thing)
        k.objects.access_all([(home, name, True), (home, NAMES, True)], site)
    elif (kind, name) in k.objects.plain:
        place = k.objects.spot(thing, name)
        k.objects.reach(place, True, site, None if assigns else place.writing)
    else:
        if isinstance(class_attribute(kind, name), FunctionType) or isinstance(thing, type):
            variables.patched(k, name)
        border.notice(k, kind, name, site)
        if outside.is_used_unseen(thing, name) and not k.is_solo():
            k.border.run_as_one_step(f"setting {name} of {getattr(thing, '__qualname__', kind.__name__)}", site)
        for home in _homes(k, thing, name)[:1]:
            place = k.objects.place(k.objects.record(home), name)
            k.objects.reach(place, True, site, None if assigns else place.writing)
    if isinstance(thing, ModuleType | type):
        libraries.remember(k, thing, name)


def announce(thing: Any, name: str, change: bool, site: int) -> None:
    """An attribute is about to be read or changed by a function of the language itself."""
    if change:
        _announce_change(K, thing, name, site, assigns=False)
    elif not K.alone:
        look_up(K, thing, name, site)


def delete(thing: Any, name: str, site: int) -> None:
    """`del thing.name`"""
    k = K
    if name in outside.TAKEN and outside.is_lock(thing):
        name = outside.program_name(thing, name)
    if k.memory.known.spaces:
        k.objects.access(k.objects.record(thing), NAMES, True, site)
    if isinstance(thing, type):
        variables.patched(k, name)
    for home in _homes(k, thing, name)[:1]:
        k.objects.access(k.objects.record(home), name, True, site)
    if isinstance(thing, ModuleType | type):
        libraries.remember(k, thing, name)
    tried(k, delattr, thing, name)


def _homes(k: Kernel, thing: Any, name: str) -> tuple[Any, ...]:
    """The objects in which an attribute is looked up and that may change: the instance, its class, a module."""
    kind = type(thing)
    is_patched = name in k.memory.known.patched
    if kind is super:
        return variables.classes(thing.__self_class__) if is_patched else ()
    if kind.__dictoffset__ == 0 and not kind.__flags__ & HEAP_TYPE:
        return ()
    if isinstance(thing, ModuleType):
        return (thing.__dict__,) if variables.is_variable(k, thing, name) else ()
    if isinstance(thing, type):
        return variables.classes(thing) if is_patched else ()
    if hasattr(kind, "_isospin_") and not outside.is_lock(thing):
        return ()
    if is_patched:
        return (thing, *variables.classes(kind))
    attribute = class_attribute(kind, name)
    if attribute is None or type(attribute).__name__ == "member_descriptor":
        if not border.is_strange(k, kind):
            k.objects.plain.add((kind, name))
        return (thing,)
    return () if isinstance(attribute, METHODS_OF_CLASSES) else (thing,)


# -------------------------------------------------------------------------------------------------- variables


def scope() -> ClosureVariables:
    made = ClosureVariables()
    K.objects.record(made)
    return made


def read(home: Any, name: str, site: int) -> None:
    k = K
    if not k.alone:
        objects = k.objects
        objects.reach(objects.spots.get((id(home), name)) or objects.spot(home, name), False, site)


def fetch(home: dict[str, Any], name: str, site: int) -> Any:
    """A global variable."""
    k = K
    if not k.alone:
        objects = k.objects
        objects.reach(objects.spots.get((id(home), name)) or objects.spot(home, name), False, site)
    try:
        value = home[name]
    except KeyError:
        if name not in home["__builtins__"]:
            raise learn_failure(k, NameError(f"name {name!r} is not defined", name=name)) from None
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
        objects = k.objects
        objects.reach(objects.spots.get((id(home), name)) or objects.spot(home, name), True, site)
    return value


def rebind(home: Any, name: str, site: int) -> None:
    """A variable is about to be deleted or defined: that may fail, or take more than one step."""
    K.objects.access(K.objects.record(home), name, True, site)


def binding(things: Iterable[Any], home: Any, name: str, site: int) -> Iterator[Any]:
    """What a loop goes over, if others see its variable."""
    for value in things:
        yield write(value, home, name, site)


# -------------------------------------------------------------------------------------------------- items


def item(thing: Any, key: Any, site: int) -> Any:
    """`thing[key]`"""
    k = K
    if k.indices.is_active:
        check_key(k, thing, key)
    if not k.alone:
        kind = type(thing)
        if is_plain_container(k, kind, "__getitem__"):
            missing = is_opaque(k, kind, "__missing__") and _is_missing(thing, key)
            if missing and isinstance(thing, defaultdict) and border.is_noisy(k, thing.default_factory):
                return _made_item(k, thing, key, site)
            touch_item(k, thing, key, missing, site)
        elif kind not in outside.IMMUTABLE and methods(kind) is None and is_opaque(k, kind, "__getitem__"):
            border.operate(k, thing, "__getitem__", False, site)
    try:
        value = thing[stored_key(k, thing, key)]
    except Exception as error:
        learn_failure(k, error)
        raise
    if type(value) is list and id(value) not in k.objects.records:
        k.objects.record(value)
    k.running.log.append(value)
    return value


def _made_item(k: Kernel, thing: Any, key: Any, site: int) -> Any:
    """As C does it: it is missing, so the program's function is called, and what it gives is stored."""
    touch_item(k, thing, key, False, site)
    if has_key(thing, key):  # by now
        return item(thing, key, site)
    value = call(site, thing.default_factory)  # noqa: F821
    setitem(value, thing, key, site)
    return value


def _is_missing(thing: Any, key: Any) -> bool:
    """Will a dictionary be asked to make this item?  Perhaps, if only the program can say which keys are equal."""
    return item_key(thing, key) is None or not has_key(thing, key)


def touch_item(k: Kernel, thing: Any, key: Any, change: bool, site: int, assigns: bool = False) -> None:
    """An item of a container is about to be read or changed, perhaps by an assignment."""
    name = item_key(thing, key) if not k.indices.numbers else place_key(k, thing, key)
    if name is None:
        if not k.alone and isinstance(thing, dict | set) and border.compares_in_python(k, key):
            k.objects.spread(f"{type(thing).__name__}[{type(key).__name__}]", site)
        k.objects.access_whole(k.objects.record(thing), change, site)
        return
    record = k.objects.record(thing)
    if type(record) is AttributeSpace:
        if record.owner is record and key in thing:
            variables.known_variable(k, thing, key)
        k.objects.access_all([(record, name, change)], site)
        return
    keyed = change and isinstance(thing, dict | set)
    if not keyed or has_key(thing, key):
        k.objects.access_item(k.objects.record(thing), name, change, site, assigns)
        keyed = keyed and not has_key(thing, key)  # it may have gone while others ran
    # SOUND: a new key is a change of the whole, since the order of the keys can be seen.
    if keyed:
        k.objects.access_whole(k.objects.record(thing), True, site)


def setitem(value: Any, thing: Any, key: Any, site: int) -> None:
    """`thing[key] = value`"""
    k = K
    if k.indices.is_active:
        check_key(k, thing, key, True)
        if type(value) is Index and isinstance(thing, bytearray | array):
            value = plain(value, f"is put into a {type(thing).__name__}")
    is_plain = is_plain_container(k, type(thing), "__setitem__")
    if type(key) is slice and type(value) is GeneratorType:
        value = list(iterate(value, site))  # all of it is made before anything is changed
    if type(key) is slice and is_plain:
        # the items of the value are read
        border.look(k, "a slice", (value,), site, [(k.objects.record(thing), WHOLE, True)])
        learn_contents(k, (value,))
    elif is_plain:
        touch_item(k, thing, key, True, site, assigns=True)
    elif is_opaque(k, type(thing), "__setitem__"):
        border.operate(k, thing, "__setitem__", True, site)
    try:
        thing[stored_key(k, thing, key)] = value
    except Exception as error:
        learn_failure(k, error)
        raise


def delitem(thing: Any, key: Any, site: int) -> None:
    """`del thing[key]`"""
    k = K
    if k.indices.is_active:
        check_key(k, thing, key, True)
        if not isinstance(thing, dict):
            check_order(k, thing, "loses an item", True)
    if is_plain_container(k, type(thing), "__delitem__"):
        k.objects.access_whole(k.objects.record(thing), True, site)
    elif is_opaque(k, type(thing), "__delitem__"):
        border.operate(k, thing, "__delitem__", True, site)
    tried(k, operator.delitem, thing, stored_key(k, thing, key))


def contains(key: Any, thing: Any, site: int) -> bool:
    """`key in thing`"""
    k = K
    if k.indices.is_active and isinstance(thing, dict | set):
        check_key(k, thing, key)
    if not k.alone:
        if isinstance(thing, dict | set) and is_plain_container(k, type(thing), "__contains__"):
            touch_item(k, thing, key, False, site)
        elif not has_own(k, type(thing), "__contains__"):
            _looked_through(k, "in", (key, thing), site)
    answer = stored_key(k, thing, key) in thing
    k.running.log.append(answer)
    return answer


def touch(thing: Any, site: int) -> Any:
    """All of a container is read."""
    k = K
    if type(thing) not in SIMPLE and is_container(k, thing) and not has_own(k, type(thing), "__iter__"):
        border.look(k, "going through", (thing,), site)
        learn_contents(k, (thing,))
    return noting(k, thing) if hasattr(type(thing), "__next__") and k.indices.is_active else thing


def show(thing: Any, site: int) -> Any:
    """Part of a text: all that is in it is read."""
    k = K
    if type(thing) not in SIMPLE and not k.alone:
        _looked_through(k, "format", (thing,), site)
        learn_all(k, thing)
    return thing


def shown(thing: Any, site: int) -> Any:
    """Part of a text that is only shown: no number is told by it."""
    return number(thing) if type(thing) is Index and not keys.is_read_back(K, {}) else show(thing, site)


def test(thing: Any, site: int) -> Any:
    """A condition: of a container only whether it is empty is read."""
    k = K
    if type(thing) not in SIMPLE and not hasattr(type(thing), "__next__") and is_container(k, thing):
        if not has_own(k, type(thing), "__len__") and not has_own(k, type(thing), "__bool__"):
            border.look(k, "a condition", (thing,), site)
            k.running.log.append(size(thing))
    return thing


def new(thing: Any) -> Any:
    """A container that was just made: it gets its name from the thread that made it."""
    k = K
    k.objects.records.pop(id(thing), None)
    k.objects.record(thing)
    return thing


# -------------------------------------------------------------------------------------------------- operators


def binary(name: str, first: Any, second: Any, site: int) -> Any:
    """`first + second` and the like, if they may be containers."""
    if name == "Mod" and isinstance(first, str | bytes):
        second = formatted(second)
    if type(first) in SIMPLE and type(second) in SIMPLE:  # then nothing is learnt that was not known
        return OPERATORS[name](first, second)
    k = K
    if name == "Mod":
        _looked_through(k, "%", (first, second), site)
    else:
        border.look(k, f"{type(first).__name__}.{name}", (first, second), site)
    value = OPERATORS[name](first, second)
    if methods(type(value)) is not None:
        new(value)
    K.running.log.append(value)
    return value


def compare(name: str, first: Any, second: Any, site: int) -> Any:
    """`first == second` and the like."""
    if type(first) in SIMPLE and type(second) in SIMPLE:
        return OPERATORS[name](first, second)
    if not K.alone and not has_own(K, type(first), f"__{SPECIAL_NAMES[name]}__"):
        _looked_through(K, f"{type(first).__name__}.__{SPECIAL_NAMES[name]}__", (first, second), site)
    value = OPERATORS[name](first, second)
    K.running.log.append(value)
    return value


def inplace(name: str, first: Any, second: Any, site: int) -> Any:
    if type(first) not in SIMPLE:
        k = K
        if name == "Add" and type(first) in (list, deque) and type(second) is GeneratorType:
            fill(site, first, "__iadd__", second)  # noqa: F821
            return first
        border.change(k, f"{type(first).__name__}.{name}", first, (second,), site)
        learn_contents(k, (second,))
    return INPLACE[name](first, second)


def linked(value: Any, what: str, site: int) -> Any:
    """Part of a chain of comparisons, or the subject of a match: looked at in several steps that have no hooks."""
    k = K
    if type(value) not in SIMPLE and not k.alone:
        found = everything(k, (value,), inside=True)
        if found:
            k.objects.spread(what, site)
        k.objects.access_all(found, site)
        learn_all(k, value, inside=True)
    return value


def _looked_through(k: Kernel, what: str, things: tuple[Any, ...], site: int) -> None:
    """All that is in some objects is read, in one step if no code of Python runs meanwhile."""
    met: list[Any] = []
    found = everything(k, things, met=met)
    if found and not k.alone and any(border.is_noisy(k, thing) for thing in met):
        k.objects.spread(what, site)
    k.objects.access_all(found, site)


def turn(site: int, clean: bool) -> None:
    loops.turn(K, site, clean)


# -------------------------------------------------------------------------------------------------- calls


call: Callable[..., Any]  # a call of anything; these are filled by `calls.py`
method: Callable[..., Any]
container_method: Callable[..., Any]
fill: Callable[..., Any]


def asked_for(names: Any, site: int) -> Any:
    """`globals()`, `locals()`, `vars()` and `dir()`; the first is one of the places where globals are."""
    found = K.objects.records.get(id(names))
    if type(found) is AttributeSpace and not K.memory.known.spaces:
        K.memory.learnt.spaces = True
        K.memory.learn()
    return spaces.shown(names)


def attributes_of(thing: Any, site: int) -> Any:
    """`vars(x)`"""
    return spaces.opened(K, thing, vars(thing), site)


def noticed(value: Any, site: int) -> Any:
    """An operand; asked for only if the program has imported an unknown library."""
    border.notice(K, type(value), "operator", site)
    return value


def manager(thing: Any, site: int) -> Any:
    """What a `with` statement enters and leaves."""
    kind = type(thing)
    if getattr(kind, "_isospin_", False) or not border.is_strange(K, kind):
        return thing
    return border.Managed(K, thing, site)


def decorator(function: Any, site: int) -> Any:
    """What is called with a new function or class."""
    if not K.is_solo() and not (isinstance(function, FunctionType) and has_hooks(function)):
        policy = outside.class_policy(function) if isinstance(function, type) else outside.policy(function)
        if not policy.why and not is_users(function if isinstance(function, type) else type(function)):
            K.border.run_as_one_step(policy.name, site)
    return function


def dynamic_code(name: str, site: int) -> None:
    """Code that is not there yet: `eval`, `exec`."""
    if not K.is_solo():
        K.border.run_as_one_step(name, site)
    K.objects.access_all([(K.objects.record(OUTSIDE), WHOLE, True)], site)


def _get_attribute(site: int, thing: Any, name: str, *default: Any) -> Any:
    try:
        return load(thing, name, site)
    except AttributeError:
        if default:
            return default[0]
        raise


def _set_attribute(site: int, thing: Any, name: str, value: Any) -> None:
    store(value, thing, name, site)


def _delete_attribute(site: int, thing: Any, name: str) -> None:
    delete(thing, name, site)


def _has_attribute(site: int, thing: Any, name: str) -> bool:
    try:
        load(thing, name, site)
    except AttributeError:
        return False
    return True


SPECIAL: dict[str, Callable[..., Any]] = {
    "getattr": _get_attribute, "setattr": _set_attribute, "delattr": _delete_attribute, "hasattr": _has_attribute,
    "iter": program_iterator, "next": next_item,
}  # fmt: skip

EXPORTED: dict[str, Any] = {f"_iso_{name}": globals()[name] for name in __all__}
EXPORTED |= {"_iso_slice": slice, "_iso_map": map, **keys.EXPORTED}
