"""Random small models with objects: straight-line processes that share a few pointers, so that all runs are short.

`generate(seed)` is a pure function.  Pointers dangle, objects leak and are deleted twice on purpose; a guard often
keeps a run alive long enough to reach something interesting.
"""

from __future__ import annotations

from random import Random

HEAD = """typedef Node {{ byte val; Node *next; {extra} }}
typedef Pair {{ Node *one; Node *two; pid who }}
Node *g0, *g1, *unread;
Pair *h;
byte n;
chan c = [1] of {{ Node *, byte }};
"""
SIMPLE = (
    "{l} = new Node", "{l} = new Node", "{l} = {r}", "{l} = {r}", "{l} = {r}", "{l}->next = {r}", "{l} = {r}->next",
    "{l}->val = 1", "{l}->val = n", "n = {r}->val", "delete {r}", "delete {r}", "{l} = null", "h = new Pair",
    "h->one = {r}", "{l} = h->two", "h->who = _pid", "delete h", "h->two = new Node", "{l}->next = new Node",
    "c!{r},1", "c?{l},n", "c?{l},_", "{r} != null", "{r} -> {l} = {r}->next", "assert({l} == null || {l} != {r})",
    "n = n + 1", "h = null", "unread = {r}", "{l}->owner = _pid", "assert({l} == {r})", "c!{r},0; c?{l},_",
)  # fmt: skip
COMPOUND = (
    "if :: {r} -> {s} :: else -> {s} fi", "if :: {l} == {r} -> {s} :: {l} != {r} -> {s} fi", "atomic {{ {s}; {s} }}",
    "if :: h != null -> {s} :: h == null -> h = new Pair fi", "if :: {s} :: {s} fi",
)  # fmt: skip


VALUED = (
    "{l}->tag = mine", "mine = {r}->tag", "mine = {r}->tag", "select (mine : Tag)", "shared = mine",
    "{l}->tag = shared", "{l} -> {l}->tag = mine", "assert({r}->tag != mine || mine == undefined)",
    "by[mine] = {r}", "{l} = by[shared]", "{l}->owner = _pid", "h->who = _pid",
)  # fmt: skip


class Writer:
    def __init__(self, random: Random, simple: tuple[str, ...] = SIMPLE) -> None:
        self.random, self.simple = random, simple
        self.calls = False  # may call the function f

    def pointer(self) -> str:
        return self.random.choice(("p", "p", "q", "g0", "g1"))

    def statement(self, depth: int = 0) -> str:
        if self.calls and depth == 0 and self.random.random() < 0.4:
            return self.filled("{l} = f({l}, {r})" if self.random.random() < 0.7 else "f({r}, {l})")
        table = COMPOUND if depth < 2 and self.random.random() < 0.25 else self.simple
        text = self.random.choice(table)
        while "{s}" in text:
            text = text.replace("{s}", self.statement(depth + 1), 1)
        return text.format(l=self.pointer(), r=self.pointer()) if table is self.simple else self.filled(text)

    def filled(self, text: str) -> str:
        while "{l}" in text or "{r}" in text:
            text = text.replace("{l}" if "{l}" in text else "{r}", self.pointer(), 1)
        return text.replace("{{", "{").replace("}}", "}")

    def body(self, length: int) -> str:
        return ";\n\t".join(self.statement() for _ in range(length))


def generate(seed: int) -> str:
    random = Random(seed)
    writer = Writer(random)
    count = random.choice((1, 2, 2, 2, 3))
    length = {1: 9, 2: random.randint(3, 5), 3: random.randint(2, 3)}[count]
    text = HEAD.format(extra="pid owner")
    local = "\tNode *p, *q;\n\t"
    if random.random() < 0.3:
        body = writer.body(random.randint(1, 2))
        again = random.choice(("", "if :: n < 2 -> n = n + 1; p = f(q, p) :: else fi;\n\t"))
        text += f"function f(Node *p; Node *q) : Node *\n{{\n\tNode *r;\n\t{body};\n\t{again}r = q;\n\treturn r\n}}\n"
        writer.calls = True
        length = max(length - 2, 1)
    if random.random() < 0.4:
        text += f"proctype P()\n{{\n{local}{writer.body(length)}\n}}\n"
        first = random.choice(("g0 = new Node; g1 = g0;", "g0 = new Node; g0->next = new Node;", ""))
        text += f"init {{ atomic {{ {first} {'; '.join(['run P()'] * count)} }} }}\n"
    else:
        text += f"active [{count}] proctype P()\n{{\n{local}{writer.body(length)}\n}}\n"
    if random.random() < 0.3:
        text += f"active proctype Q()\n{{\n{local}{writer.body(2)}\n}}\n"
    return text


def generate_valued(seed: int) -> str:
    """Objects that hold scalarset values, an array of pointers by value, and symmetric processes.  Most pointers lead
    somewhere, so that runs do not end at once."""
    random = Random(seed)
    writer = Writer(random, (*SIMPLE, "{l}->next = {r}", *3 * VALUED))
    count = random.choice((1, 2, 2, 3))
    text = "scalarset(2) Tag;\n" + HEAD.format(extra="pid owner; Tag tag") + "Tag shared;\nNode *by[Tag];\n"
    body = writer.body({1: 7, 2: random.randint(3, 4), 3: 2}[count])
    start = random.choice(("p = new Node; q = g0", "p = new Node; q = p", "atomic { p = new Node; q = new Node }"))
    text += f"proctype P()\n{{\n\tNode *p, *q;\n\tTag mine;\n\t{start};\n\t{body}\n}}\n"
    first = "g0 = new Node; g1 = g0; h = new Pair"
    return text + f"init {{ atomic {{ {first}; {'; '.join(['run P()'] * count)} }} }}\n"
