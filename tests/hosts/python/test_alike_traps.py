"""What looks alike about threads that get objects, or find different things, and is not: each program fails in a
schedule that a search leaves out which does not look at everything that a program can see."""

from __future__ import annotations

from pathlib import Path

import pytest

from isospin.engines.stateless.registry import explore
from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.python.program import Learnt, PythonProgram

HEAD = """\
import collections, concurrent.futures, functools, io, itertools, queue, sys, threading, types, weakref

lock, order, ready, n = threading.Lock(), [], [], 0


class Box:
    place = 0


def claim(box):
    global n
    with lock:
        n += 1
        box.place = n


"""
JOIN = "for t in ts: t.start()\nfor t in ts: t.join()\n"
TWICE = "ts = [threading.Thread(target=work) for _ in range(2)]\n" + JOIN
BOTH = "ts = [threading.Thread(target=claim, args=(x,)) for x in (a, b)]\n" + JOIN


def findings(file: Path, search: str, symmetry: str, races: bool = False) -> set[tuple[str, int]]:
    host = PythonProgram(str(file))
    host.report_races = races
    host.past_errors = True  # behind a failure that ends the execution, symmetry may miss others
    try:
        for _ in range(60):
            host.memory.begin_search()
            try:
                result = explore(host, search, SearchRequest(all_errors=True, symmetry=symmetry))
            except Learnt:
                continue
            assert not result.incomplete
            if not host.memory.again:
                return {(f.found.kind, f.found.location.line) for f in result.findings}
        raise AssertionError("it never stops learning")
    finally:
        host.close()


def compare(text: str, count: int, folder: Path) -> None:
    """Symmetry loses nothing of what there is to find."""
    file = folder / "program.py"
    file.write_text(HEAD + text)
    found = findings(file, "optimal", "none")
    assert len(found) == count
    assert findings(file, "dpor", "discovered") == found


# Two threads that do the same, but the one that comes first finds something else: `x` tells, and only later.
LEARNT = {
    "text": ("xs = []", "xs.append(1); x = f'{xs}'", "x == '[1]'"),
    "a match": (
        "xs = []",
        "xs.append(1); x = 0\n        match xs:\n            case [_]: x = 1",
        "x",
    ),
    "a match of a dictionary": (
        "d = {'n': 0}",
        "match d:\n            case {'n': x}: pass\n        d['n'] = 5",
        "x",
    ),
    "a match of an attribute": ("d = Box()", "match d:\n            case Box(place=x): pass\n        d.place = 5", "x"),
    "a chain of comparisons": ("xs = []", "x = [] <= xs <= [0]; xs.append(1)", "x"),
    "unpacking": ("xs = [Box(), Box()]; xs[0].place = 1", "x, y = xs; xs.reverse()", "x.place"),
    "arguments": (
        "xs = [Box(), Box()]; xs[0].place = 1\ndef f(x, y): return x",
        "x = f(*xs); xs.reverse()",
        "x.place",
    ),
    "keywords": ("d = {'x': 0}\ndef f(x): return x", "x = f(**d); d['x'] = 1", "x"),
    "a display": ("xs = [Box(), Box()]; xs[0].place = 1", "x = [*xs]; xs.reverse()", "x[0].place"),
    "a dictionary display": ("d = {'x': 0}", "x = {**d}; d['x'] = 1", "x['x']"),
    "an iterator": ("c = itertools.count()\ndef f(x): return x", "x = f(*itertools.islice(c, 1))", "x"),
    "in place": ("xs = [0, 1]", "x = []; x += xs; xs.reverse()", "x[0]"),
    "extend": ("xs = [0, 1]", "x = []; x.extend(xs); xs.reverse()", "x[0]"),
    "extend by an iterator": ("c = itertools.count()", "x = []; x.extend(itertools.islice(c, 1))", "x[0]"),
    "a slice": ("xs = [0, 1]", "x = [5]; x[:] = xs; xs.reverse()", "x[0]"),
    "a method of a queue": (
        "e = threading.Event()",
        "is_set = e.is_set; x = is_set(); e.set()",
        "x",
    ),
    "an item that is gone": (
        "d = {'k': 1}",
        "x = 1\n        try: del d['k']\n        except KeyError: x = 0",
        "x",
    ),
    "an attribute that is gone": (
        "d = Box(); d.k = 1",
        "x = 1\n        try: del d.k\n        except AttributeError: x = 0",
        "x",
    ),
    "a variable that is gone": (
        "token = 1",
        "x = 1\n        global token\n        try: del token\n        except NameError: x = 0",
        "x",
    ),
    "which exception": (
        "f = concurrent.futures.Future()",
        "try: f.result(timeout=0)\n        except ValueError: x = 1\n        except Exception: x = 0; "
        "f.set_exception(ValueError())",
        "x",
    ),
}


