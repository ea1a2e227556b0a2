"""Finds the symmetries of a model: the permutations of processes that keep every fact about it.

Reference: McKay and Piperno 2014; Donaldson and Miller 2005.
Differs: only the images of processes are searched for; variables, locations, channels and values must follow from them.
Where they do not (data that could be exchanged while all processes stay), they are given names, so that a permutation
of the processes says all.  The state where runs begin need not be kept: `turn = 0` does not tell the two processes of
Peterson's algorithm apart, for what matters is what can happen from a state, and a path through representatives is
told from the real beginning.  (Then orbits hold states that no run reaches, so their sizes count nothing.)
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise

from ...core.errors import NOWHERE, InternalError, Location
from ...core.model import Claim, Model, Sort, Variable
from ...core.permutation import Permutation, compose, inverse, orbits
from ...core.verdict import Refusal
from ...semantics.interp import Interpreter
from ...semantics.state import Fault
from ...semantics.text import scalar_name
from ...semantics.walk import atoms
from ..groups.group import Group, NotFaithful, few_generators
from ..protocol import Name
from .bodies import MANY, Bodies, are_shareable
from .describe import elements, facts, variable_at
from .facts import Fact
from .justify import Judge, names_in
from .later import begin_later
from .looping.loops import fold_loops
from .looping.rounds import KnownLoops
from .population import NotFoldable, Population, populate
from .seeing.exchanges import Exchanges
from .seeing.graph import Colours, FactGraph
from .sorts import Sorts
from .specialise import OwnCode, share, specialise
from .symmetries import Symmetries
from .value_class import ValueClass

MOST_TRIES = 4000
MOST_REFUSALS = 6
MOST_BLAME = 6000  # facts times classes: to find out who is to blame takes as many searches as there are classes


@contextmanager
def _pause_collector() -> Iterator[None]:
    """Let garbage lie: there are many objects and few cycles, and to look at all of them again and again is a quarter
    of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@_pause_collector()
def detect(
    model: Model, claims: Iterable[Claim] = (), keep_start: bool = False, loops: KnownLoops | None = None
) -> Symmetries:
    """The symmetries of a model that keep the given claims too; `prepare` the model first.

    `keep_start`: only those that keep the initial state.  Whoever exchanges whole runs needs that.
    `loops`: what is known of its loops.
    """
    loops = loops or KnownLoops()
    interpreter = Interpreter(model)
    none = Symmetries(model, interpreter, Group((), 0))
    try:
        population = populate(model, interpreter)
    except NotFoldable as refused:
        return Symmetries(model, interpreter, Group((), 0), (refused.refusal,))
    except Fault:
        return none
    if are_shareable(model, population):
        shared = _SharedDetector(model, interpreter, population, tuple(claims), keep_start, loops).full_symmetries()
        if shared is not None:
            return shared
    found = Detector(model, interpreter, population, tuple(claims), keep_start, loops).symmetries()
    if keep_start or not found.refused:
        return found
    return _detect_later(model, interpreter, population, tuple(claims), found, loops)


def _detect_later(
    model: Model, interpreter: Interpreter, population: Population, claims: tuple[Claim, ...], found: Symmetries,
    loops: KnownLoops,
) -> Symmetries:  # fmt: skip
    """What is found when folding begins later, if that is more: as early as possible."""
    later = begin_later(model, population)
    best, low, high = found, 0, len(later) - 1
    while low <= high:  # the later, the more
        middle = high if best is found else (low + high) // 2
        new = Detector(model, interpreter, later[middle], claims, keep_start=False, loops=loops).symmetries()
        better = new.order > found.order and new.order >= best.order
        if best is found and not better:
            return found
        if better:
            best, high = replace(new, keeps_start=False, waits=True), middle - 1
        else:
            low = middle + 1
    return best


