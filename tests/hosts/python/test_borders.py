"""Programs at the border of control, at random, against the real interpreter; `contract/` checks those in `borders`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from isospin.hosts.python.border import known
from isospin.pipeline.programs.python import check_program
from isospin.pipeline.settings import ProgramOptions
from tests.support import paths
from tests.support.generators.random_borders import program
from tests.support.oracles import forced

# ------------------------------------------------------------------------------------------------ at random


def compare(seeds: range, runs: int, most: int, folder: Path) -> dict[str, int]:
    """SOUND: what fails on the real interpreter, switched at bytecodes, does not hold; what is violated fails there."""
    verdicts: dict[str, str] = {}
    for seed in seeds:
        text = program(seed)
        if text is not None:
            path = folder / f"border_{seed}.py"
            path.write_text(text)
            verdicts[str(path)] = check_program(path, ProgramOptions(max_time=20)).outcome.value
    for outcome, count in (("holds", runs), ("violated", most)):
        files = [file for file, verdict in verdicts.items() if verdict == outcome]
        for file, failure in forced.fails(files, count).items():
            assert bool(failure) == (outcome == "violated"), f"{file}: {outcome}, but {failure or 'it never fails'}"
    return {o: list(verdicts.values()).count(o) for o in ("holds", "violated", "incomplete")}


def test_the_real_interpreter_agrees(tmp_path: Path) -> None:
    found = compare(range(8), 30, 20_000, tmp_path)
    assert found["holds"]
    assert found["violated"]


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1400, 50))
def test_the_real_interpreter_agrees_often(start: int, tmp_path: Path) -> None:
    found = compare(range(start, start + 50), 200, 20_000, tmp_path)
    assert found["holds"] >= 5
    assert found["violated"] >= 5


def test_forced_switches_find_what_is_wrong(tmp_path: Path) -> None:
    """The oracle itself: it sees a lost update, an update in the middle of a call of C code, and no other failure."""
    borders = paths.PROGRAMS / "borders"
    wrong = [str(borders / f"{name}.py") for name in ("attributes_by_vars", "key_of_max", "lru_cache", "reduce")]
    right = [str(borders / f"{name}.py") for name in ("factory_of_python", "reduce_of_two", "key_of_sorted")]
    found = forced.fails([*wrong, *right], 1000)
    assert all(found[file] for file in wrong), found
    assert not any(found[file] for file in right), found


# ------------------------------------------------------------------------------------------------ wrappers

ONCE = """
import array, collections, itertools, os, threading, types, weakref

class Thing: pass

thing, hits, d, empty = Thing(), [], {{}}, []
{made}

def work():
    if {asks}:
        {changes}
        hits.append(1)

threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads: t.start()
for t in threads: t.join()
assert len(hits) == 1
"""
WRAPPERS = {
    "os.environ": ("x = os.environ; x.pop('A', None)", "x['A'] = '1'", "'A' not in x"),
    "UserDict": ("x = collections.UserDict()", "x['A'] = 1", "'A' not in x"),
    "inside of it": ("x = collections.UserDict()", "x.data['A'] = 1", "'A' not in x"),
    "UserList": ("x = collections.UserList()", "x.append('A')", "'A' not in x"),
    "a class that inherits": ("class L(collections.UserList): pass\nx = L()", "x.append('A')", "'A' not in x"),
    "added in place": ("x = collections.UserList()", "y = x; y += [1]", "len(x) == 0"),
    "ChainMap": ("x = collections.ChainMap({}, {})", "x['A'] = 1", "'A' not in x"),
    "WeakKeyDictionary": ("x = weakref.WeakKeyDictionary()", "x[thing] = 1", "thing not in x"),
    "WeakSet": ("x = weakref.WeakSet()", "x.add(thing)", "thing not in x"),
    "a proxy": ("x = types.MappingProxyType(d)", "d['A'] = 1", "'A' not in x"),
    "an item of a proxy": ("d['A'] = 0; x = types.MappingProxyType(d)", "d['A'] = 1", "x['A'] == 0"),
    "a loop over a proxy": ("x = types.MappingProxyType(d)", "d['A'] = 1", "[1 for _ in x] == []"),
    "memoryview": ("b = bytearray(1); x = memoryview(b)", "b[0] = 1", "1 not in x"),
    "a view of a mapping": ("x = collections.UserDict(); y = x.keys()", "x['A'] = 1", "'A' not in y"),
    "a view of an OrderedDict": ("x = collections.OrderedDict(); y = x.keys()", "x['A'] = 1", "'A' not in y"),
    **{
        how: ("x = collections.UserList()", "x.append('A')", asks)
        for how, asks in {
            "len": "len(x) == 0", "not": "not x", "list": "list(x) == []", "a display": "[*x] == []",
            "max": "max(x, default=0) == 0", "repr": "repr(x) == '[]'", "text": "f'{x}' == '[]'", "==": "x == empty",
            "bool": "bool(x) == False", "+": "len(x + []) == 0", "an iterator": "next(iter(x), 0) == 0",
            "zip": "list(zip(x, x)) == []", "any": "not any(x)", "enumerate": "not list(enumerate(x))",
            "chain": "not list(itertools.chain(x))", "join": "not ''.join(x)", "sorted": "not sorted(x)",
        }.items()
    },
}  # fmt: skip


@pytest.mark.parametrize("name", WRAPPERS)
def test_an_object_of_a_library_stands_for_what_it_holds(name: str, tmp_path: Path) -> None:
    """Both threads may find nothing there, whatever they ask with."""
    made, changes, asks = WRAPPERS[name]
    file = tmp_path / "once.py"
    file.write_text(ONCE.format(made=made, changes=changes, asks=asks))
    assert check_program(file, ProgramOptions(max_time=20)).outcome.value == "violated"


def test_an_object_of_a_library_is_changed_under_a_lock(tmp_path: Path) -> None:
    file = tmp_path / "locked.py"
    made = "x = collections.UserList(); lock = threading.Lock()"
    text = ONCE.format(made=made, changes="y = x; y += [1]", asks="not x")
    file.write_text(text.replace("def work():\n    if", "def work():\n  with lock:\n    if"))
    assert check_program(file, ProgramOptions(max_time=20)).outcome.value == "holds"


# ------------------------------------------------------------------------------------------------ beside the arguments

BESIDE = """
import abc, argparse, copy, functools, itertools, json, logging, operator, os, pickle, sys, threading, types

class Thing:
    k = 0

    def m(self): return 0

class Heir(Thing):
    def m(self): return super().m()

class Base(abc.ABC): pass

@functools.singledispatch
def shown(x): return "anything"

logger, x, y, xs, b = logging.getLogger("beside"), Thing(), Heir(), [0], bytearray(b"0")
x.a = 0
os.environ.pop("A", None)
{made}

def look():
    assert {sees}

def change():
    {changes}

