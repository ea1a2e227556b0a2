"""Random small Promela models, for comparing state counts with another model checker.

``generate(seed)`` is a pure function.  The models are finite by construction: every stored value is
masked to a few values, loops inside atomic code are bounded, and processes are created only by code
that runs once (or under a bound on ``_nr_pr``).  An estimate of the size in bits rejects the models
that may be too small or too big.  ``shrink`` minimises a model that shows a difference.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeVar

Lines = list[str]
Rule = list[tuple[int, str]]

MAX_BITS = 18.0
TAGS = ("red", "green", "blue")
WRAPPING = ("bit", "bool", "unsigned")
NUMBERS = (*WRAPPING, "byte", "short", "int", "pid", "bits")  # "bits": an array of bits, kept in bytes
# type, suffix of the declared name, number of values that a variable may take
TYPES = (
    ("bit", "", 2),
    ("bool", "", 2),
    ("byte", "", 3),
    ("byte", "", 2),
    ("short", "", 3),
    ("int", "", 3),
    ("unsigned", " : 2", 4),
    ("pid", "", 2),
    ("mtype", "", 3),
)
FIELDS = {"bit": 2, "byte": 3, "mtype": 3, "short": 3}
# SPIN's verifier undoes a receive from the variable, so one that is too narrow for the field loses the message.
HOLDS = {"bit": ("bit", "bool", "byte", "short", "int"), "byte": ("byte", "short", "int"), "mtype": ("mtype",),
         "short": ("short", "int")}  # fmt: skip


def words(text: str) -> Rule:
    return [(1, word) for word in text.split()]


EXPRESSIONS: dict[str, Rule] = {
    "leaf": [(70, "<number>"), (6, "len(<buffered>)"), (6, "_pid"), (12, "<const>")],
    "value": [
        (30, "<leaf>"),
        (4, "!(<value>)"),
        (2, "~(<value>)"),
        (2, "-(<value>)"),
        (8, "(<cond> -> <value> : <value>)"),
        (4, "((<value>) / <divisor>)"),
        (4, "((<value>) % <divisor>)"),
        (3, "(((<value>) & 3) << <const>)"),
        (6, "(<value>) * 3"),
        (3, "((<value>) >> <const>)"),
        (20, "(<value> <op> <value>)"),
        (14, "<value> <op> <value>"),
    ],
    "cond": [
        (10, "<tagged> <equal> <tag>"),
        (60, "<number> <compare> <const>"),
        (8, "len(<buffered>) > 0"),
        (8, "(<cond> && <value>)"),
        (8, "(<cond> || <value>)"),
        (3, "_pid == 1"),
    ],
    # conditions that may stand beside an else, and the others
    "test": [(80, "<cond>"), (8, "<remote>"), (8, "<poll>"), (3, "_nr_pr <compare> <divisor>")],
    "guard": [(80, "<test>"), (6, "<fill>(<buffered>)"), (2, "(<fill>(<buffered>) && <value>)")],
    "entry": [(2, "<guard>"), (1, "<io>")],
    "fill": words("full empty nfull nempty"),
    "const": words("0 1 1 2 true TWO"),
    "divisor": [(1, "2"), (1, "3"), (1, "TWO"), (1, "(((<leaf>) & 1) + 1)")],
    "op": words("+ + - & | ^ && || == != < <= > >="),
    "compare": words("== != < <= > >="),
    "equal": words("== !="),
}
COMMON: Rule = [
    (26, "<set>"),
    (5, "<flip>(<bitty>, <leaf>);"),
    (2, "assert(<guard>);"),
    (1, "skip;"),
    (2, 'printf("%d\\n", <value>);'),
    (4, "if\n    :: <count> < 2 ->\n        <count>++;\n    :: else ->\n        <count> = 0;\nfi;"),
]
BRANCHES: Rule = [
    (7, "if\n    <tests>\n    :: else ->\n        <one>\nfi;"),
    (2, "if\n    :: else ->\n        <one>\n    <tests>\nfi;"),
    (3, "for (i : 0 .. <const>) {\n    <counting>\n}"),
    (2, "for (i in <array>) {\n    <counting>\n}"),
]
MOBILE: Rule = [
    (20, "<io>;"),
    (2, "<guard>;"),
    (3, "select (<scalar> : 0 .. 1);"),
    (12, "if\n    <options>\nfi;"),
    (4, "if\n    :: <cond> ->\n        goto <label>;\n    :: else ->\n        <set>\nfi;"),
    (3, "if\n    :: <test> ->\n        <break>;\n    :: else ->\n        skip;\nfi;"),
]
# SPIN refuses a jump to the start of a d_step, and a loop at its end: simple statements stand there
NESTED: Rule = [
    (10, "atomic {\n    <atomic>\n    <atomic>\n};"),
    (3, "<set>\nd_step {\n    <d_step>\n    <set>\n};"),
    (2, "<set>\nd_step {\n    <guard>;\n    <d_step>\n    <set>\n};"),
    (2, "reg!<either>;"),
    (3, "<set>\nd_step {\n    <paired>\n    <d_step>\n    <set>\n};"),
    (2, "reg?via;\nvia!<reply>;"),
    (5, "{\n    <body>\n} unless {\n    <entry>;\n    <one>\n};"),
    (4, "{\n    <scoped>\n};"),
    (4, "do\n    <options>\n    :: <guard> ->\n        break;\nod;"),
    (3, "do\n    <tests>\n    :: else ->\n        break;\nod;"),
]
STATEMENTS: dict[str, Rule] = {
    "d_step": COMMON + BRANCHES,
    "atomic": COMMON + BRANCHES + MOBILE,
    "plain": COMMON + BRANCHES + MOBILE + NESTED,
    "simple": [(5, "<set>"), (1, "skip;")],
    "body": [(1, "<one>"), (1, "<one>\n<one>")],
    "tests": [(1, "<case>"), (1, "<case>\n<case>")],
    "case": [(1, ":: <test> ->\n    <body>")],
    "options": [(1, "<option>"), (4, "<option>\n<option>"), (1, "<option>\n<option>\n<option>")],
    "option": [
        (4, ":: <guard> ->\n    <body>"),
        (5, ":: <io> ->\n    <body>"),
        (3, "::\n    <set>\n    <one>"),
        (1, ":: timeout ->\n    <body>"),
        (2, "::\n    <first>\n    <set>"),
    ],
    # no else here: a selection may inherit one only
    "first": [
        (2, "if\n    <options>\nfi;"),
        (2, "atomic {\n    <io>;\n    <atomic>\n};"),
        (1, "atomic {\n    <guard>;\n    <atomic>\n};"),
        (1, "{\n    <guard>;\n    <one>\n};"),
    ],
    "forever": [(1, "do\n    <option>\n    <options>\nod;")],
}
T = TypeVar("T")


class Misfit(Exception):
    """A template needs something that the model does not have."""


@dataclass(frozen=True)
class Var:
    text: str  # ``@`` stands for an index in 0..1
    type: str
    size: int


@dataclass(frozen=True)
class Chan:
    name: str
    cap: int
    fields: tuple[str, ...]


@dataclass
class Proc:
    """What one proctype has collected so far."""

    name: str
    rank: int
    count: int = 0
    active: bool = False
    once: bool = False
    bits: float = 0.0
    head: str = ""
    params: list[Var | Chan] = field(default_factory=list)
    decls: Lines = field(default_factory=list)
    labels: Lines = field(default_factory=list)
    body: Lines = field(default_factory=list)


@dataclass(frozen=True)
class Scope:
    """What a statement or an expression may use at one place."""

    proc: Proc
    vars: tuple[Var, ...]
    chans: tuple[Chan, ...]
    mode: str = "plain"
    loop: bool = False
    depth: int = 0
    nest: int = 0

    def names(self, *types: str) -> Lines:
        return [v.text for v in self.vars if v.type in types]


def indent(lines: Lines, by: str = "    ") -> Lines:
    return [by + line for line in lines]


def block(head: str, body: Lines, tail: str = "}") -> Lines:
    return [head, *indent(body), tail]


class Writer:
    """Expands the templates: ``<name>`` is a rule, or else an entry of MAKERS."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.remotes: Lines = []
        self.inlines = self.chance(0.4)
        self.registry = False

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def choose(self, items: Sequence[T]) -> T:
        if not items:
            raise Misfit
        return self.rng.choice(items)

    def expand(self, rule: Rule, use: Callable[[str, Scope], T], s: Scope) -> T:
        """What ``use`` makes of one of the templates, chosen by weight among those that fit."""
        for _ in range(50):
            try:
                return use(self.rng.choices([text for _, text in rule], [weight for weight, _ in rule])[0], s)
            except Misfit:
                continue
        raise Misfit

    def expression(self, name: str, s: Scope) -> str:
        if name not in EXPRESSIONS:
            return MAKERS[name](self, s)
        rule = EXPRESSIONS["leaf" if name == "value" and s.nest > 1 else name]
        return self.expand(rule, self.inline, replace(s, nest=s.nest + (name in ("value", "cond"))))

    def inline(self, text: str, s: Scope) -> str:
        return re.sub(r"<(\w+)>", lambda m: self.expression(m[1], s), text)

    def lines(self, text: str, s: Scope) -> Lines:
        """Fill in a template of a statement; its lines that only name a rule become blocks."""
        loop = s.loop or text.startswith(("do\n", "for "))
        s = replace(s, loop=loop, mode="d_step" if "\nd_step" in text else s.mode)
        if "<count>" in text:  # the same variable throughout
            text = text.replace("<count>", self.choose(s.names("byte"))).replace("@", self.rng.choice("01"))
        found: Lines = []
        for line in text.split("\n"):
            whole = re.fullmatch(r"( *)<(\w+)>", line)
            found += indent(self.part(whole[2], s), whole[1]) if whole else [self.inline(line, s)]
        return found

    def part(self, name: str, s: Scope) -> Lines:
        if name in MAKERS:
            return MAKERS[name](self, s).split("\n")
        if name in ("one", "atomic", "d_step"):
            s = replace(s, depth=s.depth + 1, mode=s.mode if name == "one" else name)
            name = s.mode if s.depth < 3 else "simple"
        return self.expand(STATEMENTS[name], self.lines, s)

    def variable(self, s: Scope, *types: str) -> str:
        return self.place(self.choose(s.names(*types)), s)

    def place(self, text: str, s: Scope) -> str:
        """Fill in the index of an array element, if there is one."""
        index = self.rng.choice("01")
        if "@" in text and s.nest < 3 and self.chance(0.6):
            computed = self.expression("leaf", replace(s, nest=3)) + " & 1"
            # SPIN's verifier undoes a[a[i]] = e at the wrong place, so an index never reads an array.
            index = index if "[" in computed else computed
        return text.replace("@", index)

    def bounded(self, s: Scope, type_: str, size: int) -> str:
        """An expression whose value is one of ``size`` values, once it is stored in the type."""
        if type_ == "mtype":
            return self.tag(s)
        e = self.expression("value", s)
        varies = re.search(r"\b(?!true\b)[a-z_]", e)  # a constant that does not fit is an error, it does not wrap
        if type_ in WRAPPING and self.chance(0.5) and varies:
            return e
        if type_ in ("short", "int"):
            return f"({e}) % 2"
        return f"({e}) & {size - 1}" if size in (2, 4) else f"(({e}) & 7) % {size}"

    def tag(self, s: Scope) -> str:
        tags = [text.replace("@", "1") for text in s.names("mtype")]
        return self.rng.choice(tags if tags and self.chance(0.25) else TAGS)

    def assign(self, s: Scope) -> str:
        var = self.rng.choice([v for v in s.vars if v.type != "index"])
        if var.type in WRAPPING and self.chance(0.35):
            return self.place(var.text, s) + self.rng.choice(["++;", "--;"])
        return f"{self.place(var.text, s)} = {self.bounded(s, var.type, var.size)};"

    def message(self, parts: Lines) -> str:
        if len(parts) > 1 and parts[0] in TAGS and self.chance(0.5):
            return f"{parts[0]}({', '.join(parts[1:])})"
        return ", ".join(parts)

    def sent(self, chan: Chan, s: Scope) -> str:
        return self.message([self.bounded(s, f, FIELDS[f]) for f in chan.fields])

    def pattern(self, chan: Chan, s: Scope) -> str:
        """The arguments of a receive; SPIN wants no variable twice."""
        used: set[str] = set()
        return self.message([self.matched(kind, s, used) for kind in chan.fields])

    def matched(self, kind: str, s: Scope, used: set[str]) -> str:
        fits = s.names(*HOLDS[kind])
        fits = [text for text in fits if re.split(r"\W", text)[0] not in used]
        pick = self.rng.random()
        if not fits or pick < 0.3:
            literal = self.rng.choice(TAGS if kind == "mtype" else "01")
            return literal if pick < 0.12 else "_"
        text = self.rng.choice(fits).replace("@", self.rng.choice("01"))
        used.add(re.split(r"\W", text)[0])
        return f"eval({text})" if pick > 0.95 else text

    def transfer(self, s: Scope) -> str:
        number = self.choose(range(len(s.chans)))
        chan = s.chans[number]
        twice = 2 if chan.cap and self.chance(0.2) else 1
        if (number + s.proc.rank) % 2 == (0 if self.chance(0.8) else 1):
            return chan.name + "!" * twice + self.sent(chan, s)
        args = self.pattern(chan, s)
        # the space avoids a trigraph
        return chan.name + "?" * twice + (f" <{args}>" if chan.cap and self.chance(0.12) else args)

    def buffered(self, s: Scope) -> Chan:
        return self.choose([c for c in s.chans if c.cap])

    def poll(self, s: Scope) -> str:
        chan = self.buffered(s)
        return f"{chan.name}{self.rng.choice(['?', '??'])}[{self.pattern(chan, s)}]"

    def paired(self, s: Scope) -> str:
        """A channel operation in a d_step, after its own guard."""
        chan = self.buffered(s)
        if self.chance(0.5):
            return f"nfull({chan.name});\n{chan.name}!{self.sent(chan, s)};"
        return f"nempty({chan.name});\n{chan.name}?{', '.join('_' for _ in chan.fields)};"

    def local(self, s: Scope, line: str, bits: float) -> None:
        if line not in s.proc.decls:
            s.proc.decls.append(line)
            s.proc.bits += bits

    def counting(self, s: Scope) -> str:
        self.choose([] if s.names("index") else ["i"])
        self.local(s, "byte i;", 1.5)
        return "\n".join(self.part("body", replace(s, vars=(*s.vars, Var("i", "index", 3)))))

    def scoped(self, s: Scope) -> str:
        var = Var(f"t{len(s.vars)}", self.rng.choice(["byte", "bit", "int"]), 2)
        s.proc.bits += 1
        rest = self.part("body", replace(s, vars=(*s.vars, var)))
        return "\n".join([f"{var.type} {var.text} = {self.bounded(s, var.type, 2)};", *rest])

    def reply(self, s: Scope) -> str:
        self.choose(["c1"] if self.registry else [])
        self.local(s, "chan via;", 0.5)
        return self.sent(s.chans[0], s)