@pytest.mark.parametrize("name", LEARNT)
def test_what_was_found_is_learnt(name: str, tmp_path: Path) -> None:
    before, find, tells = LEARNT[name]
    work = (
        f"def work():\n    with lock:\n        ready.append(1)\n        {find}\n"
        "    with lock:\n        order.append(1)\n        if len(order) == 1 and len(ready) == 2:\n"
        f"            if {tells}: assert 0\n            else: assert 0\n"
    )
    compare(f"{before}\n{work}{TWICE}", 2, tmp_path)


def test_a_method_of_the_base_is_asked(tmp_path: Path) -> None:
    text = (
        "class Chan(queue.Queue):\n    def use(self):\n        x = super().get()\n        with lock: ready.append(1)\n"
        "        with lock:\n            order.append(1)\n            if len(order) == 1 and len(ready) == 2:\n"
        "                if x: assert 0\n                else: assert 0\n"
        "q = Chan()\nq.put(0)\nq.put(1)\ndef work():\n    q.use()\n"
    )
    compare(text + TWICE, 2, tmp_path)


# Two threads with an object each; it is the second one's that the condition is true of.
TOLD = {
    "the order of keys": ("a, b = {'x': 0, 'y': 0}, {'y': 0, 'x': 0}", "next(iter(box)) == 'y'"),
    "the order of members": ("a, b = set([0]), set([8]); a.add(8); b.add(0)", "next(iter(box)) == 8"),
    "attributes of a set": (
        "class Row(set): pass\na, b = Row(), Row(); a.rank, b.rank = 0, 1",
        "box.rank",
    ),
    "maxlen": ("a, b = collections.deque([], 5), collections.deque([], 1)", "box.maxlen == 1"),
    "the sign of zero": ("a, b = 0.0, -0.0", "str(box) == '-0.0'"),
    "all globals": ("a, b = Box(), Box(); second = b", "box is globals()['sec' + 'ond']"),
    "the module": ("a, b = Box(), Box(); second = b", "box is getattr(sys.modules[__name__], 'second')"),
    "an object that is called": (
        "class Check:\n    def __call__(self, box): return box is self.which\nclass Row: check = Check()\n"
        "a, b = Row(), Row(); Row.check.which = b",
        "box.check(box)",
    ),
    "an address": ("a, b = Box(), Box(); second = id(b)", "id(box) == second"),
    "a hash": ("a, b = Box(), Box(); second = hash(b)", "hash(box) == second"),
    "a bound method": ("a, b = Box(), Box(); where = [a, b].index", "where(box) == 1"),
    "a view": ("a, b = Box(), Box(); view = {'x': b}.values()", "box in view"),
    "a proxy": ("a, b = Box(), Box(); m = types.MappingProxyType({'x': b})", "box is m['x']"),
    "an exception": ("a, b = Box(), Box(); error = ValueError(b)", "box is error.args[0]"),
    "a weak reference": ("a, b = Box(), Box(); r = weakref.ref(b)", "box is r()"),
    "a library": ("a, b = Box(), Box(); types.second = b", "box is types.second"),
}


@pytest.mark.parametrize("name", TOLD)
def test_all_of_an_object_is_compared(name: str, tmp_path: Path) -> None:
    before, tells = TOLD[name]
    work = (
        f"def work(box):\n    global n\n    with lock:\n        n += 1\n        assert not (n == 1 and ({tells}))\n"
        "ts = [threading.Thread(target=work, args=(x,)) for x in (a, b)]\n"
    )
    compare(f"{before}\n{work}{JOIN}", 1, tmp_path)


