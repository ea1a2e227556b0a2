"""Actions -> C: when they can be executed, and what they do to the new state `n`."""

from __future__ import annotations

from collections.abc import Sequence

from ....core.model import (
    Action,
    Allocate,
    Assert,
    Assign,
    Bind,
    Call,
    Chain,
    Delete,
    Deterministic,
    Else,
    End,
    Expr,
    Guard,
    Match,
    Print,
    Receive,
    Return,
    Run,
    Send,
    SetPriority,
    Skip,
    Store,
    Template,
    Transition,
)
from ....core.records import dataclass
from ....semantics.channels import pointer_problem
from ..constants import WHERE, OverflowKind
from ..state.facts import TemplateFacts
from .expressions import Lines, View, indent, locate, mask, wrap
from .objects import ObjectSteps, may_lose

MOST_FOLLOWED = 2000  # locations: more might need too much of the C stack


@dataclass
class Steps(ObjectSteps):
    """One for a whole model; `translate` is asked for one template after the other."""

    def __post_init__(self) -> None:
        self.ready_names: dict[int, str] = {}
        self.effect_names: dict[int, str] = {}
        self.kept: list[Action] = []  # so that their ids stay unique

    # ---------------------------------------------------------------- when

    def ready(self, action: Action, v: View) -> str:
        """Can the action be executed?  A C condition; "1" if always."""
        match action.step:
            case Skip() | Else() | Assign() | Assert() | Print() | SetPriority() | Run():
                return "1"
            case Store() | Allocate() | Delete() | Call():
                return "1"
            case Return():
                return self.comes_from(action.step, v)
            case Guard(condition) | Transition(condition):
                return self.expr(condition, v)
            case End():
                return f"{v.pid} + 1 == n_processes({v.state})"
            case Deterministic():
                self.may_fault = True
                return f"{self.first_ready(action, v.template)}(w, {v.state}, {v.pid}, -1)"
            case Chain(actions):
                return self.ready(actions[0], v)
            case Send(channel):
                return f"!{self.full(channel, v)}"
            case Receive():
                return f"{self.receive_finder(action, v.template)}(w, {v.state}, {v.pid}) >= 0"
        raise AssertionError(action.step)

    def receive_finder(self, action: Action, template: int) -> str:
        """The function that looks for a message that an action can take; one for each action."""
        step = action.step
        assert isinstance(step, Receive)
        if id(action) not in self.ready_names:
            before = self.may_fault
            self.may_fault = False
            name = self.finder(step.channel, step.patterns, step.anywhere, template)
            self.ready_names[id(action)] = name + ("!" if self.may_fault else "")
            self.may_fault = before
            self.kept.append(action)
        name = self.ready_names[id(action)]
        self.may_fault = self.may_fault or name.endswith("!")
        return name.rstrip("!")

    def first_ready(self, action: Action, template: int) -> str:
        """A function: can a d_step start?  With a channel: does it start with a receive from that channel?"""
        step = action.step
        assert isinstance(step, Deterministic)
        if id(action) in self.ready_names:
            return self.ready_names[id(action)]
        v = View("s", "pid", template)
        lines: Lines = []
        for inner in self.facts.templates[template].leaving.get(step.entry, []):
            takes = self.takes_from(inner, v, "only")
            lines.append(f"    if ({self.ready(inner, v)}) return w->fault ? 0 : only < 0 || {takes};")
        name = self.ready_names[id(action)] = self.name("starts")
        self.kept.append(action)
        parameter, first = self.about_pid(template)
        head = f"static MAYBE_UNUSED int {name}(struct worker *w, const word *s, {parameter}, const int only) {{"
        self.helpers.append("\n".join([head, f"{first} (void)w; (void)s;", *lines, "    return 0;", "}"]))
        return name

    def takes_from(self, action: Action, v: View, channel: str) -> str:
        """Does the action start with a receive from this channel (an index), and can it be executed?"""
        match action.step:
            case Deterministic():
                return f"{self.first_ready(action, v.template)}(w, {v.state}, {v.pid}, (int){channel})"
            case Chain(actions):
                return self.takes_from(actions[0], v, channel)
            case Receive(which):
                return f"({self.expr(which, v)} == (val){channel} + 1 && {self.ready(action, v)})"
        return "0"

    # ---------------------------------------------------------------- what

    def effect(self, action: Action, v: View) -> Lines:
        """What the action does to the new state; the location is set by `arrive`."""
        lines = [f"MARK({action.id});"]
        match action.step:
            case Assign(place, value):
                return lines + self.store(place, self.expr(value, v), v)
            case Transition(_, assigns):
                return lines + [line for a in assigns for line in self.store(a.place, self.expr(a.value, v), v)]
            case Assert(condition):
                test = self.expr(condition, v)
                return [*lines, f"if (UNLIKELY(!{test})) failed(w, {self.sites.new()});"]
            case Print(_, values):
                return lines + [f"(void){self.expr(x, v)};" for x in values if self.can_fault(x, v)]
            case SetPriority(pid, value):
                which, priority = self.expr(pid, v), self.expr(value, v)
                return [*lines, f"set_priority(w, {v.state}, {which}, {priority}, {self.fault_site()});"]
            case Store(field, value):
                return lines + self.store(field, self.expr(value, v), v)
            case Allocate() | Delete() | Call() | Return():
                return lines + self.object_effect(action.step, v)
            case Run():
                return lines + self.run(action.step, v)
            case Send() | Receive() | Deterministic():
                self.may_fault = True
                return [*lines, f"{self.effect_function(action, v.template)}(w, {v.state}, {v.pid});"]
            case Chain(actions):
                return lines + [line for a in actions for line in self.effect(a, v)]
        return lines  # Skip, Else, Guard; End is done on arrival

    def may_fail(self, action: Action, facts: TemplateFacts) -> bool:
        """Can the step break an assertion or a trace, or lose an object?"""
        if self.facts.model.watch_leaks and may_lose(action):
            return True
        match action.step:
            case Assert() | Deterministic():
                return True
            case Send() | Receive():
                return self.facts.model.monitor is not None
            case Chain(actions):
                return any(self.may_fail(a, facts) for a in actions)
        return False

    def can_fault(self, expression: object, v: View) -> bool:
        """May this expression be a fault?  It is translated only to find out."""
        before, self.may_fault = self.may_fault, False
        self.expr(expression, v)  # type: ignore[arg-type]
        result, self.may_fault = self.may_fault, before
        return result

    def run(self, step: Run, v: View) -> Lines:
        """Start a process, and keep its number if somebody wants it."""
        self.may_fault = True
        target = self.facts.by_name[step.template]
        values = ", ".join(self.expr(x, v) for x in step.values) or "0"
        lines = ["{", f"    const val arguments[] = {{{values}}};"]
        call = f"spawn_{target.number}(w, {v.state}, arguments, {step.priority})"
        lines.append(f"    const int born MAYBE_UNUSED = {call};")
        if step.into is not None:
            lines += indent(self.store(step.into, "born", v))
        return [*lines, "}"]

    def effect_function(self, action: Action, template: int) -> str:
        """Effects that are long are functions; the same one wherever the action occurs."""
        if id(action) not in self.effect_names:
            v = View("n", "pid", template)
            match action.step:
                case Send():
                    body = self.send(action.step, v)
                case Receive():
                    body = self.receive(action, action.step, v)
                case Deterministic():
                    body = self.deterministic(action.step, v)
                case _:
                    raise AssertionError(action.step)
            name = self.effect_names[id(action)] = self.name("do")
            self.kept.append(action)
            parameter, first = self.about_pid(template)
            head = f"static MAYBE_UNUSED void {name}(struct worker *w, word *n, {parameter}) {{"
            self.helpers.append("\n".join([head, f"{first} (void)w;", *indent(body), "}"]))
        return self.effect_names[id(action)]

    def send(self, step: Send, v: View) -> Lines:
        """Puts the message into the channel, also into a rendezvous channel, where the receiver finds it."""
        count = len(step.values)
        where = "sorted_place(n, c, t, message)" if step.sorted else "chan_len(n, c)"
        return [
            f"const unsigned c = {self.channel(step.channel, v)};",
            f"const unsigned t = {self.type_of(step.channel, 'n', v.template)};",
            "if (UNLIKELY(w->fault)) return;",
            f"if (FIELDS[t] != {count}) {{ fault(w, {self.fault_site()}); return; }}",
            *self.pointer_check(step.values),
            f"val message[{count}];",
            *(f"message[{i}] = wrap_field(w, t, {i}, {self.expr(e, v)});" for i, e in enumerate(step.values)),
            "if (UNLIKELY(w->fault)) return;",
            f"chan_put(n, c, t, {where}, message);",
            *(["observe(w, n, pid, 0, c, message, FIELDS[t]);"] if self.facts.model.monitor else []),
        ]

    def receive(self, action: Action, step: Receive, v: View) -> Lines:
        """Take the message out, bind what the patterns bind, or leave it there."""
        count = len(step.patterns)
        lines = [
            f"const int at = {self.receive_finder(action, v.template)}(w, n, pid);",
            "if (UNLIKELY(at < 0 || w->fault)) return;",
            f"const unsigned c = {self.channel(step.channel, v)};",
            f"const unsigned t = {self.type_of(step.channel, 'n', v.template)};",
            f"if (FIELDS[t] != {count}) {{ fault(w, {self.fault_site()}); return; }}",
            *self.pointer_check([p.value if isinstance(p, Match) else p.place for p in step.patterns]),
            f"val message[{count}];",
            f"for (unsigned f = 0; f < {count}; f++) message[f] = chan_field(n, c, t, (unsigned)at, f);",
            "(void)message;",
        ]
        if not step.keep:
            if self.facts.model.monitor:
                lines.append("observe(w, n, pid, 1, c, message, FIELDS[t]);")
            lines.append("chan_remove(n, c, t, (unsigned)at);")
        for i, pattern in enumerate(step.patterns):
            if isinstance(pattern, Bind) and pattern.place is not None:
                lines += self.store(pattern.place, f"message[{i}]", v)
        return lines

    def pointer_check(self, values: Sequence[Expr | None]) -> Lines:
        """SOUND: pointers stay pointers to what they point to, even if the channel is known only now."""
        types = [(t, kind) for t, kind in enumerate(self.facts.channel_types) if len(kind.fields) == len(values)]
        wrong = [t for t, kind in types if self.facts.model.objects and pointer_problem(kind, values)]
        return [f"if (t == {t}) {{ fault(w, {self.fault_site()}); return; }}" for t in wrong]

    def no_rendezvous(self, action: Action, v: View) -> Lines:
        """Inside a d_step nobody can receive what is sent."""
        if not isinstance(action.step, Send) or all(kind.capacity for kind in self.facts.channel_types):
            return []
        channel = self.channel(action.step.channel, v)
        return [f"if (CAPACITY[type_of({v.state}, {channel})] == 0) {{ fault(w, {self.fault_site()}); break; }}"]

    def deterministic(self, step: Deterministic, v: View) -> Lines:
        """SOUND: the first executable action at each location, as the reference takes it; one step for the search."""
        facts = self.facts.templates[v.template]
        cases: Lines = []
        for location in sorted(step.inside):
            cases.append(f"case {location}:")
            for action in facts.leaving.get(location, []):
                test = self.ready(action, v)
                body = [*self.no_rendezvous(action, v), *self.effect(action, v), f"at = {action.target};", "break;"]
                cases += [f"    if (({test}) && !w->fault) {{", *indent(body, 2), "    }"]
            cases += [f"    fault(w, {self.fault_site()});", "    break;"]
        return [
            f"int at = {step.entry};",
            "for (int steps = 0; steps < MOST_MICRO_STEPS; steps++) {",
            "    switch (at) {",
            *indent(cases),
            "    default: return;",
            "    }",
            "    if (UNLIKELY(w->fault)) return;",
            "}",
            f"fault(w, {self.fault_site()});",
        ]

    # ---------------------------------------------------------------- arriving

    def arrive(self, action: Action, facts: TemplateFacts, state: str, pid: str) -> Lines:
        """The process is at the target now; what is dead there becomes 0, and one that has ended is removed."""
        lines: Lines = []
        if isinstance(action.step, End):
            lines.append(f"bury_{facts.number}({state}, {pid});")
        else:
            if action.target != action.source:
                lines.append(f"set_pc({state}, {pid}, {facts.number}, {facts.pc(action.target)});")
            for variable in action.clears:
                if variable.owned and variable.base not in self.layout.globals:
                    continue  # nobody reads it: it is no part of a state
                if variable.owned:
                    block = self.layout.globals[variable.base]
                    word, shift = locate(block, pid, "0", "0")
                    lines.append(f"put({state} + {word}, {shift}, {mask(block.bits)}, 0);")
                    continue
                block = self.layout.locals[facts.number][variable.base]
                for i in range(block.count):
                    w, s = block.place(i)
                    at = f"{state} + LANE_WORD[{pid}] + {w}, LANE_SHIFT[{pid}] + {s}"
                    lines.append(f"put({at}, {mask(block.bits)}, {variable.rest});")
        if self.facts.model.uses_last:
            lines.append(f"SET_LAST({state}, {pid});")
        return lines

    def control(self, action: Action, facts: TemplateFacts, pid: str) -> str:
        """Who keeps control behind the action, and whether it may go round there for ever, as arguments."""
        loop = "true" if action.target in facts.looping else "false"
        return f"(int){pid}, {loop}" if action.keeps_control else "NOBODY, false"

    def may_follow(self, action: Action, facts: TemplateFacts) -> bool:
        """Can the rest of the atomic sequence be executed at once?  SOUND: without loops, C recursion is bounded."""
        short = len(facts.locations) <= MOST_FOLLOWED
        return action.keeps_control and short and action.target not in facts.looping

    # ---------------------------------------------------------------- births

    def spawn(self, facts: TemplateFacts) -> str:
        """`spawn_T`: a process of the template with its arguments, initial values and channels."""
        template, t = facts.template, facts.number
        v = View("n", "pid", t)
        body: Lines = []
        for i, variable in enumerate(template.parameters):
            body += self.set_initial(template, _variable_number(template, variable.base), 0, f"arguments[{i}]", v)
        channels = {c.offset: c.type for c in template.channels}
        for number, variable in enumerate(template.locals):
            if number < len(template.parameters):
                continue
            for i in range(variable.size):
                slot = variable.base + i
                if slot in channels:
                    kind = self.facts.channel_types.index(channels[slot])
                    value = f"(val)new_channel(w, n, {kind}, {self.fault_site()})"
                    body += self.set_initial(template, number, i, value, v)
                elif variable.initial:
                    e = variable.initial[0] if len(variable.initial) == 1 else None
                    if len(variable.initial) > 1 and i < len(variable.initial):
                        e = variable.initial[i]
                    value = "0" if e is None else self.expr(e, v)
                    if value != "0":
                        body += self.set_initial(template, number, i, value, v)
        head = [
            f"static MAYBE_UNUSED int spawn_{t}(struct worker *w, word *n, const val *arguments, int priority) {{",
            "    (void)arguments; (void)priority;",
            f"    const unsigned pid = born(w, n, {t}, {facts.pc(template.entry)}, priority, {self.fault_site()});",
            "    if (UNLIKELY(w->fault)) return 0;",
        ]
        return "\n".join([*head, *indent(body), "    return (int)pid;", "}"])

    def set_initial(self, template: Template, number: int, index: int, value: str, v: View) -> Lines:
        """Give an element of a local variable of a new process its first value."""
        variable = template.locals[number]
        block = self.layout.locals[v.template][variable.base]
        w, s = block.place(index)
        lines = ["{", f"    val value = {wrap(value, variable.type.bits, variable.type.signed)};"]
        lines += indent(self.fit("value", block, OverflowKind.LOCAL, v.template * WHERE + number))
        if expected := self.fixed(v, variable):  # SOUND: whoever reads it relies on that
            where = v.template * WHERE + number
            lines.append(f"    if (value != {expected}) report_overflow(w, OVERFLOW_FIXED, {where}, (int)value);")
        at = f"n + LANE_WORD[pid] + {w}, LANE_SHIFT[pid] + {s}"
        return [*lines, f"    put({at}, {mask(block.bits)}, value);", "}"]

    def bury(self, facts: TemplateFacts) -> str:
        """A function that removes a process with its channels."""
        gone = "".join(" drop_channel(n);" for _ in facts.template.channels)
        return f"static MAYBE_UNUSED void bury_{facts.number}(word *n, unsigned pid) {{ clear_lane(n, pid);{gone} }}"


def _variable_number(template: Template, base: int) -> int:
    return next(i for i, v in enumerate(template.locals) if v.base == base)


def may_receive(action: Action) -> bool:
    """Can the action start with a receive?"""
    first = action.step.actions[0].step if isinstance(action.step, Chain) else action.step
    return isinstance(first, Receive | Deterministic)
