"""Decision diagrams, whoever keeps them: a thin interface over oxidd and over CUDD (through dd).

Reference: Bryant, Graph-Based Algorithms for Boolean Function Manipulation (IEEE Transactions on Computers, 1986).
Differs: variables are numbered from the top of the order, which stays as it is: the layout of the model knows better
than sifting, and swaps of processes must stay cheap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any, Protocol, TypeAlias

from ...core.errors import InternalError, UsageError

# The libraries have classes of their own; all we ask of a diagram are the operators & | ~, == and hash().
Bdd: TypeAlias = Any
Cube: TypeAlias = Any
Substitution: TypeAlias = Any
Bits: TypeAlias = Mapping[int, bool]

BYTES_PER_NODE = 48  # with its share of the tables
INSTALL = "pip install 'isospin[symbolic]'"


class Manager(Protocol):
    """What the engine asks of a library."""

    name: str
    full: tuple[type[Exception], ...]  # what it raises when the table is full
    true: Bdd
    false: Bdd

    def variable(self, number: int) -> Bdd: ...

    def xor(self, f: Bdd, g: Bdd) -> Bdd: ...

    def ite(self, condition: Bdd, then: Bdd, otherwise: Bdd) -> Bdd: ...

    def cube(self, variables: Iterable[int]) -> Cube:
        """A set of variables to quantify."""

    def exists(self, f: Bdd, cube: Cube) -> Bdd: ...

    def and_exists(self, f: Bdd, g: Bdd, cube: Cube) -> Bdd: ...

    def substitution(self, pairs: Mapping[int, Bdd]) -> Substitution: ...

    def substitute(self, f: Bdd, substitution: Substitution) -> Bdd:
        """All variables at once."""

    def count(self, f: Bdd, variables: int) -> int:
        """How many assignments of so many variables, among them all that f depends on, satisfy f; exactly."""

    def pick(self, f: Bdd) -> dict[int, bool]:
        """Some assignment that satisfies f; variables that do not matter are left out."""

    def evaluate(self, f: Bdd, bits: Bits) -> bool: ...

    def size(self, f: Bdd) -> int: ...

    def nodes(self) -> int:
        """About how many nodes are in the table now."""

    def is_crowded(self) -> bool:
        """Is the table so small that most of the time goes into tidying it up?"""


class _Oxidd:
    """oxidd's diagrams with complement edges; the table has a fixed size."""

    name = "oxidd"
    full: tuple[type[Exception], ...] = (MemoryError,)

    def __init__(self, variables: int, nodes: int) -> None:
        library = imported("oxidd.bcdd")
        self.conjunction = imported("oxidd.util").BooleanOperator.AND
        self.make_substitution = library.BCDDFunction.make_substitution
        self.manager = library.BCDDManager(nodes, nodes, 1)
        self.manager.add_vars(variables)
        self.true, self.false = self.manager.true(), self.manager.false()
        self.known = [self.manager.var(i) for i in range(variables)]

    def variable(self, number: int) -> Bdd:
        return self.known[number]

    def xor(self, f: Bdd, g: Bdd) -> Bdd:
        return f ^ g

    def ite(self, condition: Bdd, then: Bdd, otherwise: Bdd) -> Bdd:
        return condition.ite(then, otherwise)

    def cube(self, variables: Iterable[int]) -> Cube:
        result = self.true
        for v in sorted(variables, reverse=True):
            result = self.known[v] & result
        return result

    def exists(self, f: Bdd, cube: Cube) -> Bdd:
        return f.exists(cube)

    def and_exists(self, f: Bdd, g: Bdd, cube: Cube) -> Bdd:
        return f.apply_exists(self.conjunction, g, cube)

    def substitution(self, pairs: Mapping[int, Bdd]) -> Substitution:
        return self.make_substitution(list(pairs.items()))

    def substitute(self, f: Bdd, substitution: Substitution) -> Bdd:
        return f.substitute(substitution)

    def count(self, f: Bdd, variables: int) -> int:
        return _of_fewer(int(f.sat_count(len(self.known))), len(self.known) - variables)

    def pick(self, f: Bdd) -> dict[int, bool]:
        return {i: value for i, value in enumerate(f.pick_cube()) if value is not None}

    def evaluate(self, f: Bdd, bits: Bits) -> bool:
        return bool(f.eval([(i, bits.get(i, False)) for i in range(len(self.known))]))

    def size(self, f: Bdd) -> int:
        return int(f.node_count())

    def nodes(self) -> int:
        return int(self.manager.approx_num_inner_nodes())

    def is_crowded(self) -> bool:
        return int(self.manager.gc_count()) > 2


