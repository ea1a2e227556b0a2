"""Steps that touch several objects, look into objects, or draw from iterators: all outcomes, and no others.

The oracle executes the statements of the threads in every order, each as one step, which is what the interpreter lock
makes of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

import pytest

from isospin.core.verdict import Verdict
from isospin.pipeline.programs.python import check_program
from isospin.pipeline.settings import ProgramOptions

DATACLASS = "from dataclasses import make_dataclass\nP = make_dataclass('P', ['x'])\n"

# What is set up, the statements of the threads, what is looked at in the end.
JOINT = {
    "extend": ("xs = []; ys = [1]", ["xs.extend(ys)", "ys.append(9)", "xs.append(2)"], "xs, ys"),
    "extend, longer": ("xs = []; ys = [1]", ["xs.append(2); ys.append(9)", "xs.extend(ys)", "xs.append(3)"], "xs, ys"),
    "sum of lists": ("xs = [1]; ys = [2]; out = []", ["out.append(xs + ys)", "ys.append(4); xs.append(3)"], "out"),
    "comparison": ("xs = [1]; ys = [1]; out = []", ["ys.append(4); xs.append(4)", "out.append(xs == ys)"], "out"),
    "update": ("a = {}; b = {1: 1}", ["b[2] = 2; a[3] = 3", "a.update(b)", "b[4] = 4"], "list(a), list(b)"),
    "in place": ("a = [1]; b = [2]", ["a += b", "b.append(3)", "a.append(5)"], "a"),
    "slice": ("a = [1, 2]; b = [2]", ["a[:] = b", "b.append(3); a.append(5)", "b.append(4)"], "a"),
    "sets": ("a = {1}; b = {2}; out = []", ["a.add(3); b.add(4)", "out.append(sorted(a | b))"], "out"),
    "times": ("a = [1]; out = []", ["out.append(a * 2)", "a.append(3)"], "out"),
    "largest": ("a = [1]; b = [2]; out = []", ["a.append(3); b[0] = 0", "out.append(max(a, b) is a)"], "out"),
}
INSIDE = {
    "repr": ("xs = [[1]]; out = []", ["out.append(repr(xs))", "xs[0].append(2)"], "out"),
    "nested comparison": ("xs = [[1]]; ys = [[1]]; out = []", ["out.append(xs == ys)", "xs[0].append(2)"], "out"),
    "deep copy": ("import copy; xs = {1: [1]}; out = []", ["out.append(copy.deepcopy(xs))", "xs[1].append(2)"], "out"),
    "json": ("import json; xs = {1: [1]}; out = []", ["out.append(json.dumps(xs))", "xs[1].append(2)"], "out"),
    "text": ("xs = {1: [1]}; out = []", ["out.append(f'{xs}')", "xs[1].append(2)"], "out"),
    "percent": ("xs = [1]; out = []", ["out.append('%s' % xs)", "xs.append(2)"], "out"),
    "tuple": ("xs = (1, [1]); out = []", ["out.append(str(xs))", "xs[1].append(2)"], "out"),
    "in a list": ("xs = [[1]]; out = []", ["out.append([1] in xs)", "xs[0].append(2)"], "out"),
    "sorted": ("xs = [[1], [0]]; out = []", ["out.append(sorted(xs)[0] is xs[0])", "xs[0].insert(0, -1)"], "out"),
    "sort key": ("xs = [3, 1]; w = {3: 0, 1: 1}; out = []", ["out.append(sorted(xs, key=w.get))", "w[3] = 5"], "out"),
    "dataclass": (DATACLASS + "p = P(1); out = []", ["out.append(repr(p))", "p.x = 2"], "out"),
    "equal dataclasses": (DATACLASS + "p, q = P(1), P(1); out = []", ["out.append(p == q)", "p.x = 2"], "out"),
    "attrgetter": (
        "import operator; get = operator.attrgetter('x')\n" + DATACLASS + "p = P(1); out = []",
        ["out.append(get(p))", "p.x = 2"], "out",
    ),
    "counter": (
        "import collections; xs = ['a']; out = []",
        ["out.append(collections.Counter(xs)['b'])", "xs.append('b')"], "out",
    ),
}  # fmt: skip


def orders(threads: list[list[str]]) -> Iterator[list[str]]:
    if not any(threads):
        yield []
    for i, statements in enumerate(threads):
        if statements:
            rest = [*threads[:i], statements[1:], *threads[i + 1 :]]
            yield from ([statements[0], *others] for others in orders(rest))


def all_outcomes(setup: str, bodies: list[str], what: str) -> set[str]:
    found = set()
    for order in orders([body.split("; ") for body in bodies]):
        space: dict[str, object] = {}
        exec("\n".join([setup, *order]), space)
        found.add(repr(eval(what, space)))
    return found


def program(setup: str, bodies: list[str]) -> str:
    functions = [
        f"def work{i}():\n    global {names(setup)}\n" + indent(body.replace("; ", "\n"), "    ")
        for i, body in enumerate(bodies)
    ]
    threads = ", ".join(f"threading.Thread(target=work{i})" for i in range(len(bodies)))
    end = f"threads = [{threads}]\nfor t in threads: t.start()\nfor t in threads: t.join()\n"
    return "\n".join(["import threading", setup, *functions, end])


def names(setup: str) -> str:
    space: dict[str, object] = {}
    exec(setup, space)
    return ", ".join(name for name, value in space.items() if isinstance(value, list | dict | set)) or "_none"


def checked(tmp_path: Path, text: str, **options: object) -> Verdict:
    path = tmp_path / "prog.py"
    path.write_text(text)
    return check_program(path, ProgramOptions(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize("search", ["persistent", "dpor", "optimal"])
@pytest.mark.parametrize("name", [*JOINT, *INSIDE])
def test_all_outcomes_are_seen(name: str, search: str, tmp_path: Path) -> None:
    setup, bodies, what = {**JOINT, **INSIDE}[name]
    seen = tmp_path / "seen"  # the program runs in another process
    text = program(setup, bodies) + f"print(repr(({what})), file=open({str(seen)!r}, 'a'), flush=True)\n"
    checked(tmp_path, text, search=search, symmetry="none")
    assert set(seen.read_text().splitlines()) == all_outcomes(setup, bodies, what)


# ------------------------------------------------------------------------------------------------ iterators


GENERATOR = "def gen():\n    yield 1\n    yield 2\n"
START = """
threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
for t in threads: t.start()
for t in threads: t.join()
"""
EXECUTING = "generator already executing"
ITERATORS = [
    # where it is made, what each of two threads does, what must hold in the end, what is found
    ("it = iter([1, 2, 3])", "got[i].append(next(it))", "sorted(got[0] + got[1]) == [1, 2]", ""),
    ("it = iter([1, 2, 3])", "got[i].append(next(it))", "got == [[1], [2]]", "got =="),
    ("xs = [1, 2]; it = iter(xs)", "xs.append(i); got[i].append(next(it))", "sorted(got[0] + got[1]) == [1, 2]", ""),
    ("it = iter([1, 2])", "for x in it: got[i].append(x)", "len(got[0]) != 1", "len"),
    ("it = zip([1, 2], [3, 4])", "for x in it: got[i].append(x)", "len(got[0]) != 1", "len"),
    ("it = map(str, [1, 2])", "for x in it: got[i].append(x)", "len(got[0]) != 1", "len"),
    ("it = enumerate([1, 2])", "got[i].append(next(it))", "sorted(got[0] + got[1]) == [(0, 1), (1, 2)]", ""),
    ("it = enumerate([1, 2])", "got[i].append(next(it))", "got[0] != [(1, 2)]", "got"),
    ("import itertools; it = itertools.count()", "got[i].append(next(it))", "got == [[0], [1]]", "got =="),
    ("it = iter([1, 2])", "got[i] += list(it)", "got[0]", "got[0]"),
    ("it = iter([1, 2])", "got[i].extend(it)", "got[0]", "got[0]"),
    (GENERATOR + "it = gen()", "for x in it: got[i].append(x)", "True", EXECUTING),
    (GENERATOR + "it = gen()", "next(it)", "True", EXECUTING),
    (GENERATOR + "it = gen()", "it.send(None)", "True", EXECUTING),
    (GENERATOR + "it = gen()", "got[i] += list(it)", "True", EXECUTING),
    ("it = (x for x in [1, 2])", "for x in it: got[i].append(x)", "True", EXECUTING),
    (GENERATOR + "it = gen(); lock = threading.Lock()", "with lock: got[i].append(next(it))",
     "sorted(got[0] + got[1]) == [1, 2]", ""),
    (GENERATOR + "it = 0", "for x in gen(): got[i].append(x)", "got == [[1, 2], [1, 2]]", ""),
    ("it = iter([1, 2])\ndef inner():\n    yield from it", "for x in inner(): got[i].append(x)",
     "len(got[0]) != 1", "len"),
    ("it = [1]\ndef inner():\n    yield from it", "got[i].extend(inner()); it.append(2)", "got[0] == got[1]", "got[0]"),
]  # fmt: skip


@pytest.mark.parametrize(("made", "body", "condition", "wanted"), ITERATORS)
@pytest.mark.parametrize("symmetry", ["discovered", "none"])
def test_who_draws_changes_the_iterator(
    made: str, body: str, condition: str, wanted: str, symmetry: str, tmp_path: Path
) -> None:
    work = "def work(i):\n" + indent(body.replace("; ", "\n"), "    ")
    text = f"import threading\n{made}\ngot = [[], []]\n{work}\n{START}assert {condition}\n"
    messages = [v.message for v in checked(tmp_path, text, symmetry=symmetry).violations]
    assert [wanted in message for message in messages] == [True] * bool(wanted), messages