threads = [threading.Thread(target=f) for f in (look, change)]
for t in threads: t.start()
for t in threads: t.join()
"""
SEEN = {
    "getenv": ("", "os.environ['A'] = '1'", "os.getenv('A') is None", "violated"),
    "expandvars": ("", "os.environ['A'] = '1'", "os.path.expandvars('$A') == '$A'", "violated"),
    "a new attribute shown": ("x = types.SimpleNamespace()", "x.a = 1", "repr(x) == 'namespace()'", "violated"),
    "a new attribute compared": ("x = y = types.SimpleNamespace()\ny = copy.copy(x)", "x.a = 1", "x == y", "violated"),
    "a new attribute copied": ("x = Thing()", "x.a = 1", "not vars(copy.copy(x))", "violated"),
    "a new attribute pickled": ("x = Thing(); b = pickle.dumps(x)", "x.a = 1", "pickle.dumps(x) == b", "violated"),
    "a new attribute asked for": ("x = argparse.Namespace()", "x.a = 1", "'a' not in x", "violated"),
    "an attribute in a format": ("", "x.a = 1", "'{0.a}'.format(x) == '0'", "violated"),
    "an attribute by C code": ("", "x.a = 1", "list(map(operator.attrgetter('a'), [x])) == [0]", "violated"),
    "a path of attributes": ("", "x.a = 1", "functools.reduce(getattr, ['a'], x) == 0", "violated"),
    "an attribute of the class above": ("", "Thing.k = 1", "y.k == 0 and Heir.k == 0", "violated"),
    "a method of the class above": ("", "Thing.m = lambda self: 1", "y.m() == 0", "violated"),
    "a new attribute of a class": ("", "Thing.new = 1", "not hasattr(x, 'new')", "violated"),
    "an attribute of a class that goes": ("", "del Thing.k", "hasattr(x, 'k')", "violated"),
    "an attribute of a class in a format": ("", "Thing.k = 1", "'{0.k}'.format(x) == '0'", "violated"),
    "a variable of a closure": ("def f(v=0):\n    return lambda: v\nf = f()",
                                "f.__closure__[0].cell_contents = 1", "f() == 0", "incomplete"),
    "what is in a tuple": ("t = ([0],)", "t[0].append(1)", "t.count([0]) == 1", "violated"),
    "what is in a tuple, by C code": ("t = ([0],)", "t[0].append(1)", "list(map(len, t)) == [1]", "violated"),
    "bytes compared": ("", "b[0] = 49", "b == b'0'", "violated"),
    "bytes added": ("", "b[0] = 49", "len(b + b'') and (b'' + b)[0] == 48", "violated"),
    "bytes as a number": ("", "b[0] = 49", "int(b) == 0", "violated"),
    "arguments of a partial": ("p = functools.partial(dict)", "p.keywords['a'] = 1", "p() == {}", "violated"),
    "an iterator by another one": ("i = iter([0, 1])", "next(i)", "list(itertools.islice(i, 1)) == [0]", "violated"),
    "a method that is mapped": ("", "list(map(xs.append, [1]))", "len(xs) == 1", "violated"),
    "a method that is a key": ("", "sorted([1], key=xs.append)", "len(xs) == 1", "violated"),
    "a method that is called back": ("", "json.loads('{}', object_hook=xs.append)", "len(xs) == 1", "violated"),
    "the text of an exception": ("x = ValueError('0')", "x.args = ('1',)", "str(x) == '0'", "violated"),
    "an exception in a text": ("x = ValueError('0')", "x.args = ('1',)", "f'{x!r}' == \"ValueError('0')\"", "violated"),
    "a broken barrier": ("x = threading.Barrier(2)", "x.abort()", "not x.broken", "violated"),
    "a name of a thread": ("", "threads[0].name = 'z'", "threading.current_thread().name != 'z'", "violated"),
    "how many threads": ("", "pass", "threading.active_count() == 3", "violated"),
    "what is inside of a lock": ("x = threading.Semaphore(1)", "x.acquire()", "x._value == 1", "incomplete"),
    "an attribute of a library": ("", "sys.mine = 1", "not hasattr(sys, 'mine')", "violated"),
    "a level of a logger": ("logger.setLevel(10)", "logger.setLevel(50)", "logger.isEnabledFor(20)", "incomplete"),
    "handlers": ("", "logger.addHandler(logging.NullHandler())", "not logger.handlers", "incomplete"),
    "an abstract class": ("", "Base.register(Thing)", "not isinstance(Thing(), Base)", "incomplete"),
    "dispatch": ("", "shown.register(int, str)", "shown(1) == 'anything'", "incomplete"),
    "a special method": ("", "Thing.__len__ = lambda self: 1", "not hasattr(x, '__len__')", "incomplete"),
    "a function of a library": ("", "json.loads = str", "json.loads('1') == 1", "incomplete"),
    "classes below": ("", "type('New', (Thing,), {})", "Thing.__subclasses__() == [Heir]", "incomplete"),
    "the size of a queue": ("import queue\nx = queue.Queue(1)", "x.maxsize = 2",
                            "x.put(1) is None and x.put(2, timeout=1) is None or x.qsize()", "incomplete"),
    "a limit": ("", "sys.setrecursionlimit(5000)", "sys.getrecursionlimit() != 5000", "incomplete"),
}  # fmt: skip


@pytest.mark.parametrize("name", SEEN)
def test_a_function_sees_more_than_the_containers_it_is_given(name: str, tmp_path: Path) -> None:
    """Who looks comes first in the first execution: nothing shows there that something else could be seen."""
    made, changes, sees, outcome = SEEN[name]
    file = tmp_path / "beside.py"
    file.write_text(BESIDE.format(made=made, changes=changes, sees=sees))
    assert check_program(file, ProgramOptions(max_time=20)).outcome.value in ("violated", outcome)


# ------------------------------------------------------------------------------------------------ derived from locks

DERIVED = """
import concurrent.futures, queue, threading