# Main, or another thread, has the second object in its hands while it waits.
HELD = {
    "a thread that is still to be started": "def check(box): assert box.place != 1\na, b = Box(), Box()\n"
    f"later = threading.Thread(target=check, args=(b,))\n{BOTH}later.start()\nlater.join()\n",
    "an exception on its way": "a, b = Box(), Box()\ntry:\n    try: raise ValueError(b)\n    finally:\n"
    "        ts = [threading.Thread(target=claim, args=(x,)) for x in (a, b)]\n        for t in ts: t.start()\n"
    "        for t in ts: t.join()\nexcept ValueError as error:\n    assert error.args[0].place != 1\n",
    "an exception that is handled": "a, b = Box(), Box()\ntry: raise ValueError(b)\nexcept ValueError:\n"
    "    ts = [threading.Thread(target=claim, args=(x,)) for x in (a, b)]\n    for t in ts: t.start()\n"
    "    for t in ts: t.join()\n    assert sys.exc_info()[1].args[0].place != 1\n",
    "a value in an expression": "def go(a, b):\n"
    "    ts = [threading.Thread(target=claim, args=(a,)), threading.Thread(target=claim, args=(b,))]\n"
    "    for t in ts: t.start()\n    del a, b\n    for t in ts: t.join()\n"
    "def watcher(xs):\n    got = (xs[1], go(xs.pop(0), xs.pop(0)))\n    assert got[0].place != 1\n"
    f"ts = [threading.Thread(target=watcher, args=([Box(), Box()],))]\n{JOIN}",
    "a result that is held back": "def watcher(xs):\n    def go():\n        try: return xs[1]\n        finally:\n"
    "            ts = [threading.Thread(target=claim, args=(xs.pop(0),)) for _ in range(2)]\n"
    "            for t in ts: t.start()\n            for t in ts: t.join()\n    assert go().place != 1\n"
    f"ts = [threading.Thread(target=watcher, args=([Box(), Box()],))]\n{JOIN}",
    "all variables": f"a, b = Box(), Box()\n{BOTH}assert globals()['b'].place != 1\n",
    "what is changed in place": "class Check:\n    def __iadd__(self, _):\n        assert self.box.place != 1\n"
    f"        return self\na, b, c = Box(), Box(), Check()\nc.box = b\n{BOTH}c += 1\n",
    "what was printed": "out = io.StringIO()\ndef work(i):\n    with lock: print(i, file=out)\n"
    f"ts = [threading.Thread(target=work, args=(i,)) for i in range(2)]\n{JOIN}assert out.getvalue() != '1\\n0\\n'\n",
}


@pytest.mark.parametrize("name", HELD)
def test_what_a_waiting_thread_has(name: str, tmp_path: Path) -> None:
    compare(HELD[name], 1, tmp_path)


def test_main_knows_tuples_by_identity(tmp_path: Path) -> None:
    text = (
        "def work(x):\n    with lock: order.append(x)\ndef main():\n    f, g = tuple([1, 2]), tuple([1, 2])\n"
        "    s, t = threading.Thread(target=work, args=(f,)), threading.Thread(target=work, args=(g,))\n"
        "    s.start(); t.start()\n    with lock:\n        if len(order) == 2:\n"
        "            if order[0] is f: assert 0\n            else: assert 0\nmain()\n"
    )
    compare(text, 2, tmp_path)


def test_who_knows_of_whom_decides_what_is_a_race(tmp_path: Path) -> None:
    """When `look` has got the semaphore from the one, and gets the cell of the other."""
    file = tmp_path / "program.py"
    file.write_text(
        HEAD + "cell, d, s = [0, 0], {}, threading.Semaphore(0)\n"
        "def work(i):\n    cell[i] = 1\n    s.release()\n    d.setdefault('k', i)\n"
        "def look():\n    s.acquire()\n    k = d.get('k')\n    if k is not None:\n        x = cell[k]\n"
        "ts = [threading.Thread(target=work, args=(i,)) for i in range(2)] + [threading.Thread(target=look)]\n" + JOIN
    )
    found = findings(file, "optimal", "none", races=True)
    assert len(found) == 3
    assert findings(file, "dpor", "discovered", races=True) == found