class Detector:
    """Finds the group of one model."""

    def __init__(
        self, model: Model, interpreter: Interpreter, population: Population, claims: tuple[Claim, ...],
        keep_start: bool, loops: KnownLoops,
    ) -> None:  # fmt: skip
        self.model, self.interpreter, self.population, self.claims = model, interpreter, population, claims
        # SOUND: who sees single steps sees the middle of an atomic sequence.
        whole_moves = not claims and not keep_start
        self.owns: list[OwnCode] = fold_loops(model, self.code(), whole_moves, loops)
        self.own_of = {own.pid: own for own in self.owns}
        self.sorts = Sorts(model, interpreter, population.state, self.owns)
        for claim in claims:
            for atom in atoms(claim.formula) if claim.formula is not None else ():
                self.sorts.claim(atom, claim.location)
            for action in claim.template.actions if claim.template else ():
                self.sorts.action(action)
        self.sorts.finish()
        known = facts(model, population, self.owns, self.sorts, claims)
        self.beginning = [f for f in known if f.start]
        self.processes = len(population.state.processes)
        points: list[Name] = [("pid", p) for p in range(self.processes)]
        points += [("scalar", name, v) for name, size in model.scalarsets for v in range(1, size + 1)]
        self.points = len(points)
        self.graph = FactGraph([f for f in known if keep_start or not f.start], points)
        self.clear: Colours | None = None  # refined, with all points told apart, if nothing was given a name
        self.tries = 0
        self.cut = ""

    def code(self) -> list[OwnCode]:
        """What each process does."""
        return specialise(self.model, self.population)

    def symmetries(self) -> Symmetries:
        generators = self.search()
        renamings = self.justified(generators)
        found = self.group_of(generators)
        refused = tuple(self.refusals(found))
        return Symmetries(
            self.model, self.interpreter, found, refused, self.population, self.sorts, tuple(self.graph.movables),
            tuple(self.graph.facts), self.cut, keeps_start=_keep(self.beginning, renamings),
        )  # fmt: skip

    def group_of(self, generators: list[Permutation]) -> Group:
        """Searches find strong generators, unless they are cut short."""
        return Group(generators, self.graph.size, range(self.points), strong=not self.cut)

    def justified(self, generators: list[Permutation]) -> list[dict[Name, Name]]:
        """What few generators of the same group rename.  SOUND: nothing is used that the second opinion does not
        confirm."""
        movables, few = self.graph.movables, few_generators(generators)
        renamings = [{movables[i]: movables[image] for i, image in enumerate(g) if i != image} for g in few]
        if not _keep(self.graph.facts, renamings):
            raise InternalError("a permutation that was found is not a symmetry of the model")
        return renamings

    # ---------------------------------------------------------------- the search

    def search(self) -> list[Permutation]:
        self.begin, self.stable = self.named()
        colours = self.stable[: self.points]
        seen = Counter(colours)
        self.look_at([p for p in range(self.points) if seen[colours[p]] > 1])
        return self.generate()

    def look_at(self, base: list[int]) -> None:
        """Forget what is known of other colours than the present ones."""
        self.base, self.exchanging = base, Exchanges(self.graph, self.stable)
        self.along: dict[int, Colours] = {0: self.stable}  # by count: refined, with so many base points told apart
        self.apart: dict[int, Colours] = {}  # by level: the next point is told apart, too

    def told_apart(self, count: int) -> Colours:
        """Refined, with the first base points told apart."""
        if count not in self.along:
            fewer = max(known for known in self.along if known < count)
            self.along[count] = self.split(self.along[fewer], self.base[fewer:count], fewer)
            if fewer == count - 1:
                self.apart[fewer] = self.along[count]
        return self.along[count]

    def split(self, colours: Colours, points: Sequence[int], first: int = 0) -> Colours:
        """The colours with these points told apart from all others; `first`: how many were before them."""
        return self.graph.refine(self.graph.individualised(points, colours, first), points)

    def named(self) -> tuple[Colours, Colours]:
        """Colours to start with, such that telling the processes apart tells everything apart; and these refined.

        A name that is given without need takes symmetries away, so what takes few comes first.
        """
        colours, self.stable = self.graph.start, self.graph.refine(self.graph.start)
        clear = self.clear = self.split(self.stable, range(self.points))
        for name in (self.own_name, self.soft_name, None, self.value_name, self.hard_name, self.full_name):
            seen = Counter(clear[: self.graph.size])
            unclear = [i for i in range(self.graph.size) if seen[clear[i]] > 1]
            if not unclear:  # nothing is like anything else when all points are told apart
                break
            self.clear = None  # with names, colours depend on when they were given
            if name is not None:
                names = {i: new for i in unclear if (new := name(self.graph.movables[i])) is not None}
                colours = self.graph.renamed(colours, names)[0]
                self.stable, clear = (self.graph.refine(*self.graph.renamed(c, names)) for c in (self.stable, clear))
            elif more := self.places_in_arrays(unclear):
                before, self.graph = self.graph, self.graph.with_facts(more)
                colours, self.stable, clear = (self.graph.carried(c, before) for c in (colours, self.stable, clear))
                self.stable, clear = map(self.graph.refine, (self.stable, clear))
        return colours, self.stable

    def places_in_arrays(self, unclear: list[int]) -> list[Fact]:
        """Where such elements stand in their arrays are facts, too: `sent[i][k]` moves with both processes."""
        mine = [self.graph.movables[i] for i in unclear]
        return elements(self.model, self.population, self.owns, self.sorts, mine)

    def own_name(self, movable: Name) -> Name | None:
        """Plain locals keep their place, in all processes of a template."""
        if movable[0] == "local" and self.variable_of(movable).size == 1:
            return self.hard_name(movable)
        return movable if movable[0] == "class" else None

    def soft_name(self, movable: Name) -> Name | None:
        """A name that all elements of an array, and all processes of a template, share."""
        if movable[0] in ("global", "local"):
            return (movable[0], self.variable_of(movable).base)
        return ("chan", self.sorts.channel_types[int(movable[1])].name) if movable[0] == "chan" else None

    def variable_of(self, movable: Name) -> Variable:
        if movable[0] == "global":
            return variable_at(self.model.globals, int(movable[1]))
        return variable_at(self.own_of[int(movable[1])].template.locals, int(movable[2]))

    def value_name(self, movable: Name) -> Name | None:
        return self.hard_name(movable) if movable[0] == "value" else None

    def hard_name(self, movable: Name) -> Name:
        """A name that all processes share."""
        return (movable[0], movable[2]) if movable[0] in ("local", "loc", "value") else self.full_name(movable)

    def full_name(self, movable: Name) -> Name:
        return movable

    def generate(self) -> list[Permutation]:
        """From the deepest stabiliser up: one generator for each new image of a base point."""
        found = [exchange for family in self.large_families() for exchange in self.all_exchanges(family)]
        for level in range(len(self.base) - 1, -1, -1):
            point = self.base[level]
            fixed = [g for g in found if all(g[b] == b for b in self.base[:level])]
            orbit = orbits(fixed, [point])[0]
            for image in self.base[level + 1 :]:
                if image in orbit or not self.may_map(level, image):
                    continue
                new = self.map_to(level, image)
                if new is not None:
                    found.append(new)
                    fixed.append(new)
                    orbit = orbits(fixed, [point])[0]
        return found

    def large_families(self) -> list[list[int]]:
        """Many points that look alike."""
        found: dict[int, list[int]] = {}
        for point in self.base:
            found.setdefault(self.stable[point], []).append(point)
        return [family for family in found.values() if len(family) >= MANY]

    def all_exchanges(self, family: list[int]) -> list[Permutation]:
        """All exchanges of neighbours, if there is one, and all can move up: the others are conjugates of it, which is
        much less work than to find them one by one."""
        first = self.guess(family[0], family[1])
        if first is None or any(first[p] != p for p in range(self.points) if p not in family[:2]):
            return []
        up = dict(pairwise((*family, family[0])))
        whole = self.moved_all([up.get(b, b) for b in self.base])
        if whole is None:
            return []
        found, back = [first], inverse(whole)
        for _ in family[2:]:
            found.append(compose(whole, compose(found[-1], back)))
        return found

    def look_ahead(self) -> None:
        """Colours of a few levels, once a guess was wrong: what they tell apart is apart on all levels below."""
        count = 1
        while count < len(self.base):
            colours = self.told_apart(count)
            if len({colours[p] for p in self.base}) == len(self.base):
                return
            count *= 2

    def may_map(self, level: int, image: int) -> bool:
        """Do the colours that are known allow it?"""
        point = self.base[level]
        return all(c[point] == c[image] for count, c in self.along.items() if count <= level)

    def map_to(self, level: int, image: int) -> Permutation | None:
        """An automorphism that moves a base point there, and none before."""
        guess = self.guess(self.base[level], image)
        if guess is not None and all(guess[b] == b for b in self.base[:level]):
            return guess
        self.look_ahead()
        if not self.may_map(level, image):
            return None
        fixed = self.told_apart(level)
        if not self.may_map(level, image):
            return None
        return self.extend(self.parted(level), self.split(fixed, [image], level), level + 1)

    def parted(self, level: int) -> Colours:
        """The base point of a level is told apart, too, as its image is."""
        if level not in self.apart:
            self.apart = {level: self.split(self.told_apart(level), [self.base[level]], level)}
        return self.apart[level]

    def guess(self, point: int, image: int) -> Permutation | None:
        """An exchange of two points, and of as few others as possible."""
        guess = self.exchanging.guess(point, image)
        # SOUND: what was given a name stays where it is, or a permutation of the points would not say all.
        is_named = guess is not None and any(self.begin[i] != self.begin[j] for i, j in enumerate(guess))
        return None if is_named else guess

    def extend(self, here: Colours, there: Colours, depth: int) -> Permutation | None:
        """An automorphism that maps these colours to those; so many points were told apart in them.

        Most move few things, so what has no colour of its own is left where it is, first of all.
        """
        self.tries += 1
        if self.tries > MOST_TRIES:
            self.cut = f"the search for symmetries ended after {MOST_TRIES} tries"
            return None
        cells, images = Counter(here[p] for p in self.base), Counter(there[p] for p in self.base)
        if cells != images:
            return None
        if (found := self.matched(here, there)) is not None:
            return found
        point = next((p for p in self.base if cells[here[p]] > 1), None)
        if point is None:  # the colours say where everything goes
            return None
        parted = self.split(here, [point], depth)
        for image in self.base:
            if there[image] == here[point]:
                if (found := self.extend(parted, self.split(there, [image], depth), depth + 1)) is not None:
                    return found
        return None

    def moved_all(self, images: list[int]) -> Permutation | None:
        """The automorphism that moves the base points there."""
        known = self.clear if self.base == list(range(self.points)) else None
        return self.matched(known or self.split(self.stable, self.base), self.split(self.stable, images))

    def matched(self, here: Colours, there: Colours) -> Permutation | None:
        found = self.graph.matching(here, there)
        return found if found is not None and self.graph.is_automorphism(found) else None

    # ---------------------------------------------------------------- what was refused

    def refusals(self, group: Group) -> list[Refusal]:
        """Which lines keep processes of one template from taking each other's place."""
        found: dict[tuple[Location, str], Refusal] = {}
        for pids in self.broken_families(group):
            for a, b in self.broken_pairs(group, pids):
                guilty = self.guilty(group, a, b)
                for refusal in guilty:
                    self.say(found, refusal.location, f"names are used as numbers: {refusal.why}")
                if guilty:
                    continue
                self.say_numbers(found)
                for fact in self.witnesses(a, b):
                    self.say_indices(found, fact)
                    self.say(found, fact.location, _sentence(fact, self.called(a), self.called(b), self.kinds[a]))
        return list(found.values())[:MOST_REFUSALS]

    def say(self, found: dict[tuple[Location, str], Refusal], location: Location, why: str) -> None:
        if location != NOWHERE and not any(known[0] == location for known in found):
            found[location, why] = Refusal(location, why)

    def say_numbers(self, found: dict[tuple[Location, str], Refusal]) -> None:
        for refusal in self.sorts.misused:
            why = refusal.why.replace("on it", "on a pid")
            self.say(found, refusal.location, f"{why}: pids are plain numbers here")
        for one in self.sorts.classes.values():
            if one.holds_pids:
                for refusal in one.spoilt:
                    self.say(found, refusal.location, f"a pid is used as a number: {refusal.why}")

    def say_indices(self, found: dict[tuple[Location, str], Refusal], fact: Fact) -> None:
        """Elements of an array cannot change places if somebody counts through it."""
        for variable in dict.fromkeys(v for name in names_in(fact.term) for v in self.arrays_of(name)):
            for dimension in range(len(variable.shape)):
                for refusal in self.sorts.index(variable, "", dimension).spoilt:
                    self.say(found, refusal.location, f"an index of {variable.name} is a number: {refusal.why}")

    def arrays_of(self, movable: Name) -> Iterator[Variable]:
        """The arrays that an element, or a channel, is in."""
        values = self.population.state.values
        for variable in (v for v in self.model.globals if v.shape):
            inside = range(variable.base, variable.base + variable.size)
            is_held = variable.type.sort is Sort.CHANNEL and movable[0] == "chan"
            if (movable[0] == "global" and movable[1] in inside) or (
                is_held and any(values[i] == int(movable[1]) + 1 for i in inside)
            ):
                yield variable

    def guilty(self, group: Group, a: int, b: int) -> list[Refusal]:
        """What keeps two points from taking each other's place only since it counts or orders names.

        All classes of values that are plain numbers for such a reason are taken for names, one after the other is given
        up again, and those that cannot be given up are guilty.  Nothing of this is used for anything but the report.
        """
        spoilt = {n: one.spoilt for n, one in enumerate(self.sorts.classes.values()) if _is_computed(one)}
        if not spoilt or len(self.graph.facts) * len(spoilt) > MOST_BLAME:
            return []
        apart = not any(a in orbit and b in orbit for orbit in orbits(group.generators, [a, b]))
        classes = list(self.sorts.classes.values())
        try:
            for n in spoilt:
                classes[n].spoilt = []
            if not self.would_join(a, b, apart):
                return []
            for n, why in spoilt.items():
                classes[n].spoilt = why
                if not self.would_join(a, b, apart):
                    classes[n].spoilt = []
            return [refusal for n, why in spoilt.items() if not classes[n].spoilt for refusal in why]
        finally:
            for n, why in spoilt.items():
                classes[n].spoilt = why

    def would_join(self, a: int, b: int, apart: bool) -> bool:
        """With the classes as they are now: is there a symmetry from one point to the other, or that swaps them?"""
        # What clears dead variables to 0 breaks nothing then: they would rest at another value.
        owns = [replace(own, actions=tuple(replace(a, clears=()) for a in own.actions)) for own in self.owns]
        known = facts(self.model, self.population, owns, self.sorts, self.claims)
        mine, tries, cut = self.graph, self.tries, self.cut
        self.graph = FactGraph([f for f in known if not f.start], self.graph.movables[: self.points])
        try:
            other = self.group_of(self.search())
            return b in orbits(other.generators, [a])[0] if apart else self.swaps(other, a, b)
        except NotFaithful:
            return False
        finally:
            self.graph, self.tries, self.cut = mine, tries, cut

    @property
    def kinds(self) -> list[str]:
        """The template or the scalarset of each point."""
        values = self.graph.movables[self.processes : self.points]
        processes = self.population.state.processes
        return [self.model.templates[p.template].name for p in processes] + [str(t[1]) for t in values]

    def called(self, point: int) -> str:
        movable = self.graph.movables[point]
        return f"{self.kinds[point]} {point}" if movable[0] == "pid" else scalar_name(str(movable[1]), int(movable[2]))

    def broken_families(self, group: Group) -> list[list[int]]:
        """Processes of one template, or values of one scalarset, that are not fully symmetric."""
        names = self.kinds
        found = []
        for name in dict.fromkeys(names):
            pids = [p for p, n in enumerate(names) if n == name]
            if len(pids) > 1 and any(not self.swaps(group, a, b) for a, b in pairwise(pids)):
                found.append(pids)
        return found

    def swaps(self, group: Group, a: int, b: int) -> bool:
        images = list(range(self.points))
        images[a], images[b] = b, a
        wanted = tuple(images)
        known = any(g[a] == b and g[: self.points] == wanted for g in group.generators)
        return known or group.with_images(wanted) is not None

    def broken_pairs(self, group: Group, pids: list[int]) -> list[tuple[int, int]]:
        """Pairs that no symmetry connects; if there are none, one pair that cannot be swapped."""
        parts = orbits(group.generators, pids)
        if len(parts) > 1:
            return [(parts[0][0], part[0]) for part in parts[1:]][:4]
        return [next((a, b) for a, b in pairwise(pids) if not self.swaps(group, a, b))]

    def witnesses(self, a: int, b: int) -> list[Fact]:
        """Facts that do not hold any more if two processes change places; statements before declarations."""
        swapped = list(range(self.points))
        swapped[a], swapped[b] = b, a
        facts = Exchanges(self.graph).broken(a, b)
        if not facts:
            has_values = any(movable[0] == "value" for movable in self.graph.movables)
            views = [
                self.graph.broken(self.owned(range(self.points), values), self.owned(swapped, values))
                for values in ((False, True) if has_values else (False,))
            ]
            _, facts = min(views, key=lambda view: (view[0], len(view[1])))
        telling = [f for f in facts if f.text not in ("label", "where it starts")]
        # What somebody else begins with may follow from what the two do, as a channel of `init` that they are given.
        return sorted(telling or facts, key=lambda f: f.text.startswith("the initial value"))[:3]

    def owned(self, name: Sequence[int], values: bool) -> Colours:
        """Colours that tell processes apart, and with them their locations and variables; values too, or not."""
        colours = list(self.graph.plain)
        for i, movable in enumerate(self.graph.movables):
            if movable[0] in ("pid", "loc", "local"):
                rest = int(movable[2]) if len(movable) > 2 else -1
                colours[i] = hash((colours[i], name[int(movable[1])], rest))
            elif movable[0] == "global":
                colours[i] = hash((colours[i], *self.indices(int(movable[1]), name)))
            elif movable[0] == "scalar":
                colours[i] = hash((colours[i], name[i]))
            elif movable[0] == "value" and values:
                colours[i] = hash((colours[i], int(movable[2])))
        return colours

    def indices(self, slot: int, name: Sequence[int]) -> list[int]:
        """The variable of a slot and its indices; an index that somebody takes from `_pid` goes by the process."""
        variable = variable_at(self.model.globals, slot)
        found, rest = [], slot - variable.base
        for dimension in reversed(range(len(variable.shape))):
            rest, i = divmod(rest, variable.shape[dimension])
            one = self.sorts.index(variable, "", dimension)
            by_pid = one.holds_pids and i < self.processes
            point = self.graph.number.get(("scalar", one.scalarset, i))
            found.append(name[i] if by_pid else i if point is None else name[point])
        return [variable.base, *found] if found else []


