"""Folding by one sort, where nothing that belongs to a process names a process: straight-line C.

Reference: Bosnacki et al., Proposition 2; Batcher, Sorting networks and their applications, 1968.
Differs: the key of a process is all that the state says about it: what it owns, and one bit for each shared variable
that names it.  So equal keys mean that the processes can be exchanged, and sorted keys are canonical.  Several states
are folded at once, in the lanes of vectors.

    key = what it owns | which shared variables name it | its number | its pointers

Pointers into a heap that is folded say nothing, so they stand behind the number and only go along.  Where objects may
tell processes apart, equal keys mean nothing: then the state goes through refinement (`canon.inc.h`).
"""

from __future__ import annotations

from dataclasses import field
from math import factorial

from ....core.records import dataclass
from ....symmetry.protocol import CANONICAL, Folding
from ..state.cells import NONE, Cells, MovedCell

Lines = list[str]
MOST_KEY = 63  # bits: keys are compared as signed numbers
MOST_PATTERN = 10  # bits of the table of orbit sizes
LOW_ROWS = 4  # bits of a name up to which a permutation of all names fits into one word
MOST_ROWS = 6  # and up to which a word has one bit for each name


@dataclass
class _Shared:
    """A variable that does not move and may name processes of a family; `base` is the name of the first."""

    cell: MovedCell
    number: int  # among the cells
    base: int
    bit: int = 0  # of the key

    @property
    def bits(self) -> int:
        return self.cell.mask.bit_length()


@dataclass
class _Family:
    """Processes that are sorted, and how their keys are made."""

    pids: tuple[int, ...]
    own: list[list[MovedCell]]  # by member: its pieces
    shared: list[_Shared] = field(default_factory=list)
    places: list[int] = field(default_factory=list)  # where each own piece is in the key

    def lay_out(self) -> int:
        """Place everything in the key; how many bits it has."""
        along, at = 0, self.low_bits
        for one in self.shared:
            one.bit = at
            at += 1
        for cell in self.own[0]:
            bits = cell.mask.bit_length()
            self.places.append(along if _goes_along(cell) else at)
            along, at = (along + bits, at) if _goes_along(cell) else (along, at + bits)
        return at

    @property
    def tells(self) -> bool:
        """Is there anything in a key?  If only objects know the members, all keys are equal."""
        return bool(self.shared) or not all(map(_goes_along, self.own[0]))

    @property
    def along(self) -> int:
        """The bits that only go along."""
        return sum(cell.mask.bit_length() for cell in self.own[0] if _goes_along(cell))

    @property
    def low_bits(self) -> int:
        """What tells nobody apart, and the number of a process."""
        return self.along + max(len(self.pids) - 1, 1).bit_length() + 2

    def number(self, key: str) -> str:
        """The number of a process, times four: a place in a word of sixteen names."""
        shifted = f"({key} >> {self.along})" if self.along else key
        return f"({shifted} & {(1 << (self.low_bits - self.along)) - 4}ULL)"


def _goes_along(cell: MovedCell) -> bool:
    """It moves with its process, but says nothing that could sort it."""
    return cell.is_pointer or cell.is_silent


def families(cells: Cells) -> list[_Family] | None:
    """The families, if one sort of each makes a state canonical."""
    folding = cells.folding
    keys_suffice = not folding.has_links or bool(cells.facts.model.objects)  # objects break ties
    simple = folding.families and keys_suffice and folding.exactness == CANONICAL
    if not simple or folding.strategy not in ("exact", "markers", "approx-markers"):
        return None
    owned = _own_cells(folding, cells)
    if owned is None:
        return None
    found = [_Family(pids, [owned[p] for p in pids]) for pids in folding.families]
    for number, cell in enumerate(cells.cells):
        if cell.movable == NONE and cell.names != NONE and not _share(found, cells, cell, number):
            return None
    return found if all(f.tells and f.lay_out() <= MOST_KEY for f in found) else None


