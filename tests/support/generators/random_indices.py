"""Random programs whose threads have numbers: indices that are copied, compared, stored, passed through objects,
containers, queues and closures; and now and then a use that tells one number from the others.

The first line says how many threads there are.  The variables in `CELLS`, `INDICES` and `PLAIN` are what an execution
ends with: lists by index, values that are indices (or hold some), and ordinary values.
"""

from __future__ import annotations

from random import Random

CELLS = ("cell", "flag")  # items belong to indices
KEYED = ("d",)  # keys are indices
INDICES = ("last", "order", "members", "owner")  # indices, or containers of some
PLAIN = ("x", "y")

HEAD = """\
import queue
import threading

N = {threads}


class Box:
    def __init__(self, number):
        self.number = number
        self.owner = None


def same(k):
    return k


lock = threading.Lock()
locks = [threading.Lock() for _ in range(N)]
cell = [0] * N
flag = {{k: False for k in range(N)}} if {keyed} else [False] * N
x = y = 0
last = None
order = []
d = {{}}
members = set()
box = Box(None)
boxes = [Box(k) for k in range(N)]
q = queue.Queue()


def worker({parameters}):
    global x, y, last
{prologue}{body}

"""
STARTS = (
    ("i", "", "args=(i,)"),
    ("mine", "    i = mine.number\n", "args=(boxes[i],)"),
    ("mine, n", "    i = mine.number\n", "args=(boxes[i], N)"),
    ("i, mine", "", "kwargs={'i': i, 'mine': boxes[i]}"),
)
CREATION = (
    "threads = [threading.Thread(target=worker, {given}) for i in range(N)]\nfor t in threads:\n    t.start()\n",
    "threads = []\nfor i in range(N):\n    t = threading.Thread(target=worker, name=f'w{{i}}', {given})\n"
    "    threads.append(t)\n    t.start()\n",
    "threads = []\nfor i, _ in enumerate(cell):\n    threads.append(threading.Thread(target=worker, {given}))\n"
    "    threads[i].start()\n",
)
FAIR = (
    "cell[{e}] += 1",
    "cell[{e}] = x",
    "x += cell[{e}]",
    "with lock:\n    x += 1",
    "with locks[{e}]:\n    cell[{f}] += 1",
    "last = {e}",
    "if last == {e}:\n    x += 1",
    "if last != {e}:\n    cell[{e}] = 3",
    "order.append({e})",
    "with lock:\n    order.append({e})",
    "d[{e}] = x",
    "y = d.get({e}, 7)",
    "if {e} in d:\n    y += 1",
    "boxes[{e}].owner = {f}",
    "if boxes[{e}].owner == {f}:\n    x += 1",
    "box.owner = {e}",
    "members.add({e})",
    "if {e} in members:\n    y += 1",
    "members.discard({e})",
    "q.put({e})\nj = q.get()\ncell[j] += 1",
    "flag[{e}] = not flag[{f}]",
    "if flag[{e}]:\n    cell[{e}] += 2",
    "pair = ({e}, x)\nlast = pair[0]",
    "def bump(k={e}):\n    cell[k] += 1\n    cell[i] += 1\nbump()",
    "if {e} == -1 or {e} < N + 1:\n    x += 1",
    "k = order[-1] if order else {e}\ncell[k] += 1",
    "y = len(order) + len(cell)",
    "print('worker', {e}, f'{{{e}}}')",
    "with lock:\n    last = {e}\n    if last != {e}:\n        x = 99",
    "if last is not None:\n    cell[last] += 1",
    "y = sum(cell)",
    "x = max(cell)",
    "d.pop({e}, None)",
    "fresh = [0] * N\nfresh[{e}] += 1\nx += fresh[{f}]",
    "each = {{}}\neach[{e}] = x\ny = each.get({f}, 2)",
    "assert {e} >= 0, f'{{{e}}}'",
)
TELLING = (
    "if {e} == 0:\n    x += 10",
    "if {e} < 1:\n    x += 5",
    "x += {e}",
    "x = 2 * x + {e}",
    "cell[0] += 1",
    "x = cell[1]",
    "if {e}:\n    y = 3",
    "for k in range(N):\n    x = 2 * x + cell[k]",
    "y = int({e} % 2 == 1)",
    "y = str({e})",
    "y = '%d' % {e}",
    "y = f'{{{e}}}'",
    "y = min(order) if order else 0",
    "y = sorted(members)",
    "y = list(members)",
    "y = list(d)",
    "y = next(iter(d), None)",
    "y = threading.current_thread().name",
    "y = hash({e})",
    "x += [10, 20, 30, 40][{e}]",
    "x += (10, 20, 30, 40)[{e}]",
    "y = 'abcd'[{e}]",
    "x = len(range({e}))",
    "y = cell[{e}:]",
    "y = list(cell)",
    "for c in cell:\n    x = 2 * x + c",
    "y = cell.index(max(cell))",
    "y = {e} | 4",
    "y = -{e}",
    "y = int({e})",
    "y = bin({e})",
    "y = ['a', 'b', 'c', 'd'][i - 1]",
    "z = {e} + 1\nif z == 2:\n    x += 1",
    "y = last == 0",
    "y = max({e}, 1)",
    "y = {{0: 5, 1: 6}}.get({e}, 4)",
    "y = threading.get_ident()",
    "order.insert({e}, 0)",
    "y = bytes([{e}])",
    "y = repr(order)",
    "y = order == [0, 1, 2]",
    "y = type({e})({e})",
    "y = divmod({e}, 2)",
    "y = isinstance({e}, bool) or {e} is 1",
    "flag[0] = True",
    "y = list(map(str, [{e}]))",
    "y = 0 in members",
    "cell[{e}] = 2 * {e}",
    "y = ''.join(map(str, order))",
)
ENDS = (
    "",
    "assert sum(cell) >= 0\n",
    "for k in range(N):\n    y += cell[k]\n",
    "assert all(c == cell[0] for c in cell)\n",
    "assert not order or order[0] == 0\n",
    "assert last != 1\n",
    "assert cell[0] <= cell[-1]\n",
    "assert 1 not in d\n",
    "assert x < 3\n",
    "assert list(d) == sorted(d)\n",
    "assert boxes[0].owner is None\n",
    "y = [b.owner for b in boxes]\n",
    "assert sorted(order) == order\n",
)


def program(seed: int, telling: float = 0.12) -> str:
    """A program; with a small probability each statement tells numbers apart."""
    random = Random(seed)
    threads = random.choice((2, 3, 3))
    parameters, prologue, given = random.choice(STARTS)
    body = [_statement(random, telling) for _ in range(random.choice((1, 2, 2, 3)))]
    text = HEAD.format(
        threads=threads,
        keyed=random.random() < 0.3,
        parameters=parameters,
        prologue=prologue,
        body=_indented("\n".join(body)),
    )
    join = random.choice(("for t in threads:\n    t.join()\n", "for t in threads:\n    t.join()\n", ""))
    end = random.choice(ENDS) if join and random.random() < 0.5 else ""
    return f"{text}\n{random.choice(CREATION).format(given=given)}{join}{end}"


def _statement(random: Random, telling: float) -> str:
    form = random.choice(TELLING if random.random() < telling else FAIR)
    return form.format(e=_index(random), f=_index(random))


def _index(random: Random) -> str:
    return random.choice(
        ("i", "i", "i", "i", "same(i)", "boxes[i].number", "(i + 1) % N", "(i - 1) % N", "(lambda: i)()")
    )


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())
