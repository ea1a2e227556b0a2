"""A model and a layout -> the generated C file.

Reference: Holzmann's pan: a switch on the control point of each process.
Differs: the code of a template is written once; the compiler specialises it for each process slot while that stays
small.
"""

from __future__ import annotations

from functools import cached_property

from ....core.model import Action, Else, Send
from ....semantics.calls import starts_call
from ....semantics.objects import allocation
from ....symmetry.protocol import Folding
from ..constants import WHERE
from ..folding.live_set import fold_of
from ..state.facts import Facts, TemplateFacts, flat_actions, uses_enabled, uses_timeout
from ..state.layout import Layout, Packing
from ..state.packing import BitBlock
from . import ample, claim, invariants, monitor
from .expressions import Lines, View, fixed_name, indent, mask
from .pointer_places import PointerPlaces
from .rendezvous import receive_function, receivers
from .steps import Steps
from .tables import channel_tables, field_table, table, table2
from .templates import include

SPECIALISED = 150  # actions in all process slots together, up to which each slot has code of its own
MORE_SPECIALISED = 400  # the same where processes were given something that is known for each slot
TINY = 150  # actions up to which that code stands twice: inline in the loop over the processes, and to be called
FOLLOWED = 8  # actions up to which the rest of an atomic sequence stands in such code where the sequence begins
CHUNK_BYTES = 1 << 16


def render(facts: Facts, layout: Layout, folding: Folding | None = None) -> str:
    return _Renderer(facts, layout, folding).text()


