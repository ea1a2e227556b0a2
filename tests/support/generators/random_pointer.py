"""Small random pointer automata: every construct of the language, few states.

`automaton(seed)` is the same for the same seed, whatever the hash seed of Python.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from isospin.core.model import Model
from isospin.front.pointer.load import load_text


@dataclass(frozen=True)
class Automaton:
    text: str
    processes: int

    def model(self, name: str = "random.ptr") -> Model:
        return load_text(self.text, name, self.processes)


def automaton(seed: int) -> Automaton:
    return Writer(Random(seed)).automaton()


class Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.processes = random.choice([2, 2, 2, 3])
        few = self.processes == 3
        self.global_pointers = ["L", "H"][: random.choice([1, 1, 0 if few else 2])]
        self.local_pointers = ["next", "prev"][: 1 if few else random.choice([1, 1, 2])]
        self.global_numbers = ["count"][: random.choice([0, 0 if few else 1])]
        self.local_numbers = ["flag"][: random.choice([0, 1, 1])]
        self.modes = random.choice([2, 3] if few else [2, 3, 4])
        self.symmetric = random.random() < 0.8  # no process has a number
        self.private = random.random() < 0.5  # what others have is written, but not read: variables become inactive

    def automaton(self) -> Automaton:
        return Automaton("\n".join([*self.declarations(), *self.roles(), *self.properties(), ""]), self.processes)

    def pick(self, *texts: str) -> str:
        return self.random.choice(texts)

    # ---------------------------------------------------------------- declarations

    def declarations(self) -> list[str]:
        lines = []
        for scope, pointers, numbers in (
            ("global", self.global_pointers, self.global_numbers), ("local", self.local_pointers, self.local_numbers),
        ):  # fmt: skip
            if pointers:
                lines.append(f"{scope} pointer {', '.join(pointers)};")
            if numbers:
                low, high = self.random.choice([(0, 1), (0, 2), (0, 2), (-1, 1), (1, 2)])
                lines.append(f"{scope} discrete {', '.join(numbers)}: {low}..{high};")
                self.first = getattr(self, "first", {}) | dict.fromkeys(numbers, max(low, 0))
        return [*lines, *self.initial()]

    def initial(self) -> list[str]:
        """Most variables have one value; some are free, or related to each other."""
        conditions = []
        for name in [*self.global_pointers, *self.global_numbers]:
            if self.random.random() < 0.8:
                conditions.append(f"{name} == {self.first_value(name)}")
        for name in [*self.local_pointers, *self.local_numbers]:
            if self.random.random() < 0.8:
                conditions.append(f"(forall p: {name}[p] == {self.first_value(name)})")
            elif name in self.local_pointers:
                conditions.append(f"(forall p: {name}[p] {self.pick('!=', '==')} {self.pick('p', 'NULL')})")
        if self.random.random() < 0.3:
            conditions.append(self.condition(2, "init"))
        return [f"init {' && '.join(conditions)};"] if conditions else []

    def first_value(self, name: str) -> str:
        return str(self.first[name]) if name in getattr(self, "first", {}) else "NULL"

    # ---------------------------------------------------------------- processes

    def roles(self) -> list[str]:
        kind = self.random.random()
        if kind < 0.15:
            return ["process record[1];", *self.process("user", "", 0, self.modes)]
        if kind < 0.3:
            first = self.process("reader", "[1]", 0, 2)
            return [*first, *self.process("writer", "", 2, self.modes)]
        return self.process("user", "", 0, self.modes)

    def process(self, name: str, count: str, first: int, modes: int) -> list[str]:
        lines = [f"process {name}{count} {{"]
        for mode in range(first, first + modes):
            rules = [self.rule(first, modes) for _ in range(self.random.choice([1, 2, 2, 3]))]
            if mode > first and self.random.random() < 0.05:
                rules = []
            lines += [f"    mode {mode} {{", *(f"        {rule}" for rule in rules), "    }"]
        return [*lines, "}"]

    def rule(self, first: int, modes: int) -> str:
        count = self.random.choice([0, 1, 1, 1, 2, 3])
        actions = f"do {', '.join(self.assignment() for _ in range(count))} " if count else ""
        guards = [self.condition(1, "me")] if self.random.random() < 0.35 else []
        for head in sorted(set(re.findall(r"(?<![>\w])(\w+)->", actions))):
            if self.random.random() < 0.85:  # most chains are safe, so that runs go on
                guards.append(f"{head} != NULL")
        when = f"when {' && '.join(guards)} " if guards else ""
        return f"{when}{actions}goto {self.random.randrange(first, first + modes)};"

    def assignment(self) -> str:
        if self.random.random() < 0.75 or not (self.local_numbers or self.global_numbers):
            return f"{self.place(self.pointers(), read=False)} = {self.address()}"
        target = self.place(self.numbers(), read=False)
        value = self.pick("1", "1", self.place(self.numbers()), f"{target} + 1", f"1 - {target}", f"2 * {target} - 1")
        return f"{target} = {value}"

    # ---------------------------------------------------------------- values

    def pointers(self) -> list[str]:
        return [*self.global_pointers, *self.local_pointers, *self.local_pointers]

    def numbers(self) -> list[str]:
        return [*self.global_numbers, *self.local_numbers, *self.local_numbers]

    def place(self, names: list[str], who: str = "me", read: bool = True) -> str:
        """A variable: a global one, one's own, somebody's through a pointer, or that of a process with a number."""
        name = self.random.choice(names)
        if read and self.private and who == "me":
            return name
        if name in self.global_pointers + self.global_numbers:
            return name
        if who != "me":
            return f"{name}[{who}]" if self.random.random() < 0.7 else f"{self.chain(who)}->{name}"
        kind = self.random.random()
        if kind < 0.5:
            return name
        if kind < 0.95 or self.symmetric:
            return f"{self.chain(who)}->{name}"
        return f"{name}[{self.random.randint(1, self.processes)}]"

    def chain(self, who: str) -> str:
        heads = [*self.global_pointers, *(self.local_pointers if who == "me" else [])]
        head = self.random.choice(heads) if heads else f"{self.random.choice(self.local_pointers)}[{who}]"
        short = self.private or self.random.random() < 0.75
        return head if short else f"{head}->{self.random.choice(self.local_pointers)}"

    def address(self) -> str:
        if not self.symmetric and self.random.random() < 0.15:
            return self.pick("P + 1", "P - 1", "1", str(self.processes))
        return self.pick("P", "P", "NULL", self.place(self.pointers()), self.place(self.pointers()))

    def number(self, who: str) -> str:
        if not self.numbers():
            return self.pick("0", "1")
        place = self.place(self.numbers(), who)
        return self.pick("0", "1", place, place, f"{place} + 1", f"2 / {place}", f"-{place}")

    # ---------------------------------------------------------------- conditions

    def condition(self, depth: int, who: str) -> str:
        """Of the process itself ("me"), of processes that quantifiers name (p), or of the start ("init")."""
        if who == "init":
            return f"(forall p: {self.atom('p', modes=False)})" if self.random.random() < 0.7 else self.pick("TRUE")
        if depth and self.random.random() < 0.4:
            left, right = self.condition(depth - 1, who), self.condition(depth - 1, who)
            return self.pick(f"({left} && {right})", f"({left} || {right})", f"({left} => {right})", f"!({left})")
        if who == "me" and self.random.random() < 0.1:
            return f"({self.pick('forall', 'exists')} p: {self.atom('p')})"
        return self.atom(who)

    def atom(self, who: str, modes: bool = True) -> str:
        mode = "mode" if who == "me" else f"mode[{who}]"
        kind = self.random.random()
        if kind < 0.2 and modes:
            return f"{mode} {self.pick('==', '!=', '<=', '>')} {self.random.randrange(self.modes)}"
        if kind < 0.65 or not self.numbers():
            others = ["NULL", "P" if who == "me" else who, self.place(self.pointers(), who)]
            return f"{self.place(self.pointers(), who)} {self.pick('==', '!=')} {self.random.choice(others)}"
        return f"{self.number(who)} {self.pick('==', '!=', '<', '<=')} {self.number(who)}"

    # ---------------------------------------------------------------- properties

    def properties(self) -> list[str]:
        lines = ["check deadlock;"] if self.random.random() < 0.2 else []
        lines += ["check guards;"] if self.random.random() < 0.2 else []
        for number in range(self.random.choice([1, 1, 2])):
            pointer = self.local_pointers[0]
            exclusion = f"forall p, q: p < q => !(mode[p] == {self.modes - 1} && mode[q] == {self.modes - 1})"
            body = (
                exclusion
                if self.private
                else self.pick(
                    exclusion,
                    f"forall p: {self.condition(1, 'p')}",
                    f"exists p: {self.condition(1, 'p')}",
                    f"forall p, q: p == q || {self.atom('p')} || {self.atom('q')}",
                    f"forall p: {pointer}[p] == NULL ? TRUE : {pointer}[p]->mode < {self.modes}",
                )
            )
            lines.append(f"invariant i{number}: {body};")
        return lines


# ------------------------------------------------------------------------------------------------ marks


def marked(seed: int) -> Automaton:
    """An automaton with pointers that are compared with NULL, copied to each other, and used for nothing else."""
    return MarkWriter(Random(seed)).automaton()


class MarkWriter(Writer):
    """Puts such pointers into what another writer writes."""

    def declarations(self) -> list[str]:
        first = self.random.choice(["forall p: mark[p] == NULL", "forall p: mark[p] != NULL", "TRUE", "seen != NULL"])
        return ["global pointer seen;", "local pointer mark;", *super().declarations(), f"init {first};"]

    def rule(self, first: int, modes: int) -> str:
        text = super().rule(first, modes)
        if self.random.random() < 0.6:
            change = f"{self.pick('mark', 'mark', 'seen', self.chain('me') + '->mark')} = {self.mark()}"
            text = text.replace("do ", f"do {change}, ") if "do " in text else text.replace("goto", f"do {change} goto")
        if self.random.random() < 0.4:
            test = f"{self.pick('mark', 'seen')} {self.pick('==', '!=')} NULL"
            text = text.replace("when ", f"when {test} && ") if "when " in text else f"when {test} {text}"
        return text

    def mark(self) -> str:
        value = self.pick("P", "NULL", "mark", "seen", self.place(self.pointers()), f"{self.chain('me')}->mark")
        return self.pick(value, value, f"(mark == NULL ? {value} : seen)")

    def properties(self) -> list[str]:
        return [*super().properties(), self.pick("", "invariant marks: exists p: mark[p] == NULL;")]


# ------------------------------------------------------------------------------------------------ links


def linked(seed: int) -> Automaton:
    """Processes that are linked to each other, look at each other through links, and leave old links behind."""
    return LinkWriter(Random(seed)).automaton()


class LinkWriter(Writer):
    """Few kinds of steps, each with the guards that it needs, so that runs are long."""

    STEPS = (
        "do L = P", "do next = L", "do next = P", "do L = NULL", "do next = NULL", "do x = 1", "do x = 0",
        "when next != NULL do L = next", "when L != NULL do next = L->next", "when L != NULL do L = L->next",
        "when next != NULL do next->x = 1", "when next != NULL do next->next = P", "when L != NULL do L->next = P",
        "when next != NULL do next = next->next", "when next != NULL do next->next = L", "when L == P do L = next",
        "when next != NULL && next->x == 1", "when L != NULL && L->x == 1", "when L != NULL && L->next == P",
        "when next != NULL && next->next == P", "when x == 1", "when next == P", "when next != P", "when L != P",
        "when x == 1 && next != NULL do next->x = x", "do x = (next == P ? 1 : x)", "when next != NULL do x = next->x",
        "when next != NULL && next->mode == 0 do x = 1, L = NULL, next = NULL", "when L == NULL do L = P, next = NULL",
        "when (exists q: q != P && next[q] == P)", "when (forall q: mode[q] == 0 => x[q] == 0)",
    )  # fmt: skip

    def automaton(self) -> Automaton:
        self.processes = self.random.choice([2, 2, 3])
        first = self.pick("forall p: next[p] == NULL && x[p] == 0", "forall p: x[p] == 0", "forall p: next[p] == p")
        lines = ["global pointer L;", "local pointer next;", "local discrete x: 0..1;", f"init L == NULL && {first};"]
        return Automaton("\n".join([*lines, *self.roles(), *self.properties(), ""]), self.processes)

    def rule(self, first: int, modes: int) -> str:
        return f"{self.random.choice(self.STEPS)} goto {self.random.randrange(first, first + modes)};"

    def properties(self) -> list[str]:
        return [f"invariant i: {self.pick('forall p: mode[p] >= -1', 'forall p: mode[p] == 1 => x[p] == 0')};"]