{made}

def work():
    x.n += 1

threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads: t.start()
for t in threads: t.join()
assert x.n == 2
"""
ATTRIBUTES = {
    "of an event": "x = threading.Event(); x.n = 0",
    "of a queue": "class Jobs(queue.Queue): n = 0\nx = Jobs()",
    "of a condition": "class Room(threading.Condition): n = 0\nx = Room()",
    "of a pool": "class Pool(concurrent.futures.ThreadPoolExecutor): n = 0\nx = Pool(1)",
    "of a name that we use": "class Jobs(queue.Queue):\n    n = property(lambda self: self.items, lambda self, v: "
    "setattr(self, 'items', v))\nx = Jobs(); x.items = 0",
}  # fmt: skip


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_that_a_program_gives_to_locks(name: str, tmp_path: Path) -> None:
    file = tmp_path / "derived.py"
    file.write_text(DERIVED.format(made=ATTRIBUTES[name]))
    assert [v.kind for v in check_program(file, ProgramOptions(max_time=20)).violations] == ["assertion"]


def test_attributes_of_locks_are_none_of_ours(tmp_path: Path) -> None:
    """Ours have some that Python's have not, by names that a program may use as well."""
    file = tmp_path / "named.py"
    file.write_text(
        "import queue, threading\nclass Jobs(queue.Queue):\n    def __init__(self):\n        super().__init__()\n"
        "        self.name = self.items = self.count = self.line = 'jobs'\na, b = Jobs(), Jobs()\n"
        "def work():\n    a.put(1)\n    b.put(2)\nthreads = [threading.Thread(target=work) for _ in range(2)]\n"
        "for t in threads: t.start()\nfor t in threads: t.join()\n"
        "assert (a.qsize(), a.get(), a.name, hasattr(a, 'unfinished')) == (2, 1, 'jobs', False)\n"
    )
    assert check_program(file, ProgramOptions(max_time=20)).outcome.value == "holds"
    file.write_text("import threading\nclass Room(threading.Condition):\n    def enter(self): pass\nRoom()\n")
    verdict = check_program(file, ProgramOptions(max_time=20))
    assert verdict.outcome.value == "incomplete"
    assert "Room.enter" in verdict.reason


# ------------------------------------------------------------------------------------------------ the list


def test_the_docs_have_the_list_of_what_is_known() -> None:
    text = (paths.DOCS / "reference" / "python-programs.md").read_text()
    rows = re.findall(r"^\| (`[^|]*) \| ([^|]*) \|$", text, re.MULTILINE)
    shown = {reason: set(re.findall("`([^`]+)`", names)) for names, reason in rows}
    for row in known.KNOWN:
        assert shown.get(row.reason) == {name for name in row.names if not name.startswith("_")}


def test_whatever_is_not_known_is_known_by_nothing() -> None:
    assert known.reason("json.decoder", "loads")
    assert known.reason("collections", "UserDict.get", "UserDict")
    for module, name in (("builtins", "open"), ("pathlib", "Path.exists"), ("sqlite3", "connect"), ("os", "remove"),
                         ("numpy", "zeros"), ("sys", "_getframe"), ("gc", "get_objects"), ("io", "FileIO")):
        assert not known.reason(module, name, name.split(".")[0]), (module, name)