class _Renderer:
    """Writes the whole file: sizes, tables, step functions, folding, and the description of the model at its end."""

    def __init__(self, facts: Facts, layout: Layout, folding: Folding | None) -> None:
        self.facts, self.layout = facts, layout
        self.fold = None if folding is None else fold_of(folding, layout)
        self.steps = Steps(facts, layout)
        self.pointer_places = PointerPlaces(layout)
        self.deadlock_site: dict[tuple[int, int], int] = {}
        self.spreads: dict[tuple[int, int], int] = {}
        self.places: dict[tuple[int, int], str] = {}  # the functions of locations, in an order that C accepts

    def text(self) -> str:
        """The parts in an order that C accepts, with the templates of the runtime between them."""
        spawns = [self.steps.spawn(t) for t in self.facts.templates] if self.facts.runs else []
        buries = [self.steps.bury(t) for t in self.facts.templates]
        observe = monitor.text(self.facts, self.steps)
        ready = [self.any_ready(t) for t in self.facts.templates] if uses_enabled(self.facts) else []
        may_move = [self.may_move(t, View("s", "pid", t.number)) for t in self.facts.templates]
        receives = [receive_function(self.steps, t, may_move[t.number]) for t in self.facts.templates]
        actions = [self.template_function(t) for t in self.facts.templates]
        parts = [
            *self.configuration(),
            '#include "core/engine.h"',
            f"static uint8_t executed[{self.n_actions}];",
            *self.tables(),
            include("core/channels"),
            include("core/model"),
            *([include("heap/calls")] if any(self.layout.stacks) else []),
            *([include("heap/heap")] if self.layout.heap else []),
            *(self.fold.text() if self.fold else []),
            *ample.lookups(self.facts, self.channel_variable),
            include("search/search"),
            *self.declarations(),
            *observe,
            *buries,
            *self.ordered(spawns),
            *ready,
            *self.queries(),
            receivers(self.facts, self.layout),
            *receives,
            *actions,
            *self.slot_functions(),
            self.all_steps(),
            self.process_steps(),
            self.stuck(),
            *invariants.text(self.facts, self.steps),
            *self.initial(),
            *claim.text(self.facts, self.steps),
            self.description(),
        ]
        return "\n".join(parts) + "\n"

    def channel_variable(self, template: int, slot: int) -> str:
        """The value of a local variable of process `pid` in state `s`."""
        variable = next(v for v in self.facts.templates[template].template.locals if v.base == slot)
        return self.steps.local(template, variable, 0, "s", "pid")

    def ordered(self, spawns: list[str]) -> list[str]:
        """Helpers use spawns and spawns use helpers, so all spawns are declared first."""
        heads = [s.split(" {", 1)[0] + ";" for s in spawns]
        return [*heads, *self.steps.helpers, *spawns]

    # ---------------------------------------------------------------- constants

    def configuration(self) -> Lines:
        """The sizes that the templates of the runtime are compiled with."""
        layout = self.layout
        chunk = 4096
        while chunk > 64 and chunk * layout.key_words * 8 > CHUNK_BYTES:
            chunk //= 2
        n_static = len(self.facts.model.channels)
        return [
            f"#define TINY {int(self.tiny)}",
            f"#define KEY_WORDS {layout.key_words}",
            f"#define KEY_BITS {layout.key_bits}",
            f"#define STATE_WORDS {layout.state_words}",
            f"#define TREE {int(self.facts.compresses and layout.is_wide)}",
            f"#define CHUNK {chunk}",
            f"#define SLOTS {max(len(layout.lanes), 1)}",
            f"#define CHANNEL_SLOTS {max(len(layout.lengths), 1)}",
            f"#define STATIC_CHANNELS {n_static}",
            *ample.configuration(self.facts),
            *claim.configuration(self.facts),
            *invariants.configuration(self.facts),
            *self.pointer_places.configuration(),
            f"#define USES_TIMEOUT {int(uses_timeout(self.facts))}",
            f"#define USES_PRIORITY {int(self.facts.model.uses_priority)}",
            self.single("processes", "N_PROCESSES", str(len(self.facts.initial[0].processes))),
            self.single("channels", "N_CHANNELS", str(len(self.facts.initial[0].channels))),
            self.single("last", "LAST", "0"),
            self.single("event", "EVENT", "0"),
            *(self.single(name, name.upper(), "0") for name in ("claim", "ended", "inner")),
        ]

    def single(self, name: str, macro: str, constant: str) -> str:
        """Macros that read and write a field that a state has once; one without bits is the constant."""
        block = self.layout.single.get(name)
        if block is None:
            return f"#define {macro}(s) ((void)(s), {constant})\n#define SET_{macro}(s, v) ((void)(s), (void)(v))"
        read = f"(unsigned)((s)[{block.word}] >> {block.shift} & {mask(block.bits)})"
        write = f"put((s) + {block.word}, {block.shift}, {mask(block.bits)}, (val)(v))"
        return f"#define {macro}(s) ({read})\n#define SET_{macro}(s, v) {write}"

    def tables(self) -> Lines:
        """Where the lanes of processes are, and which templates fit into them."""
        layout, facts = self.layout, self.facts
        empty = BitBlock(0, 0, 0)
        slots = range(len(layout.lanes))
        lines = [
            table("uint16_t", "LANE_WORD", [b.word for b in layout.lanes]),
            table("uint8_t", "LANE_SHIFT", [b.shift for b in layout.lanes]),
            table("uint16_t", "LANE_WORDS", [self.lane_words(p) for p in slots]),
            table("uint8_t", "LANE_BITS", [b.bits for b in layout.lanes]),
            table("uint8_t", "ONLY_TEMPLATE", [min(layout.sizes.slots[p]) for p in slots]),
            table("uint8_t", "PC_BITS", layout.pc_bits),
            table2("uint8_t", "FITS", [[int(layout.fits(p, t.number)) for t in facts.templates] for p in slots]),
            *field_table("TEMPLATE", [layout.template_field.get(p, empty) for p in slots]),
            *self.location_tables(),
            *channel_tables(facts, layout),
            *ample.tables(facts),
            *self.pointer_places.text(),
        ]
        for base, values in facts.constants.items():
            if len(values) > 1:
                lines.append(table("int64_t", f"constant_{base}", list(values)))
        for number, known in self.fixed.items():
            lines.append(table("int64_t", fixed_name(number), [known.get(slot, 0) for slot in slots]))
        return lines

    @cached_property
    def fixed(self) -> dict[int, dict[int, int]]:
        """Local variables that always are what their slot says, and not the same in all slots."""
        known: dict[int, dict[int, int]] = {}
        for template, number in self.layout.sizes.fixed:
            variable = self.facts.templates[template].template.locals[number]
            known[template * WHERE + number] = self.layout.fixed(template, variable)
        return {number: values for number, values in known.items() if len(set(values.values())) > 1}

    def lane_words(self, slot: int) -> int:
        return max(self.layout.lane_bits(t)[1] for t in self.layout.sizes.slots[slot])

    def location_tables(self) -> Lines:
        """What is known of each location: its number in the model, progress, where waiting is a deadlock."""
        templates = self.facts.templates
        progress = [[int(x in t.template.progress_locations) for x in t.locations] for t in templates]
        for t in templates:
            for pc, x in enumerate(t.locations):
                waiting = x not in t.template.end_locations
                self.deadlock_site[t.number, pc] = self.steps.sites.new() if waiting else 0
        sites = [[self.deadlock_site[t.number, pc] for pc in range(len(t.locations))] for t in templates]
        return [
            table2("uint32_t", "LOCATION", [t.locations for t in templates]),
            table2("uint8_t", "PROGRESS", progress),
            table2("uint32_t", "WAITING_SITE", sites),
        ]

    def declarations(self) -> Lines:
        lines = []
        for t in self.facts.templates:
            lines.append(f"static MAYBE_UNUSED int any_ready_{t.number}(struct worker *, const word *, unsigned);")
            arguments = "struct worker *, const word *, unsigned, unsigned, unsigned, int"
            lines.append(f"static MAYBE_UNUSED int receive_{t.number}({arguments});")
        lines.append("static MAYBE_UNUSED val enabled(struct worker *, const word *, val, unsigned, uint32_t);")
        lines.append("static MAYBE_UNUSED bool outranked(struct worker *, const word *, unsigned);")
        lines.append("static int receivers(struct worker *, const word *, unsigned, unsigned, int) MAYBE_UNUSED;")
        return lines

    # ---------------------------------------------------------------- processes

    def provided(self, t: TemplateFacts, v: View, refused: str) -> Lines:
        """A process whose `provided` clause is false does not move; a fault in the clause ends the search."""
        lines: Lines = []
        if t.template.provided is not None:
            lines.append(f"    if (!{self.steps.expr(t.template.provided, v)}) {{ {refused} }}")
            stop = 'stop_because("a provided clause has no value"); w->fault = 0; return 0;'
            lines.append(f"    if (UNLIKELY(w->fault)) {{ {stop} }}")
        return lines

    def may_move(self, t: TemplateFacts, v: View) -> Lines:
        lines = self.provided(t, v, "if (!w->fault) return 0;")
        if self.facts.model.uses_priority:
            lines.append(f"    if (outranked(w, {v.state}, {v.pid})) return 0;")
        return lines

    def template_function(self, t: TemplateFacts) -> str:
        """`steps_T`: a switch over the locations of a template; how many steps it found."""
        v = View("s", "pid", t.number)
        followed = {a.target for a in t.template.actions if self.stands_here(a, t)}
        cases: Lines = []
        for pc, location in enumerate(t.locations):
            actions = t.leaving.get(location, [])
            if actions:
                code = [f"found = {self.place(t, location)};"] if location in followed else self.location(t, actions, v)
                cases += [f"case {pc}: {{", *indent(code), "    break;", "}"]
        parameter, first = self.steps.about_pid(t.number)
        head = f"ALWAYS_INLINE int steps_{t.number}(struct worker *w, const word *s, {parameter}) {{"
        if not self.specialised:
            head = head.replace("ALWAYS_INLINE", "static")
        before = [text for (number, _), text in self.places.items() if number == t.number]
        middle = [first, "    int found = 0;", *self.may_move(t, v), f"    switch (pc_of(s, pid, {t.number})) {{"]
        end = ["    default: break;", "    }", "    return found;", "}"]
        return "\n".join([*before, head, *middle, *indent(cases), *end])

    def place(self, t: TemplateFacts, location: int, state: str = "s") -> str:
        """A call of the function for one location."""
        name = f"at_{t.number}_{t.pc(location)}"
        if (t.number, location) not in self.places:
            code = self.location(t, t.leaving.get(location, []), View("s", "pid", t.number))
            parameter, first = self.steps.about_pid(t.number)
            head = f"ALWAYS_INLINE int {name}(struct worker *w, const word *s, {parameter}) {{"
            lines = [head, first, "    int found = 0;", "    (void)w; (void)s;", *indent(code)]
            self.places[t.number, location] = "\n".join([*lines, "    return found;", "}"])
        return f"{name}(w, {state}, pid)"

    def stands_here(self, action: Action, t: TemplateFacts) -> bool:
        """Is what follows the action in an atomic sequence written where the action is?"""
        free = t.template.provided is None and not self.facts.model.uses_priority
        here = self.tiny and free and self.steps.may_follow(action, t)
        return here and self.spread(t, action.target) <= FOLLOWED

    def spread(self, t: TemplateFacts, location: int) -> int:
        """How many actions stand in the code of a location, if all that follows stands there too (a loop: too many)."""
        key = t.number, location
        if key not in self.spreads:
            self.spreads[key] = FOLLOWED + 1  # SOUND: whoever comes back here is in a loop
            actions = t.leaving.get(location, [])
            followed = [a.target for a in actions if self.steps.may_follow(a, t)]
            self.spreads[key] = min(len(actions) + sum(self.spread(t, x) for x in followed), FOLLOWED + 1)
        return self.spreads[key]

    @property
    def n_actions(self) -> int:
        return max((a.id for t in self.facts.model.templates for a in flat_actions(t.actions)), default=0) + 1

    @property
    def size(self) -> int:
        """Actions in all process slots together."""
        sizes = [len(t.template.actions) for t in self.facts.templates]
        return sum(sizes[t] for slot in self.layout.sizes.slots for t in slot)

    @property
    def specialised(self) -> bool:
        return self.size <= (MORE_SPECIALISED if self.fixed else SPECIALISED)

    @property
    def tiny(self) -> bool:
        return self.size <= TINY

    def location(self, t: TemplateFacts, actions: list[Action], v: View) -> Lines:
        """All actions that leave a location, in order; those of an escape clause shut the others out."""
        escapes = any(a.escape for a in actions)
        lines = ["int escape = 0;"] if escapes else []
        for action in actions:
            if escapes:
                lines.append(f"if (escape && escape != {action.escape}) return found;")
            note = [f"escape = {action.escape};"] if escapes else []
            body = self.action(t, action, v, note)
            if isinstance(action.step, Else):
                lines += ["if (!found) {", *indent(body), "}"]
            else:
                lines += body
        return lines

    def action(self, t: TemplateFacts, action: Action, v: View, note: Lines) -> Lines:
        """Test, effect and emission of one action; for `new`, once for each place that it may take."""
        steps = self.steps
        steps.may_fault = False
        test = steps.ready(action, v)
        risky = steps.may_fault
        new = allocation(action)
        choice = f"(struct choice){{(int)pid, {action.id}, NOBODY, NOBODY{', reuse' if new else ''}}}"
        failed = [f"MARK({action.id});", f"emit_fault(w, {choice});", "found++;", *note]
        body = self.taken(t, action, choice, failed, note)
        if new is not None:
            body = self.steps.placing(new, body, [f"MARK({action.id});", f"emit_fault(w, {choice});", "found++;"], note)
        elif starts_call(action):
            cut = ["cut_off(w, CUT_CALLS);", "found++;", *note]
            full = f"depth_of(s, pid, {t.number}) >= MAX_RECURSION"
            body = [f"if (UNLIKELY({full})) {{", *indent(cut), "} else {", *indent(body), "}"]
        if isinstance(action.step, Send):
            body = self.sending(t, action, action.step, v, body, failed, note)
        if not risky:
            return body if test == "1" else [f"if ({test}) {{", *indent(body), "}"]
        return [
            "{",
            f"    const bool ready = {test};",
            "    if (UNLIKELY(w->fault)) {",
            *indent(failed, 2),
            "    } else if (ready) {",
            *indent(body, 2),
            "    }",
            "}",
        ]

    def taken(self, t: TemplateFacts, action: Action, choice: str, failed: Lines, note: Lines) -> Lines:
        """What happens when an action is taken: a copy of the state, the effect, the new state emitted."""
        steps = self.steps
        steps.may_fault = False
        effect = steps.effect(action, View("n", "pid", t.number))
        risky = steps.may_fault  # SOUND: of this step, not of what follows it in its place
        emit = "emit_checked" if steps.may_fail(action, t) else "emit"
        ending = [f"{emit}(w, n, {choice}, {steps.control(action, t, 'pid')});"]
        own = not action.keeps_control
        if own:
            ending = [f"{emit.replace('emit', 'deliver_it')}(w, n, {choice});"]
        if self.stands_here(action, t):
            begin = f"begin_{emit.replace('emit', 'follow')}(w, &here, n, {choice}, pid);"
            end = f"end_follow(w, &here, {self.place(t, action.target, 'n')});"
            ending = ["struct trail here;", begin, end]
        elif steps.may_follow(action, t):
            ending = [f"{emit.replace('emit', 'follow')}(w, n, {choice}, pid);"]
        done = [*steps.arrive(action, t, "n", "pid"), *self.steps.leaks(action, "s"), "found++;", *note, *ending]
        if risky:
            done = ["if (UNLIKELY(w->fault)) {", *indent(failed), "} else {", *indent(done), "}"]
        successor = "SUCCESSOR(n);" if own else "word n[STATE_WORDS];"
        return ["{", f"    {successor}", "    copy_state(n, s);", *indent(effect), *indent(done), "}"]

    # ---------------------------------------------------------------- rendezvous

    def sending(
        self, t: TemplateFacts, action: Action, send: Send, v: View, plain: Lines, failed: Lines, note: Lines
    ) -> Lines:
        """A send to a channel of capacity 0 meets its receivers; which kind it is may be known only now."""
        types = self.facts.channel_types
        if all(x.capacity for x in types):
            return plain
        before = self.steps.may_fault
        channel = self.steps.channel(send.channel, v)
        self.steps.may_fault = before
        meet = [
            "word n[STATE_WORDS];",
            "copy_state(n, s);",
            f"{self.steps.effect_function(action, t.number)}(w, n, pid);",
            *self.steps.arrive(action, t, "n", "pid"),
            "if (UNLIKELY(w->fault)) {",
            *indent(failed),
            "} else {",
            "    w->before = s;",
            f"    const int met = receivers(w, n, c, pid, {action.id});",
            "    if (met) {",
            f"        MARK({action.id});",
            "        found += met;",
            *indent(note, 2),
            "    }",
            "}",
        ]
        known = self.steps.known_type(send.channel, t.number)
        if known is not None:
            return plain if types[known].capacity else ["{", f"    const unsigned c = {channel};", *indent(meet), "}"]
        return [
            "{",
            f"    const unsigned c = {channel};",
            "    if (CAPACITY[type_of(s, c)] == 0) {",
            *indent(meet, 2),
            "    } else {",
            *indent(plain, 2),
            "    }",
            "}",
        ]

    # ---------------------------------------------------------------- questions about processes

    def any_ready(self, t: TemplateFacts) -> str:
        """`any_ready_T`: can a process of the template do anything where it is?"""
        v = View("s", "pid", t.number)
        cases: Lines = []
        for pc, location in enumerate(t.locations):
            tests = [f"({self.steps.ready(a, v)})" for a in t.leaving.get(location, [])]
            if tests:
                cases.append(f"    case {pc}: return {' || '.join(tests)};")
        head = f"static int any_ready_{t.number}(struct worker *w, const word *s, unsigned pid) {{ (void)w;"
        switch = f"    switch (pc_of(s, pid, {t.number})) {{"
        return "\n".join([head, switch, *cases, "    default: return 0;", "    }", "}"])

    def queries(self) -> Lines:
        """What `enabled` and priorities ask of the whole state."""
        if not uses_enabled(self.facts):
            return []
        ready, move = [], []
        for t in self.facts.templates:
            ready.append(f"        case {t.number}: return any_ready_{t.number}(w, s, (unsigned)which);")
            test = ""
            if t.template.provided is not None:
                test = f"{self.steps.expr(t.template.provided, View('s', '(unsigned)which', t.number))} && "
            move.append(f"        case {t.number}: can = {test}any_ready_{t.number}(w, s, which); break;")
        return [
            "static val enabled(struct worker *w, const word *s, val which, unsigned pid, uint32_t site) {",
            "    if (which == (val)pid) { fault(w, site); return 0; }",
            "    if (which < 0 || which >= (val)n_processes(s)) return 0;",
            "    switch (template_of(s, (unsigned)which)) {",
            *ready,
            "        default: return 0;",
            "    }",
            "}",
            "static bool outranked(struct worker *w, const word *s, unsigned pid) {",
            "    const val mine = priority_of(s, (val)pid);",
            "    for (unsigned which = 0; which < n_processes(s); which++) {",
            "        if (which == pid || priority_of(s, (val)which) <= mine) continue;",
            "        int can = 0;",
            "        switch (template_of(s, which)) {",
            *move,
            "        default: break;",
            "        }",
            '        if (UNLIKELY(w->fault)) { stop_because("a guard has no value"); w->fault = 0; }',
            "        if (can) return true;",
            "    }",
            "    return false;",
            "}",
        ]

    # ---------------------------------------------------------------- everything together

    def slot_functions(self) -> Lines:
        """One function for each template that a slot may hold; the compiler makes the pid a constant in it."""
        if not self.specialised:
            return []
        return [
            f"static __attribute__((noinline)) int slot_{pid}_{t}(struct worker *w, const word *s) {{ "
            f"return steps_{t}(w, s, {pid}); }}"
            for pid, templates in enumerate(self.layout.sizes.slots)
            for t in sorted(templates)
        ]

    def all_steps(self) -> str:
        """`all_steps`: the steps of all processes, the youngest first, as SPIN tries them."""
        lines = ["static int all_steps(struct worker *w, const word *s) {", "    int found = 0;"]
        lines.append("    const unsigned n MAYBE_UNUSED = n_processes(s);")
        always = 0 if self.facts.changes_processes else len(self.layout.lanes)
        if self.specialised or self.layout.has_few_slots:
            for pid in reversed(range(len(self.layout.lanes))):
                call = self.dispatch(str(pid), sorted(self.layout.sizes.slots[pid]), direct=True, all_of_them=True)
                lines += call if pid < always else [f"    if (n > {pid}) {{", *indent(call), "    }"]
        else:
            call = self.dispatch("pid", list(range(len(self.facts.templates))), all_of_them=True)
            lines += ["    for (unsigned pid = n; pid-- > 0;) {", *indent(call), "    }"]
        return "\n".join([*lines, "    return found;", "}"])

    def call(self, pid: str, template: int, direct: bool) -> str:
        if self.specialised and not (direct and self.tiny):
            return f"slot_{pid}_{template}(w, s)"
        return f"steps_{template}(w, s, {pid})"

    def dispatch(self, pid: str, templates: list[int], direct: bool = False, all_of_them: bool = False) -> Lines:
        """Call the step function of whatever template runs in a slot."""
        calls = {t: self.call(pid, t, direct) for t in templates}
        if all_of_them and self.facts.fair:
            calls = {t: f"starts(w, {pid}, {call})" for t, call in calls.items()}
        if len(templates) == 1:
            return [f"    found += {calls[templates[0]]};"]
        cases = [f"    case {t}: found += {call}; break;" for t, call in calls.items()]
        return [f"    switch (template_of(s, {pid})) {{", *cases, "    default: break;", "    }"]

    def process_steps(self) -> str:
        """`process_steps`: those of one process."""
        kind = "ALWAYS_INLINE" if self.specialised else "static"  # a constant pid makes it one call
        lines = [f"{kind} int process_steps(struct worker *w, const word *s, unsigned pid) {{", "    int found = 0;"]
        if self.specialised:
            lines.append("    switch (pid) {")
            for pid in range(len(self.layout.lanes)):
                call = self.dispatch(str(pid), sorted(self.layout.sizes.slots[pid]))
                lines += [f"    case {pid}:", *indent(call), "        break;"]
            lines += ["    default: break;", "    }"]
        else:
            lines += self.dispatch("pid", list(range(len(self.facts.templates))))
        return "\n".join([*lines, "    return found;", "}"])

    def stuck(self) -> str:
        """`stuck_site`: where nothing moves, the place of the first process that may not end there."""
        lines = [
            "static uint32_t stuck_site(const word *s) {",
            "    for (unsigned pid = 0; pid < n_processes(s); pid++) {",
            "        const unsigned t = template_of(s, pid);",
            "        const uint32_t site = WAITING_SITE[t][pc_of(s, pid, t)];",
            "        if (site) return shared.deadlock ? site : 0;",
            "    }",
        ]
        lines += monitor.stuck(self.facts, self.steps)
        return "\n".join([*lines, "    return 0;", "}"])

    # ---------------------------------------------------------------- the end of the file

    def initial(self) -> Lines:
        packing = Packing(self.layout)
        rows = [packing.pack(state) for state in self.facts.initial]
        body = ",\n".join("    {" + ", ".join(f"0x{w:x}ULL" for w in row) + "}" for row in rows)
        return [
            f"static const word initial_states[][KEY_WORDS] = {{\n{body}}};",
            "static const word *initial_state(uint64_t i) { return initial_states[i]; }",
        ]

    def description(self) -> str:
        """The record by which the linked part of the runtime knows the model."""
        return "\n".join(
            [
                "const struct model isospin_model = {",
                "    .key_words = KEY_WORDS, .row_words = KEY_WORDS + REUSES_CODES, .state_words = STATE_WORDS,",
                "    .key_bits = LOOKED_BITS, .chunk_size = CHUNK,",
                f"    .n_actions = {self.n_actions}, .executed = executed, .n_sites = {self.steps.sites.count},",
                f"    .n_initial = {len(self.facts.initial)}, .initial = initial_states[0],",
                "    .pending_size = sizeof(struct pending),",
                f"    {claim.searches(self.facts)}, .expand = expand, .hash = hash_of, .mix = mix_of,",
                "#if TREE",
                "    .is_crowded = is_crowded, .regroup = regroup, .recode = recode,",
                "#endif",
                *(indent(self.fold.description()) if self.fold else []),
                "};",
            ]
        )
