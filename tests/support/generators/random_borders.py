"""Random programs that cross the border of control, with all outcomes that threads have one after the other."""

from __future__ import annotations

import random
import re
from itertools import permutations
from textwrap import indent
from typing import Any

SETUP = """
import array, bisect, collections, copy, dataclasses, functools, heapq, io, itertools, json, operator, os, pickle, re
import struct, tempfile, threading

class Box:
    def __init__(self): self.n, self.m = 0, 0
    def add(self, k): self.n += k
    @functools.cached_property
    def lazy(self):
        calls.append("lazy")
        return len(calls)

class Name:
    def __init__(self, v): self.v = v
    def __eq__(self, other): return self.v == other.v
    def __hash__(self): return hash(self.v)
    def __lt__(self, other): return self.v < other.v
    def __repr__(self): return f"N{self.v}"

@dataclasses.dataclass
class Pair:
    a: int = 0
    b: int = 0

def make():
    calls.append("make")
    return []

def twice(v): return v * 2
def add(a, b): return a + b
def count(n):
    global g
    g += n
def text(match):
    calls.append(match.group())
    return str(len(calls))
def values():
    for v in xs:
        yield v
    yield g

@functools.lru_cache(maxsize=None)
def cached(n):
    calls.append(n)
    return len(calls)

g, calls, lock = 0, [], threading.Lock()
xs, ys, names = [3, 1, 2], [1, 2], [Name(2), Name(1)]
d, made, groups = {"a": 1, "b": 2}, collections.defaultdict(make), collections.defaultdict(list)
box, pair, other, bag, q = Box(), Pair(), Pair(), collections.Counter("ab"), collections.deque([1, 2])
raw, numbers, users, keyed = bytearray(4), array.array("i", [1, 2]), collections.UserDict(a=1), {}
memory, get, bump, stream = memoryview(raw), operator.attrgetter("n", "m"), functools.partial(count, 1), io.StringIO()
file = os.path.join(tempfile.gettempdir(), f"isospin-border-{os.getpid()}")
with open(file, "w") as f: f.write("0")
out = [[], [], []]

def content():
    with open(file) as f: return f.read()
"""
FINAL = """
def final():
    state = (g, calls, xs, ys, names, d, dict(made), dict(groups), box.n, box.m, pair, other, dict(bag), list(q),
             bytes(raw), list(numbers), dict(users), keyed, stream.getvalue(), content(), out)
    return repr(state)
"""
RUN = """
threads = [threading.Thread(target=f) for f in ({functions})]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert final() in SERIAL
"""

