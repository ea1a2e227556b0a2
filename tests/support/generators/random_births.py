"""Random models in which any process may start others: in turn, in loops, children of children, after others ended.

Small enough for brute force.  What makes pids visible (`_pid`, kept values of `run`, `_nr_pr`, channels of a process's
own, looking at a process from outside) is among it, and so is what sees an end (`timeout`, claims).
"""

from __future__ import annotations

from random import Random

CLAIMS = (
    "[]<>(x == 0)", "<>[](x == 0)", "(x < 2) U (x == 2)", "[](len(c) < 2)", "<>(y == 1)", "[](_nr_pr > 1 -> x < 3)",
)  # fmt: skip


def generate(seed: int, claims: bool = False) -> str:
    return _Model(Random(seed)).text(claims)


class _Model:
    """One model."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.sees = random.choice(("", "", "", "", "_pid", "kept", "_nr_pr", "_nr_pr", "timeout", "channel", "outside"))
        self.room = random.choice((0, 1, 2))

    def text(self, claims: bool) -> str:
        random = self.random
        head = ["byte x, y;", "pid who;", f"chan c = [{self.room}] of {{ byte }};", "chan back = [1] of { chan };"]
        leaf = self.process("Leaf", self.body(random.randint(1, 3)))
        node = self.process("Node", self.body(1) + self.starts("Leaf", random.randint(1, 2)) + self.body(1))
        kinds = [leaf]
        started = ["Leaf"]
        if random.random() < 0.5:
            kinds.append(node)
            started.append("Node")
        if random.random() < 0.25:
            count = random.randint(1, 2)
            more = self.starts("Leaf", 1) if random.random() < 0.5 else []
            kinds.append(f"active [{count}] proctype Here() {{ byte l; {' '.join(self.body(2) + more)} }}")
        claim = [f"ltl p {{ {random.choice(CLAIMS)} }}"] if claims else []
        return "\n".join([*head, self.init(started), *kinds, *claim]) + "\n"

    def process(self, name: str, body: list[str]) -> str:
        random = self.random
        own = "chan own = [1] of { byte }; " if self.sees == "channel" and random.random() < 0.5 else ""
        text = " ".join(body)
        if own:
            text += " back!own; own?l;"
        if random.random() < 0.15:
            text = f"do :: {text.removesuffix(';')} od"
        return f"proctype {name}(byte v) {{ byte l; {own}{text} }}"

    def starts(self, name: str, count: int) -> list[str]:
        random = self.random
        found = []
        for _ in range(count):
            value = random.choice(("0", "0", "0", "1", "l"))
            keeps = self.sees == "kept" and random.random() < 0.6
            found.append(f"who = run {name}({value});" if keeps else f"run {name}({value});")
            if random.random() < 0.3:
                found += self.body(1)
        return found

    def init(self, started: list[str]) -> str:
        random = self.random
        way = random.choice(("in turn", "in turn", "atomic", "loop", "rounds"))
        runs = self.starts(random.choice(started), random.choice((1, 2, 2)))
        if len(runs) < 2 and random.random() < 0.7:
            runs += self.starts(random.choice(started), 1)
        text = " ".join(runs)
        wait = "_nr_pr == 1;" if self.sees == "_nr_pr" else random.choice(("", "x == 0;"))
        if way == "atomic":
            text = f"atomic {{ {text} }} {wait}"
        elif way == "loop":
            start = self.starts(started[0], 1)[0]
            text = f"do :: i < {random.randint(1, 3)} -> {start} i++ :: else -> break od; {wait}"
        elif way == "rounds":
            text = f"do :: i < 2 -> {text} {wait} i++ :: else -> break od;"
        else:
            text += f" {wait}"
        end = random.choice(("", "", "assert(x < 3)", "assert(y == 0)", "back?d; d!1"))
        head = "active proctype Main()" if self.sees == "outside" else "init"
        return f"{head} {{ byte i, l; chan d; {text} {end} }}"

    def body(self, count: int) -> list[str]:
        return [self.statement() for _ in range(count)]

    def statement(self) -> str:
        random = self.random
        plain = (
            "x++;", "x = 0;", "x = l;", "l = x;", "l = 1;", "(x == 0);", "(x > 0);", "y = 1 - y;", "c!l;", "c!1;",
            "c?l;", "atomic { x == 0 -> x = 1 };", "d_step { l = x; x = 1; y = l };",
            "if :: x == 0 -> y = 1 :: else -> x-- fi;",
            "if :: l = 1 :: l = 2 fi;", "assert(x < 4);", 'printf("%d", _pid);', "if :: c?l :: else fi;",
        )  # fmt: skip
        sights = {
            "_pid": ("who = _pid;", "(who == _pid);", "(who != _pid);", "assert(who == _pid || x < 2);"),
            "kept": ("(who > 1);", "l = who;", "assert(who < 4);", "skip;"),
            "_nr_pr": ("(_nr_pr == 1);", "(_nr_pr > 1);", "if :: _nr_pr < 3 -> x = 1 :: else fi;", "(_nr_pr > 0);"),
            "timeout": ("if :: timeout -> x = 0 :: x > 0 -> x-- fi;", "timeout;"),
            "channel": ("back?[l];", "skip;", "y = 0;"),
            "outside": ("(Main[0]:i == 0);", "skip;"),
        }  # fmt: skip
        if self.sees in sights and random.random() < 0.35:
            return random.choice(sights[self.sees])
        return random.choice(plain)
