"""Random models in which any process may start others, and pids are data: kept, passed on, sent, compared, indices.

Small enough for brute force.  `PIDS` are the variables that hold pids, `BY_PID` the arrays that are indexed by them: an
oracle need not find that out.
"""

from __future__ import annotations

from random import Random

PIDS = {"who", "owner", "mum", "kid", "q", "next"}
BY_PID = {"flag", "next"}
CARRIES_PIDS = {"pc"}
SIZE = 7
CLAIMS = ("[]<>(x == 0)", "<>[](x == 0)", "[](x < 2)", "<>(y == 1)", "[](len(pc) < 2)", "[](owner == 0 -> x < 3)")


def generate(seed: int, claims: bool = False) -> str:
    return _PidModel(Random(seed)).text(claims)


class _PidModel:
    """One model."""

    def __init__(self, random: Random) -> None:
        self.random = random
        every = ("who", "lock", "flag", "next", "kid", "mum", "channel", "eval")
        self.uses = random.sample(every, random.randint(1, 3))
        self.immortal = random.choice((0.0, 0.0, 0.3, 1.0))
        self.careful = random.random() < 0.5  # who ends forgets his pid
        self.depth = random.random() < 0.3  # children of children

    def text(self, claims: bool) -> str:
        random = self.random
        room = random.choice((0, 1, 1, 2))
        head = [
            "byte x, y;", "pid who, owner;", f"byte flag[{SIZE}];", f"pid next[{SIZE}];",
            f"chan pc = [{room}] of {{ pid }};",
        ]  # fmt: skip
        leaf = self.process("Leaf", self.body(random.randint(1, 3)))
        kinds, started = [leaf], ["Leaf"]
        if self.depth:
            kinds.append(self.process("Node", [*self.body(1), self.start("Leaf"), *self.body(1)]))
            started.append("Node")
        if random.random() < 0.15:
            kinds.append(f"active proctype Here() {{ byte l; pid kid, q, mum; {' '.join(self.body(2))} }}")
        claim = [f"ltl p {{ {random.choice(CLAIMS)} }}"] if claims else []
        return "\n".join([*head, self.init(started), *kinds, *claim]) + "\n"

    def process(self, name: str, body: list[str]) -> str:
        random = self.random
        text = " ".join(body)
        ways = random.random()
        if ways < self.immortal / 2:
            text = f"do :: {text.removesuffix(';')} od"
        elif ways < self.immortal:
            text += " end: (false);"
        elif self.careful:
            text += self.forget()
        return f"proctype {name}(pid mum) {{ byte l; pid kid, q; {text} }}"

    def forget(self) -> str:
        text = " d_step { if :: who == _pid -> who = 0 :: else fi; if :: owner == _pid -> owner = 0 :: else fi;"
        return f"{text} flag[_pid] = 0; next[_pid] = 0 }};"

    def start(self, name: str) -> str:
        whom = self.random.choice(("_pid", "_pid", "0", "who"))
        keeps = "kid = " if "kid" in self.uses and self.random.random() < 0.7 else ""
        return f"{keeps}run {name}({whom});"

    def init(self, started: list[str]) -> str:
        random = self.random
        count = random.choice((2, 2, 3)) if not self.depth else 2
        starts = [self.start(random.choice(started)) for _ in range(count)]
        way = random.choice(("in turn", "in turn", "atomic", "loop", "rounds"))
        if way == "atomic":
            text = f"atomic {{ {' '.join(starts)} }}"
        elif way == "loop":
            text = f"do :: i < {count} -> {starts[0]} i++ :: else -> break od;"
        elif way == "rounds":
            wait = random.choice(("", "_nr_pr == 1;", "x == 0;"))
            text = f"do :: i < 2 -> {starts[0]} {self.statement() if random.random() < 0.5 else ''} {wait} i++"
            text += " :: else -> break od;"
        else:
            text = " ".join(s + (f" {self.statement()}" if random.random() < 0.4 else "") for s in starts)
        end = random.choice(("", "", "assert(x < 2)", "assert(y == 0)", "timeout; x = 3", "_nr_pr == 1; y = 1"))
        return f"init {{ byte i, l; pid kid, q, mum; {text} {end} }}"

    def body(self, count: int) -> list[str]:
        return [self.statement() for _ in range(count)]

    def statement(self) -> str:
        random = self.random
        plain = (
            "x++;", "x = 0;", "l = x;", "(x == 0);", "(x > 0);", "y = 1 - y;", "assert(x < 3);",
            "atomic { x == 0 -> x = 1 };", 'printf("%d", _pid);', "if :: x == 0 -> y = 1 :: else -> x-- fi;",
        )  # fmt: skip
        sights = {
            "who": ("who = _pid;", "who = 0;", "(who == _pid);", "(who != _pid);", "assert(who != _pid || x < 2);",
                    "if :: who == _pid -> x = 1 :: who != _pid -> x = 0 fi;", "who -> x++;"),
            "lock": ("atomic { owner == 0 -> owner = _pid };", "owner = 0;", "assert(owner == _pid || x < 2);",
                     "atomic { owner == _pid -> x++; owner = 0 };"),
            "flag": ("flag[_pid] = 1;", "flag[_pid] = 0;", "x = flag[_pid];", "x = flag[who];", "flag[mum] = 1;",
                     "(flag[_pid] == 0);", "if :: flag[who] == 1 -> x++ :: else fi;", "flag[_pid]++;"),
            "next": ("next[_pid] = who;", "who = next[_pid];", "atomic { next[_pid] = who; who = _pid };",
                     "(next[_pid] == who);", "who = next[who];", "next[mum] = _pid;"),
            "kid": ("(kid == who);", "who = kid;", "if :: kid == 0 -> x++ :: else -> y = 1 fi;", "kid = 0;",
                    "if :: who == kid -> who = 0 :: else fi;"),
            "mum": ("who = mum;", "(who == mum);", "(who != mum);", "if :: mum == 0 -> x++ :: else fi;",
                    "assert(mum != who || x < 3);"),
            "channel": ("pc!_pid;", "pc?q;", "pc!who;", "if :: pc?q :: else fi;", "if :: q == _pid -> x++ :: else fi;",
                        "who = q;"),
            "eval": ("pc!_pid;", "pc?eval(_pid);", "pc!mum;", "pc??eval(mum);", "if :: pc?eval(_pid) :: else fi;",
                     "if :: pc?[eval(_pid)] -> x++ :: else fi;"),
        }  # fmt: skip
        if random.random() < 0.6:
            return random.choice(sights[random.choice(self.uses)])
        return random.choice(plain)