# What a thread does; I is its number, LOOK(x) keeps what it sees.
STATEMENTS = """
LOOK(max(xs, key=lambda v: -v))
LOOK(min(xs, default=0, key=twice))
LOOK(sorted(xs, key=lambda v: -v))
LOOK(sorted(names))
LOOK(sum(v for v in xs))
LOOK(list(map(twice, xs)))
LOOK(list(map(d.get, ["a", "b"])))
LOOK(list(filter(lambda v: v > 1, xs)))
LOOK(functools.reduce(add, xs, 0))
LOOK(functools.reduce(operator.add, xs, 0))
LOOK(list(zip(xs, ys)))
LOOK([a + b for a, b in zip(xs, ys)])
LOOK(json.dumps(d))
LOOK(json.dumps([xs, ys]))
LOOK(vars(copy.copy(box)))
LOOK(dict(vars(box)))
LOOK(copy.deepcopy(d))
LOOK(pickle.loads(pickle.dumps([xs, d])))
LOOK(str(xs))
LOOK(f"{d} {g}")
LOOK(repr(names))
LOOK(repr(pair))
LOOK(pair == other)
LOOK(get(box))
LOOK(box.n + box.m)
LOOK(list(itertools.chain(xs, ys)))
LOOK(list(values()))
LOOK(any(v > 2 for v in xs))
LOOK(re.sub("a", text, "ab"))
LOOK(bag.most_common(1))
LOOK(users.get("a"))
LOOK(dict(users))
LOOK(cached(1))
LOOK(box.lazy)
LOOK(eval("g + g"))
LOOK(Name(1) in names)
LOOK(names.index(Name(1)))
LOOK(keyed.get(Name(1)))
LOOK(content())
LOOK(stream.getvalue())
LOOK(struct.unpack("4b", raw))
LOOK(numbers[0] + numbers[1])
LOOK(list(d.items()))
LOOK(len(xs) + len(ys))
LOOK(globals()["g"])
xs.append(I)
xs.extend(v for v in (I, I))
xs.extend([I, I])
xs += [I]
xs.sort(key=lambda v: v)
xs.sort()
xs[0] = I
xs.insert(0, g)
xs[0], xs[1] = xs[1], xs[0]
ys.extend(xs)
ys[:] = [I, I]
heapq.heappush(ys, I)
bisect.insort(ys, I)
names.append(Name(I))
names.remove(Name(1)) if Name(1) in names else None
names.sort()
d["a"] += 1
d.update(a=I, b=I)
d.update((k, I) for k in ("a", "b"))
d.setdefault("c", I)
d["b"] = d.get("a")
made["k"].append(I)
groups["k"].append(I)
box.n += 1
box.n, box.m = I, I
vars(box)["n"] += 1
box.__dict__["m"] = box.n
object.__setattr__(box, "n", box.n + 1)
setattr(box, "m", box.n + I)
operator.methodcaller("add", 1)(box)
box.add(2)
globals()["g"] += 1
count(1)
bump()
exec("g = g + 1", globals())
pair.a = other.a = I
pair.b = other.b = I
bag["a"] += 1
bag.update("ab")
q.append(q[0])
q.extend(v for v in (I, g))
q.rotate(1)
raw[0] += 1
memory[0] = raw[0] + 1
struct.pack_into("b", raw, 1, raw[0])
numbers[0] += numbers[1]
users["a"] = users["a"] + 1
keyed[Name(1)] = I
keyed.setdefault(Name(1), I)
print(I, file=stream)
stream.write("x")
with open(file, "w") as f: f.write(content() + "1")
list(map(count, [1, 1]))
""".strip().splitlines()


OBJECTS = ["xs", "ys", "names", "d", "made", "groups", "box", "pair", "bag", "q", "raw", "numbers", "users", "keyed",
           "stream", "file", "content", "calls", "g", "cached"]  # fmt: skip


def near(random_: random.Random) -> list[str]:
    """Statements that mostly touch the same object."""
    name = random_.choice(OBJECTS)
    about = [s for s in STATEMENTS if re.search(rf"\b{name}\b", s)]
    return [*about, *random_.sample(STATEMENTS, max(len(about) // 3, 1))]


def thread(random_: random.Random, number: int, most: int, pool: list[str]) -> str:
    lines = []
    for statement in random_.sample(pool, min(random_.randint(1, most), len(pool))):
        line = statement.replace("I", str(number + 4)) if not statement.startswith("LOOK") else statement
        line = line.replace("LOOK", f"out[{number}].append") if statement.startswith("LOOK") else line
        lines.append(f"with lock:\n    {line}" if random_.random() < 0.25 and ":" not in line[:5] else line)
    names = "global xs" if any(line.strip().startswith("xs +=") for line in lines) else "pass"
    return f"def t{number}():\n    {names}\n" + indent("\n".join(lines), "    ") + "\n"


def parts(seed: int) -> tuple[str, int]:
    random_ = random.Random(seed)
    threads = random_.choice((2, 2, 2, 3))
    pool = near(random_)
    bodies = "\n".join(thread(random_, n, 3 if threads == 2 else 1, pool) for n in range(threads))
    return SETUP + FINAL + "\n" + bodies, threads


def serial(head: str, threads: int) -> set[str] | None:
    """The outcomes of one thread after the other; None if that fails."""
    found = set()
    for order in permutations(range(threads)):
        space: dict[str, Any] = {"__name__": "__main__"}
        try:
            exec(compile(head, "<serial>", "exec"), space)
            for number in order:
                space[f"t{number}"]()
            found.add(space["final"]())
        except Exception:
            return None
    return found


def program(seed: int) -> str | None:
    head, threads = parts(seed)
    outcomes = serial(head, threads)
    if outcomes is None:
        return None
    names = ", ".join(f"t{n}" for n in range(threads))
    return f"SERIAL = {sorted(outcomes)!r}\n{head}\n{RUN.format(functions=names)}"
