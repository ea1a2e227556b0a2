"""Declared permutations of programs of processes: random programs in a ring, right and wrong permutations."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from shutil import which

import pytest

from isospin.core.errors import SourceError
from isospin.engines.stateless.protocol import Found
from isospin.hosts.processes.build import ForkingProgram, build
from isospin.hosts.processes.program import ProcessProgram
from isospin.pipeline.programs import road
from isospin.pipeline.programs.processes import ProcessHost
from isospin.pipeline.settings import ProcessOptions
from tests.support import paths

pytestmark = pytest.mark.skipif(which("gcc") is None and which("clang") is None, reason="needs a C compiler")

LETTERS = ["abABwoy", "wroxytc", "TcRwxy", "TgaAwoxy", "qQTwxy", "aATRcbBy", "tTqQy", "awrABRty"]
PARTS = ("process", "semaphore", "cell", "queue", "toss")
Answer = tuple[set[tuple[str, int]], set[Hashable]]


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


class Watched(ProcessProgram):
    """Remembers how its executions end: what is in the objects of each kind, whoever they belong to."""

    def __init__(self, built: ForkingProgram, arguments: Sequence[str]) -> None:
        self.ends: set[Hashable] = set()
        super().__init__(built, arguments)

    def stuck(self) -> Found | None:
        values = [(n[0], repr(sorted(v) if n[0] == "page" else v)) for n, v in self.world.objects.items()]
        ended = [p.point.call.kind if p.status is None else str(p.status) for p in self.world.processes.values()]
        self.ends.add((tuple(sorted(values)), tuple(sorted(ended))))
        return super().stuck()


def explored(built: ForkingProgram, scripts: Sequence[str], search: str, file: str | None, most: int) -> Answer | None:
    """What is found and how executions end; None if that was too much to look at."""
    program = Watched(built, scripts)
    symmetry = "none" if file is None else "declared"
    options = ProcessOptions(search=search, symmetry=symmetry, permutation=file, all_errors=True, max_executions=most)
    try:
        host = ProcessHost(program, "ring.c", options)
        result = road.search_until_known(host, search, road.question(host))
    finally:
        program.close()
    kinds = {(f.found.kind, 0 if f.found.kind == "deadlock" else f.found.location.line) for f in result.findings}
    return None if result.incomplete else (kinds, program.ends)


def written(places: Sequence[int], parts: Sequence[str]) -> str:
    """A permutation of places, for the parts that belong to each."""
    count = len(places)
    words = {
        "process": "{0}", "semaphore": "semaphore {0} of set 0", "cell": f"1 byte at {{0}} of segment {count + 1}",
        "queue": "queue {1}", "toss": "toss {0}",
    }  # fmt: skip
    found, seen = [], set[int]()
    for first in range(count):
        cycle, place = list[int](), first
        while place not in seen:
            seen.add(place)
            cycle.append(place)
            place = places[place]
        if len(cycle) > 1:
            found += [f"({', '.join(words[part].format(i, i + 1) for i in cycle)})" for part in parts]
    return " ".join(found)


def ideas(chance: random.Random, scripts: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Permutations, and whether each must be a symmetry."""
    count, same = len(scripts), len({*scripts}) == 1
    ring = [(i + 1) % count for i in range(count)]
    yield written(ring, PARTS), same and "t" not in scripts[0]
    yield written(ring, PARTS[:4]), same and "T" not in scripts[0]
    one, other = chance.sample(range(count), count), chance.sample(range(count), count)
    yield written(one, PARTS), False
    yield written(one, chance.sample(PARTS, chance.randint(1, 4))), False
    yield f"{written(one, PARTS[:2])} {written(other, PARTS[2::2])}", False


def compare(built: ForkingProgram, seed: int, place: Path, most: int) -> Iterator[str]:
    """A program by plain search, and with each permutation that is not refused."""
    chance = random.Random(seed)
    count, letters = chance.choice([2, 2, 3]), LETTERS[seed % len(LETTERS)]
    scripts = ["".join(chance.choices(letters, k=chance.randint(1, 6 - count)))] * count
    if chance.random() < 0.5:
        scripts[chance.randrange(count)] = "".join(chance.choices(letters, k=chance.randint(1, 3)))
    plain = explored(built, scripts, "dfs", None, most)
    if plain is None:
        return
    for text, right in ideas(chance, scripts):
        file = place / "permutations"
        file.write_text(text)
        for search in ("dfs", "persistent", "dpor"):
            try:
                reduced = explored(built, scripts, search, str(file), 2 * most)
            except SourceError:
                assert not right, (seed, scripts, text)
                yield "refused"
            else:
                assert reduced == plain, (seed, scripts, search, text)
                yield "agrees"


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> ForkingProgram:
    return build([paths.PROGRAMS / "processes" / "ring.c"])


def test_random_permutations_are_refused_or_right(ring: ForkingProgram, tmp_path: Path) -> None:
    said = [word for seed in (6, 10, 17) for word in compare(ring, seed, tmp_path, 100)]
    assert {*said} == {"agrees", "refused"}


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1400, 100))
def test_many_random_permutations_are_refused_or_right(ring: ForkingProgram, tmp_path: Path, first: int) -> None:
    said = [word for seed in range(first, first + 100) for word in compare(ring, seed, tmp_path, 1500)]
    assert min(said.count("agrees"), said.count("refused")) > 100
