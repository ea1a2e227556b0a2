"""Random Promela models in which processes come and go: `run` with initialisers that read, channels that travel in
messages, in variables and as parameters, owners that end before those who use their channels, numbers that are used
again.

``generate(seed)`` is a pure function.  The models are small and finite: loops are bounded or hold a few states, and
processes are started by code that runs once, by processes that were written later.
"""

from __future__ import annotations

from random import Random

SHARED = ("g", "h", "b", "d", "e", "a[0]", "a[1]", "r.f")
FEATURES = ("meet", "pair", "held", "count", "remote", "timeout", "sorted", "endless", "twins", "wide")


class Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.features = frozenset(f for f in FEATURES if random.random() < 0.35)
        self.kids: list[tuple[str, bool]] = []  # what can be started, and whether it is given a channel
        self.own = self.channels = False  # of the process that is being written: its channel, a variable for one
        self.loops = 0
        self.known: list[str] = []  # what it touches, of what is shared: little, or nobody could ever move alone
        self.seen: list[str] = []  # what initial values read

    def having(self, **options: list[str]) -> list[str]:
        return [o for feature, listed in options.items() if feature in self.features for o in listed]

    def pick(self, options: list[str]) -> str:
        return self.random.choice(options)

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    # ---------------------------------------------------------------- expressions

    def shared(self) -> str:
        return self.pick(self.known)

    def channel(self) -> str:
        """Something of bytes that need not be a channel (any more)."""
        mine = (["own"] * 2 if self.own else []) + (["c"] * 4 if self.channels else [])
        return self.pick(mine or self.having(held=["held"], wide=["w[0]", "w[x & 1]"]) or ["q"])

    def given(self) -> str:
        """A channel that may be passed on."""
        if self.own and self.chance(0.6):
            return "own"
        if self.channels and self.chance(0.7):
            return "c"
        return self.pick(["q", *self.having(held=["held"], wide=["w[1]"])])

    def value(self) -> str:
        return self.pick(["0", "1", "1", "x", self.shared(), f"{self.shared()} ^ 1", f"len({self.channel()})",
                          *self.having(count=["(_nr_pr & 1)", "_nr_pr > 2"])])  # fmt: skip

    def condition(self) -> str:
        return self.pick([
            f"{self.shared()} == {self.pick(['0', '1', 'x'])}", f"{self.shared()} == {self.pick(['0', '1'])}",
            f"x == {self.pick(['0', '1'])}", f"{self.pick(['empty', 'nempty', 'full'])}({self.channel()})",
            f"{self.channel()}?[{self.pick(['0', '1'])}]",
            *self.having(count=["_nr_pr < 3", "_nr_pr == 3"], remote=["K0[2]:x == 1", "K0:x == 0"]),
        ])  # fmt: skip

    def initial(self) -> str:
        """What a local variable starts with."""
        seen = self.pick([*SHARED, "a[g & 1]"])
        self.seen.append(seen)
        return self.pick([seen, seen, f"1 - {seen}", "len(q)", "nempty(q)", "v",
                          *self.having(count=["_nr_pr & 1", "_pid & 1"], held=["(held -> 1 : 0)"])])  # fmt: skip

    # ---------------------------------------------------------------- statements

    def basic(self) -> str:
        kind = self.random.randint(0, 11)
        if kind < 2:
            return f"{self.shared()} = {self.value()}"
        if kind == 2:
            return f"x = {self.value()}"
        if kind < 5:
            return f"assert({self.condition()})"
        if kind < 7:
            return self.send()
        if kind < 9:
            return self.receive()
        return self.start() if self.kids and kind < 11 else self.mobile()

    def send(self) -> str:
        bang = "!!" if "sorted" in self.features and self.chance(0.4) else "!"
        return self.pick([f"{self.channel()}{bang}{self.value()}", f"{self.channel()}!1", *self.having(
            pair=[f"pair!{self.value()},{self.given()}"], meet=["meet!1", f"meet!{self.value()}"],
        )])  # fmt: skip

    def receive(self) -> str:
        into = self.pick(["x", "x", "_", self.shared(), "1", "eval(x)"])
        mark = "??" if "sorted" in self.features and self.chance(0.4) else "?"
        options = [f"{self.channel()}{mark}{into}", f"{self.channel()}?x", *self.having(meet=["meet?x", "meet?1"])]
        if self.channels:
            options += self.having(pair=["pair?x,c", f"pair?{into if into != '_' else 'x'},c"])
        return self.pick(options)

    def mobile(self) -> str:
        """A channel goes somewhere."""
        options = [f"reg!{self.given()}", f"reg!{self.given()}", *self.having(held=[f"held = {self.given()}"])]
        if self.channels:
            options += ["reg?c", "reg?c", f"c = {self.given()}", *self.having(held=["c = held"], pair=["pair?x,c"])]
        return self.pick(options)

    def start(self) -> str:
        name, takes = self.kids[self.random.randrange(len(self.kids))]
        given = f", {self.given()}" if takes else ""
        into = "x = " if "count" in self.features and self.chance(0.2) else ""
        return f"{into}run {name}({self.value()}{given})"

    def always(self) -> str:
        return self.pick([f"{self.shared()} = {self.pick(['0', '1', 'x'])}", f"x = {self.pick(['0', '1'])}",
                          f"x = {self.shared()}", f"assert({self.condition()})"])  # fmt: skip

    def statement(self, depth: int) -> str:
        kind = self.random.randint(0, 29) if depth else 0
        if kind < 20:
            return self.basic()
        if kind < 23:
            return f"if :: {self.guard()} -> {self.block(depth - 1)} :: {self.guard()} -> {self.block(depth - 1)} fi"
        if kind < 25:
            return f"if :: {self.guard()} -> {self.block(depth - 1)} :: else -> {self.block(depth - 1)} fi"
        if kind < 27:
            return f"atomic {{ {self.basic()}; {self.basic()} }}"
        if kind == 27:
            return f"d_step {{ {self.condition()}; {self.always()}; {self.always()} }}"
        if kind == 28:
            return f"{{ {self.basic()}; {self.basic()} }} unless {{ {self.guard()}; {self.always()} }}"
        return self.loop(depth)

    def guard(self) -> str:
        options = [self.condition(), self.condition(), self.receive(), self.send(), "true"]
        return self.pick(options + self.having(timeout=["timeout", "timeout && g == 1"]))

    def loop(self, depth: int) -> str:
        self.loops += 1
        n = f"n{self.loops}"
        if "endless" in self.features and self.chance(0.5):
            return f"do :: {self.guard()} -> {self.always()} :: {self.condition()} -> break od"
        return f"do :: {n} < 2 -> {n}++; {self.basic_once()} :: {n} == 2 -> break od"

    def basic_once(self) -> str:
        """A statement that starts nobody."""
        kids, self.kids = self.kids, []
        text = self.basic()
        self.kids = kids
        return text

    def block(self, depth: int) -> str:
        return "; ".join(self.statement(depth) for _ in range(self.random.randint(1, 2)))

    # ---------------------------------------------------------------- processes

    def process(self, head: str, given: bool, kid: bool, length: tuple[int, int]) -> str:
        gives, takes = not kid and self.chance(0.5), not kid and self.chance(0.4)
        self.own, self.channels, self.loops = gives or self.chance(0.3), given or takes or self.chance(0.3), 0
        places = [*SHARED, "a[x & 1]", "a[g & 1]"]
        self.known = self.random.choices(places, k=self.random.choice([1, 1, 2]))
        initial = self.initial_of(kid, given)
        body = [self.statement(1) for _ in range(self.random.randint(*length))]
        body[:0] = [f"assert(x == {self.pick(['0', '1'])})"] if kid and self.chance(0.6) else []
        if not kid and self.chance(0.6):
            body.insert(self.random.randint(0, len(body)), self.start())
        if not kid and self.seen and self.chance(0.5):
            change = self.pick([f"{self.pick(self.seen)} = 1", f"{self.pick(self.seen)} = 1", "q!1"])
            body.insert(self.random.randint(0, len(body)), change)
        body[:0] = ["reg?c"] if takes else []
        body.insert(self.random.randint(0, 1), "reg!own") if gives else None
        lines = [f"byte x{initial};"]
        lines += [f"chan c{' = q' if self.chance(0.8) else ''};"] if self.channels and not given else []
        if self.own:
            lines.insert(self.random.randint(0, 1), f"chan own = [{self.random.randint(0, 3) and 1}] of {{ byte }};")
        lines += [f"byte n{i};" for i in range(1, self.loops + 1)]
        label = "end: " if self.chance(0.1) else ""
        return f"{head} {{ {' '.join(lines)} {label}{'; '.join(body)} }}"

    def initial_of(self, kid: bool, given: bool) -> str:
        if not kid:
            return f" = {self.pick(['0', '1'])}" if self.chance(0.3) else ""
        if self.chance(0.2):
            return ""
        return f" = {self.pick([self.initial(), self.initial(), 'v', *(['len(c)'] if given else [])])}"

    def kid(self) -> str:
        number, given = len(self.kids), self.chance(0.6)
        head = f"proctype K{number}(byte v{'; chan c' if given else ''})"
        text = self.process(head, given, True, (0, 2))
        self.kids.append((f"K{number}", given))
        return text

    def __str__(self) -> str:
        kids = [self.kid() for _ in range(self.random.randint(1, 2))]
        lines = ["byte g, h, b, d, e, a[2];", "typedef R { byte f }; R r;", "chan q = [1] of { byte };"]
        lines.append(f"chan reg = [{self.random.randint(1, 2)}] of {{ chan }};")
        lines += self.having(meet=["chan meet = [0] of { byte };"],
                             pair=["chan pair = [1] of { byte, chan };"], held=["chan held;"],
                             wide=["chan w[2] = [1] of { byte };"])  # fmt: skip
        count, actives = self.random.randint(2, 3), list[str]()
        for n in range(count):
            many = "[2] " if n == 1 and "twins" in self.features else ""
            actives.append(self.process(f"active {many}proctype P{n}()", False, False, (1, 2 if count == 3 else 3)))
        first = actives if "remote" not in self.features else []
        return "\n".join(lines + first + kids + ([] if first else actives)) + "\n"


def generate(seed: int) -> str:
    """The model with this number."""
    return str(Writer(Random(seed)))
