"""Addresses of the program in the lines of its files."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.errors import NOWHERE, Location

if TYPE_CHECKING:
    from ..c.binary.dwarf import Debug


class SourceLines:
    """Addresses of an executable as lines of its source."""

    def __init__(self, executable: Path) -> None:
        self.executable = executable
        self.known: dict[int, Location] = {0: NOWHERE}

    @cached_property
    def debug(self) -> Debug | None:
        try:
            from ..c.binary.dwarf import Debug
        except ImportError:  # without pyelftools there are calls instead of lines
            return None
        return Debug(self.executable)

    def of(self, address: int) -> Location:
        if address not in self.known:
            found = self.debug.place(address) if self.debug is not None else NOWHERE
            text = self.line(found)
            self.known[address] = replace(found, column=len(text) - len(text.lstrip()) + 1) if text else found
        return self.known[address]

    def text(self, location: Location) -> str:
        return self.line(location).strip()

    @staticmethod
    def line(location: Location) -> str:
        try:
            lines = Path(location.file).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return ""
        return lines[location.line - 1] if 0 < location.line <= len(lines) else ""
