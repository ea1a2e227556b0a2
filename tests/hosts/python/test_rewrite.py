"""A rewritten program computes what it computed before: the same text is run with and without hooks."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from isospin.core.verdict import Outcome
from isospin.hosts.python.explain import run_guided
from isospin.hosts.python.program import PythonProgram
from isospin.pipeline.programs.python import check_program
from isospin.pipeline.settings import ProgramOptions

SNIPPETS = {
    "classes": """
class A:
    __slots__ = ("x", "__hidden")
    count = 0
    def __init__(self, x=1):
        self.x = x
        self.__hidden = x * 2
        A.count += 1
    @property
    def hidden(self):
        return self.__hidden
    @hidden.setter
    def hidden(self, value):
        self.__hidden = value
    @classmethod
    def make(cls, *args):
        return cls(*args)
    @staticmethod
    def add(a, b):
        return a + b
class B(A):
    def __init__(self):
        super().__init__(5)
        self.hidden += 1
    def __getattr__(self, name):
        return f"no {name}"
b = B()
print(b.x, b.hidden, A.count, B.make, A.make(3).x, A.add(1, 2), b.missing, getattr(b, "x"), hasattr(b, "y"))
del b.x
print(b.x)
""",
    "assignments": """
a = b = c = [1, 2, 3]
a[0], (b[1], *rest) = 10, (20, 30, 40)
x, y = a[:2]
a[1:2] = [7, 8]
d = {"k": a, **{"z": 1}}
d["k"][0] += 5
d["n"] = d.get("n", 0) + 1
del a[0], d["z"]
s = {1, 2} | {3}
s |= {4}
i = 0
i += 1
i <<= 3
a += [9]
a *= 2
for d["loop"] in range(2): pass
for q, (r, *t) in [(1, (2, 3, 4))]: print(q, r, t)
print(a, b, c, rest, x, y, d, s, i, (z := 5) + z)
with open(__file__) as f, open(__file__) as d["file"]: d.pop("file")
print(sorted(d), 3 in s, 9 not in s, 1 < 2 < 3 < i, not a, a and "yes", [] or "no", a if i else b)
""",
    "functions": """
def outer(n, *args, key=lambda v: -v, **more):
    total = n
    def inner(k):
        nonlocal total
        total += k
        return [total + j for j in args if j != k]
    def gen():
        yield from (inner(i) for i in range(2))
        got = yield "end"
        print("got", got)
    return inner, gen, sorted(args, key=key), more
inner, gen, s, more = outer(1, 2, 3, extra=4)
g = gen()
print(inner(5), list(zip(g, range(3))), s, more)
try: g.send("hello")
except StopIteration as stop: print("stop", stop.value)
g = 7
def recursive(n): return 1 if n < 2 else n * recursive(n - 1)
def late():
    global g
    g += 1
    return g
print(recursive(5), late(), g, (lambda *a, **k: (a, k))(*[1, 2], **{"x": 3}))
""",
    "statements": """
def f(v):
    match v:
        case [1, x]: return "pair", x
        case {"k": y}: return "dict", y
        case str() as t if t: return "text", t
        case _: return "other", None
print([f(v) for v in ([1, 2], {"k": 3}, "s", "", 4)])
n = 0
while n < 5:
    n += 1
    if n == 2: continue
    if n == 4: break
else:
    print("never")
try:
    {}["missing"]
except KeyError as e:
    print(type(e).__name__, e.args)
finally:
    print("finally", n)
try:
    raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
except* ValueError as group:
    print(group.exceptions)
except* TypeError:
    pass
print(f"{n!r:>4} {[1, 2]} {'x':{n}}", {k: v for k, v in {"a": 1}.items()}, {*"aab"} == {"a", "b"})
assert n, "message"
""",
    "containers": """
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from functools import reduce
import heapq
@dataclass
class P:
    a: int = 1
    xs: list = field(default_factory=list)
    def __lt__(self, other): return self.a < other.a
