"""Random Promela models in the shapes in which people write alike processes; some are symmetric, and some only nearly.

``generate(seed)`` is a pure function.  Loops over all indices in d_step, atomic and outside (what they compute may
depend on the order or not), neighbours, constants among pids, numbers and start values as parameters, numbers in
another order than pids, channels as arguments, arrays of pids; if asked for, pids that are counted from 1.  Nobody
knows how symmetric a model is: whatever is found must be right.
"""

from __future__ import annotations

from random import Random

FEATURES = ("loop", "loop", "loop", "neighbour", "constant", "table", "mail", "ring", "start")


SHIFTS = (
    "grant = owner + 1", "grant == ME + 1 -> grant = 0", "atomic { grant == owner + 1 -> x = 1 - x }", "grant = ME + 1",
    "flag[ME] -> grant = 1 + owner", "owner != NOBODY -> granted[owner + 1] = 1", "granted[ME + 1] = 0",
    "granted[grant] -> grant = 0", "assert(grant != ME + 1 || x < 2)",
    "owner != NOBODY && flag[owner] -> owner = ME",
)  # fmt: skip
COUNTS = (
    "owner = grant - 1", "grant = (grant + 1) % N", "grant = grant + 1", "x = grant - 1", "grant > owner -> x = 0",
    "post!owner + 1", "post?grant", "grant = ANY", "owner = owner + 2",
)  # fmt: skip