class _Cudd:
    """CUDD, through dd; without reordering, so that both libraries build the same diagrams."""

    name = "cudd"
    full: tuple[type[Exception], ...] = (MemoryError, ValueError, RuntimeError)

    def __init__(self, variables: int, nodes: int) -> None:
        self.library = imported("dd.cudd")
        self.manager = self.library.BDD()
        self.manager.configure(reordering=False, max_memory=nodes * BYTES_PER_NODE)
        self.names = [f"v{i}" for i in range(variables)]
        self.number = {name: i for i, name in enumerate(self.names)}
        self.manager.declare(*self.names)
        self.true, self.false = self.manager.true, self.manager.false
        self.known = [self.manager.var(name) for name in self.names]

    def variable(self, number: int) -> Bdd:
        return self.known[number]

    def xor(self, f: Bdd, g: Bdd) -> Bdd:
        return self.manager.apply("^", f, g)

    def ite(self, condition: Bdd, then: Bdd, otherwise: Bdd) -> Bdd:
        return self.manager.ite(condition, then, otherwise)

    def cube(self, variables: Iterable[int]) -> Cube:
        return [self.names[v] for v in sorted(variables)]

    def exists(self, f: Bdd, cube: Cube) -> Bdd:
        return self.manager.exist(cube, f)

    def and_exists(self, f: Bdd, g: Bdd, cube: Cube) -> Bdd:
        return self.library.and_exists(f, g, cube)

    def substitution(self, pairs: Mapping[int, Bdd]) -> Substitution:
        return {self.names[v]: f for v, f in pairs.items()}

    def substitute(self, f: Bdd, substitution: Substitution) -> Bdd:
        return self.manager.let(substitution, f) if substitution else f

    def count(self, f: Bdd, variables: int) -> int:
        """The library counts in floating point, so this goes over the nodes itself."""
        known: dict[int, int] = {}  # by node: satisfying assignments, of 2 ** len(self.names)
        scale = 1 << len(self.names)

        def below(u: Bdd) -> int:
            if u == self.true or u == self.false:
                return scale if u == self.true else 0
            key = hash(u)
            if key not in known:
                _, low, high = self.manager.succ(u if not u.negated else ~u)
                known[key] = (below(low) + below(high)) >> 1
                if u.negated:
                    known[key] = scale - known[key]
            return known[key]

        return _of_fewer(below(f), len(self.names) - variables)

    def pick(self, f: Bdd) -> dict[int, bool]:
        return {self.number[name]: value for name, value in self.manager.pick(f).items()}

    def evaluate(self, f: Bdd, bits: Bits) -> bool:
        values = {name: bits.get(self.number[name], False) for name in f.support}
        return bool((self.manager.let(values, f) if values else f) == self.true)

    def size(self, f: Bdd) -> int:
        return int(f.dag_size)

    def nodes(self) -> int:
        return len(self.manager)

    def is_crowded(self) -> bool:
        return False  # it grows by itself


BACKENDS: dict[str, type[_Oxidd] | type[_Cudd]] = {"oxidd": _Oxidd, "cudd": _Cudd}


def _of_fewer(count: int, unused: int) -> int:
    """The count without the variables on which the set cannot depend."""
    if count & ((1 << unused) - 1):
        raise InternalError("a set of states depends on bits that are none of a state")
    return count >> unused


def imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise UsageError(f"--engine symbolic needs {name.split('.')[0]}, which is not installed: {INSTALL}") from None


def manager(name: str, variables: int, nodes: int) -> Manager:
    return BACKENDS[name](variables, nodes)


def disjunction(manager: Manager, parts: Iterable[Bdd]) -> Bdd:
    result = manager.false
    for part in parts:
        result = result | part
    return result


def conjunction(manager: Manager, parts: Iterable[Bdd]) -> Bdd:
    result = manager.true
    for part in parts:
        result = result & part
    return result
