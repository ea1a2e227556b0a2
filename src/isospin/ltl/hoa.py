"""Automata in the Hanoi format: written for other tools, and read as never claims.

Reference: Babiak et al., The Hanoi Omega-Automata Format, CAV 2015, and its web page (version 1).
Differs: what is read must be a Buchi, generalised Buchi or `all` automaton, without universal branching; the others are
refused by name.  It becomes the text of a never claim: propositions are expressions of the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import NamedTuple

from ..core.errors import Location, SourceError
from ..core.records import dataclass
from .automaton import Buchi, Cube

_TOKEN = re.compile(
    r"""(?P<space>\s+|/\*.*?\*/) | (?P<text>"(\\.|[^"\\])*") | (?P<header>[A-Za-z_][\w-]*:) | (?P<mark>--[A-Z]+--)
      | (?P<alias>@[\w-]+) | (?P<name>[A-Za-z_][\w-]*) | (?P<number>\d+) | (?P<op>[][(){}!&|])""",
    re.VERBOSE | re.DOTALL,
)
MOST_PROPOSITIONS = 12  # of automata whose labels are implicit: each state has 2 ** n edges


def written_hoa(buchi: Buchi, atoms: Sequence[str], name: str, version: str) -> str:
    """A Buchi automaton with its acceptance on states; atoms are the propositions."""
    quoted = [_quoted(atom) for atom in atoms]
    lines = [
        "HOA: v1", f"name: {_quoted(name)}", f'tool: "isospin" {_quoted(version)}', f"States: {buchi.size}", "Start: 0",
        f"AP: {' '.join([str(len(quoted)), *quoted])}", "acc-name: Buchi", "Acceptance: 1 Inf(0)",
        "properties: trans-labels explicit-labels state-acc", "--BODY--",
    ]  # fmt: skip
    for state, edges in enumerate(buchi.edges):
        lines.append(f"State: {state}{' {0}' if state in buchi.accepting else ''}")
        lines += [f"[{_cube_label(cube)}] {target}" for cube, target in edges]
    return "\n".join([*lines, "--END--", ""])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _cube_label(cube: Cube) -> str:
    bits = (cube.positive | cube.negative).bit_length()
    literals = [("" if cube.positive >> i & 1 else "!") + str(i) for i in range(bits)
                if (cube.positive | cube.negative) >> i & 1]  # fmt: skip
    return "&".join(literals) or "t"


# ------------------------------------------------------------------------------------------------ reading


class _HoaToken(NamedTuple):
    """A word of the file, and where it stands."""

    kind: str
    text: str
    location: Location


class HoaEdge(NamedTuple):
    """A label as an expression over the propositions, the target, and the acceptance sets that it is in."""

    label: str
    target: int
    marks: frozenset[int]


@dataclass
class HoaAutomaton:
    """What a file says; `propositions` have their places, for mistakes in them."""

    name: str = ""
    starts: list[int] = field(default_factory=list)
    propositions: list[tuple[str, Location]] = field(default_factory=list)
    sets: int = 0  # a run is accepted if it is in each of them again and again
    edges: dict[int, list[HoaEdge]] = field(default_factory=dict)


def read_hoa(text: str, file: str) -> HoaAutomaton:
    """The automaton in a file; a mistake, or one of another kind, is an error with its place."""
    return _HoaReader(_tokens(text, file), file).read()


def _tokens(text: str, file: str) -> list[_HoaToken]:
    tokens, at, line, begin = [], 0, 1, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        piece = match.group() if match else text[at]
        place = Location(file, line, at - begin + 1, len(piece))
        if match is None:
            raise SourceError.at(place, f"'{piece}' is not expected in an automaton")
        if match.lastgroup != "space":
            tokens.append(_HoaToken(match.lastgroup or "", piece, place))
        if "\n" in piece:
            line, begin = line + piece.count("\n"), at + piece.rindex("\n") + 1
        at += len(piece)
    tokens.append(_HoaToken("end", "", Location(file, line, max(len(text) - begin, 1))))
    return tokens


class _HoaReader:
    """Reads header and body."""

    def __init__(self, tokens: list[_HoaToken], file: str) -> None:
        self.tokens, self.at, self.file = tokens, 0, file
        self.found = HoaAutomaton()
        self.aliases: dict[str, str] = {}

    @property
    def here(self) -> _HoaToken:
        return self.tokens[self.at]

    def take(self, kind: str = "", text: str = "") -> _HoaToken:
        token = self.here
        if (kind and token.kind != kind) or (text and token.text != text):
            wanted = f"'{text}'" if text else {"text": "a text in quotes", "number": "a number"}.get(kind, kind)
            found = f"'{token.text}'" if token.text else "the end of the file"
            raise SourceError.at(token.location, f"expected {wanted}, found {found}")
        self.at += 1
        return token

    def accept(self, text: str) -> bool:
        if self.here.text == text and self.here.kind != "text":
            self.at += 1
            return True
        return False

    def read(self) -> HoaAutomaton:
        self.take("header", "HOA:")
        version = self.take("name")
        if version.text != "v1":
            raise SourceError.at(version.location, f"version {version.text} of the format is not known; v1 is")
        while self.here.kind == "header":
            self.item(self.take())
        self.take("mark", "--BODY--")
        while self.here.text == "State:":
            self.state()
        self.take("mark", "--END--")
        self.check()
        return self.found

    def item(self, header: _HoaToken) -> None:
        """One line of the header; those that change nothing are passed over."""
        match header.text:
            case "name:":
                self.found.name = _unquoted(self.take("text").text)
            case "Start:":
                self.found.starts.append(int(self.take("number").text))
                if self.here.text == "&":
                    raise SourceError.at(self.here.location, "universal branching is not supported")
            case "AP:":
                count = int(self.take("number").text)
                taken = [self.take("text") for _ in range(count)]
                self.found.propositions = [(_unquoted(t.text), t.location) for t in taken]
            case "Alias:":
                alias = self.take("alias")
                self.aliases[alias.text] = self.label()
            case "Acceptance:":
                self.acceptance()
            case name if name[0].isupper() and name not in ("States:",):
                raise SourceError.at(header.location, f"{name} changes what the automaton means, and is not known")
            case _:
                self.pass_over()

    def pass_over(self) -> None:
        while self.here.kind not in ("header", "mark", "end"):
            self.at += 1

    def acceptance(self) -> None:
        """`t`, or a conjunction of Inf(i): a run must be in all of the sets again and again."""
        place = self.take("number")
        start = self.at
        self.pass_over()
        words = "".join(t.text for t in self.tokens[start : self.at] if t.text not in "()")
        sets = [] if words == "t" else words.split("&")
        self.found.sets = int(place.text)
        if sorted(sets) != sorted(f"Inf{i}" for i in range(self.found.sets)):
            raise SourceError.at(place.location, "only Buchi, generalised Buchi and `all` acceptance can be checked",
                                 "Spot's `autfilt -B` makes such an automaton of others")  # fmt: skip

    # ---------------------------------------------------------------- the body

    def state(self) -> None:
        """A state with its edges; marks and labels of the state are those of all its edges."""
        self.take("header", "State:")
        own = self.bracketed()
        number = self.take("number")
        if self.here.kind == "text":
            self.take()
        marks = self.marks()
        if int(number.text) in self.found.edges:
            raise SourceError.at(number.location, f"state {number.text} is there twice")
        edges = self.found.edges[int(number.text)] = []
        implicit = 0
        while self.here.kind in ("number", "op"):
            label = self.bracketed()
            if label is None and own is None:
                label, implicit = self.implicit_label(implicit), implicit + 1
            target = self.take("number")
            if self.here.text == "&":
                raise SourceError.at(self.here.location, "universal branching is not supported")
            edges.append(HoaEdge(own if own is not None else label or "1", int(target.text), marks | self.marks()))

    def bracketed(self) -> str | None:
        if not self.accept("["):
            return None
        label = self.label()
        self.take("op", "]")
        return label

    def implicit_label(self, number: int) -> str:
        """The n-th edge of a state is for the n-th valuation: bit i says whether proposition i is true."""
        count = len(self.found.propositions)
        if count > MOST_PROPOSITIONS or number >= 1 << count:
            raise SourceError.at(self.here.location, f"with {count} propositions there is no edge number {number}")
        literals = (("" if number >> i & 1 else "!") + self.proposition(i, self.here) for i in range(count))
        return " && ".join(literals) or "1"

    def marks(self) -> frozenset[int]:
        found = set()
        if self.accept("{"):
            while not self.accept("}"):
                found.add(int(self.take("number").text))
        return frozenset(found)

    # ---------------------------------------------------------------- labels

    def label(self) -> str:
        """A disjunction, as an expression of Promela."""
        parts = [self.conjunction()]
        while self.accept("|"):
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else "(" + " || ".join(parts) + ")"

    def conjunction(self) -> str:
        parts = [self.literal()]
        while self.accept("&"):
            parts.append(self.literal())
        return parts[0] if len(parts) == 1 else "(" + " && ".join(parts) + ")"

    def literal(self) -> str:
        if self.accept("!"):
            return f"!{self.literal()}"
        if self.accept("("):
            inner = self.label()
            self.take("op", ")")
            return inner
        token = self.take()
        if token.kind == "number":
            return self.proposition(int(token.text), token)
        if token.text in self.aliases:
            return self.aliases[token.text]
        if token.text in ("t", "f"):
            return "1" if token.text == "t" else "0"
        raise SourceError.at(token.location, f"'{token.text}' is no part of a label")

    def proposition(self, number: int, token: _HoaToken) -> str:
        if number >= len(self.found.propositions):
            raise SourceError.at(token.location, f"there is no proposition {number}")
        return f"({self.found.propositions[number][0]})"

    def check(self) -> None:
        """Every state that is named has to be there."""
        named = {e.target for edges in self.found.edges.values() for e in edges} | set(self.found.starts)
        if missing := named - set(self.found.edges):
            raise SourceError.at(Location(self.file, 1, 1), f"there is no state {min(missing)}")


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])


# ------------------------------------------------------------------------------------------------ never claims


ClaimState = tuple[int, int]


def never_claim(automaton: HoaAutomaton, name: str) -> str:
    """The automaton as a never claim: a run that it accepts is a violation.

    State (q, l) has passed the sets before l since it last passed all of them; it accepts where l is their number.
    """
    starts = [(q, 0) for q in automaton.starts]
    entry = [edge for start in starts for edge in _leaving(automaton, start)]
    lines, todo = [], starts
    if len(starts) != 1:  # a state before them that can do what each of them can
        lines.append(_claim_state("first", entry, automaton.sets))
        todo = [there for _, there in entry]
    seen = set[ClaimState]()
    while todo:
        here = todo.pop(0)
        if here not in seen:
            seen.add(here)
            edges = list(_leaving(automaton, here))
            lines.append(_claim_state(_label(here, automaton.sets), edges, automaton.sets))
            todo += [there for _, there in edges]
    return "\n".join([f"never {name} {{", *lines, "}"])


def _leaving(automaton: HoaAutomaton, state: ClaimState) -> Iterator[tuple[str, ClaimState]]:
    for label, target, marks in automaton.edges[state[0]]:
        level = 0 if state[1] == automaton.sets else state[1]
        while level < automaton.sets and level in marks:
            level += 1
        yield label, (target, level)


def _label(state: ClaimState, last: int) -> str:
    return f"{'accept_' if state[1] == last else ''}S{state[0]}_{state[1]}"


def _claim_state(label: str, edges: list[tuple[str, ClaimState]], last: int) -> str:
    options = [f"    :: ({when}) -> goto {_label(there, last)}" for when, there in edges]
    return "\n".join([f"{label}:", "    if", *(options or ["    :: false"]), "    fi;"])
