"""Random Promela models that are symmetric by construction, with the least order that their group must have.

``generate(seed)`` is a pure function.  Processes compare, copy and send process numbers, use them as indices and choose
among all of them; they never compute with them.  A model has one or two families of processes, and a few features: who
owns something, arrays by and of processes, tables from pairs, channels that all share, that belong to a process or that
are sent around, remote references, and a fixed map from processes to processes (`next`), which leaves the permutations
that commute with it: rings, pairs, stars and trees come out of that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations, product
from math import factorial
from random import Random

FEATURES = ("owner", "link", "flag", "count", "numbers", "post", "box", "meet", "own", "next", "knows", "remote",
            "scalar")  # fmt: skip
SIZES, STRUCTURES, PARTNERS = ((2,), (3,), (3,), (4,), (2, 2)), ((3,), (4,), (2, 2)), ((2, 2), (2, 1), (3, 1))


@dataclass(frozen=True)
class RandomModel:
    text: str
    order: int  # the group has at least so many elements, unless something is refused


@dataclass
class Writer:
    random: Random
    features: frozenset[str]
    families: list[list[int]]  # the pids of each
    null: int  # names nobody
    values: int = 1  # of the scalarset
    next: dict[int, int] = field(default_factory=dict)
    number: int = 0  # the family that is being written

    @property
    def everyone(self) -> list[int]:
        return [p for family in self.families for p in family]

    @property
    def size(self) -> int:
        return max(self.everyone) + 2

    def some(self) -> list[int]:
        """One family, or everybody, in any order."""
        pids = list(self.random.choice([*self.families, self.everyone]))
        self.random.shuffle(pids)
        return pids

    def pick(self, options: list[str]) -> str:
        return self.random.choice(options)

    def having(self, **options: list[str]) -> list[str]:
        """The options of the features that the model has."""
        known = self.features if self.number == 1 else self.features - {"remote"}
        return [o for feature, listed in options.items() if feature in known for o in listed]

    # ---------------------------------------------------------------- expressions

    def who(self) -> str:
        return self.pick(["_pid", "mine", "mine"] + self.having(
            owner=["owner", "owner"], link=["link[_pid]", "link[mine]"],
            next=["next[_pid]", "next[_pid]", "next[mine]"], remote=["user0[mine]:mine"],
        ))  # fmt: skip

    def data(self) -> str:
        return self.pick(["x"] + self.having(count=["count[_pid]", "count[mine]"], numbers=["phase", "mode"]))

    def datum(self) -> str:
        """A value of the scalarset."""
        return self.pick(["held", "held", "common", "best[_pid]", f"best[{self.who()}]"])

    def guard(self) -> str:
        return self.pick([
            f"{self.data()} == {self.random.randint(0, 1)}", f"{self.who()} == {self.who()}",
            f"{self.who()} != {self.who()}", f"{self.who()} == {self.null}", f"{self.data()} < {self.data()}",
            self.everybody(), "true", "true", "true",
        ] + self.having(
            flag=["flag[_pid]", "!flag[_pid]", f"({self.who()} != {self.null} && flag[{self.who()}])"],
            post=["empty(post)", "nfull(post)", "post?[eval(_pid), _]"],
            box=[f"empty(box[{self.who()}])", "len(box[_pid]) == 1"],
            next=["next[_pid] != _pid", "next[next[_pid]] == mine"],
            knows=["knows[_pid].to[mine]", f"!knows[{self.who()}].to[{self.who()}]"],
            scalar=[f"{self.datum()} {self.pick(['==', '!='])} {self.datum()}", f"{self.datum()} == undefined",
                    f"seen[{self.datum()}]", f"({self.datum()} != undefined && seen[held])"],
            remote=["user0[mine]@here", f"!user0[{self.who()}]@here"],
            numbers=["timeout"], own=["empty(own)", "back != 0"],
        ))  # fmt: skip

    def everybody(self) -> str:
        kind = self.pick(["_pid == {i} || mine != {i}", "x > 0 || mine == {i}"] + self.having(
            flag=["_pid == {i} || !flag[{i}]"], link=["link[{i}] != _pid", "link[{i}] != {null}"],
            count=["count[{i}] < 1"], owner=["owner != {i} || x == 0"], box=["empty(box[{i}])"],
            knows=["knows[{i}].to[_pid]"],
        ))  # fmt: skip
        tests = [f"({kind.format(i=i, null=self.null)})" for i in self.some()]
        return "(" + self.pick([" && ", " || "]).join(tests) + ")"

    # ---------------------------------------------------------------- statements

    def target(self) -> str:
        return self.pick(["mine", "mine"] + self.having(owner=["owner"], link=["link[_pid]", "link[mine]"]))

    def effect(self) -> str:
        return self.pick([
            "x = 1 - x", f"{self.target()} = {self.who()}", f"{self.target()} = {self.null}", self.anybody(),
        ] + self.having(
            owner=[f"owner = {self.who()}"], link=[f"link[_pid] = {self.who()}"],
            flag=["flag[_pid] = !flag[_pid]", f"flag[{self.who()}] = {self.random.randint(0, 1)}"],
            count=["count[_pid] = 1 - count[_pid]", f"count[{self.who()}] = 0"],
            numbers=["phase = (phase + 1) % 3", "mode = 1 - mode"],
            scalar=["select (held : Value)", "select (held : Value)", f"common = {self.datum()}", "held = undefined",
                    f"best[_pid] = {self.datum()}", f"seen[{self.datum()}] = 1", "seen[held] = 0"],
            knows=[f"knows[_pid].to[{self.who()}] = 1", f"knows[{self.who()}].to[_pid] = 0"],
        ))  # fmt: skip

    def anybody(self) -> str:
        target = self.target()
        return "if " + " ".join(f":: {target} = {i}" for i in self.some()) + " fi"

    def send(self) -> str:
        return self.pick(self.having(
            post=["post!_pid, mine", f"post!{self.who()}, {self.who()}"],
            box=["box[_pid]!mine", f"box[{self.who()}]!_pid"],
            meet=["meet!_pid", f"meet!{self.who()}"], scalar=[f"data!_pid, {self.datum()}"],
            own=["ask!_pid, own", "back != 0 -> back!_pid", "back!mine"],
        ) or ["x = 1 - x"])  # fmt: skip

    def receive(self) -> str:
        return self.pick(self.having(
            post=["post?mine, _", "post?_, mine", "post?eval(_pid), mine", "post??_, eval(_pid)", "post?<mine, _>"],
            box=["box[_pid]?mine", "box[_pid]?eval(mine)", f"box[{self.who()}]?mine"],
            meet=["meet?mine", "meet?mine", "meet?eval(mine)"],
            scalar=["data?mine, held", "data?_, common", "data??mine, eval(held)"],
            own=["ask?mine, back", "ask?_, back", "own?mine", "own?_"],
        ) or ["x = 1 - x"])  # fmt: skip

    def sequence(self) -> str:
        effects = "; ".join(self.effect() for _ in range(self.random.randint(1, 2)))
        wrap = self.pick(["atomic {{ {} }}", "atomic {{ {} }}", "d_step {{ {} }}", "{}"])
        if "if" in effects or "select" in effects:  # in a d_step, the first option is taken
            wrap = wrap.replace("d_step", "atomic")
        return wrap.format(f"{self.guard()} -> {effects}")

    def statement(self) -> str:
        kind = self.random.randint(0, 9)
        if kind < 5:
            return self.sequence()
        if kind < 8:
            return self.pick([self.send(), self.receive()])
        if kind < 9:
            return f"atomic {{ {self.receive()}; {self.effect()} }}"
        return f"assert({self.guard()} || {self.guard()})"

    def body(self) -> Iterator[str]:
        if self.random.random() < 0.25:  # a process that terminates
            for _ in range(self.random.randint(1, 3)):
                yield "    " + self.pick([self.effect(), self.effect(), self.statement(), self.send()]) + ";"
            yield f"here:    {self.effect()}"
            return
        yield f"    {self.effect()};" if self.random.random() < 0.5 else ""
        yield "here:    do"
        yield f"    :: {self.send()}"
        yield f"    :: {self.receive()}"
        for _ in range(self.random.randint(1, 3)):
            yield f"    :: {self.statement()}"
        if self.random.random() < 0.25:
            yield f"    :: {self.guard()} -> break"
        yield "    od"

    # ---------------------------------------------------------------- declarations

    def globals(self) -> Iterator[str]:
        size, null = self.size, self.null
        yield "byte x;"
        yield from self.having(
            owner=[f"pid owner = {null};"], link=[f"pid link[{size}] = {null};"], flag=[f"bool flag[{size}];"],
            count=[f"byte count[{size}];"], numbers=["byte phase;"], post=["chan post = [1] of { pid, pid };"],
            box=[f"chan box[{size}] = [1] of {{ pid }};"], meet=["chan meet = [0] of { pid };"],
            own=["chan ask = [1] of { pid, chan };"],
            next=[f"pid next[{size}] = {{ " + ", ".join(str(self.next.get(i, i)) for i in range(size)) + " };"],
            scalar=[f"scalarset({self.values}) Value; Value common; Value best[{size}]; bool seen[Value];",
                    "chan data = [1] of { pid, Value };"],
            knows=[f"typedef row {{ bool to[{size}] }}; row knows[{size}];"],
        )  # fmt: skip

    def process(self, number: int, prefix: str) -> Iterator[str]:
        self.number = number
        yield f"{prefix}proctype user{number}() {{"
        yield f"    pid mine = {self.null};"
        yield from self.having(scalar=["    Value held;"])
        yield from self.having(numbers=["    bit mode;"], own=["    chan own = [1] of { pid }; chan back;"])
        yield from self.body()
        yield "}"

    # ---------------------------------------------------------------- the group

    def order(self) -> int:
        """How many permutations within the families keep `next`, times those of the scalarset."""
        if "next" not in self.features:
            self.next = {p: p for p in self.everyone}
        values = factorial(self.values) if "scalar" in self.features else 1
        return values * sum(
            all(move[self.next[p]] == self.next[move[p]] for p in move)
            for images in product(*map(permutations, self.families))
            for move in [{p: q for f, g in zip(self.families, images, strict=True) for p, q in zip(f, g, strict=True)}]
        )


def structure(random: Random, pids: list[int]) -> dict[int, int]:
    """A map from processes to processes: a ring, pairs, a star, or anything."""
    count, kind = len(pids), random.choice(("ring", "pairs", "star", "any"))

    def place(i: int) -> int:
        if kind == "ring":
            return (i + 1) % count
        if kind == "pairs":
            return min(i ^ 1, count - 1)
        return 0 if kind == "star" else random.randrange(count)

    return {pid: pids[place(i)] for i, pid in enumerate(pids)}


def model(seed: int) -> RandomModel:
    random = Random(seed)
    features = frozenset(random.sample(FEATURES, random.randint(2, 4)))
    if random.random() < 0.2:
        features |= {"scalar"}
    choices = PARTNERS if "remote" in features else STRUCTURES if "next" in features else SIZES
    sizes: tuple[int, ...] = random.choice(choices)
    style = random.choice(("active", "init", "init", "late"))
    start = 0 if style == "active" else 1
    families = [list(range(start + sum(sizes[:i]), start + sum(sizes[: i + 1]))) for i in range(len(sizes))]
    writer = Writer(random, features, families, sum(sizes) if start == 0 else 0, random.choice((1, 2, 2, 3)))
    writer.next = structure(random, writer.everyone)
    lines = list(writer.globals())
    for number, size in enumerate(sizes):
        lines += writer.process(number, f"active [{size}] " if style == "active" else "")
    starts = " ".join(f"run user{number}();" for number, size in enumerate(sizes) for _ in range(size))
    if style != "active":
        lines.append(f"init {{ atomic {{ {starts} }} }}" if style == "init" else f"init {{ {starts} }}")
    return RandomModel("\n".join(line for line in lines if line) + "\n", writer.order())


def generate(seed: int) -> str:
    return model(seed).text


CHANGES = (
    ("_pid", "{i}"), ("_pid", "(_pid + 1)"), (" == ", " < "), (" == ", " >= "), ("!= ", "<= "), ("post!", "post!!"),
    ("pid owner = {null}", "pid owner = {i}"), ("mine = owner", "mine = (owner + 1) % {n}"), ("mine", "{i}"),
    ("flag[_pid]", "flag[{i}]"), ("link[_pid]", "link[{i}]"), ("box[_pid]", "box[{i}]"), ("next[_pid]", "_pid + 1"),
    ("user0(); }", "user0(); } ; x = {i}"), ("user0(); }", "user0(); } ; assert(x != {i})"),
    ("atomic { ", "d_step { "), ("empty(post)", "_nr_pr > 2"), ("mine", "_last"), (":: mine = {i} ", ""),
    ("byte x", "bit x"), ("pid owner", "bit owner"), ("pid mine", "bool mine"), (" && ", " + "),
    ("post?", "post??"), ("x = 1 - x", "x = mine"), ("count[_pid]", "count[x]"), (" || ", " - "),
    ("true", "_pid > {i}"), ("run user0()", "run user0() priority 3"), ("mine = {null}", "mine = _pid"),
    ("pid mine", "pid mine = {i}; pid other"),
    ("x = 1 - x", "select (mine : 0 .. {n})"), ("own?", "back?"), ("ask!_pid", "ask!{i}"),
    ("bool seen[Value]", "bool seen[4]"), ("{ pid, Value }", "{ pid, byte }"), ("Value held", "byte held"),
    ("data!", "data!!"), ("Value best[", "byte best["),
)  # fmt: skip


def damaged(seed: int) -> str:
    """A symmetric model with one to three changes; most are no longer symmetric, and some are no models."""
    random, text = Random(seed), generate(seed)
    n = text.count("run user") or sum(int(part[0]) for part in text.split("active [")[1:])
    words = {"{i}": random.randint(0, n), "{n}": n, "{null}": n if "active" in text else 0}
    for _ in range(random.randint(1, 3)):
        fitting = [(fill(old, words), fill(new, words)) for old, new in CHANGES]
        old, new = random.choice([(old, new) for old, new in fitting if old in text])
        place = random.choice([k for k in range(len(text)) if text.startswith(old, k)])
        text = text[:place] + new + text[place + len(old) :]
    return text


def fill(text: str, words: dict[str, int]) -> str:
    for word, value in words.items():
        text = text.replace(word, str(value))
    return text