class Writer:
    """Writes one model of `size` processes, which are called by `me`."""

    def __init__(self, seed: int, shifts: bool) -> None:
        self.random, self.shifts = Random(seed), shifts
        self.size = self.random.choice((2, 3, 3, 3))
        self.style = self.random.choice(("active", "numbered", "shuffled", "late"))
        self.features = set(self.random.sample(FEATURES, self.random.randint(1, 3)))
        if self.style in ("active", "late"):
            self.features -= {"ring", "start"}
        self.counts = self.random.random() < 0.25 if shifts else False
        self.me = "_pid" if self.style == "active" else "me"

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def fill(self, text: str) -> str:
        other = f"({self.me} + {self.random.choice((1, 1, self.size - 1))}) % {self.size}"
        some = str(self.random.randrange(self.size))
        return text.replace("ME", self.me).replace("NEXT", other).replace("ANY", some).replace("N", str(self.size))

    # ---------------------------------------------------------------- loops

    def body(self) -> str:
        """What is done with each index; the order may matter or not."""
        return self.pick(
            "s = s + val[i]", "s = s - val[i]", "s = s * 2 + val[i]", "s = val[i]", "s = s | val[i]", "s = s ^ val[i]",
            "few = few + val[i]", "few = few + flag[i]; s = s + few", "wide = wide + val[i]",
            "if :: flag[i] -> s++ :: else fi", "if :: flag[i] -> s = i :: else fi",
            "if :: !flag[i] -> skip :: flag[i] -> s = s + 2 fi",
            "if :: flag[i] -> found = 1; break :: else fi", "if :: flag[i] -> s = i; break :: else fi",
            "if :: val[i] > s -> s = val[i] :: else fi", "if :: val[i] >= s -> s = val[i]; found = 1 :: else fi",
            "if :: val[i] < s -> s = val[i] :: else -> found = 1 fi", "s = (val[i] > s -> val[i] : s)",
            "val[i] = 0", "val[i] = s", "flag[i] = !flag[i]", "val[i] = val[(i + 1) % N]", "val[i] = few",
            "if :: i != ME && flag[i] -> s++ :: else fi", "if :: i == ME || !flag[i] :: else -> found = 1 fi",
            "if :: owner == i -> s++ :: else fi", "if :: flag[i] -> owner = i :: else fi",
            "if :: owner == i -> owner = ME :: else fi", "if :: flag[i] && !found -> found = 1; s = val[i] :: else fi",
            "assert(val[i] < 2)", "assert(!flag[i] || val[i] < 2)", "s = s + val[s % N]", "found = found || flag[i]",
            "found = found && flag[i]", "s = val[i]; break", "if :: val[i] == 1 -> val[i] = 2; break :: else fi",
            "if :: s++ :: skip fi", "if :: flag[i] -> s++ :: val[i] > 0 -> s = s + 2 :: else fi",
            "s = (flag[i] -> s + 1 : s)", "if :: val[i] == s -> s++ :: else fi", "x = x + flag[i]", "x = val[i]",
            "if :: flag[i] -> if :: val[i] > 0 -> s++ :: else -> found = 1 fi :: else fi", "s = s & val[i]",
            "if :: empty(post) -> s++ :: else fi", "s = s + val[x % N]",
            "if :: val[owner % N] == val[i] -> s++ :: else fi", "s = s * (val[i] + 1)", "few = few ^ val[i]",
            "if :: flag[i] -> found = 1; s = s | 2; break :: else fi", "s = s | (val[i] * 2)",
        )  # fmt: skip

    def loop(self) -> str:
        body = "; ".join(self.body() for _ in range(self.random.choice((1, 1, 2))))
        ascending = self.pick(
            "i = 0; do :: i < N -> BODY; i++ :: else -> break od",
            "i = 0; do :: i < N -> BODY; i++ :: i >= N -> break od",
            "i = 0; do :: i == N -> break :: else -> BODY; i++ od", "for (i : 0 .. N - 1) { BODY }",
            "i = N; do :: i > 0 -> i--; BODY :: else -> break od",
            "i = 1; do :: i < N -> BODY; i++ :: else -> break od",
        )  # fmt: skip
        start = self.pick("s = 0; ", "s = 0; found = 0; few = 0; ", "")
        end = self.pick(
            "; i = 0", "; i = 0; x = s", "; i = 0; flag[ME] = (s > 1)", "; i = 0; s = 0", "; i = 0; found = 0", "",
            "; i = 0; val[ME] = (found -> 0 : 1)", "; i = 0; assert(s < 4)", "; i = 0; x = s % 2; s = 0",
        )  # fmt: skip
        guard = self.pick("", "", "flag[ME] -> ", "x == 0 -> ", "post?_ -> ")
        wrap = self.pick("d_step {{ {} }}", "d_step {{ {} }}", "atomic {{ {} }}", "atomic {{ {} }}", "{}")
        if "post" in guard:
            wrap = wrap.replace("d_step", "atomic")
        return wrap.format(guard + start + ascending.replace("BODY", body) + end)

    # ---------------------------------------------------------------- other statements

    def statement(self) -> str:
        if self.shifts and self.random.random() < 0.7:
            return self.random.choice(SHIFTS + COUNTS * self.counts)
        options = [
            "flag[ME] = !flag[ME]", "val[ME] = (val[ME] + 1) % 3", "x = 1 - x", "owner == ME -> owner = NOBODY",
            "atomic { owner == NOBODY -> owner = ME }", "assert(x < 3)", "d_step { flag[ME]; val[ME] = x }",
        ]  # fmt: skip
        more = {
            "neighbour": ["val[NEXT] = val[ME]", "flag[NEXT] -> flag[ME] = 0", "atomic { !flag[NEXT]; flag[ME] = 1 }"],
            "constant": ["flag[ANY] -> x = 1", "ME == ANY -> x = 0", "owner == ANY -> x = 0", "owner = ANY"],
            "table": ["friend[ME] = owner", "owner = friend[ME]", "friend[ME] != NOBODY -> flag[friend[ME]] = 1"],
            "mail": ["post!ME", "post?owner", "post?eval(ME)"],
            "ring": ["right!1", "left?_", "left?v -> right!v; v = 0"],
            "start": ["v == 1 -> v = 0", "v = 1 - v"],
        }  # fmt: skip
        for feature in sorted(self.features & more.keys()):
            options += more[feature]
        if "loop" in self.features and self.random.random() < 0.7:
            return self.loop()
        return self.random.choice(options)

    def process(self) -> str:
        takes = {"active": "", "late": "byte me", "numbered": "byte me", "shuffled": "byte me"}[self.style]
        takes += "; chan left, right" * ("ring" in self.features) + "; byte start" * ("start" in self.features)
        v = "start" if "start" in self.features else "0"
        prefix = "active [N] " if self.style == "active" else ""
        lines = [f"{prefix}proctype user({takes}) {{", f"  byte i, s, v = {v}; bit few; short wide; bool found;"]
        count = self.random.randint(2, 4)
        if self.random.random() < 0.4:
            lines += [f"  {self.statement()};" for _ in range(count)] + ["  x = 1 - x"]
        else:
            lines += ["  do"] + [f"  :: {self.statement()}" for _ in range(count)] + ["  od"]
        return "\n".join([*lines, "}"])

    def starts(self) -> str:
        if self.style == "active":
            return ""
        numbers = list(range(self.size))
        if self.style == "shuffled":
            self.random.shuffle(numbers)
        runs = []
        for k in numbers:
            given = [str(k)]
            if "ring" in self.features:
                given += [f"q[{k}]", f"q[{(k + 1) % self.size}]"]
            if "start" in self.features:
                given.append(str(self.random.randint(0, 1)))
            runs.append(f"run user({', '.join(given)})")
        text, tail = "; ".join(runs), self.pick("", "", "; q[0]!1", "; x = 1", "; flag[0] = 1")
        return f"init {{ {text}{tail} }}" if self.style == "late" else f"init {{ atomic {{ {text} }}{tail} }}"

    def model(self) -> str:
        number = self.size
        friends = f"byte friend[{number}] = {number};" if "table" in self.features else ""
        friends += f" byte grant; bool granted[{number + 2}];" if self.shifts else ""
        head = (f"byte x, owner = {number}; byte val[{number}]; bool flag[{number}]; {friends}\n"
                f"chan post = [1] of {{ byte }}; chan q[{number}] = [1] of {{ byte }};")  # fmt: skip
        text = "\n".join((head, self.process(), self.starts())) + "\n"
        return self.fill(text.replace("NOBODY", str(number)))


def generate(seed: int, shifts: bool = False) -> str:
    return Writer(seed, shifts).model()