p = P(2)
p.xs.append(3)
dd = defaultdict(list)
dd["k"].append(1)
q = deque([1, 2], maxlen=2)
q.append(3)
N = namedtuple("N", "u v")
h = [3, 1, 2]
heapq.heapify(h)
print(p, dict(dd), q, N(1, 2).v, heapq.heappop(h), Counter("aba").most_common(1), reduce(lambda a, b: a + b, [1, 2]))
print(max(P(1), P(3)), list(map(str, [1, 2])), list(enumerate("ab")), sum([1, 2]), list(reversed([1, 2])), any([0, 1]))
print([*range(3), *(4, 5)], dict(zip("ab", [1, 2])), "-".join(["x", "y"]), list(filter(None, [0, 1])), next(iter([9])))
od = OrderedDict(a=1); od.move_to_end("a"); print(od, list(od.values()), list(od.items()), od.pop("a"), len(od))
""",
}


def plain(text: str, file: Path) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(text, str(file), "exec"), {"__name__": "__main__", "__file__": str(file)})
    return out.getvalue()


@pytest.mark.parametrize("name", SNIPPETS)
def test_same_output(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.py"
    file.write_text(SNIPPETS[name])
    host = PythonProgram(str(file))
    written = host.session.sink.written = []
    before = dict(sys.modules)
    try:
        run = run_guided(host, ())
        assert run.found is None, run.found
    finally:
        host.close()
    assert "".join(written) == plain(SNIPPETS[name], file)
    assert {n: m for n, m in sys.modules.items() if n in before} == before


def test_a_global_is_shared_with_other_modules(tmp_path: Path) -> None:
    """A function binds it again; another module only looks."""
    (tmp_path / "counter.py").write_text("n = 0\n\ndef twice():\n    global n\n    n = n + 1\n    n = n - 1\n")
    program = tmp_path / "main.py"
    program.write_text(
        "import threading, counter\n\ndef look():\n    assert counter.n == 0\n\n"
        "threads = [threading.Thread(target=counter.twice), threading.Thread(target=look)]\n"
        "for t in threads:\n    t.start()\nfor t in threads:\n    t.join()\n"
    )
    assert check_program(program, ProgramOptions()).outcome is Outcome.VIOLATED


def test_a_variable_of_the_main_program_is_not_always_private(tmp_path: Path) -> None:
    """Only the body names it, but a thread finds it through its module."""
    program = tmp_path / "main.py"
    program.write_text(
        "import sys, threading\n\ndef look():\n    assert getattr(sys.modules['__main__'], 'i') < 2\n\n"
        "t = threading.Thread(target=look)\nfor i in range(3):\n    if i == 0:\n        t.start()\nt.join()\n"
    )
    assert check_program(program, ProgramOptions()).outcome is Outcome.VIOLATED


def test_a_class_that_an_execution_changed_is_made_anew(tmp_path: Path) -> None:
    """Whatever happens to a class, each execution begins with it as it is written."""
    program = tmp_path / "main.py"
    program.write_text(
        "import threading\n\nclass Shared:\n    count = 0\n    def look(self):\n        return self.count\n\n"
        "assert Shared.count == 0 and not hasattr(Shared, 'more') and not hasattr(Shared.look, 'calls')\n"
        "assert not Shared.__subclasses__()\n\n"
        "def work(mark):\n    mark()\n    Shared.count = Shared.count + 1\n\n"
        "def one():\n    Shared.more = 1\n\ndef two():\n    Shared.look.calls = 1\n\n"
        "def three():\n    type('Sub', (Shared,), {})\n\n"
        "threads = [threading.Thread(target=work, args=(mark,)) for mark in (one, two, three)]\n"
        "for t in threads:\n    t.start()\nfor t in threads:\n    t.join()\n"
    )
    verdict = check_program(program, ProgramOptions(symmetry="none"))
    assert verdict.outcome is Outcome.HOLDS, verdict
    assert (verdict.statistics.executions or 0) > 10
