"""What a renaming of threads does to the names of objects and to indices: found out while states are compared.

Each pair of values that must correspond says something: the lock that one thread has goes to the lock that its image
has, the number of the one to the number of the other.  `ObjectImages` and `IndexImages` gather that, and refuse what
does not fit.  What is left open at the end stays where it is.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from ...core.errors import NOWHERE, Location
from ...core.records import dataclass
from ...engines.stateless.protocol import OwnObject, Renaming, Thread
from .control.indices import Family, IndexName, Indices

__all__ = ["Differs", "IndexImages", "IndexRenaming", "ObjectImages"]


class Differs(Exception):
    """The state is changed by a renaming; the message says by what."""

    def __init__(self, why: str, variable: str = "", values: tuple[str, ...] = (), place: Location = NOWHERE) -> None:
        super().__init__(why)
        self.variable, self.values, self.place = variable, values, place


@dataclass(frozen=True)
class IndexRenaming(Renaming):
    """A renaming that moves parts of names: an object with all of its attributes, an item with the index it has."""

    def object(self, name: Hashable) -> Hashable:
        if isinstance(name, OwnObject):
            what = name.what
            moved = (what[0], self._key(what[1])) if isinstance(what, tuple) and len(what) == 2 else what
            return OwnObject(self.thread(name.thread), moved)
        if type(name) is tuple and len(name) == 2:
            return (self.objects.get(name[0], name[0]), self._key(name[1]))
        return self.objects.get(name, name)

    def _key(self, key: Hashable) -> Hashable:
        if type(key) is tuple and len(key) == 2 and isinstance(key[1], IndexName):
            return (key[0], self.objects.get(key[1], key[1]))
        return key

    @property
    def inverse(self) -> IndexRenaming:
        made = super().inverse
        return IndexRenaming(made.name, made.threads, made.objects)

    def then(self, other: Renaming) -> IndexRenaming:
        made = super().then(other)
        return IndexRenaming(made.name, made.threads, made.objects)


class ObjectImages:
    """Where objects with names go."""

    def __init__(self, threads: Mapping[Thread, Thread]) -> None:
        self._threads = threads
        self._images: dict[Hashable, Hashable] = {}
        self._origins: dict[Hashable, Hashable] = {}

    def move(self, one: Hashable, other: Hashable) -> bool:
        """Does it fit that the one goes to the other?"""
        if isinstance(one, OwnObject):
            return OwnObject(self._threads.get(one.thread, one.thread), one.what) == other
        if not _is_made_by_main(one):
            return one == other
        return self._images.setdefault(one, other) == other and self._origins.setdefault(other, one) == one

    def moved(self) -> dict[Hashable, Hashable]:
        return {one: other for one, other in self._images.items() if one != other}


def _is_made_by_main(name: Hashable) -> bool:
    """SOUND: only these change places: objects of other threads go with their threads, and all else stays."""
    return isinstance(name, str) and name[:1] == "o" and name[1:].isdigit()


class IndexImages:
    """Where the numbers of families go."""

    def __init__(self, indices: Indices) -> None:
        self._indices, self._known = indices, indices.known
        self._images: dict[Family, dict[int, int]] = {}
        self._origins: dict[Family, dict[int, int]] = {}
        self.variables: dict[tuple[Family, int], str] = {}  # where it was seen that a number moves

    def of(self, family: Family, value: int) -> int | None:
        return self._images.get(family, {}).get(value)

    def move(self, family: Family, one: int, other: int, variable: str = "") -> None:
        """The one goes to the other, and so does what `(i + k) % n` makes of them."""
        todo = [(one, other)]
        while todo:
            one, other = todo.pop()
            known = self.of(family, one)
            if known is None:
                self._set(family, one, other, variable)
                for sign, offset, modulus in self._known.maps.get(family, ()):
                    todo.append(((sign * one + offset) % modulus, (sign * other + offset) % modulus))
            elif known != other:
                raise Differs("stands for two others", variable, (str(one), f"{known} and {other}"))

    def _set(self, family: Family, one: int, other: int, variable: str) -> None:
        if self._origins.setdefault(family, {}).setdefault(other, one) != one:
            raise Differs("is where two go", variable, (str(other),))
        self._images.setdefault(family, {})[one] = other
        self.variables.setdefault((family, one), variable)

    def settle(self) -> bool:
        """Decide about one number that nothing says anything about; False if there is none."""
        for family, domain in self._known.values.items():
            for value in sorted(domain):
                if self.of(family, value) is None:
                    self.move(family, value, self._beginning(family, value))
                    return True
        return False

    def _beginning(self, family: Family, value: int) -> int:
        """The number itself; but if another one goes there, the one with which that row begins."""
        origins = self._origins.get(family, {})
        while value in origins:
            value = origins[value]
        return value

    def check(self) -> None:
        """Does the program, from here on, treat alike what changes places?"""
        for family, images in self._images.items():
            for one, other in images.items():
                if one != other and (other not in images or self._indices.is_told_later(family, one)):
                    self._refuse(family, one, other)
            for part in self._known.parts.get(family, ()):
                if {images.get(v, v) for v in part} != part:
                    one = next(v for v in part if images.get(v, v) not in part)
                    why, place = self._known.split.get((family, part), ("is told apart", NOWHERE))
                    raise Differs(why, self.variables.get((family, one), ""), (str(one), str(images[one])), place)

    def _refuse(self, family: Family, one: int, other: int) -> None:
        made = ("will be made again", NOWHERE)
        why, place = self._known.reasons.get((family, one)) or self._known.reasons.get((family, other)) or made
        raise Differs(why, self.variables.get((family, one), ""), (str(one), str(other)), place)

    def moved(self) -> dict[Hashable, Hashable]:
        return {
            IndexName(family, one): IndexName(family, other)
            for family, images in self._images.items() for one, other in images.items() if one != other
        }  # fmt: skip
