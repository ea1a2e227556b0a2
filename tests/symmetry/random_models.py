"""Random Promela models in which all processes are symmetric, by construction.

``generate(seed)`` is a pure function.  Processes compare, copy and send process numbers, use them as indices and choose
among all of them; they never compute with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass
class Writer:
    random: Random
    n: int
    first: int  # the least pid
    null: int  # names nobody

    @property
    def pids(self) -> range:
        return range(self.first, self.first + self.n)

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def some_pid(self) -> str:
        return self.pick("_pid", "owner", "link[_pid]", "mine")

    def number(self) -> str:
        return self.pick("x", "phase", "count[_pid]")

    def guard(self) -> str:
        return self.pick(
            f"{self.number()} == {self.random.randint(0, 2)}",
            f"{self.some_pid()} == {self.some_pid()}",
            f"{self.some_pid()} != {self.some_pid()}",
            f"owner == {self.null}",
            "flag[_pid]",
            "!flag[_pid]",
            f"({self.some_pid()} != {self.null} && flag[{self.some_pid()}])",
            "(" + self.everybody() + ")",
            "empty(post)",
            f"{self.number()} < {self.number()}",
        )

    def everybody(self) -> str:
        kind = self.pick("_pid == {i} || !flag[{i}]", "link[{i}] != _pid", "count[{i}] < 2",
                         "owner != {i} || flag[_pid]")
        pids = list(self.pids)
        self.random.shuffle(pids)
        return self.pick(" && ", " || ").join("(" + kind.format(i=i) + ")" for i in pids)

    def effect(self) -> str:
        return self.pick(
            "x = (x + 1) % 3",
            "phase = 1 - phase",
            "count[_pid] = (count[_pid] + 1) % 2",
            f"owner = {self.some_pid()}",
            f"owner = {self.null}",
            "flag[_pid] = !flag[_pid]",
            f"link[_pid] = {self.some_pid()}",
            f"mine = {self.some_pid()}",
            f"flag[{self.some_pid()}] = {self.random.randint(0, 1)}",
            self.anybody(),
        )

    def anybody(self) -> str:
        pids = list(self.pids)
        self.random.shuffle(pids)
        return "if " + " ".join(f":: {self.target} = {i}" for i in pids) + " fi"

    @property
    def target(self) -> str:
        return self.pick("mine", "owner", "link[_pid]")

    def exchange(self) -> str:
        return self.pick("post!_pid, mine", "post!owner, link[_pid]", "post?mine, _", "post?mine, link[_pid]",
                         "post?eval(_pid), mine", "post??_, eval(_pid)", "box[_pid]!mine", "box[_pid]?mine",
                         "box[_pid]?eval(mine)")  # fmt: skip

    def option(self) -> str:
        kind = self.random.randint(0, 9)
        if kind < 5:
            effects = "; ".join(self.effect() for _ in range(self.random.randint(1, 2)))
            return f"    :: atomic {{ {self.guard()} -> {effects} }}"
        if kind < 7:
            return f"    :: {self.guard()} -> {self.effect()}"
        if kind < 9:
            return f"    :: {self.exchange()}"
        return f"    :: assert({self.guard()} || {self.guard()} || {self.guard()})"

    def body(self) -> list[str]:
        options = [self.option() for _ in range(self.random.randint(2, 4))]
        if self.random.random() < 0.25:
            options.append(f"    :: {self.guard()} -> break")
        return ["    do", *options, "    od"]


def generate(seed: int) -> str:
    random = Random(seed)
    n = random.choice((2, 3, 3))
    style = random.choice(("active", "init", "init", "late"))
    writer = Writer(random, n, 0 if style == "active" else 1, n if style == "active" else 0)
    null = writer.null
    lines = [
        f"byte x, phase; pid owner = {null}; bool flag[{n + 1}]; pid link[{n + 1}] = {null}; byte count[{n + 1}];",
        "chan post = [1] of { pid, pid };",
        f"chan box[{n + 1}] = [1] of {{ pid }};",
        f"active [{n}] proctype user() {{" if style == "active" else "proctype user() {",
        f"    pid mine = {null};",
        *writer.body(),
        "}",
    ]
    if style == "init":
        lines.append("init { atomic { " + "run user(); " * n + "} }")
    elif style == "late":
        lines.append("init { " + "run user(); " * n + "}")
    return "\n".join(lines) + "\n"


CHANGES = (
    ("_pid", "{i}"), ("_pid", "(_pid + 1)"), (" == ", " < "), (" == ", " >= "), ("!= ", "<= "), ("post!", "post!!"),
    ("pid owner = {null}", "pid owner = {i}"), ("mine = owner", "mine = (owner + 1) % {n}"),
    ("flag[_pid]", "flag[{i}]"),
    ("run user(); }", "run user(); } ; owner = {i}"), ("run user(); }", "run user(); } ; assert(!flag[{i}])"),
    ("atomic { ", "d_step { "), ("empty(post)", "_nr_pr > 2"), ("mine", "_last"), (":: mine = {i} ", ""),
    ("byte x, phase", "bit x; byte phase"), ("pid owner", "bit owner"), ("pid mine", "bool mine"), (" && ", " + "),
    ("post?", "post?<"), ("x = (x + 1) % 3", "x = owner"), ("count[_pid]", "count[x]"), (" || ", " - "),
)  # fmt: skip


def damaged(seed: int) -> str:
    """A symmetric model with one to three changes; most are no longer symmetric, and some are no models."""
    random, text = Random(seed), generate(seed)
    n = text.count("run user()") or int(text.split("active [")[1][0])
    words = {"{i}": random.randint(0, n), "{n}": n, "{null}": n if "active" in text else 0}
    for _ in range(random.randint(1, 3)):
        old, new = random.choice(CHANGES)
        for word, value in words.items():
            old, new = old.replace(word, str(value)), new.replace(word, str(value))
        places = [k for k in range(len(text)) if text.startswith(old, k)]
        if places:
            place = random.choice(places)
            text = text[:place] + new + text[place + len(old) :]
    return text
