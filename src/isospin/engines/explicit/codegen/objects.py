"""Objects and calls -> C: what `new`, `delete`, calls and returns do to the new state `n`.

Reference: semantics/objects.py, semantics/calls.py, semantics/heap.py.
Differs: nothing; `place` is the slot that the step which starts with `new` tries, see `placing`.
"""

from __future__ import annotations

from ....core.model import (
    Action,
    Allocate,
    Assign,
    Call,
    Chain,
    Delete,
    Deterministic,
    End,
    Field,
    Receive,
    Return,
    Store,
    Variable,
    is_pointer,
)
from ....core.records import dataclass
from ....semantics.calls import slots_of
from ....semantics.heap import initial_fields
from ..constants import WHERE, OverflowKind
from ..state.heaps import StackLayout
from ..state.packing import BitBlock
from .expressions import Expressions, Lines, View, get, indent, mask, wrap


def may_lose(action: Action) -> bool:
    """Can an object be out of reach after the step that was in reach before?"""
    if any(is_pointer(v.type) for v in action.clears):
        return True
    match action.step:
        case Chain(actions):
            return any(may_lose(a) for a in actions)
        case Assign(place):
            return is_pointer(place.variable.type)
        case Store(field):
            return is_pointer(field.variable.type)
    # SOUND: all others that take a pointer from somewhere; what only reads, or adds pointers, loses nothing.
    return isinstance(action.step, Allocate | Delete | Call | Return | Receive | Deterministic | End)


