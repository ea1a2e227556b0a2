"""The other half of a rendezvous: who takes the message that a sender holds out.

Reference: Holzmann's pan, which asks the processes one after the other, the youngest first.
Differs: slots where nobody ever receives are not asked.
"""

from __future__ import annotations

from ....core.model import Action
from ..state.facts import Facts, TemplateFacts
from ..state.layout import Layout
from .expressions import Lines, View, indent
from .steps import Steps, may_receive


def receive_function(steps: Steps, t: TemplateFacts, may_move: Lines) -> str:
    """`receive_T`: the steps that take a message which a sender holds out."""
    v = View("s", "pid", t.number)
    parameter, first = steps.about_pid(t.number)
    head = (
        f"static int receive_{t.number}(struct worker *w, const word *s, {parameter}, unsigned c, "
        "unsigned sender, int sent) {"
    )
    cases: Lines = []
    for pc, location in enumerate(t.locations):
        actions = t.leaving.get(location, [])
        if any(may_receive(a) for a in actions):
            body = [line for a in actions for line in _receiving(steps, t, a, v)]
            cases += [f"case {pc}: {{", *indent(body), "    break;", "}"]
    middle = [
        first,
        "    int got = 0, escape = 0;",
        "    (void)w; (void)s; (void)c; (void)sender; (void)sent; (void)escape;",
        *may_move,
        f"    switch (pc_of(s, pid, {t.number})) {{",
    ]
    return "\n".join([head, *middle, *indent(cases), "    default: break;", "    }", "    return got;", "}"])


def _receiving(steps: Steps, t: TemplateFacts, action: Action, v: View) -> Lines:
    """One action of a process that may take the message."""
    lines = [f"if (escape && escape != {action.escape}) return got;"]
    if not may_receive(action):
        return lines
    test = steps.takes_from(action, v, "c")
    effect = steps.effect(action, View("n", "pid", t.number))
    choice = f"(struct choice){{(int)sender, sent, (int)pid, {action.id}}}"
    body = [
        "word n[STATE_WORDS];",
        "copy_state(n, s);",
        "const uint32_t held = w->n_failed;",
        *effect,
        *steps.arrive(action, t, "n", "pid"),
        "if (UNLIKELY(w->fault)) return got;",
        *steps.leaks(action, "w->before"),
        "got++;",
        f"escape = {action.escape};",
        f"emit_checked(w, n, {choice}, {steps.control(action, t, 'pid')});",
        "w->n_failed = held;",
    ]
    fault = "if (UNLIKELY(w->fault)) return got;"
    head = ["{", f"    const bool takes = {test};", f"    {fault}", "    if (takes) {"]
    return [*lines, *head, *indent(body, 2), "    }", "}"]


def _ever_receives(t: TemplateFacts) -> bool:
    return any(may_receive(a) for actions in t.leaving.values() for a in actions)


def _asked(facts: Facts, layout: Layout) -> Lines:
    """Ask every process but the sender, the youngest first."""
    takers = {t.number for t in facts.templates if _ever_receives(t)}

    def ask(template: int, pid: object = "pid") -> str:
        return f"got += receive_{template}(w, s, {pid}, c, sender, action);"

    if not layout.has_few_slots:
        cases = [f"    case {t}: {ask(t)} break;" for t in sorted(takers)]
        switch = ["switch (template_of(s, pid)) {", *cases, "    default: break;", "}"]
        loop = "for (unsigned pid = n_processes(s); pid-- > 0 && !w->fault;) {"
        return [loop, "    if (pid == sender) continue;", *indent(switch), "}"]
    lines: Lines = ["const unsigned n MAYBE_UNUSED = n_processes(s);"]
    for pid, templates in reversed(list(enumerate(layout.sizes.slots))):
        for t in sorted(takers & set(templates)):
            here = f" && template_of(s, {pid}) == {t}" if len(templates) > 1 else ""
            lines.append(f"if (n > {pid} && sender != {pid}{here} && !w->fault) {ask(t, pid)}")
    return lines


def receivers(facts: Facts, layout: Layout) -> str:
    """`receivers`: everybody who could take the message."""
    return "\n".join(
        [
            "/* SOUND: every process may receive, the youngest first; the message is in the channel meanwhile. */",
            "static int receivers(struct worker *w, const word *s, unsigned c, unsigned sender, int action) {",
            "    const bool timeout = w->timeout;",
            "    int got = 0;",
            "    w->timeout = false;",
            *indent(_asked(facts, layout)),
            "    w->timeout = timeout;",
            "    if (UNLIKELY(w->fault)) {",
            "        got++;",
            "        emit_fault(w, (struct choice){(int)sender, action, NOBODY, NOBODY});",
            "    }",
            "    w->n_failed = 0;",
            "    return got;",
            "}",
        ]
    )
