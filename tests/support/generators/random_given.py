"""Random models whose processes keep what they were given: parameters and local variables that nobody writes.

`generate(seed)` is a pure function.  Processes end, and others with other values, or of another kind, get their slots;
what they keep comes from parameters, from global variables as they were at that moment, or is a channel.  Small enough
for brute force; some have states of several words.  `blind` leaves out what SPIN does not check: looking into a process
that is not there.
"""

from __future__ import annotations

from random import Random

KEPT = (
    "byte x = n + 1;", "short x = n - 2;", "byte x = g;", "int x = n * n;", "unsigned x : 2 = n;", "byte x = _nr_pr;",
    "byte x = _pid;", "bool x = n;", "byte x = 2;", "byte x;", "byte x = (n > 1 -> g : 3);", "mtype x = red;",
)  # fmt: skip
KINDS = ("byte", "byte", "byte", "bool", "short", "unsigned")
CLAIMS = (
    "[] ({far} != 2)", "<> ({far} == 1)", "[] <> (_nr_pr == 1)", "<> [] (g == {far})", "[] (g == 0 || {far} < 3)",
    "(g < 2) U ({far} == 2)", "[] ({far} == {far2})", "<> (g == 2)", "[] <> ({far} != g)",
)  # fmt: skip
STATEMENTS = (
    "g = {e} & 3", "g = {e} & 3", "g = {k} & 3", "h = {k} & 1", "a[{e} & 1] = {e} & 1", "v = {e} & 3",
    "v = a[{k} & 1]", "many[{k} & 1] = {e} & 1", "v = many[h]", "if :: out!{e} :: full(out) fi",
    "if :: out!{k} :: full(out) -> v = 1 fi", "out?v", "if :: out?eval({k}) :: g != {k} fi", "if :: out?v :: v > 0 fi",
    "if :: c!{e},{k} :: full(c) fi", "if :: c?v,_ :: empty(c) fi", "if :: c?eval({k}),v :: v = 2 fi",
    "if :: c??v,eval({k}) :: g = 1 fi", "if :: r!{k} :: v = 3 fi", "if :: r?v :: g > 0 fi", "(g != {k})",
    "if :: len(out) < {k} -> {s} :: len(out) > 0 fi", "if :: g == {k} -> {s} :: g != {k} -> {s} fi",
    "if :: {s} :: {s} fi", "atomic {{ {s}; {s} }}", "(_nr_pr < {k} + 3)",
    "d_step {{ v = {e} & 3; g = v; a[{k} & 1] = v & 1 }}",
    "do :: g < {k} && g < 3 -> g++ :: else -> break od", "assert(g <= {k} + 1)", "{run}", "{run}", "{run}",
    "if :: nfull(out) -> {s} :: {k} > 1 fi", "if :: c??[eval({k}),_] -> {s} :: h == 0 fi",
)  # fmt: skip

WIDENS = "w[{e} & 3] = ({k} & 3) * 9999999"


def generate(seed: int, claim: bool = False, blind: bool = True) -> str:
    """The model with this number."""
    return _Given(Random(seed), blind).text(claim)


