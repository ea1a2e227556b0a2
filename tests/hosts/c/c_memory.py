"""The exploration in C over programs in memory: compiled once, many programs a process."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from isospin.engines.explicit.drive.build import compiler
from isospin.engines.stateless.protocol import Step
from isospin.hosts.c.building.build import includes
from isospin.hosts.memory import MemoryCode, MemoryInstruction
from tests.support import paths

HERE = Path(__file__).parent
RUNTIME = paths.SOURCE / "hosts" / "c" / "runtime"
PARTS = (
    "explore/arena", "wire/message", "wire/outcomes", "pthread/orders", "race/race", "race/shadow", "race/guard",
    "race/leaving", "race/unread", "explore/action", "reversals/trail", "reversals/wanted", "reversals/wakeup",
    "await/await", "symmetry/renaming", "orbits/covered", "orbits/deeds", "orbits/fixing", "orbits/images",
    "orbits/left_out", "orbits/orbit", "orbits/orbit_sum", "orbits/seen",
    "explore/explore", "reversals/reversals", "jobs/jobs", "jobs/team", "explore/tell", "graphs/worth",
)  # fmt: skip
FLAGS = ("-std=gnu11", "-Wall", "-Wextra", "-Werror")


@dataclass
class Answer:
    """What the search said about one program."""

    findings: list[dict[str, Any]] = field(default_factory=list)
    progress: list[dict[str, Any]] = field(default_factory=list)
    ends: set[tuple[int, ...]] = field(default_factory=set)  # what was left at the end of executions (`ends=1`)
    result: dict[str, Any] = field(default_factory=dict)

    @property
    def kinds(self) -> set[str]:
        return {f["what"] for f in self.findings}

    @property
    def places(self) -> set[tuple[str, str]]:
        return {(f["what"], f["message"]) for f in self.findings}

    @property
    def executions(self) -> int:
        count: int = self.result["executions"]
        return count

    def steps(self, finding: int = 0) -> tuple[Step, ...]:
        flat = self.findings[finding]["steps"]
        return tuple(Step(t, c) for t, c in zip(flat[::2], flat[1::2], strict=True))


@cache
def host(directory: Path, *flags: str) -> Path:
    made = directory / f"memory_host{'_'.join(flags)}".replace("=", "_").replace(",", "_")
    if not made.exists():
        sources = [str(RUNTIME / f"{part}.c") for part in PARTS] + [str(HERE / "memory_host.c")]
        command = [*compiler(), *FLAGS, *(flags or ("-O2",)), *includes(directory), *sources, "-o", str(made)]
        subprocess.run(command, check=True)
    return made


def text(code: MemoryCode, options: str) -> str:
    arrays = list(code.arrays)
    lines = [f"program out=1 {options}"]
    lines += [f"array {len(v)} {' '.join(map(str, v))}" for v in code.arrays.values()]
    lines.append(f"locals {code.locals}")
    end = (MemoryInstruction("end"),) if code.watches_ends else ()
    for thread in code.threads:
        lines.append(f"thread {len(thread) + len(end)}")
        lines += [line(i, arrays) for i in (*thread, *end)]
    return "\n".join([*lines, "run\n"])


def line(i: MemoryInstruction, arrays: Sequence[str]) -> str:
    array, offset, by = (-1, 0, None) if i.place is None else (arrays.index(i.place.array), i.place.offset, i.place.by)
    value = "id" if i.value is None else i.value
    threads = sum(1 << t for t in i.threads)
    return f"{i.kind} {array} {offset} {-1 if by is None else by} {i.local} {value} {i.jump} {threads}"


def explore(program: Path, codes: Iterable[MemoryCode], options: str = "") -> list[Answer]:
    asked = "".join(text(code, options) for code in codes)
    done = subprocess.run([str(program)], input=asked, capture_output=True, text=True, check=True)
    assert not done.stderr, done.stderr
    answers = [Answer()]
    for row in done.stdout.splitlines():
        message = json.loads(row)
        match message["kind"]:
            case "finding":
                answers[-1].findings.append(message)
            case "progress":
                answers[-1].progress.append(message)
            case "end":
                answers[-1].ends.add(tuple(message["left"]))
            case "result":
                answers[-1].result = message
                answers.append(Answer())
    return answers[:-1]
