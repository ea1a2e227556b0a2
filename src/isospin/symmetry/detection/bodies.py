"""Code that many processes share is looked at once, whoever has it.

Reference: Ip and Dill, Better Verification through Symmetry, 1996: what uses names as names treats all of them alike.
Differs: where a hundred processes each name a hundred, there are ten thousand actions in their own codes, and a hundred
in the code of their template.  So the facts of a template are written once, with `_pid` as the name of somebody who is
none of the processes, and with a permutation of the processes goes one of the template's own locations and locals.

SOUND: let a permutation keep these facts, and let a process take part in one.  Its image takes part in the image, which
is a fact about everybody, if `_pid` is nothing but a name there: putting in a process and then permuting is the same as
permuting and then putting in its image.  So the permutation, with what it does to locations and locals in each process,
keeps the facts of all processes.  Where `_pid` is a number (`_pid + 1`), the two differ, and nothing is shared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ...core.model import AtLabel, End, Model, RemoteRead
from ...core.permutation import Permutation
from ...semantics.walk import subexpressions
from ..protocol import Name
from .population import Population, reachable_actions
from .sights import every_look
from .specialise import OwnCode

MANY = 16  # so many processes of one template are worth it


def are_shareable(model: Model, population: Population) -> bool:
    """Are there many processes of one template, and does their code not depend on who they are?"""
    counts = Counter(p.template for p in population.state.processes)
    if max(counts.values(), default=0) < MANY:
        return False
    repeated = [template for template, count in counts.items() if count > 1]
    # SOUND: each of these says something of one process that is not said with its name.
    mortal = any(isinstance(a.step, End) for t in repeated for a in reachable_actions(model.templates[t]))
    owned = any(v.owned for v in model.globals)
    looks = (part for look in every_look(model) for part in subexpressions(look.expression))
    return not mortal and not owned and not any(isinstance(e, AtLabel | RemoteRead) for e in looks)


class Bodies:
    """The movables of all processes, and what permutations of shared ones do to them."""

    def __init__(self, owns: Iterable[OwnCode], shared: list[Name]) -> None:
        self.pids = {own.pid: own.shared_by for own in owns if own.shared_by}
        self.shared = shared
        self.movables: list[Name] = []
        # By shared movable: its place here, or that of the first of the processes that have it.
        self.first: list[int] = []
        # The shared movables that each of some processes has: which, whose body it is in, and who they are.
        self.owned = [
            (i, int(name[1]), owners)
            for i, name in enumerate(shared)
            if name[0] != "pid" and (owners := self.owners(name))
        ]
        for name in shared:
            self.first.append(len(self.movables))
            self.movables += self.everybodys(name)

    def owners(self, name: Name) -> tuple[int, ...]:
        """The processes that have it, if some do."""
        return self.pids.get(int(name[1]), ()) if name[0] in ("pid", "loc", "local") else ()

    def everybodys(self, name: Name) -> list[Name]:
        if not (owners := self.owners(name)):
            return [name]
        return [] if name[0] == "pid" else [(name[0], pid, name[2]) for pid in owners]

    def spread(self, element: Permutation) -> Permutation:
        """The permutation of all movables."""
        images = list(range(len(self.movables)))
        for i in [i for i, image in enumerate(element) if i != image]:
            if not self.owners(self.shared[i]):
                images[self.first[i]] = self.first[element[i]]
        rank = {pid: i for pids in self.pids.values() for i, pid in enumerate(pids)}
        moved = {body: [pid for pid in pids if element[pid] != pid] for body, pids in self.pids.items()}
        for i, body, owners in self.owned:
            for pid in moved[body] if element[i] == i else owners:
                images[self.first[i] + rank[pid]] = self.first[element[i]] + rank[element[pid]]
        return tuple(images)