@dataclass
class ObjectSteps(Expressions):
    """Writes the steps that allocate, delete, call and return."""

    def object_effect(self, step: Allocate | Delete | Call | Return, v: View) -> Lines:
        """C that does the step; it may be a fault."""
        self.may_fault = True
        match step:
            case Allocate():
                return self.allocate(step, v)
            case Delete(pointer):
                return [f"delete_object(w, {v.state}, {self.expr(pointer, v)}, {self.fault_site()});"]
            case Call():
                return self.call(step, v)
            case Return():
                return self.returns(step, v)

    def allocate(self, step: Allocate, v: View) -> Lines:
        """A new object at `place`, with its initial values, and the pointer to it."""
        tag, kind = self.facts.tag(step.type), self.facts.model.object(step.type)
        assert self.layout.heap is not None
        # A dangling pointer does not become good by the new object itself.
        lines = [f"(void){self.object(step.into, v)};"] if isinstance(step.into, Field) else []
        lines.append(f"new_object({v.state}, place, {tag});")
        initial = initial_fields(kind.fields, kind.size)
        for number, variable in enumerate(kind.fields):
            block = self.layout.heap.objects[tag - 1][variable.base]
            for at in (at for at in range(variable.size) if initial[variable.base + at]):
                lines += ["{", f"    const val value = {initial[variable.base + at]};"]
                lines += indent(self.fit("value", block, OverflowKind.OBJECT, (tag - 1) * WHERE + number))
                lines += [f"    {self.put_at('CELL', 'place', block, at, 'value', v)}", "}"]
        return lines + self.store(step.into, "(val)place + 1", v)

    @staticmethod
    def put_at(frame: str, which: str, block: BitBlock, index: int, value: str, v: View) -> str:
        """C that writes an element of a block in a lane or a cell."""
        w, s = block.place(index)
        word, shift = f"{v.state} + {frame}_WORD[{which}] + {w}", f"{frame}_SHIFT[{which}] + {s}"
        return f"put({word}, {shift}, {mask(block.bits)}, {value});"

    def placing(self, new: Allocate, body: Lines, failed: Lines, note: Lines) -> Lines:
        """The step with the new object in each place where it may be."""
        again = str(new.type not in self.facts.model.unaliased).lower()
        return [
            "{",
            "    struct places places;",
            f"    find_places(w, s, {self.facts.tag(new.type)}, {again}, &places);",
            "    if (UNLIKELY(w->fault)) {",
            "        const int32_t reuse = 0;",
            *indent([*failed, *note], 2),
            "    }",
            "    for (unsigned k = 0; k < places.count; k++) {",
            "        const unsigned place = places.slot[k];",
            "        const int32_t reuse = k || !places.first_is_fresh ? (int32_t)place + 1 : 0;",
            *indent(body, 2),
            "    }",
            "    if (UNLIKELY(places.full)) {",
            *indent(["cut_off(w, CUT_OBJECTS);", "found++;", *note], 2),
            "    }",
            "}",
        ]

    def leaks(self, action: Action, before: str) -> Lines:
        """Is something out of reach that was not before the step?"""
        if not self.facts.model.watch_leaks or not self.facts.model.objects or not may_lose(action):
            return []
        return [f"judge_leaks(w, {before}, n, {self.sites.new()});"]

    # ---------------------------------------------------------------- calls

    def stack(self, v: View) -> StackLayout:
        found = self.layout.stacks[v.template]
        assert found is not None
        return found

    def comes_from(self, step: Return, v: View) -> str:
        """C: was the running function called from here?"""
        number = self.stack(v).sites[step.site]
        return f"comes_from({v.state}, {v.pid}, {v.template}, {number})"

    def call(self, step: Call, v: View) -> Lines:
        """Save what the function will overwrite, then set its parameters."""
        stack = self.stack(v)
        given = zip(step.parameters, step.values, strict=True)
        values = [wrap(self.expr(x, v), p.type.bits, p.type.signed) for p, x in given]
        forgotten = set(slots_of(step.forgets))
        lines: Lines = []
        for variable in step.variables:
            for i in range(variable.size):
                if variable.base + i not in forgotten:
                    lines += self.save(step.site, variable, i, v)
                lines.append(self.put_local(variable, i, "0", v))
        for number, parameter in enumerate(step.parameters):
            block = self.layout.locals[v.template][parameter.base]
            where = self.local_number(v.template, parameter)
            lines += self.fit(f"given[{number}]", block, OverflowKind.LOCAL, where)
            lines.append(self.put_local(parameter, 0, f"given[{number}]", v))
        return [
            "{",
            f"    const val given[] MAYBE_UNUSED = {{{', '.join(values) or '0'}}};",
            f"    const unsigned depth = depth_of({v.state}, {v.pid}, {v.template});",
            f"    if (UNLIKELY(depth >= {stack.room})) {{",
            f"        report_overflow(w, OVERFLOW_DEPTH, {v.template}, (int)depth + 1);",
            "    } else {",
            f"        const struct entry e = entry_of({v.pid}, {v.template}, depth);",
            f"        put({v.state} + e.word, e.shift, {mask(stack.site_bits)}, {stack.sites[step.site]});",
            *indent(lines, 2),
            f"        set_depth({v.state}, {v.pid}, {v.template}, depth + 1);",
            "    }",
            "}",
        ]

    def save(self, site: int, variable: Variable, i: int, v: View) -> Lines:
        """Put an element of a local variable into the new entry `e` of the stack, if it fits there."""
        block = self.stack(v).saved[site][variable.base]
        w, s = block.place(i)
        value = self.local(v.template, variable, i, v.state, v.pid)
        where = self.local_number(v.template, variable)
        lines = ["{", f"    const val value = {value};", *indent(self.fit("value", block, OverflowKind.SAVED, where))]
        return [*lines, f"    put({v.state} + e.word + {w}, e.shift + {s}, {mask(block.bits)}, value);", "}"]

    def put_local(self, variable: Variable, i: int, value: str, v: View) -> str:
        return self.put_at("LANE", v.pid, self.layout.locals[v.template][variable.base], i, value, v)

    def returns(self, step: Return, v: View) -> Lines:
        """Bring back what the call saved, and store the result where the call wants it."""
        saved = self.stack(v).saved[step.site]
        back = [
            self.put_local(variable, i, get(v.state, saved[variable.base], i, "e.word", "e.shift"), v)
            for variable in step.variables
            for i in range(variable.size)
        ]
        keep = [] if step.into is None else self.store(step.into, "result", v)
        return [
            "{",
            f"    const val result MAYBE_UNUSED = {self.expr(step.value, v)};",
            f"    const unsigned depth = depth_of({v.state}, {v.pid}, {v.template}) - 1;",
            f"    const struct entry e = entry_of({v.pid}, {v.template}, depth);",
            *indent(back),
            f"    clear_entry({v.state}, e, {v.template});",
            f"    set_depth({v.state}, {v.pid}, {v.template}, depth);",
            *indent(keep),
            "}",
        ]
