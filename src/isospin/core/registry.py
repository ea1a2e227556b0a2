"""Tables of what there is by name, whose entries are imported when they are looked up.

The names alone (for the command line, for messages, for tests) cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """Names, each with `module.attribute` below a package."""

    def __init__(self, package: str, entries: dict[str, str]) -> None:
        self._package, self._entries = package, entries

    def __getitem__(self, name: str) -> T:
        module, _, attribute = self._entries[name].rpartition(".")
        found: T = getattr(import_module(f"{self._package}.{module}"), attribute)
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