MAKERS: dict[str, Callable[[Writer, Scope], str]] = {
    "set": Writer.assign,
    "io": Writer.transfer,
    "poll": Writer.poll,
    "paired": Writer.paired,
    "tag": Writer.tag,
    "counting": Writer.counting,
    "scoped": Writer.scoped,
    "reply": Writer.reply,
    "number": lambda w, s: w.variable(s, "index", *NUMBERS) if s.names(*NUMBERS) else w.rng.choice("01"),
    "bitty": lambda w, s: w.variable(s, "byte", "bit", "int", "bits"),
    "tagged": lambda w, s: w.variable(s, "mtype"),
    "scalar": lambda w, s: w.choose([t for t in s.names("byte", "int", "short") if t.isalnum()]),
    "array": lambda w, s: w.choose([t[:-3] for t in s.names(*NUMBERS) if re.fullmatch(r"\w+\[@\]", t)]),
    "buffered": lambda w, s: w.buffered(s).name,
    "flip": lambda w, s: w.choose(["flip", "mix"] if w.inlines else []),
    "remote": lambda w, s: w.choose(w.remotes if s.proc.rank and s.mode != "d_step" else []),
    "break": lambda w, s: w.choose(["break"] if s.loop else []),
    "either": lambda w, s: w.choose(["c1", "c2"] if w.registry else []),
    "label": lambda w, s: w.choose(["done", *(s.proc.labels if s.mode == "plain" else [])]),
}