def _own_cells(folding: Folding, cells: Cells) -> dict[int, list[MovedCell]] | None:
    """The pieces of each process; None if some do not belong to exactly one, or hold names."""
    owned: dict[int, list[tuple[int, int, MovedCell]]] = {p: [] for p in folding.moved}
    for number, cell in enumerate(cells.cells):
        if cell.movable == NONE:
            continue
        movable = folding.movables[cell.movable]
        if len(movable.of) != 1 or movable.among or cell.names != NONE:
            return None
        owned[movable.of[0]].append((movable.orbit, number - cells.first[cell.movable], cell))
    for pids in folding.families:
        shapes = {tuple((o, k, c.mask) for o, k, c in sorted(owned[p], key=lambda x: x[:2])) for p in pids}
        if len(shapes) != 1 or len({(o, k) for o, k, _ in next(iter(shapes))}) != len(next(iter(shapes))):
            return None
    return {p: [c for _, _, c in sorted(mine, key=lambda x: x[:2])] for p, mine in owned.items()}


def _share(found: list[_Family], cells: Cells, cell: MovedCell, number: int) -> bool:
    """Note a shared variable in the families that it may name; False if the names are not numbers in a row."""
    folding = cells.folding
    owners: dict[int, int] = {}
    for raw, movable in cells.tables[cell.names].items():
        of = folding.movables[movable].of
        if len(of) != 1 or folding.movables[movable].among or of[0] in owners:
            return False
        owners[of[0]] = raw
    for family in found:
        names = [owners.get(p) for p in family.pids]
        if all(n is None for n in names):
            continue
        base = names[0]
        if base is None or names != list(range(base, base + len(names))):
            return False
        family.shared.append(_Shared(cell, number, base))
    return True


# ------------------------------------------------------------------------------------------------ the C code


