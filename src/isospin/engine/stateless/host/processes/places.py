"""Addresses of the program in the lines of its files, by the debugging information."""

from __future__ import annotations

import subprocess
from pathlib import Path

from .....errors import NOWHERE, Location


class Places:
    def __init__(self, executable: Path) -> None:
        self.executable = executable
        self.known: dict[int, Location] = {0: NOWHERE}

    def of(self, address: int) -> Location:
        if address not in self.known:
            self.known[address] = self.look_up(address)
        return self.known[address]

    def look_up(self, address: int) -> Location:
        command = ["addr2line", "-e", str(self.executable), hex(address)]
        try:
            text = subprocess.run(command, capture_output=True, text=True, errors="replace", check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return NOWHERE
        file, _, line = text.strip().split(" ")[0].rpartition(":")
        if not line.isdigit() or line == "0":
            return NOWHERE
        written = self.line(file, int(line))
        return Location(file, int(line), len(written) - len(written.lstrip()) + 1)

    def text(self, location: Location) -> str:
        return self.line(location.file, location.line).strip()

    @staticmethod
    def line(file: str, number: int) -> str:
        try:
            lines = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return ""
        return lines[number - 1] if 0 < number <= len(lines) else ""
