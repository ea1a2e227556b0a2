"""Where everything is in the bits of a state.

Reference: none.
Differs: fields never straddle a 64-bit word.  Each process slot has a lane: one piece of a word if everything fits,
whole words otherwise; inside it the places depend only on the template.  What is unused is zero, so that equal states
have equal bits.
"""

from __future__ import annotations

from dataclasses import field

from ....core.model import Scalar, Variable
from ....core.records import dataclass
from ....semantics.heap import hidden
from ....semantics.state import Process, State
from ..codegen.automaton import ClaimAutomaton
from ..constants import OverflowKind
from .facts import Facts, calls_of
from .heaps import HeapLayout, StackLayout, heap_layout, stack_layout
from .packing import WORD, BitBlock, Item, Key, item_for, pack
from .probe import Sizes


@dataclass
class _MessageLayout:
    """Where the fields of a message are: words from the start of the message, and bits."""

    fields: list[BitBlock]
    bits: int
    words: int


FEW_SLOTS = 64
WIDE = 160  # bits of a key: what is rare in more of them does not leave few enough for a slot of the table


@dataclass
class Layout:
    """Where everything is.  What identifies a state comes first (`key`), what is only scratch behind it."""

    facts: Facts
    sizes: Sizes
    globals: dict[int, BitBlock] = field(default_factory=dict)  # base -> where; constants are not there
    lanes: list[BitBlock] = field(default_factory=list)
    template_field: dict[int, BitBlock] = field(default_factory=dict)  # slot -> which template is in it
    locals: list[dict[int, BitBlock]] = field(default_factory=list)  # template -> base -> where in the lane
    pc_bits: list[int] = field(default_factory=list)
    lane_fill: list[list[int]] = field(default_factory=list)
    priority: list[BitBlock] = field(default_factory=list)
    stacks: list[StackLayout | None] = field(default_factory=list)  # by template
    heap: HeapLayout | None = None
    messages: list[_MessageLayout] = field(default_factory=list)
    lengths: list[BitBlock] = field(default_factory=list)
    queues: list[BitBlock] = field(default_factory=list)
    queue_words: list[int] = field(default_factory=list)  # 0: part of a word
    type_field: dict[int, BitBlock] = field(default_factory=dict)
    single: dict[str, BitBlock] = field(default_factory=dict)  # processes, channels, last, event, claim, ended, inner
    key_words: int = 1
    key_bits: int = 1
    state_words: int = 1

    @property
    def is_wide(self) -> bool:
        """Is a key better compressed, where that is possible?"""
        return self.key_bits > WIDE

    def lane_bits(self, template: int) -> tuple[int, int]:
        """Bits if it fits into one word, and words."""
        fill = self.lane_fill[template]
        return (fill[0], 1) if len(fill) == 1 else (WORD, len(fill))

    @property
    def has_few_slots(self) -> bool:
        """May each slot, and each template in it, have a call of its own?"""
        return sum(map(len, self.sizes.slots)) <= FEW_SLOTS

    def home(self, template: int) -> int | None:
        """The only slot where a process of this template can be, if there is just one."""
        slots = [slot for slot in range(len(self.sizes.slots)) if self.fits(slot, template)]
        return slots[0] if len(slots) == 1 else None

    def fixed(self, template: int, variable: Variable) -> dict[int, int]:
        """What a local variable always is, by the slots where the process can be; nothing if that is not known."""
        variables = self.facts.templates[template].template.locals
        number = next((n for n, v in enumerate(variables) if v.base == variable.base), None)
        known = {} if number is None else self.sizes.fixed.get((template, number), {})
        slots = [slot for slot in range(len(self.sizes.slots)) if self.fits(slot, template)]
        return {slot: known[slot] for slot in slots} if all(slot in known for slot in slots) else {}

    def fits(self, slot: int, template: int) -> bool:
        """Can a process of this template be in this slot?"""
        return template in self.sizes.slots[slot]


def lay_out(facts: Facts, sizes: Sizes) -> Layout:
    """Give every variable, lane, channel and cell its bits."""
    layout = Layout(facts, sizes)
    layout.heap = heap_layout(facts, sizes)
    for number in range(len(facts.templates)):
        _add_template(layout, number)
    for number, kind in enumerate(facts.channel_types):
        layout.messages.append(_message_layout(sizes, number, kind.fields))
    key: dict[Key, Item] = {}
    scratch: dict[Key, Item] = {}
    _add_globals(layout, key, scratch)
    _add_slots(layout, key)
    _add_channels(layout, key, scratch)
    if layout.heap is not None:
        key |= {("cell", slot): layout.heap.item for slot in range(sizes.objects)}
    _add_single(layout, key)
    placed, fill = pack(key)
    if len(fill) == 2 and fill[0] < fill[1] and not any(i.whole_words for i in key.values()):
        fill.reverse()  # the word that is less full comes last: the state is that much shorter
        placed = {k: _moved(b, 1 - b.word) for k, b in placed.items()}
    layout.key_words = max(len(fill), 1)
    layout.key_bits = max((layout.key_words - 1) * WORD + (fill[-1] if fill else 0), 1)
    extra, spare = pack(scratch)
    layout.state_words = layout.key_words + len(spare)
    placed |= {k: _moved(b, b.word + layout.key_words) for k, b in extra.items()}
    _distribute(layout, placed)
    return layout