class _SharedDetector(Detector):
    """Finds out whether all processes of a template can be exchanged, by the code that they share."""

    def code(self) -> list[OwnCode]:
        return share(self.model, self.population)

    def full_symmetries(self) -> Symmetries | None:
        """All exchanges within the templates and scalarsets; None if some are not found here."""
        if self.sorts.anybody.kind != "pid":  # SOUND: see `bodies.py`
            return None
        exchanges = self.exchanges()
        if exchanges is None:
            return None
        bodies, renamings = Bodies(self.owns, self.graph.movables), self.justified(exchanges)
        group = Group(map(bodies.spread, exchanges), len(bodies.movables), range(self.points), strong=True)
        return Symmetries(
            self.model, self.interpreter, group, (), self.population, self.sorts, tuple(bodies.movables),
            tuple(self.graph.facts), keeps_start=_keep(self.beginning, renamings),
            bodies=tuple((body, pids[0]) for body, pids in bodies.pids.items()),
        )  # fmt: skip

    def exchanges(self) -> list[Permutation] | None:
        """Of neighbours in each family; None if one is missing."""
        families: dict[str, list[int]] = {}
        for point, kind in enumerate(self.kinds):
            families.setdefault(kind, []).append(point)
        self.begin, self.stable = self.named()
        self.look_at(list(range(self.points)))
        found: list[Permutation] = []
        for family in families.values():
            if len(family) > 1:
                more = self.all_exchanges(family)
                if not more:
                    return None
                found += more
        return found


def _keep(facts: list[Fact], renamings: Iterable[dict[Name, Name]]) -> bool:
    judge = Judge(facts)
    return all(judge.find_violated(renaming) is None for renaming in renamings)


def _sentence(fact: Fact, a: str, b: str, kind: str) -> str:
    if fact.text == "assertion":
        return f"the assertion tells {a} from {b}"
    if fact.text == "death":
        return f"{kind} may end, and only the youngest process can die"
    if fact.text.startswith(("the initial value", "the value given", "claim")):
        return f"{fact.text} tells {a} from {b}"
    return f"this {fact.text or 'declaration'} tells {a} from {b}"


def _is_computed(one: ValueClass) -> bool:
    """Is it a class of numbers since somebody computes with them, and for no other reason?"""
    return bool(one.spoilt) and all(refusal.location != NOWHERE for refusal in one.spoilt)
