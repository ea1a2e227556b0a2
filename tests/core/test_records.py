"""A class that waits for its methods is the same as one of `dataclasses`."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from isospin.core import records
from isospin.core.records import dataclass


@dataclass(frozen=True)
class Point:
    x: int
    y: int = 2
    names: tuple[str, ...] = dataclasses.field(default=(), compare=False)


@dataclass(frozen=True)
class Named(Point):
    name: str = "p"

    def __repr__(self) -> str:
        return self.name


@dataclass
class Box:
    things: list[int] = dataclasses.field(default_factory=list)


@dataclass(eq=False)
class Thing:
    number: int = 0


@dataclass(frozen=True)
class Compared:
    word: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Compared) and self.word.lower() == other.word.lower()


@dataclass
class Later:
    seen: list[int] = dataclasses.field(init=False, default_factory=list)
    number: int = 1
    named: int = dataclasses.field(default=3, kw_only=True)

    def __post_init__(self) -> None:
        self.seen.append(self.number)


class Below(Box):
    """No dataclass itself."""


class BelowFrozen(Point):
    """Has attributes of its own."""


def test_what_is_made_is_what_dataclasses_make() -> None:
    assert Point(1) == Point(1, 2, ("a",))
    assert hash(Point(1)) == hash(Point(1, 2, ("a",)))
    assert repr(Point(1)) == "Point(x=1, y=2, names=())"
    assert Point(1) != Named(1)
    assert repr(Named(1)) == "p"
    assert Below([3]).things == [3]
    assert Thing() != Thing()
    assert len({Thing(), Thing()}) == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(Box())
    with pytest.raises(dataclasses.FrozenInstanceError):
        Point(1).x = 3  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del BelowFrozen(1).x
    own = BelowFrozen(1)
    own.more = 2  # type: ignore[attr-defined]
    assert (own.more, own == BelowFrozen(1)) == (2, True)  # type: ignore[attr-defined]
    assert Compared("A") == Compared("a")
    assert hash(Compared("a")) == hash(Compared("a")) != hash(Compared("b"))
    assert repr(Later(5)) == "Later(seen=[5], number=5, named=3)"
    assert Later(5, named=4) != Later(5)
    with pytest.raises(TypeError):
        Later(5, 4)  # type: ignore[call-arg]


def fresh() -> Any:
    @dataclass(frozen=True)
    class Fresh:
        x: int
        y: int = dataclasses.field(default=2, metadata={"a": 1})

    return Fresh


def test_whoever_looks_first_completes_it() -> None:
    assert [f.name for f in dataclasses.fields(fresh())] == ["x", "y"]
    assert dataclasses.is_dataclass(fresh())
    match fresh()(1):
        case object(x=1):
            pass
        case other:
            raise AssertionError(other)
    cls = fresh()
    assert cls.__match_args__ == ("x", "y")
    assert dataclasses.replace(cls(1), y=5) == cls(1, 5)
    one = object.__new__(Point)  # as pickle and copy make it
    one.__dict__.update(x=1, y=2, names=())
    assert one == Point(1) == pickle.loads(pickle.dumps(one)) == copy.copy(one)


def test_a_subclass_completes_its_base() -> None:
    base = fresh()
    below: Any = dataclass(frozen=True)(type("Below", (base,), {"__annotations__": {"z": int}, "z": 3}))
    assert below(1).z == 3
    assert below(1).y == 2
    assert base(1) == base(1)


def test_an_interrupt_leaves_the_class_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    cls, real = fresh(), dataclasses.dataclass

    def interrupted(**how: Any) -> Any:
        def make(cls: Any) -> None:
            real(**how)(cls)
            raise KeyboardInterrupt

        return make

    with monkeypatch.context() as changed:
        changed.setattr(records.dataclasses, "dataclass", interrupted)  # type: ignore[attr-defined]
        with pytest.raises(KeyboardInterrupt):
            cls(1)
    assert cls(1) == cls(1)
    assert dataclasses.fields(cls)[1].metadata == {"a": 1}


def test_nothing_is_compiled_where_a_class_is_defined() -> None:
    assert isinstance(vars(fresh())["__dataclass_fields__"], records._Asked)
