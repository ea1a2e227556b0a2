"""What a page of the documentation shows, as things that can be done.

    Save this as `light.pml`:       the block that follows is written to that file
    ```console                      `$ command`, and what it prints; `...` stands for anything, on a line or for lines
    ```promela                      a whole model: it must load (a part of one is ```text)
    ```python                       a program: `# holds`, `# violated: kind`, `# incomplete: reason` or
                                    `# tests: 1 failed` in its first line is checked; without it the block is executed
    ```sh                           what a test cannot do: install, open a browser, set up a shell

A page is followed from top to bottom in one scratch directory, in which `examples/` and `benchmarks/` are.
"""

from __future__ import annotations

import io
import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

from isospin import check, cli, load
from tests.support import paths

FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", re.S | re.M)
NAMED = re.compile(r"`([\w.]+\.\w+)`[^`\n]*:\n*$")
SIMPLE = re.compile(r"[|<;&$*]|2>")
HEAD = re.compile(r"# (holds|violated|incomplete|tests)(?:: ([^\n]+))?\n")
NOT_RUN = re.compile(r"(pip|apt-get|docker|make|git|\. |source|eval|cd|isospin (completion|explore)|#|$)")


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int
    file: str = ""  # the name under which it is to be saved


def blocks(page: str) -> Iterator[Block]:
    for found in FENCE.finditer(page):
        before = page[: found.start()]
        named = NAMED.search(before)
        text = re.sub(f"^{found[1]}", "", found[3], flags=re.M) if found[1] else found[3]
        yield Block(found[2], text, before.count("\n") + 1, named[1] if named and found[2] != "console" else "")


def commands(text: str) -> list[tuple[str, str]]:
    """Each command of a console block, with what it should print."""
    parts = re.split(r"^\$ (.*)\n?", text, flags=re.M)
    assert not parts[0].strip(), f"a console block starts with a command, not with {parts[0]!r}"
    return list(zip(parts[1::2], parts[2::2], strict=True))


def pattern(expected: str) -> str:
    """Lines as they are; `...` alone stands for any lines, and within a line for any text."""
    lines = []
    for line in expected.rstrip().split("\n"):
        if line.strip() == "...":
            lines.append(r"(?:[^\n]*\n)*?")
        else:
            lines.append(r"[^\n]*?".join(map(re.escape, line.rstrip().split("..."))) + r" *\n")
    return "".join(lines)


@dataclass
class Reader:
    """Somebody who does what a page says."""

    place: Path
    page: str
    status: int = 0
    wrong: list[str] = field(default_factory=list)

    def follow(self, text: str) -> list[str]:
        """Everything on the page; what did not happen as it says."""
        (self.place / "examples").symlink_to(paths.EXAMPLES)
        (self.place / "benchmarks").symlink_to(paths.ROOT / "benchmarks")
        for block in blocks(text):
            with chdir(self.place):
                self.do(block)
        return self.wrong

    def do(self, block: Block) -> None:
        if block.file:
            Path(block.file).write_text(block.text)
        if block.language == "console":
            for command, expected in commands(block.text):
                self.command(command, expected, block.line)
        elif block.language == "promela":
            load(block.text)
        elif block.language == "python" and not (block.file and HEAD.match(block.text) is None):
            self.program(block)
        elif block.language == "sh":
            for line in block.text.split("\n"):
                self.expect(NOT_RUN.match(line) is not None, block.line, f"could be run: {line}")

    def expect(self, right: bool, line: int, what: str) -> None:
        if not right:
            self.wrong.append(f"{self.page}:{line}: {what}")

    def command(self, command: str, expected: str, line: int) -> None:
        plain = command.split("  #")[0].strip()
        printed = f"{self.status}\n" if plain == "echo $?" else self.run(plain)
        fits = re.fullmatch(pattern(expected), printed if printed.endswith("\n") else printed + "\n")
        if expected.strip():
            self.expect(fits is not None, line, f"$ {command}\nis said to print\n{expected}\nand prints\n{printed}")
        else:
            self.expect(self.status in (0, 1, 3), line, f"$ {command}\nends with {self.status}\n{printed}")

    def run(self, command: str) -> str:
        """Our own command in this process, which is faster; everything else by a shell."""
        if command.startswith("isospin ") and not SIMPLE.search(re.sub(r"'[^']*'", "", command)):
            out = io.StringIO()
            with redirect_stdout(out), redirect_stderr(out):
                try:
                    self.status = cli.main(shlex.split(command)[1:])
                except SystemExit as stop:
                    self.status = int(stop.code or 0)
            return out.getvalue()
        programs = self.place / ".programs"
        if not programs.exists():
            programs.mkdir()
            (programs / "isospin").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m isospin "$@"\n')
            (programs / "isospin").chmod(0o755)
        ours = f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=120,
                              env={**os.environ, "PATH": ours, "PYTHONPATH": str(paths.ROOT / "src")})  # fmt: skip
        self.status = done.returncode
        return done.stdout + done.stderr

    def program(self, block: Block) -> None:
        """A Python block: a program with its outcome, tests, or an example of the API."""
        file = Path(block.file or "example.py")
        file.write_text(block.text)
        head = HEAD.match(block.text)
        if head is None:
            runpy.run_path(str(file))
        elif head[1] == "tests":
            failed = sum(not passes(f) for n, f in runpy.run_path(str(file)).items() if n.startswith("test_"))
            self.expect(f"{failed} failed" == head[2], block.line, f"{failed} failed")
        else:
            verdict = check(file)
            said = verdict.reason + " ".join(v.kind for v in verdict.violations)
            self.expect(verdict.outcome.value == head[1], block.line, f"the program is {verdict.outcome}")
            self.expect((head[2] or "") in said, block.line, f"{head[2]} is not in {said}")


def passes(test: object) -> bool:
    assert callable(test)
    try:
        test()
    except AssertionError:
        return False
    return True