def _moved(block: BitBlock, word: int) -> BitBlock:
    return BitBlock(word, block.shift, block.bits, block.count, block.signed, block.checked)


def _add_template(layout: Layout, number: int) -> None:
    """Where control point, priority, locals and saved calls are in the lane of a process of a template."""
    facts = layout.facts.templates[number]
    bits = (len(facts.locations) - 1).bit_length()
    start = bits + (8 if layout.facts.model.uses_priority else 0)
    layout.priority.append(BitBlock(0, bits, 8))
    items: dict[Key, Item] = {}
    for i, v in enumerate(facts.template.locals):
        items[(v.base,)] = item_for(v.type, layout.sizes.range((OverflowKind.LOCAL, number, i), v.type), v.size)
    names = {v.base: i for i, v in enumerate(facts.template.locals)}
    stack = stack_layout(layout.sizes, number, calls_of(facts.template), names)
    placed, fill = pack(items | (stack.items() if stack else {}), max(start, 1))
    if stack is not None:
        stack.place(placed)
    layout.stacks.append(stack)
    layout.pc_bits.append(bits)
    layout.locals.append({int(str(k[0])): b for k, b in placed.items() if k in items})
    layout.lane_fill.append(fill or [1])


def _message_layout(sizes: Sizes, number: int, kinds: tuple[Scalar, ...]) -> _MessageLayout:
    """Where the fields of a message are, and how much room one takes."""
    items: dict[Key, Item] = {
        (f,): item_for(kind, sizes.range((OverflowKind.FIELD, number, f), kind)) for f, kind in enumerate(kinds)
    }
    placed, fill = pack(items)
    blocks = [placed[(f,)] for f in range(len(kinds))]
    return _MessageLayout(blocks, fill[0] if len(fill) == 1 else WORD * len(fill), max(len(fill), 1))


def _add_globals(layout: Layout, key: dict[Key, Item], scratch: dict[Key, Item]) -> None:
    """Global variables: constant ones take no room, hidden ones are in no key."""
    aside = {v.base for v in hidden(layout.facts.model)}
    for i, v in enumerate(layout.facts.model.globals):
        if v.base in layout.facts.constants:
            continue
        item = item_for(v.type, layout.sizes.range((OverflowKind.GLOBAL, i), v.type), v.size)
        (scratch if v.base in aside else key)[("global", v.base)] = item


def _add_slots(layout: Layout, key: dict[Key, Item]) -> None:
    """Room for whatever process is in a slot, and which template it is where that may differ."""
    for slot, templates in enumerate(layout.sizes.slots):
        sizes = [layout.lane_bits(t) for t in templates]
        words = max(w for _, w in sizes)
        bits = max(b for b, _ in sizes)
        key[("lane", slot)] = Item(bits) if words == 1 else Item(WORD, words=words)
        if len(templates) > 1:
            key[("template", slot)] = Item((len(layout.facts.templates) - 1).bit_length())


