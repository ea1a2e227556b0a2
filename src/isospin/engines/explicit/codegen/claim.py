"""A claim -> C: what it can do when it looks at a state, and what its states mean."""

from __future__ import annotations

from ....core.model import Action, Assert, Else, End, Guard, Template
from ...interp.claims import NON_PROGRESS
from ..state.facts import Facts
from .automaton import ClaimAutomaton, numbers
from .expressions import Lines, View, indent
from .steps import Steps
from .tables import table, table2
from .templates import include

MOST_ATOMS = 64  # of a formula: the bits of a word
WATCHER = View("s", "(-1)", 0, "ended")  # a claim is no process


def configuration(facts: Facts) -> Lines:
    """What has to be known before the runtime is included."""
    chosen = {"CLAIMED": facts.claim is not None, "FAIR": facts.fair, "SEVERAL": facts.several}
    return [f"#define {name} {int(value)}" for name, value in chosen.items()]


def searches(facts: Facts) -> str:
    """What the compiler leaves out if nobody needs it."""
    if facts.claim is None:
        return ".bfs = bfs, .dfs = dfs, .insert_initial = insert_initial"
    return ".cycles = cycles, .together = SEVERAL"


def text(facts: Facts, steps: Steps) -> Lines:
    """Everything that cycles.inc.h asks for; nothing without a claim."""
    claim = facts.claim
    if claim is None:
        return []
    states = range(claim.size)
    made = len(steps.helpers)
    moves = _Moves(steps).function(claim)
    return [
        f"#define CLAIM_STATES {claim.size}",
        f"#define CLAIM_STUTTERS {int(claim.stutters)}",
        f"#define CLAIM_SEES_TIMEOUT {int(claim.sees_timeout)}",
        table("uint8_t", "CLAIM_CYCLES", claim.cycles),
        table("uint16_t", "CLAIM_PART", claim.parts),
        table("uint8_t", "CLAIM_FINAL", [int(q in claim.final) for q in states]),
        *accepts(facts, claim),
        *steps.helpers[made:],
        *moves,
        include("liveness/fair" if facts.fair else "liveness/together" if facts.several else "liveness/cycles"),
    ]


def accepts(facts: Facts, claim: ClaimAutomaton) -> Lines:
    """A run that comes back here for ever violates the claim."""
    if not claim.by_labels:
        marks = [int(q in claim.accepting) for q in range(claim.size)]
        head = "ALWAYS_INLINE bool claim_accepts(const word *s) { return CLAIM_ACCEPTS[CLAIM(s)]; }"
        return [table("uint8_t", "CLAIM_ACCEPTS", marks), head]
    rows = [[int(x in t.template.accept_locations) for x in t.locations] for t in facts.templates]
    return [
        table2("uint8_t", "ACCEPTS", rows),
        "static bool claim_accepts(const word *s) {",
        "    for (unsigned pid = 0; pid < n_processes(s); pid++) {",
        "        const unsigned t = template_of(s, pid);",
        "        if (ACCEPTS[t][pc_of(s, pid, t)]) return true;",
        "    }",
        "    return false;",
        "}",
    ]


class _Moves:
    """The function claim_moves: the states that can follow, each once, in the order of the reference."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps

    def function(self, claim: ClaimAutomaton) -> Lines:
        """`claim_moves`: which states the automaton may be in after it has looked at a state."""
        return [
            "static unsigned claim_moves(struct worker *w, const word *s, unsigned at, bool ended, uint16_t *next) {",
            "    unsigned n = 0;",
            "    (void)w; (void)s; (void)at; (void)ended;",
            *indent(self.body(claim)),
            "    return n;",
            "}",
        ]

    def body(self, claim: ClaimAutomaton) -> Lines:
        """C that puts the successors of the claim's state `at` into `next` and counts them in `n`."""
        if claim.claim.template is not None:
            return self.never(claim.claim.template)
        if claim.claim.kind == NON_PROGRESS:
            waits = "const bool waits = !ended && non_progress(s);"
            return [waits, "if (waits) next[n++] = 1;", "if (!at) next[n++] = 0;"]
        if claim.buchi is None:
            return ["next[n++] = 0;"]
        return self.formula(claim)

    def formula(self, claim: ClaimAutomaton) -> Lines:
        """All atoms at once, as bits; an edge is a test of some of them."""
        assert claim.buchi is not None
        atoms = [f"(word)({self.steps.expr(atom, WATCHER)} != 0) << {i}" for i, atom in enumerate(claim.buchi.atoms)]
        lines = [f"const word seen MAYBE_UNUSED = {' | '.join(atoms) or '0'};", "switch (at) {"]
        for q, edges in enumerate(claim.buchi.edges):
            lines.append(f"case {q}:")
            for target in dict.fromkeys(t for _, t in edges):
                cubes = [c for c, t in edges if t == target]
                tests = [f"(seen & {c.positive | c.negative:#x}ULL) == {c.positive:#x}ULL" for c in cubes]
                lines.append(f"    if ({' || '.join(tests)}) next[n++] = {target};")
            lines.append("    break;")
        return [*lines, "default: break;", "}"]

    def never(self, template: Template) -> Lines:
        """SOUND: an atomic sequence of the claim looks at one state, and comes to each place once."""
        number = numbers(template)
        size = len(number)
        cases: Lines = []
        for location, q in number.items():
            cases.append(f"case {q}:")
            for action in (a for a in template.actions if a.source == location):
                cases += indent(self.action(action, number[action.target]))
            cases.append("    break;")
        return [
            f"uint16_t todo[{size}];",
            f"bool inside[{size}] = {{false}}, found[{size}] = {{false}};",
            "unsigned n_todo = 1;",
            "todo[0] = (uint16_t)at;",
            "inside[at] = true;",
            "while (n_todo) {",
            "    bool moved MAYBE_UNUSED = false;",
            "    switch (todo[--n_todo]) {",
            *indent(cases),
            "    default: break;",
            "    }",
            "}",
            "(void)found;",
        ]

    def action(self, action: Action, target: int) -> Lines:
        """One step of a never claim, if its condition is true."""
        step = action.step
        if isinstance(step, End):
            return []
        test, before = "1", []
        if isinstance(step, Guard):
            test = self.steps.expr(step.condition, WATCHER)
        elif isinstance(step, Else):
            test = "!moved"
        elif isinstance(step, Assert):
            wrong = f"!{self.steps.expr(step.condition, WATCHER)}"
            before = [f"if ({wrong}) {{ fault(w, {self.steps.sites.new()}); return 0; }}"]
        where, into = ("inside", "todo[n_todo++]") if action.keeps_control else ("found", "next[n++]")
        reach = f"if (!{where}[{target}]) {{ {where}[{target}] = true; {into} = {target}; }}"
        return [*before, f"if ({test}) {{ moved = true; {reach} }}"]