class Model(Writer):
    """A whole model."""

    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        self.text = ["#define TWO 2", "mtype = {red, green, blue};"]
        self.bits = 0.0
        self.vars: list[Var] = []
        self.chans: list[Chan] = []
        self.procs: list[Proc] = []
        self.globals()
        for rank in range(self.rng.choice([2, 2, 2, 3, 3, 4])):
            if not self.fits(0):
                return  # too big already
            self.procs.append(self.process(rank, rank == 0 or self.chance(0.4)))
        if not all(p.active for p in self.procs) or self.chance(0.1):
            self.procs.append(self.init(Proc("init", len(self.procs), 1, True, True, head="init {")))

    def declare(self, prefix: str, number: int) -> tuple[Lines, list[Var], float]:
        """Declarations, the variables, and how many bits they may add to a state."""
        text: Lines = []
        found: list[Var] = []
        for n in range(number):
            type_, suffix, size = self.rng.choice(TYPES)
            many = not suffix and type_ != "pid" and self.chance(0.2)
            start = f" = {self.rng.choice(TAGS if type_ == 'mtype' else '01')}" if self.chance(0.4) else ""
            text.append(f"{type_} {prefix}{n}{'[2]' if many else suffix}{start};")
            kept = ("bits", 4) if many and type_ in WRAPPING else (type_, size)
            found.append(Var(f"{prefix}{n}{'[@]' if many else ''}", *kept))
        return text, found, self.weigh(found)

    def weigh(self, found: list[Var]) -> float:
        return sum(math.log2(v.size) * (1 + v.text.count("@")) for v in found)

    def globals(self) -> None:
        text, self.vars, self.bits = self.declare("g", self.rng.choice([1, 1, 2, 2, 3]))
        self.text += text
        if self.chance(0.25):
            self.text += block("typedef Sub {", ["bit a;", "byte b[2];"])
            self.text += [*block("typedef Rec {", ["Sub s[2];", "short n;", "mtype m;"]), "Rec r;"]
            chosen = self.rng.sample(
                [
                    Var("r.s[@].a", "bit", 2),
                    Var("r.s[1].b[@]", "byte", 2),
                    Var("r.n", "short", 3),
                    Var("r.m", "mtype", 4),
                ],
                2,
            )
            self.vars += chosen
            self.bits += self.weigh(chosen)
        self.channels()
        if self.inlines:
            middle = self.rng.choice(["skip;", "v == v;", "assert(w <= 3 || v >= 0);"])
            self.text += block("inline flip(v, w) {", ["v = 1 - (v & 1);", middle])
            self.text += block("inline mix(v, w) {", ["v = (v + w) & 1;"])

    def channels(self) -> None:
        for n in range(self.rng.choice([0, 1, 1, 2, 2])):
            kinds = self.rng.choices(list(FIELDS), k=self.rng.choice([1, 1, 1, 1, 2, 2, 3]))
            cap = self.rng.choice([0, 0, 1, 1, 2] if len(kinds) == 1 else [0, 0, 1])
            self.chans.append(Chan(f"c{n + 1}", cap, tuple(kinds)))
        self.registry = bool(self.chans) and self.chance(0.2)
        if self.registry:
            self.chans[1:] = [replace(self.chans[0], name="c2")]
            self.text.append("chan reg = [1] of {chan};")
            self.bits += 1.5
        for chan in self.chans:
            self.text.append(f"chan {chan.name} = [{chan.cap}] of {{{', '.join(chan.fields)}}};")
            values = math.prod(FIELDS[f] for f in chan.fields)
            self.bits += math.log2(sum(values**n for n in range(chan.cap + 1)))

    def process(self, rank: int, active: bool) -> Proc:
        p = Proc(f"P{rank}", rank, self.rng.choice([1, 1, 1, 1, 2]) if active else 0, active)
        forever = rank == 0 and self.chance(0.4)
        p.once = not forever and self.chance(0.5)
        if self.chance(0.15 if active else 0.6):
            type_, suffix, size = self.rng.choice(TYPES)
            p.params.append(Var("p", "byte" if suffix else type_, size))
            p.bits += 1
        if not active and self.chans and self.chance(0.4):
            p.params.append(replace(self.rng.choice(self.chans), name="q"))
        s = self.scope(p)
        p.head = self.header(p)
        self.fill(s, forever)
        if forever:
            self.remotes = [f"{p.name}[0]@{label}" for label in [*p.labels, "done"]]
            self.remotes += [f"{p.name}[0]:{v} > 0" for v in s.names(*NUMBERS) if re.fullmatch(r"x\d", v)]
        return p

    def header(self, p: Proc) -> str:
        params = [f"chan {v.name}" if isinstance(v, Chan) else f"{v.type} {v.text}" for v in p.params]
        start = f"active [{p.count}] " if p.count > 1 else "active " if p.active else ""
        fits = [v.text for v in self.vars if v.type in NUMBERS and "@" not in v.text]
        end = f" provided ({self.rng.choice(fits)} != 2)" if fits and self.chance(0.08) else ""
        return f"{start}proctype {p.name}({'; '.join(params)}){end} {{"

    def scope(self, p: Proc) -> Scope:
        p.decls, found, bits = self.declare("x", self.rng.choice([0, 0, 1, 1, 2]))
        p.bits += bits
        chans = (*self.chans, *(c for c in p.params if isinstance(c, Chan)))
        found += [v for v in p.params if isinstance(v, Var)]
        s = Scope(p, (*self.vars, *self.vars, *found), chans, depth=self.rng.choice([0, 1, 1]))
        if not self.chance(0.1):
            return s
        self.local(s, "chan own = [1] of {bit};", 1.5)
        return replace(s, chans=(*s.chans, Chan("own", 1, ("bit",))))

    def fill(self, s: Scope, forever: bool) -> None:
        p = s.proc
        parts = [[self.assign(s)]]  # so that no model is stuck at once
        parts += [self.labelled(s) for _ in range(self.rng.randint(1, 3))]
        if not p.once and self.chance(0.7):
            parts.append(self.part("forever", s))
        kids = [k for k in self.procs if not k.active]
        if p.once and kids and self.chance(0.3):
            parts.insert(1, [self.run(self.rng.choice(kids), s)])
        p.body = [line for part in parts for line in part]
        if forever or any("goto done" in line for line in p.body):
            p.body.append("done: false;" if forever else "done: skip;")

    def labelled(self, s: Scope) -> Lines:
        if s.proc.once or self.chance(0.6):
            return self.part("plain", s)
        s.proc.labels.append(f"{self.rng.choice(['L', 'end', 'progress'])}{len(s.proc.labels)}")
        step = f"{self.transfer(s)};" if s.chans and self.chance(0.3) else self.assign(s)
        return [f"{s.proc.labels[-1]}: {step}"]

    def run(self, kid: Proc, s: Scope) -> str:
        kid.count += s.proc.count or 1
        args = [
            self.rng.choice([c.name for c in self.chans if c.fields == v.fields and c.cap == v.cap])
            if isinstance(v, Chan)
            else self.bounded(s, v.type, v.size)
            for v in kid.params
        ]
        return f"run {kid.name}({', '.join(args)});"

    def init(self, p: Proc) -> Proc:
        s = self.scope(p)
        kids = [k for k in self.procs if not k.active]
        runs = [self.run(k, s) for k in kids for _ in range(self.rng.choice([1, 1, 1, 2]))]
        p.body = self.part("simple", s)
        p.body += block("atomic {", runs, "};") if runs and self.chance(0.6) else runs
        if kids and self.chance(0.2):
            again = block("atomic {", [f"_nr_pr < {self.rng.randrange(2, 5)};", self.run(kids[0], s)], "};")
            leave = [f":: {self.expression('guard', s)} ->", "    break;"]
            p.body += block("do", ["::", *indent(again), *leave], "od;")
        p.body += self.part("body", s) if self.chance(0.6) else ["_nr_pr == 1;", *self.part("one", s)]
        p.body += ["done: skip;"] if any("goto done" in line for line in p.body) else []
        return p

    def fits(self, least: float) -> bool:
        """Whether the size is right: the bits of a state if all were independent, from measurements."""
        steps = [sum(line.endswith((";", "->")) for line in p.body) for p in self.procs]
        control = sum(p.count * math.log2(n + 2) for p, n in zip(self.procs, steps, strict=True))
        data = self.bits + sum(p.count * p.bits for p in self.procs)
        return least <= control <= 13 and control + data <= MAX_BITS and sum(p.count for p in self.procs) <= 8

    def __str__(self) -> str:
        parts = [line for p in self.procs for line in ["", *block(p.head, p.decls + p.body)]]
        return "\n".join(self.text + parts) + "\n"