def _add_channels(layout: Layout, key: dict[Key, Item], scratch: dict[Key, Item]) -> None:
    """Lengths and messages; those of a rendezvous channel are empty whenever a state is stored."""
    for slot, types in enumerate(layout.sizes.channels):
        capacities = [layout.facts.channel_types[t].capacity for t in types]
        into = scratch if max(capacities) == 0 else key  # a state is stored when nothing is in a rendezvous channel
        into[("length", slot)] = Item(max(max(capacities), 1).bit_length())
        bits, words = 0, 0
        for t in types:
            message, room = layout.messages[t], max(layout.facts.channel_types[t].capacity, 1)
            if message.words > 1:
                words = max(words, message.words * room)
            elif message.bits * room <= WORD:
                bits = max(bits, message.bits * room)
            else:
                words = max(words, -(-room // (WORD // message.bits)))
        layout.queue_words.append(words)
        into[("queue", slot)] = Item(WORD, words=words) if words else Item(bits)
        if len(types) > 1:
            key[("type", slot)] = Item((len(layout.facts.channel_types) - 1).bit_length())


def _add_single(layout: Layout, key: dict[Key, Item]) -> None:
    """What there is once: how many processes and channels, who moved last, the states of claim and trace automaton."""
    facts = layout.facts
    if facts.changes_processes:
        key[("single", "processes")] = Item(max(len(layout.sizes.slots), 1).bit_length())
        if any(t.channels for t in facts.model.templates):
            key[("single", "channels")] = Item(max(len(layout.sizes.channels), 1).bit_length())
    if facts.model.uses_last:
        key[("single", "last")] = Item(8)
    if facts.claim is not None:
        _add_claim(facts.claim, key, facts.fair)
    if facts.model.monitor:
        key[("single", "event")] = Item(len(monitor_locations(facts)).bit_length())


def _add_claim(claim: ClaimAutomaton, key: dict[Key, Item], fair: bool) -> None:
    """Where the claim is, whether the run has ended, and which of the two searches the state is of."""
    if claim.size > 1:
        key[("single", "claim")] = Item((claim.size - 1).bit_length())
    if claim.stutters:
        key[("single", "ended")] = Item(1)
    if claim.searches_twice and not fair:
        key[("single", "inner")] = Item(1)


def monitor_locations(facts: Facts) -> list[int]:
    """Where the monitor of a trace assertion can be, in the order of their numbers."""
    assert facts.model.monitor is not None
    template = facts.model.monitor.template
    return sorted({template.entry, *template.end_locations, *(a.target for a in template.actions)})


def _distribute(layout: Layout, placed: dict[Key, BitBlock]) -> None:
    """Note where the packing has put everything."""
    for key, block in placed.items():
        match key:
            case ("global", int(base)):
                layout.globals[base] = block
            case ("template", int(slot)):
                layout.template_field[slot] = block
            case ("type", int(slot)):
                layout.type_field[slot] = block
            case ("single", str(name)):
                layout.single[name] = block
    layout.lanes = [placed[("lane", slot)] for slot in range(len(layout.sizes.slots))]
    layout.lengths = [placed[("length", slot)] for slot in range(len(layout.sizes.channels))]
    if layout.heap is not None:
        layout.heap.cells = [placed[("cell", slot)] for slot in range(layout.sizes.objects)]
    layout.queues = [placed[("queue", slot)] for slot in range(len(layout.sizes.channels))]


class Packing:
    """Turns states of the interpreter into words; for initial states and for tests."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.facts = layout, layout.facts

    def pack(self, state: State) -> list[int]:
        """A state as the words that C starts from."""
        assert not state.heap, "nothing is allocated at the start"
        words = [0] * self.layout.state_words
        for base, block in self.layout.globals.items():
            for i in range(block.count):
                self.put(words, block, i, state.values[base + i])
        for pid, process in enumerate(state.processes):
            self.process(words, pid, process)
        self.channels(words, state)
        single = {"processes": len(state.processes), "channels": len(state.channels), "last": state.last}
        single |= {"claim": self.facts.claim.start if self.facts.claim else 0, "ended": 0, "inner": 0}
        if self.facts.model.monitor:
            single["event"] = monitor_locations(self.facts).index(state.event)
        for name, block in self.layout.single.items():
            self.put(words, block, 0, single[name])
        return words[: self.layout.key_words]

    def put(self, words: list[int], block: BitBlock, index: int, value: int, word: int = 0, shift: int = 0) -> None:
        """Set an element of a block whose bits are still 0."""
        w, s = block.place(index)
        words[w + word] |= (value & ((1 << block.bits) - 1)) << (s + shift)

    def process(self, words: list[int], pid: int, process: Process) -> None:
        """The lane of one process."""
        assert not process.stack, "nothing is called at the start"
        template = process.template
        lane = self.layout.lanes[pid]
        pc = BitBlock(0, 0, self.layout.pc_bits[template])
        self.put(words, pc, 0, self.facts.templates[template].pc(process.location), lane.word, lane.shift)
        if self.facts.model.uses_priority:
            self.put(words, self.layout.priority[template], 0, process.priority, lane.word, lane.shift)
        for base, block in self.layout.locals[template].items():
            for i in range(block.count):
                self.put(words, block, i, process.frame[base + i], lane.word, lane.shift)
        if pid in self.layout.template_field:
            self.put(words, self.layout.template_field[pid], 0, template)

    def channels(self, words: list[int], state: State) -> None:
        """Write the types of the channels; they have no messages yet."""
        for number, channel in enumerate(state.channels):
            assert not channel.messages, "channels are empty at the start"
            if number in self.layout.type_field:
                kind = self.facts.interpreter.channel_types[channel.type]
                self.put(words, self.layout.type_field[number], 0, self.facts.channel_types.index(kind))
