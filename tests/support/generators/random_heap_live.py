"""Random tiny models with objects whose processes go round for ever, and formulas about them.

`generate(seed)` is a pure function.  Processes allocate in loops, lose what they had, delete what others still name,
and compare it.  Most statements look before they follow a pointer, so that runs do not end at once.
"""

from __future__ import annotations

from random import Random

from .random_live import LTL_BINARY, LTL_UNARY, Live

SIMPLE = (
    "p = new Node", "p = new Node", "p = new Node", "g = new Node", "p = g", "p = g", "g = p", "g = p", "h = p",
    "h = p", "h = g", "g = h", "g = null", "p = null", "h = null", "p != g", "p = h", "x = 1 - x",
    "delete p; p = null", "x = 0", "x = 1 - x", "p = new Node; h = p", "p = null", "x == 1", "delete p",
)  # fmt: skip
CAREFUL = (
    "atomic {{ g != null -> p = g->next }}", "atomic {{ p != null -> p->next = g; g = p }}", "c!p", "c?p",
    "atomic {{ p != null -> p->val = 1 - p->val }}", "atomic {{ g != null -> g->val = 1; p = g }}", "c!g", "c?_",
    "atomic {{ p == null -> p = new Node; g = p }}", "atomic {{ g != null -> delete g; g = null }}",
    "atomic {{ g != null -> p = g; g = null }}", "if :: p != null -> {s} :: else -> {s} fi", "if :: {s} :: {s} fi",
    "if :: g == p -> {s} :: g != p -> {s} fi", "g = p; p = null", "h = g; g = p", "atomic {{ {s}; {s} }}",
)  # fmt: skip
TAGGED = ("atomic {{ p != null -> p->tag = mine }}", "atomic {{ g != null -> mine = g->tag }}", "select (mine : Tag)",
          "atomic {{ p != null -> p->tag = mine; g = p }}", "mine != undefined")  # fmt: skip
OWNED = ("atomic {{ p != null -> p->owner = _pid }}", "atomic {{ g != null -> g->owner = _pid }}",
         "atomic {{ g != null -> g->owner == _pid }}")  # fmt: skip


class Writer:
    def __init__(self, random: Random, more: tuple[str, ...], calls: bool) -> None:
        self.random, self.more, self.calls = random, more, calls
        self.most = 2  # alternatives, and statements in one

    def statement(self, depth: int = 0) -> str:
        kind = self.random.random()
        if self.calls and depth == 0 and kind < 0.15:
            return self.random.choice(("p = f(p)", "p = f(g)", "f(g)"))
        table = SIMPLE if depth or kind < 0.5 else CAREFUL if kind < 0.85 else self.more or CAREFUL
        text = self.random.choice(table).replace("{{", "{").replace("}}", "}")
        while "{s}" in text:
            text = text.replace("{s}", self.statement(depth + 1), 1)
        return text

    def several(self, least: int, most: int) -> list[str]:
        return [self.statement() for _ in range(self.random.randint(least, most))]

    def body(self) -> list[str]:
        start = self.random.choice((None, "p = new Node", "p = new Node", "p = new Node; g = p", "g = new Node; h = g"))
        lines = [f"\t{start or self.statement()};"]
        lines.append(f"{self.random.choice(('', '', '', 'accept: ', 'progress: ', 'end: '))}\tdo")
        for number in range(self.random.choice((1, 1, self.most))):
            mark = self.random.choice(("", "", f"accept{number}: ", f"progress{number}: "))
            last = "break" if self.random.random() < 0.15 else self.statement(1)
            first = ["true"] if self.random.random() < 0.5 else []
            lines.append(f"\t:: {'; '.join([*first, *self.several(1, self.most)])}; {mark}{last}")
        return [*lines, "\tod;", f"there:\t{self.statement(1)}"]


def generate(seed: int) -> Live:
    random = Random(seed)
    tagged, owned, calls = (random.random() < chance for chance in (0.25, 0.25, 0.15))
    n, beside = random.choice(((1, False), (1, True), (2, False), (2, False), (2, False), (2, True), (3, False)))
    writer = Writer(random, (TAGGED if tagged else ()) + (OWNED if owned else ()), calls)
    writer.most = 1 if n + beside > 2 else 2
    fields = "bit val; Node *next" + "; pid owner" * owned + "; Tag tag" * tagged
    lines = ["scalarset(2) Tag;"] * tagged
    lines += [f"typedef Node {{ {fields} }}", "Node *g, *h;", "bit x;", "chan c = [1] of { Node * };"]
    if calls:
        lines += [f"function f(Node *p) : Node *\n{{\n\tNode *r;\n\t{writer.statement(1)};\n\tr = p;\n\treturn r\n}}"]
    local = "\tNode *p;" + "\tTag mine;" * tagged
    lines += [f"active [{n}] proctype P()\n{{", local, *writer.body(), "}"]
    if beside:
        lines += ["active proctype Q()\n{", local, *writer.body(), "}"]
    return Live("\n".join(lines) + "\n", wish(random, n))


def wish(random: Random, n: int) -> str:
    """A formula of the kinds that people write, or any."""
    a, b = atom(random, n), atom(random, n)
    usual = [f"[]<> ({a})", f"<> ({a})", f"[] (({a}) -> <> ({b}))", f"<>[] ({a})", f"[]<> ({a}) -> []<> ({b})"]
    return random.choice([*usual, *[formula(random, n, random.randint(2, 4)) for _ in usual[2:]]])


def atom(random: Random, n: int) -> str:
    one = random.randrange(n)
    some = " || ".join(f"P[{i}]:p == g" for i in range(n))
    there = " || ".join(f"P[{i}]@there" for i in range(n))
    return random.choice((
        "g != null", "g == h", "g != null && g == h", "g == null || g->val == 0", "g != null && g->next != null",
        "h != null && h->val == 1", f"P[{one}]:p == g", f"P[{one}]:p != null", f"({some})", f"({there})", "x == 1",
        "len(c) == 1", "g == null", "h != null", "g->val == 1", f"P[{one}]@there",
        f"P[{one}]:p == null || P[{one}]:p->val == 0",
    ))  # fmt: skip


def formula(random: Random, n: int, size: int) -> str:
    if size <= 1:
        return f"({random.choice(('', '!'))}({atom(random, n)}))"
    if random.random() < 0.6:
        return f"({random.choice(LTL_UNARY)} {formula(random, n, size - 1)})"
    left = random.randint(1, size - 1)
    parts = formula(random, n, left), formula(random, n, max(size - 1 - left, 1))
    return f"({parts[0]} {random.choice(LTL_BINARY)} {parts[1]})"
