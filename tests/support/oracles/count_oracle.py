"""What the programs of tests/data/programs/c/weak/counts.c can see, by brute force over all interleavings."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

STEPS = 8  # of a thread at most
FREE = -1
_State = tuple[tuple[int, int, int], int, tuple[int, ...], tuple[tuple[tuple[int, int], int], ...]]


def random_scripts(random: Random, most: int = 8) -> list[str]:
    """Two to four threads; most variables are counters or registers, some are written in several ways."""
    ways = {place: random.choice(("AALL", "AALL", "OLL", "XLL", "SSLL", "ASL", "AEL", "AOLL")) for place in "xyz"}
    lengths = [random.randint(1, 4) for _ in range(random.choice((2, 3, 3, 4)))]
    if sum(lengths) > most:
        return random_scripts(random, most)
    places = random.choice(("x", "xy", "xy", "xyz"))
    threads = [[_step(random, ways, places) for _ in range(length)] for length in lengths]
    for steps in threads:
        if random.random() < 0.2:
            begin = random.randint(0, len(steps))
            end = random.randint(begin, len(steps))
            steps[begin:end] = ["Mm", *steps[begin:end], "Um"]
    return ["".join(steps) for steps in threads]


def _step(random: Random, ways: dict[str, str], places: str) -> str:
    place = random.choice(places)
    return random.choice(ways[place]) + place


def shows_all(scripts: Sequence[str]) -> bool:
    """Does what is loaded say all?  Not where a variable is written in several ways, or under a mutex."""
    steps = [script[i : i + 2] for script in scripts for i in range(0, len(script), 2)]
    ways = {place: {step[0] for step in steps if step[1] == place} - {"L"} for place in "xyzm"}
    return not ways["m"] and all(len(found) < 2 and "E" not in found for found in ways.values())


def outcomes(scripts: Sequence[str]) -> set[str]:
    """The texts that the program says."""
    threads = [[script[i : i + 2] for i in range(0, len(script), 2)] for script in scripts]
    start: _State = ((0, 0, 0), FREE, (0,) * len(threads), ())
    seen, todo, ends = {start}, [start], set[str]()
    while todo:
        memory, owner, at, found = todo.pop()
        moves = [t for t, steps in enumerate(threads) if at[t] < len(steps)]
        if not moves:
            ends.add(" ".join(f"{t}.{nth}={value}" for (t, nth), value in sorted(found)))
        for t in moves:
            step, own = threads[t][at[t]], 1 << (t * STEPS + at[t])
            if step == "Mm" and owner != FREE:
                continue
            loaded = [((t, at[t]), memory["xyz".index(step[1])])] if step[0] in "LE" else []
            moved = tuple(n + (i == t) for i, n in enumerate(at))
            following = (*_changed(step, own, memory, owner, t), moved, tuple(sorted([*found, *loaded])))
            if following not in seen:
                seen.add(following)
                todo.append(following)
    return ends


def _changed(
    step: str, own: int, memory: tuple[int, int, int], owner: int, thread: int
) -> tuple[tuple[int, int, int], int]:
    """Memory and the owner of the mutex behind a step."""
    if step[1] == "m":
        return memory, thread if step[0] == "M" else FREE
    place = "xyz".index(step[1])
    old = memory[place]
    new = {"A": old + own, "O": old | own, "X": old ^ own, "L": old}.get(step[0], own)
    first, second, third = (new if i == place else value for i, value in enumerate(memory))
    return (first, second, third), owner