def generate(seed: int) -> str:
    """The model with this number."""
    rng = Random(seed)
    while True:
        model = Model(rng)
        if model.fits(9):
            return str(model)


def pieces(lines: Lines, start: int) -> Iterator[set[int]]:
    """What may be removed together from ``start`` on: its whole block, only its frame, or the line."""
    level = len(lines[start]) - len(lines[start].lstrip())
    frame = {start}
    end = start + 1
    while end < len(lines) and lines[end].strip():
        text = lines[end].lstrip()
        if len(lines[end]) - len(text) <= level:
            if not text.startswith(("}", "od", "fi")):
                break
            frame.add(end)
            if "{" not in text:
                end += 1
                break
        end += 1
    yield set(range(start, end))
    if end > start + 1:
        yield frame
        yield {start}


def shrink(text: str, fails: Callable[[str], bool]) -> str:
    """A smaller text for which ``fails`` is still true, by removing lines and blocks."""
    lines, before = text.splitlines(), -1
    while len(lines) != before:
        before, start = len(lines), 0
        while start < len(lines):
            for drop in pieces(lines, start):
                kept = [line for n, line in enumerate(lines) if n not in drop]
                if fails("\n".join(kept) + "\n"):
                    lines = kept
                    break
            else:
                start += 1
    return "\n".join(lines) + "\n"
