"""Race detection in C against the definition: two accesses, one a write, not both atomic, not ordered.

And of atomic accesses that are not ordered, whether one is weaker than seq_cst: then there may be more behaviours.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from isospin.engines.explicit.drive.build import compiler
from isospin.hosts.c.building.build import includes
from isospin.hosts.c.constants import RACE_ATOMIC, RACE_WEAK, RACE_WRITE
from tests.hosts.c.c_memory import FLAGS, HERE, RUNTIME

pytestmark = [
    pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the C host is for x86-64 only"),
    pytest.mark.skipif(shutil.which("cc") is None and shutil.which("gcc") is None, reason="there is no C compiler"),
]
HOWS = (0, RACE_WRITE, RACE_ATOMIC, RACE_ATOMIC | RACE_WRITE, RACE_ATOMIC | 5 << 2, RACE_ATOMIC | RACE_WRITE | 3 << 2)
KINDS = (*("access",) * 8, *("acquire", "release") * 2, "only", "born", "join", "forget")
Clock = dict[int, int]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("races") / "race_log"
    parts = (
        "race/race", "race/shadow", "race/guard", "race/leaving", "race/unread", "symmetry/renaming", "explore/arena",
    )  # fmt: skip
    sources = [str(RUNTIME / f"{part}.c") for part in parts]
    sources.append(str(HERE / "race_log.c"))
    subprocess.run([*compiler(), *FLAGS, "-O1", *includes(made.parent), *sources, "-o", str(made)], check=True)
    return made


@dataclass(frozen=True)
class Access:
    thread: int
    time: int
    bytes: frozenset[int]
    how: int
    pc: int


@dataclass
class Definition:
    """What happened, with the clock of every thread; nothing is forgotten but what begins a new life."""

    clocks: dict[int, Clock] = field(default_factory=lambda: {0: {0: 1}})
    objects: dict[int, Clock] = field(default_factory=dict)
    past: list[Access] = field(default_factory=list)

    def told(self, new: Access) -> frozenset[int]:
        """The bytes of granules where the last access that is remembered is just the same: its races were told then."""
        found: set[int] = set()
        for granule in {byte // 8 for byte in new.bytes}:
            eight = frozenset(range(8 * granule, 8 * granule + 8))
            last = next((old for old in reversed(self.past) if old.bytes & eight), None)
            if last and (last.thread, last.time, last.how, last.bytes & eight) == (
                new.thread, new.time, new.how, new.bytes & eight
            ):  # fmt: skip
                found |= eight
        return frozenset(found)

    def forget(self, gone: frozenset[int]) -> None:
        self.past = [Access(a.thread, a.time, a.bytes - gone, a.how, a.pc) for a in self.past]

    def tick(self, thread: int) -> None:
        self.clocks[thread][thread] += 1

    def born(self, parent: int, child: int) -> None:
        self.clocks[child] = {**self.clocks[parent], child: 1}
        self.tick(parent)

    def learn(self, clock: Clock, more: Clock) -> None:
        for t, time in more.items():
            clock[t] = max(clock.get(t, 0), time)

    def unordered(self, new: Access) -> list[Access]:
        clock = self.clocks[new.thread]
        return [
            old for old in self.past
            if old.bytes & new.bytes and (old.how | new.how) & RACE_WRITE and old.time > clock.get(old.thread, 0)
        ]  # fmt: skip

    def racing(self, new: Access) -> list[Access]:
        return [old for old in self.unordered(new) if not old.how & new.how & RACE_ATOMIC]

    def weak(self, new: Access) -> bool:
        return any(old.how & new.how & RACE_ATOMIC and (old.how | new.how) & RACE_WEAK for old in self.unordered(new))


def one(random: Random, lines: list[str], wanted: list[tuple[list[Access], bool]]) -> None:
    """One execution: the lines for the program, and of each access what it races with, and whether it is weak."""
    world, alive = Definition(), [0]
    lines.append("reset")
    for pc in range(random.randint(5, 60)):
        thread, other, lock = random.choice(alive), random.choice(alive), 0x9000 + 64 * random.randrange(3)
        match random.choice(KINDS):
            case "access":
                start, size, how = 0xFE0 + random.randrange(48), random.choice((1, 2, 4, 8, 3, 20)), random.choice(HOWS)
                new = Access(thread, world.clocks[thread][thread], frozenset(range(start, start + size)), how, pc)
                lines.append(f"access {thread} {start} {size} {how} {pc}")
                fresh = Access(thread, new.time, new.bytes - world.told(new), how, pc)
                wanted.append((world.racing(fresh), world.weak(fresh)))
                world.past.append(new)
            case "acquire":
                lines.append(f"acquire {thread} {lock}")
                world.learn(world.clocks[thread], world.objects.get(lock, {}))
            case "release" | "only" as kind:
                lines.append(f"{kind} {thread} {lock}")
                world.learn(world.objects.setdefault(lock, {}) if kind == "release" else {}, world.clocks[thread])
                if kind == "only":
                    world.objects[lock] = dict(world.clocks[thread])
                world.tick(thread)
            case "born" if len(world.clocks) < 5:
                child = len(world.clocks)
                lines.append(f"born {thread} {child}")
                world.born(thread, child)
                alive.append(child)
            case "join" if thread != other and other:
                lines.append(f"joined {thread} {other}")
                world.learn(world.clocks[thread], world.clocks[other])
                alive.remove(other)
            case "forget":
                start, size = 0xFE0 + random.randrange(48), random.choice((1, 5, 8, 32))
                lines.append(f"forget {start} {size}")
                world.forget(frozenset(range(start, start + size)))


def compare(program: Path, seeds: range) -> int:
    lines: list[str] = []
    wanted: list[tuple[list[Access], bool]] = []
    for seed in seeds:
        one(Random(seed), lines, wanted)
    done = subprocess.run([str(program)], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    said = [[int(word) for word in row.split()] for row in done.stdout.splitlines()]
    accesses = [line for line in lines if line.startswith("access")]
    assert len(said) == len(wanted) == len(accesses)
    for line, (told, *row), (racing, weak) in zip(accesses, said, wanted, strict=True):
        assert bool(row[0]) == bool(racing), line
        # what took the place of a weak access that came before it may be a plain one, which is in conflict with more
        assert weak or not told, line
        assert told or racing or not weak, line
        if racing:
            start, size, other, how, pc = row[1:]
            pair = [a for a in racing if (a.thread, a.how, a.pc) == (other, how, pc)]
            assert pair, (line, row, racing)
            assert {start, start + size - 1} <= pair[0].bytes
    return min(sum(1 for racing, _ in wanted if racing), sum(1 for _, weak in wanted if weak))


def test_races_are_those_of_the_definition(program: Path) -> None:
    assert compare(program, range(300)) > 300


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 20000, 2000))
def test_races_of_many_executions(program: Path, first: int) -> None:
    compare(program, range(first, first + 2000))