class Network:
    """The sort as straight-line C: for one state, for several at once in vectors, and the size of an orbit."""

    def __init__(self, cells: Cells, found: list[_Family], ties: bool = False) -> None:
        self.cells, self.families = cells, found
        self.ties = ties  # equal keys do not mean that processes can be exchanged

    def text(self) -> Lines:
        """Sorting for one state, for four, and the size of an orbit."""
        return [
            "#define ONE_SORT 1",
            f"#define TIES {int(self.ties)}",
            f"#define MEMBERS {self.members}",
            *self.sort("word", "ORDER_ONE"),
            *self.sort("four_words", "ORDER_FOUR"),
            *(self.tied("word") + self.tied("four_words") if self.ties else []),
            *self.images(),
            *([] if self.ties else self.size()),
        ]

    def tied(self, kind: str) -> Lines:
        """Are keys equal?"""
        terms, start = [], 0
        for family in self.families:
            for i in range(start + 1, start + len(family.pids)):
                terms.append(f"(keys[{i}] ^ keys[{i - 1}]) >> {family.low_bits}")
            start += len(family.pids)
        tests = [f"(({kind})(({term}) == 0))" for term in terms]
        return [f"ALWAYS_INLINE {kind} tied_{kind}(const {kind} *keys) {{", f"    return {' | '.join(tests)};", "}"]

    def sort(self, kind: str, order: str) -> Lines:
        """All in place; the keys stay in `keys`, so that one can see who went where."""
        lines = [f"ALWAYS_INLINE void sort_{kind}({kind} *s, {kind} *keys) {{"]
        start = 0
        for number, family in enumerate(self.families):
            lines += self.keys(family, kind, start, number)
            lines += [f"    {order}(keys[{start + i}], keys[{start + j}]);" for i, j in _comparators(len(family.pids))]
            start += len(family.pids)
        changed = {w: bits for w, bits in enumerate(self.cells.moved_bits) if bits}
        lines += [f"    {kind} out_{w} = s[{w}] & 0x{~bits & (1 << 64) - 1:x}ULL;" for w, bits in changed.items()]
        start = 0
        for number, family in enumerate(self.families):
            lines += self.own_back(family, start)
            lines += self.permutation(family, kind, start, number)
            start += len(family.pids)
        lines += self.shared_back(kind)
        return [*lines, *(f"    s[{w}] = out_{w};" for w in changed), "}"]

    # ---------------------------------------------------------------- keys

    def keys(self, family: _Family, kind: str, start: int, number: int) -> Lines:
        """All that the state says about each process, in one word."""
        lines, rows = self.rows(family, kind, number)
        for i, cells in enumerate(family.own):
            terms = [f"{i << 2 + family.along}ULL"]
            terms += [_moved(f"s[{c.word}]", c.shift, c.mask, at) for c, at in zip(cells, family.places, strict=True)]
            for name, group in rows:
                step = 1 << (MOST_ROWS - group[0].bits)
                mask = (1 << len(group)) - 1
                terms.append(_moved(name, (group[0].base + i) * step, mask, group[0].bit))
            terms += [f"({_equals(_raw(one), one.base + i, self.live(one))} & 0x{1 << one.bit:x}ULL)"
                      for one in family.shared if one.bits > MOST_ROWS]  # fmt: skip
            lines.append(f"    keys[{start + i}] = {' | '.join(terms)};")
        return lines

    def rows(self, family: _Family, kind: str, number: int) -> tuple[Lines, list[tuple[str, list[_Shared]]]]:
        """Words with a bit for each shared variable, in the row of the name that it holds."""
        lines: Lines = []
        groups: list[tuple[str, list[_Shared]]] = []
        for one in family.shared:
            if one.bits > MOST_ROWS:
                continue
            step = 1 << (MOST_ROWS - one.bits)
            last = groups[-1][1] if groups else []
            if last and last[0].bits == one.bits and last[0].base == one.base and len(last) < step \
                    and last[-1].bit + 1 == one.bit:  # fmt: skip
                last.append(one)
            else:
                groups.append((f"rows_{number}_{len(groups)}", [one]))
        for name, group in groups:
            step = MOST_ROWS - group[0].bits
            terms = []
            for i, one in enumerate(group):
                row = _moved(f"s[{one.cell.word}]", one.cell.shift, one.cell.mask, step)
                terms.append(f"({_splat(kind, 1 << i, self.live(one))} << {row})")
            lines.append(f"    const {kind} {name} = {' | '.join(terms)};")
        return lines, groups

    def live(self, one: _Shared) -> str:
        """A mask: is there such a message?  Empty if that is not needed, since nothing there looks like a name."""
        if one.cell.length == NONE or one.base > 0:
            return ""
        length = self.cells.cells[one.cell.length]
        there = f"(s[{length.word}] >> {length.shift} & 0x{length.mask:x}ULL)"
        return f"(0ULL - (({one.cell.position}ULL - {there}) >> 63))"

    # ---------------------------------------------------------------- back into the state

    def own_back(self, family: _Family, start: int) -> Lines:
        """The sorted keys, put back into the cells that belong to one process each."""
        return [
            f"    out_{cell.word} |= {_moved(f'keys[{start + i}]', at, cell.mask, cell.shift)};"
            for i, cells in enumerate(family.own)
            for cell, at in zip(cells, family.places, strict=True)
        ]

    def permutation(self, family: _Family, kind: str, start: int, number: int) -> Lines:
        """Words with the new name of each process in the place of its old one, and other values in their own places."""
        lines = []
        for base in sorted({one.base for one in family.shared if self.in_one_word(one, family)}):
            size = len(family.pids)
            rest = sum(r << 4 * r for r in range(16) if not base <= r < base + size)
            terms = [f"({_splat(kind, base + i)} << {family.number(f'keys[{start + i}]')})" for i in range(size)]
            lines.append(f"    const {kind} new_{number}_{base} = ({' | '.join(terms)}) << {4 * base} | 0x{rest:x}ULL;")
        return lines

    @staticmethod
    def in_one_word(one: _Shared, family: _Family) -> bool:
        """Does a permutation of all names fit into one word?"""
        return one.bits <= LOW_ROWS and one.base + len(family.pids) <= 1 << LOW_ROWS

    def shared_back(self, kind: str) -> Lines:
        """Shared variables: names change, other values stay."""
        lines: Lines = []
        for number, cell in enumerate(self.cells.cells):
            if cell.movable != NONE:
                continue
            there = f"(s[{cell.word}] >> {cell.shift} & 0x{cell.mask:x}ULL)"
            lines += ["    {", f"        {kind} value = {there};"]
            start = 0
            for f, family in enumerate(self.families):
                lines += [f"        {self.renamed(o, family, start, f)}" for o in family.shared if o.number == number]
                start += len(family.pids)
            lines += [f"        out_{cell.word} |= value << {cell.shift};", "    }"]
        return lines

    def renamed(self, one: _Shared, family: _Family, start: int, number: int) -> str:
        """A shared variable that names a process gets the new number of that process."""
        if self.in_one_word(one, family):
            live = self.live(one)
            new = f"(new_{number}_{one.base} >> (value << 2)) & 15ULL"
            return f"value = {new} & {live};" if live else f"value = {new};"
        keys = [f"keys[{start + i}]" for i in range(len(family.pids))]
        terms = [f"({_bit_mask(key, one.bit)} & {one.base + i}ULL)" for i, key in enumerate(keys)]
        some = _bit_mask(f"({' | '.join(keys)})", one.bit)
        return f"value = (value & ~{some}) | {' | '.join(terms)};"

    # ---------------------------------------------------------------- one state

    def images(self) -> Lines:
        """Where everybody went."""
        lines = ["static MAYBE_UNUSED void images_by_keys(const word *keys, uint8_t *images) {"]
        start = 0
        for number, family in enumerate(self.families):
            lines.append(f"    static const uint8_t pids_{number}[] = {{{', '.join(map(str, family.pids))}}};")
            lines += [
                f"    images[pids_{number}[{family.number(f'keys[{start + i}]')} >> 2]] = {pid};"
                for i, pid in enumerate(family.pids)
            ]
            start += len(family.pids)
        return [*lines, "}"]

    @property
    def members(self) -> int:
        return sum(len(family.pids) for family in self.families)

    def size(self) -> Lines:
        """SOUND: the keys of a representative are sorted, so equal ones stand together."""
        lines = ["static MAYBE_UNUSED wide size_by_keys(const word *s) {", f"    word keys[{self.members}];"]
        equal: list[str] = []
        start = 0
        for number, family in enumerate(self.families):
            lines += self.keys(family, "word", start, number)
            equal += [f"(keys[{start + i}] ^ keys[{start + i - 1}]) >> {family.low_bits} == 0"
                      for i in range(1, len(family.pids))]  # fmt: skip
            start += len(family.pids)
        if len(equal) <= MOST_PATTERN:
            table = ", ".join(str(self.orbit(pattern)) for pattern in range(1 << len(equal)))
            pattern = " | ".join(f"(unsigned)({test}) << {i}" for i, test in enumerate(equal))
            sizes = f"static const uint64_t ORBIT_SIZE[] = {{{table}}};"
            return [sizes, *lines, f"    return ORBIT_SIZE[{pattern}];", "}"]
        lines += ["    wide stabiliser = 1;", "    unsigned run = 1;"]
        at = 0
        for family in self.families:
            lines.append("    run = 1;")
            for _ in family.pids[1:]:
                lines += [f"    run = {equal[at]} ? run + 1 : 1;", "    stabiliser *= run;"]
                at += 1
        return [*lines, "    return GROUP_ORDER / stabiliser;", "}"]

    def orbit(self, pattern: int) -> int:
        """How many states there are like one, if these neighbours are equal."""
        order, at = 1, 0
        for family in self.families:
            order *= factorial(len(family.pids))
            run = 1
            for _ in family.pids[1:]:
                run = run + 1 if pattern >> at & 1 else 1
                order //= run  # exact: each prefix of a factorial divides the whole
                at += 1
        return order


