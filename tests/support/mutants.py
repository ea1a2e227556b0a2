"""Inputs that almost make sense: models, formulas and traces with bytes, words and lines changed at random."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from random import Random
from typing import NamedTuple

from tests.support import paths

LONGEST = 6000  # characters of a source that is mutated

_WORDS = r"""
    0 1 255 256 -1 2147483647 99999999999 ( ) [ ] { } ; : :: , . .. -> <- <-> ! !! ? ?? = == != < > <= >= + ++ -- * / %
    && || & | ^ ~ << >> @ # ## \ ' " /* */ // $ _ _pid _nr_pr _last np_ init never ltl trace notrace inline typedef
    mtype chan byte bit bool int short unsigned pid hidden show local of proctype active provided priority run if fi do
    od goto break else atomic d_step unless skip timeout assert printf len empty nempty full nfull enabled eval for in
    select xr xs c_code true false null new delete return function scalarset undefined #define #if #ifdef #endif
    #include #else #undef A x accept end progress global discrete pointer process mode when invariant check forall
    exists P N NULL TRUE X U W [] <>
"""
WORDS = tuple(_WORDS.split())
NASTY = ("\0", "\x1b[31m", "\r", "\x85", "\u2028", "\ud7ff", "é", "\t", "\f", "(" * 40, "[" * 40, "{" * 20, "-" * 60)
FORMULAS = (
    "[] (x > 0 -> <> (y == 1))", "<> [] x == 1", "x == 0 U y == 1", "! ([] <> x) || <> [] y", "X X x == 1",
    "(x W y) <-> (y V x)", "[] ((x == 1) implies eventually (y == 0))", "always (x == 0 || next y == 1)",
)  # fmt: skip
MODEL = """byte x, y;
active [2] proctype p() { do :: x < 2 -> x++ :: x == 2 -> x = 0; y = 1 - y :: y == 1 -> break od }
"""
FAULTY = """chan q = [2] of { byte }; byte x;
active proctype a() { q!1; q!2 }
active proctype b() { q?x; q?x; assert(x != 2) }
"""


class Mutant(NamedTuple):
    files: dict[str, str]  # what to write
    arguments: list[str]  # of the command; the names of files stand as they are

    @property
    def main(self) -> str:
        return next(iter(self.files))


@cache
def sources(ending: str) -> tuple[str, ...]:
    places = ("examples", "tests/data/corpus")
    files = sorted(f for place in places for f in (paths.ROOT / place).rglob(f"*{ending}") if f.is_file())
    texts = [f.read_text(encoding="utf-8", errors="replace") for f in files]
    return tuple(text for text in texts if len(text) <= LONGEST)


# ------------------------------------------------------------------------------------------------ mutations


def by_characters(r: Random, text: str, _: str) -> str:
    at = r.randrange(len(text) + 1)
    with_ = r.choice((chr(r.randrange(32, 127)), r.choice(NASTY), text[at : at + 1] * 2, ""))
    return text[:at] + with_ + text[at + r.randrange(0, 3) :]


def by_words(r: Random, text: str, other: str) -> str:
    words = re.findall(r"\w+|\s+|[^\w\s]", text)
    if not words:
        return r.choice(WORDS)
    at, to = r.randrange(len(words)), r.randrange(len(words))
    match r.randrange(5):
        case 0:
            words[at] = r.choice(WORDS)
        case 1:
            words.insert(at, r.choice((r.choice(WORDS), r.choice(re.findall(r"\w+|[^\w\s]", other) or ["x"]))))
        case 2:
            del words[at]
        case 3:
            words[at], words[to] = words[to], words[at]
        case 4:
            piece = words[min(at, to) : min(at, to) + r.randrange(1, 20)]
            words[at:at] = piece * r.choice((1, 1, 2, 8))
    return "".join(words)


def by_lines(r: Random, text: str, other: str) -> str:
    lines, others = text.splitlines(keepends=True), other.splitlines(keepends=True) or ["\n"]
    if not lines:
        return other
    at, to = r.randrange(len(lines)), r.randrange(len(lines))
    match r.randrange(5):
        case 0:
            del lines[at]
        case 1:
            lines.insert(to, lines[at])
        case 2:
            lines[at], lines[to] = lines[to], lines[at]
        case 3:
            lines[at:at] = r.sample(others, min(len(others), r.randrange(1, 4)))
        case 4:
            lines = lines[: at + 1]
    return "".join(lines)


CLASSES = (
    r"\b\d+\b", r"(?<=[^=<>!])(?:==|!=|<=|>=|<|>)(?=[^=<>])", r"\|\||&&", r"\b(?:byte|bit|bool|short|int|pid)\b",
    r"\b(?:atomic|d_step)\b", r"\b(?!(?:if|fi|do|od)\b)[a-z_]\w*\b", r"[-+*]",
)  # fmt: skip


def by_likes(r: Random, text: str, _: str) -> str:
    """A word becomes another one of its kind: the result is often still a model."""
    for likes in r.sample(CLASSES, len(CLASSES)):
        found = list(re.finditer(likes, text))
        if found:
            place, other = r.choice(found), r.choice(found).group()
            if other.isdigit() and r.random() < 0.5:
                other = r.choice(("0", "1", "2", "3", "7", "255", "256", "2147483647"))
            return text[: place.start()] + other + text[place.end() :]
    return text


KINDS: tuple[Callable[[Random, str, str], str], ...] = (
    by_characters, by_words, by_lines, by_likes, by_likes, by_likes,
)  # fmt: skip


def mutated(r: Random, text: str, other: str) -> str:
    for _ in range(r.choice((1, 1, 1, 1, 2, 4))):
        text = r.choice(KINDS)(r, text, other)
    return text


# ------------------------------------------------------------------------------------------------ inputs


def mutant(seed: int) -> Mutant:
    r = Random(seed)
    kind = r.random()
    if kind < 0.6:
        known = sources(".pml")
        return Mutant({"m.pml": mutated(r, r.choice(known), r.choice(known))}, [command(r), "m.pml"])
    if kind < 0.75:
        known = sources(".ptr")
        text = mutated(r, r.choice(known), r.choice(known))
        return Mutant({"m.ptr": text}, [command(r), "m.ptr", "-N", str(r.randrange(1, 4))])
    if kind < 0.88:
        formula = mutated(r, r.choice(FORMULAS), r.choice(FORMULAS)).replace("\0", "")
        return Mutant({"m.pml": MODEL}, ["check", "m.pml", f"--ltl={formula}"])
    trace = mutated(r, saved_trace(), saved_trace()) if r.random() < 0.5 else changed(r, saved_trace())
    return Mutant({"m.pml": FAULTY, "t.json": trace}, ["replay", "m.pml", "t.json"])


def command(r: Random) -> str:
    return r.choice(("check", "check", "check", "check", "symmetry", "simulate", "audit"))


@cache
def saved_trace() -> str:
    from isospin import pipeline
    from isospin.report.document import trace_document

    verdict = pipeline.check_files([FAULTY], pipeline.Options(engine="interp"))
    return json.dumps(trace_document(verdict.violations[0], "m.pml", (), "0"), indent=1)


def changed(r: Random, text: str) -> str:
    """Another value at some place of a JSON document: it stays JSON."""
    document = json.loads(text)
    values: tuple[object, ...] = (
        None, 0, -1, 10**30, 1e308, "", "x", [], {}, [0], {"a": 1}, True, "1", [[]], float("nan"),
    )  # fmt: skip
    for _ in range(r.choice((1, 1, 2))):
        node = document
        while True:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not keys:
                break
            key = r.choice(keys)
            if isinstance(node[key], (dict, list)) and node[key] and r.random() < 0.85:
                node = node[key]
                continue
            node[key] = r.choice(values)
            break
    return json.dumps(document)
