"""Is an exchange a symmetry of what is searched?

Reference: Wang et al., section 6.2, Lemma 1: a permutation may be used if it maps initial states to initial states,
violations to violations and steps to steps.
Differs: asked of the diagrams, whatever the text looks like, and only of states that there could be.  For what follows
pointers there is no diagram: two such expressions count as the same if they follow the same pointers in the same way
and their parts without pointers have the same diagrams; and/or may have their operands in any order.

A worked example, that of `swaps.py`: each of two processes turns its own bit, and the exchange of both is tried.

* The initial states: 00 becomes 00.
* The steps: b[0] := !b[0] becomes b[1] := !b[1], which is the step of the other process, and the other way round.
* The violations: there are none.  With `assert(!b[0])` in both processes, the violation b[0] becomes b[1], which is
  none: the exchange may not be used.  Otherwise 01 would count as an image of 10, where the assertion fails.

>>> may_exchange("do :: b[_pid] = 1 - b[_pid] od")
True
>>> may_exchange("do :: b[_pid] = 1 - b[_pid] :: assert(!b[0]) od")
False
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from functools import cached_property, reduce
from itertools import groupby, pairwise

from ...core.model import AtLabel, Binary, Bounded, Conditional, Const, Expr, Place, Self, Unary
from ...core.partition import Partition
from ...semantics.walk import children, operands
from ...symmetry.protocol import Exchange, Rearrangement, Rename
from ...transform.inactive import is_risky
from .backend import Bdd, Substitution, disjunction
from .encoding.layout import Key
from .encoding.postponed import PointerWork, is_fixed, is_indirect
from .encoding.problem import Problem
from .encoding.world import Change, World
from .swaps import Swap, Swaps, renamed
from .uniform import UniformText

FEW = 3  # exchanges of neighbours in a family: with so many, two proofs are less work
Form = Hashable
Shape = tuple[Bdd, frozenset[tuple[int, Bdd]]]


class Lemma:
    """Proves that a rearrangement of processes keeps all transitions, violations and initial states."""

    def __init__(self, problem: Problem, exchanges: Iterable[Exchange] = ()) -> None:
        """`exchanges`: all that will be asked for, also as parts of rearrangements."""
        self.problem, self.look = problem, _Look()
        self.text = UniformText(problem.encoding.layout, exchanges)

    def kept(self, swap: Swap, back: Swap | None = None) -> bool:
        """May the rearrangement be used?  `back` takes it back; an exchange does that by itself."""
        # SOUND: exactly the conditions of Lemma 1; what they do not allow is not used.
        # That valid states stay valid is known already: `Swaps` asks of each part whether its values fit.
        return (
            self.proved(lambda proof: proof.keeps_sets(swap))
            and self.keeps_steps(swap, back or swap)
            and self.keeps_violations(swap)
        )

    def keeps_steps(self, swap: Swap, back: Swap) -> bool:
        """The text may show it; otherwise steps are compared one by one."""
        return self.text.keeps_steps(swap.exchange) or (
            self.proved(lambda proof: proof.keeps_changes(swap, back))
            and self.proved(lambda proof: self.follower(swap, proof).keeps_steps())
        )

    def keeps_violations(self, swap: Swap) -> bool:
        """Diagrams are asked first where there are diagrams of all violations."""
        follows = any(work.invariant is not None for work in self.problem.pointers.works)
        if follows and self.text.keeps_all(swap.exchange):
            return True
        return self.proved(lambda proof: proof.keeps_goals(swap)) and (
            not follows or self.proved(lambda proof: self.follower(swap, proof).keeps_invariants())
        )

    def follower(self, swap: Swap, proof: _Proof) -> _Follower:
        """For what has no diagrams."""
        return _Follower(self.problem, swap, proof.valid, self.look)

    def proved(self, condition: Callable[[_Proof], bool]) -> bool:
        """One condition: whatever the bits are, for which diagrams are smaller, or in states that there could be."""
        # SOUND: what is the same whatever the bits are is the same in those states.
        if condition(self.at_once):
            return True
        return bool(self.problem.valid != self.problem.manager.true) and condition(self.in_states)

    @cached_property
    def at_once(self) -> _Proof:
        return _Proof(self.problem, self.problem.manager.true)

    @cached_property
    def in_states(self) -> _Proof:
        return _Proof(self.problem, self.problem.valid)


class _Proof:
    """The conditions of Lemma 1 for steps that are diagrams, as far as `valid` states are concerned."""

    def __init__(self, problem: Problem, valid: Bdd) -> None:
        self.problem, self.encoding, self.manager = problem, problem.encoding, problem.manager
        self.valid = valid
        self.sets = [s for s in (problem.initial, problem.stored) if s != self.manager.true]
        self.steps: dict[int, Substitution] = {}

    @cached_property
    def part(self) -> dict[int, Key]:
        """By bit: what it belongs to."""
        return {bit: key for key, part in self.encoding.layout.fields.items() for bit in part.bits}

    @cached_property
    def goals(self) -> set[Bdd]:
        """All violations."""
        return {e.condition & self.valid for e in (*self.problem.events, *self.problem.deadlocks)}

    @cached_property
    def changes(self) -> set[Shape]:
        """All transitions."""
        return {self.shape(c.guard, c.changes) for c in self.problem.changes}

    def keeps_sets(self, swap: Swap) -> bool:
        moved = ((s, self.manager.substitute(s, swap.substitution)) for s in self.sets)
        return all(after & self.valid == s & self.valid for s, after in moved)

    def keeps_goals(self, swap: Swap) -> bool:
        """Each violation is mapped to one; or at least all of them together are."""
        moved = {self.manager.substitute(goal, swap.substitution) & self.valid for goal in self.goals}
        return moved == self.goals or disjunction(self.manager, moved) == disjunction(self.manager, self.goals)

    def keeps_changes(self, swap: Swap, back: Swap) -> bool:
        return all(self.image(c, swap, back) in self.changes for c in self.problem.changes)

    def shape(self, guard: Bdd, changes: dict[int, Bdd]) -> Shape:
        """The transition where it can be taken: bits without a meaning do not count."""
        where = guard & self.valid
        new = {(bit, f & where) for bit, f in changes.items()}
        return where, frozenset((bit, f) for bit, f in new if f != self.manager.variable(bit) & where)

    def touched(self, parts: set[Key]) -> set[Key]:
        """The parts, and the places of queues whose length is one of them: whether they are renamed depends on it."""
        lengths = {key[1] for key in parts if key[0] == "length"}
        return parts | {k for k in self.encoding.layout.fields if k[0] == "message" and k[1] in lengths}

    def image(self, t: Change, swap: Swap, back: Swap) -> Shape:
        """What the transition is when processes have changed places: swap, step, and back."""
        manager, fields = self.manager, self.encoding.layout.fields
        step = self.steps.get(id(t))
        if step is None:
            step = self.steps[id(t)] = manager.substitution(t.changes)
        changes: dict[int, Bdd] = {}
        # What does not change stays as it is, and so does its image.
        for source in self.touched({self.part[bit] for bit in t.changes}):
            key = back.targets.get(source, source)
            value = back.parts.get(key, self.encoding.now[key])
            for i, bit in enumerate(fields[key].bits):
                if bit not in self.problem.constant:
                    after = manager.substitute(self.encoding.numbers.bit(value, i), step)
                    changes[bit] = manager.substitute(after, swap.substitution)
        return self.shape(manager.substitute(t.guard, swap.substitution), changes)


def usable(exchanges: tuple[Exchange, ...], swaps: Swaps, lemma: Lemma) -> tuple[list[Swap], int]:
    """The swaps of neighbours that are symmetries, and how many of all exchanges are.

    A swap within a family that is connected by proven ones is a product of them, and needs no proof of its own.
    """
    families = _turned(exchanges, swaps, lemma)
    for exchange in sorted(exchanges, key=lambda e: e.pair[1] - e.pair[0]):
        a, b = map(families.find, exchange.pair)
        if a != b and (swap := swaps.swap(exchange)) is not None and lemma.kept(swap):
            families.join(a, b)
    kept = {e.pair: e for e in exchanges if families.find(e.pair[0]) == families.find(e.pair[1])}
    near = [e for e in kept.values() if not any((e.pair[0], c) in kept and (c, e.pair[1]) in kept for c in _between(e))]
    made = [s for e in sorted(near, key=lambda e: e.pair) if (s := swaps.swap(e)) is not None]
    return made, len(kept)


def _turned(exchanges: tuple[Exchange, ...], swaps: Swaps, lemma: Lemma) -> Partition[int]:
    """The families that two proofs are enough for: of one exchange, and of the turn by which each takes the next place.

    The exchanges of neighbours are the images of one of them under the turn, so they need no proofs of their own.
    Where the text shows it, their own proofs are less work.
    """
    hoped, proved = Partition[int](), Partition[int]()
    if len(exchanges) < FEW * (FEW + 1) // 2 or lemma.text.keeps_steps(exchanges[0]):
        return proved
    by_pair = {e.pair: e for e in exchanges}
    for pair in by_pair:
        hoped.join(*pair)
    points = sorted({p for pair in by_pair for p in pair}, key=lambda p: (hoped.find(p), p))
    for _, members in groupby(points, hoped.find):
        pairs = list(pairwise(members))
        steps = [by_pair[pair] for pair in pairs if pair in by_pair]
        if len(steps) == len(pairs) >= FEW and _is_family(steps, swaps, lemma):
            for pair in pairs:
                proved.join(*pair)
    return proved


def _is_family(steps: list[Exchange], swaps: Swaps, lemma: Lemma) -> bool:
    """Are all exchanges of these neighbours symmetries?  Asked of the first, and of all of them one after the other."""
    neighbours = [swap for e in steps if (swap := swaps.swap(e)) is not None]
    if len(neighbours) < len(steps):
        return False
    # SOUND: symmetries are closed under products, and t (i i+1) t^-1 = (i+1 i+2) for the turn t.
    ways: tuple[list[Rearrangement], ...] = ([*steps], [*reversed(steps)])
    turn, back = (swaps.make(reduce(Rearrangement.then, way)) for way in ways)
    return turn is not None and back is not None and lemma.kept(neighbours[0]) and lemma.kept(turn, back)


def _between(exchange: Exchange) -> range:
    return range(exchange.pair[0] + 1, exchange.pair[1])


# ------------------------------------------------------------------------------------------------ through pointers


class _Anywhere:
    """Is there a part of some kind in an expression?  Asked once of each; the model keeps expressions alive."""

    def __init__(self, kind: Callable[[Expr], bool]) -> None:
        self.kind = kind
        self.known: dict[int, bool] = {}

    def __call__(self, e: Expr) -> bool:
        found = self.known.get(id(e))
        if found is None:
            found = self.known[id(e)] = self.kind(e) or any(map(self, children(e)))
        return found


class _Look:
    """What the expressions of a model have in them."""

    def __init__(self) -> None:
        self.names_self = _Anywhere(lambda e: isinstance(e, Self))
        self.follows_pointer = _Anywhere(is_indirect)
        self.may_fault = _Anywhere(is_risky)


class _Follower:
    """Compares what follows pointers before and after one exchange.

    A form is what an expression means to a process.  `after`: of the state in which the two have changed places;
    otherwise of the state as it is, with its value renamed.  The exchange keeps an expression if both are the same.
    """

    def __init__(self, problem: Problem, swap: Swap, valid: Bdd, look: _Look) -> None:
        self.valid, self.swap, self.pointers, self.look = valid, swap, problem.pointers, look
        self.forms: dict[Hashable, Form] = {}
        self.encoding, self.manager, self.layout = problem.encoding, problem.manager, problem.encoding.layout
        points = swap.exchange.points[: len(self.layout.templates)]
        self.names: Rename = {i: j for i, j in enumerate(points) if i != j}
        self.kinds = {v.base: self.kind(v.base, v.size) for v in self.layout.model.globals if v.owned}

    def kind(self, base: int, size: int) -> Rename | None:
        """How the values of a variable of processes are renamed; None if it does not move as the processes do."""
        globals_ = self.swap.exchange.globals
        found = [globals_[base + p] for p in range(size)]
        straight = all(target == base + self.image(p) for p, (target, _) in enumerate(found))
        renames = {tuple(sorted(rename.items())) for _, rename in found[1:]}
        return dict(renames.pop()) if straight and len(renames) == 1 else None

    def image(self, pid: int) -> int:
        return self.names.get(pid, pid)

    def keeps_invariants(self) -> bool:
        looks = [(id(w.invariant), w.condition) for w in self.pointers.works if w.invariant is not None]
        before = Counter((which, self.form(e, 0, {}, False)) for which, e in looks)
        return self.moves_alike and before == Counter((which, self.form(e, 0, {}, True)) for which, e in looks)

    def keeps_steps(self) -> bool:
        steps = [w for w in self.pointers.works if w.action is not None]
        if not steps:
            return True
        before = Counter((self.image(p.pid), self.step(p, False)) for p in steps)
        return self.moves_alike and before == Counter((p.pid, self.step(p, True)) for p in steps)

    @property
    def moves_alike(self) -> bool:
        """Are processes exchanged only with others that have the same text, in the same places?"""
        renumbered = any(a != b for places in self.swap.exchange.locations for a, b in places.items())
        return not renumbered and all(
            self.layout.templates[i] is self.layout.templates[j] for i, j in self.names.items()
        )

    def step(self, p: PointerWork, after: bool) -> Form:
        assert p.action is not None
        assigns = tuple(self.assign(p.pid, a.place, a.value, after) for a in p.step.assigns)
        clears = frozenset(v.base for v in p.action.clears)
        where = self.moved(p.where) if after else p.where
        rest = self.form(p.condition, p.pid, {}, after)
        return where & self.valid, rest, assigns, clears, p.action.source, p.action.target

    def assign(self, pid: int, place: Place, value: Expr, after: bool) -> Form:
        """An assignment in a form that is equal for two that the exchange takes to each other."""
        variable = place.variable
        rename = self.renaming(place)
        if rename is None:
            return object()
        if not variable.owned:
            target, _ = self.swap.exchange.globals[variable.base]
            where: Form = variable.base if after else target
        else:
            where = variable.base, self.form(place.indices[0], pid, self.names, after)
        return where, self.form(value, pid, rename, after)

    def renaming(self, e: Place) -> Rename | None:
        """How the value is renamed."""
        if e.variable.owned:
            return self.kinds[e.variable.base]
        target, rename = self.swap.exchange.globals[e.variable.base]
        return rename if target == e.variable.base else None

    # ---------------------------------------------------------------- expressions

    def form(self, e: Expr, pid: int, rename: Rename, after: bool) -> Form:
        """An expression in that form: `after` says whether it is read behind the exchange or before it."""
        key = id(e), pid if self.look.names_self(e) else None, tuple(rename.items()), after
        found = self.forms.get(key)
        if found is None:
            found = self.forms[key] = self.make_form(e, pid, rename, after)
        return found

    def make_form(self, e: Expr, pid: int, rename: Rename, after: bool) -> Form:
        """Part by part; what is like nothing else gets a form that is equal to no other."""
        match e:
            case Const(value):
                return "=", value if after else rename.get(value, value)
            case Self():
                return "=", pid if after else rename.get(pid, pid)
            case Bounded(value, low, high):
                if any((low <= old <= high) != (low <= new <= high) for old, new in rename.items()):
                    return object()  # SOUND: like nothing else, so the exchange is not used
                return "bounded", low, high, e.kind, self.form(value, pid, rename, after)
            case Place(variable, (index,)) if variable.owned and not is_fixed(index):
                known = self.kinds[variable.base]
                if known is None or _effective(known, self.names) != _effective(rename, self.names):
                    return object()
                return "read", variable.base, self.form(index, pid, self.names, after)
            case Place(variable, indices) if not variable.is_local and (variable.owned or not indices):
                return self.slot(e, pid, rename, after)
            case _ if not self.look.follows_pointer(e):
                return self.diagram(e, pid, rename, after)
            case Conditional(condition, then, otherwise):
                parts = (self.form(x, pid, rename, after) for x in (then, otherwise))
                return "?", self.form(condition, pid, {}, after), *parts
            case AtLabel(template, who, label) if who is not None and not rename:
                return "at", template, label, self.form(who, pid, self.names, after)
            case Unary(op, operand) if not rename:
                return op, self.form(operand, pid, {}, after)
            case Binary() if not rename:
                return self.binary(e, pid, after)
        return object()

    def binary(self, e: Binary, pid: int, after: bool) -> Form:
        """Operands in any order where that cannot be seen."""
        if e.op in ("&&", "||", "&", "|"):
            parts = [self.form(x, pid, {}, after) for x in operands(e, e.op)]
            if e.op in ("&", "|") or not self.look.may_fault(e):
                return e.op, frozenset(Counter(parts).items())
            return e.op, tuple(parts)
        rename: Rename = {}
        if e.op in ("==", "!="):
            rename = next((r for x in (e.left, e.right) if (r := self.named(x))), {})
        return e.op, *(self.form(x, pid, rename, after) for x in (e.left, e.right))

    def named(self, e: Expr) -> Rename:
        """How the values of an operand are renamed, as far as one can see."""
        match e:
            case Self():
                return self.names
            case Place():
                return self.renaming(e) or {}
            case Bounded(value):
                return self.named(value)
            case Conditional(_, then, otherwise):
                return self.named(then) or self.named(otherwise)
        return {}

    def slot(self, e: Place, pid: int, rename: Rename, after: bool) -> Form:
        """The same variable, and its values are renamed as they should be."""
        slot = e.variable.base + (self.pid_of(e.indices[0], pid) if e.indices else 0)
        target, known = self.swap.exchange.globals[slot]
        if _effective(known, self.names) != _effective(rename, self.names):
            return object()
        return "slot", slot if after else target

    @staticmethod
    def pid_of(e: Expr, pid: int) -> int:
        return e.value if isinstance(e, Const) else pid

    def diagram(self, e: Expr, pid: int, rename: Rename, after: bool) -> Form:
        """The value in states that there could be, and where it has one."""
        w = World(self.encoding, pid, self.valid)
        number = self.pointers.machine.evaluator.value(w, e)
        where = w.condition
        if after:
            where = self.moved(where) & self.valid
            number = tuple(map(self.moved, number))
        else:
            number = renamed(self.encoding, number, rename)
        return where, self.encoding.numbers.narrow([bit & where for bit in number])

    def moved(self, f: Bdd) -> Bdd:
        return self.manager.substitute(f, self.swap.substitution)


def _effective(rename: Rename, names: Rename) -> Rename:
    return {old: new for old, new in rename.items() if old in names}