class _Given:
    """One model."""

    def __init__(self, random: Random, blind: bool) -> None:
        self.random, self.blind = random, blind
        self.count = random.choice((1, 2, 2, 3))
        self.kinds = [random.choice(KINDS) for _ in range(self.count)]
        self.wide = random.choice((0, 0.2))
        self.most = random.choice((0, 1, 1, 2))  # processes that others start
        self.owns = [random.random() < 0.3 for _ in range(self.count)]
        self.before = 0  # processes that are declared already
        self.keeps = [random.choice(KEPT) for _ in range(self.count)]

    def text(self, claim: bool) -> str:
        rooms = [self.random.choice((1, 1, 2)) for _ in range(2)]
        head = [
            "mtype = { red, blue };", "byte g, h, born;", "bit a[2];", "chan c = [2] of { byte, byte };",
            "chan r = [0] of { byte };", "int w[8] = 99999999;",
            *(f"chan o{i} = [{room}] of {{ byte }};" for i, room in enumerate(rooms)),
        ]  # fmt: skip
        kinds = [self.process(i) for i in range(self.count)]
        return "\n".join([*head, *kinds, self.init(), *([self.claim()] if claim else [])]) + "\n"

    def claim(self) -> str:
        text, self.before = self.random.choice(CLAIMS), self.count
        return f"ltl p {{ {text.format(far=self.far(), far2=self.far())} }}"

    def far(self) -> str:
        return f"P{self.random.randrange(self.before)}[{self.random.randint(0, 3)}]:{self.random.choice('nxv')}"

    def process(self, number: int) -> str:
        kind = self.kinds[number]
        first = "unsigned n : 2" if kind == "unsigned" else f"{kind} n"
        own = f"chan own = [{self.random.randint(1, 2)}] of {{ byte }};" if self.owns[number] else ""
        self.before = number
        body = [self.statement(number) for _ in range(self.random.randint(2, 4))]
        if self.owns[number]:
            body.insert(self.random.randrange(len(body)), self.random.choice(("own!x", "own!1; own?v", "own!n; own?v")))
        text = ";\n    ".join(body)
        if self.random.random() < 0.15:
            text = f"do\n    :: {text}\n    :: break\n    od"
        local = f"{self.keeps[number]} byte v{self.random.choice(('', ' = n', ' = g'))}; byte many[2]"
        local += self.random.choice(("", " = n", " = 1")) + ";"
        return f"proctype P{number}({first}; chan out) {{\n    {local} {own}\n    {text}\n}}"

    def statement(self, number: int, depth: int = 0) -> str:
        text = self.chosen()
        while ("{run}" in text and not self.most) or ("{s}" in text and depth > 1):
            text = self.chosen()
        while "{s}" in text:
            text = text.replace("{s}", self.statement(number, depth + 1).replace("{", "{{").replace("}", "}}"), 1)
        start = f"atomic {{ born < {self.most} -> born++; {self.run('out')} }}"
        parts = {"e": self.value(), "k": self.kept(), "run": f"if :: {start} :: born >= {self.most} fi"}
        return text.format(**parts)

    def chosen(self) -> str:
        return WIDENS if self.random.random() < self.wide else self.random.choice(STATEMENTS)

    def kept(self) -> str:
        return self.random.choice(("n", "n", "x", "x", "(n + x)", "n", "_pid"))

    def value(self) -> str:
        if self.before and not self.blind and self.random.random() < 0.15:
            return self.far()
        return self.random.choice(("n", "x", "v", "g", "(x + v)", "a[0]", "many[1]", "2", "(g + n)"))

    def run(self, passed: str = "") -> str:
        number = self.random.randrange(self.count)
        value = self.random.choice(("0", "1", "2", "3", "1", "2", "g", "h", "300", "-1"))
        channel = self.random.choice([f"o{self.random.randrange(2)}", *([passed] if passed else [])])
        return f"run P{number}({value}, {channel})"

    def init(self) -> str:
        random = self.random
        parts = []
        for _ in range(random.choice((1, 2, 2, 3))):
            runs = "; ".join(self.run() for _ in range(random.choice((1, 2, 2))))
            parts.append(f"atomic {{ {runs} }}" if random.random() < 0.6 else runs)
            if random.random() < 0.7:
                parts.append("(_nr_pr == 1)")
                if random.random() < 0.3:
                    parts.append(f"i = 0; do :: i < {random.choice((5, 60, 300))} -> i++ :: else -> break od")
            if random.random() < 0.3:
                parts.append(random.choice(("g = 0", "g++", "h = 1", "if :: g = 1 :: g = 2 fi", "o0?_", "o1?g")))
        parts.append(random.choice(("skip", "assert(g < 3)", "(_nr_pr == 1); assert(g != 1)")))
        return "init {\n    short i;\n    " + ";\n    ".join(parts) + "\n}"