def _raw(one: _Shared) -> str:
    return f"(s[{one.cell.word}] >> {one.cell.shift} & 0x{one.cell.mask:x}ULL)"


def _moved(word: str, shift: int, mask: int, to: int) -> str:
    """The bits of a word at `shift`, at `to` instead."""
    by = to - shift
    source = f"{word} << {by}" if by > 0 else f"{word} >> {-by}" if by < 0 else word
    return f"({source} & 0x{mask << to:x}ULL)"


def _splat(kind: str, value: int, mask: str = "") -> str:
    """A vector of C in which every lane has this value."""
    text = f"(({kind}){{0}} + 0x{value:x}ULL)"
    return f"({text} & {mask})" if mask else text


def _equals(value: str, name: int, live: str) -> str:
    """A mask, without a comparison, so that it is the same for vectors."""
    text = f"(0ULL - (((({value}) ^ {name}ULL) - 1ULL) >> 63))"
    return f"({text} & {live})" if live else text


def _bit_mask(value: str, bit: int) -> str:
    """C: all ones if the bit is set, else 0."""
    return f"(0ULL - (({value} >> {bit}) & 1ULL))"


def _comparators(n: int) -> list[tuple[int, int]]:
    """Batcher's odd-even merge sort for any n."""
    found = []
    p = 1
    while p < n:
        k = p
        while k >= 1:
            for j in range(k % p, n - k, 2 * k):
                for i in range(min(k, n - j - k)):
                    if (i + j) // (2 * p) == (i + j + k) // (2 * p):
                        found.append((i + j, i + j + k))
            k //= 2
        p *= 2
    return found
