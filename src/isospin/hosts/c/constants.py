"""The numbers and words that the C host and the runtime inside the program share."""

from __future__ import annotations

from enum import IntEnum, IntFlag, StrEnum

from ...core import c_header

MOST_THREADS = 64  # so that a set of threads is a word
GRANULE = 8  # bytes that become visible together
SAVED_REGISTERS = ("rbx", "rbp", "r12", "r13", "r14", "r15")  # what a function gives back as it was

# Where the memory of threads is (runtime/fibers/region.h): the first one's, and how much each has; in it the heap; and
# elsewhere one byte for 16 bytes of heap, how many of them may be used.
REGION_BASE, REGION_SIZE = 0x100000000000, 0x40000000
HEAP_FROM = 0x200000  # not 0x100000: three bytes further on, an address in it would look like one of a region
LIVE_BASE, LIVE_UNIT = 0x180000000000, 16

# How memory is accessed: read, or one of these.  Of an atomic access also how much weaker than seq_cst its order is.
RACE_READ, RACE_WRITE, RACE_ATOMIC, RACE_UPDATE = 0, 1, 2, 1 << 5  # an update reads and writes in one
RACE_HELD = 1 << 6  # by a thread that could make it, and is held back
RACE_STORE = 1 << 7  # a write that takes no notice of what was there
RACE_WEAK_SHIFT = 2
RACE_WEAK = 7 << RACE_WEAK_SHIFT  # 5 - memory_order

# Names of writes, where order is weak (runtime/graphs/history.h): a thread's nth write of a variable.
SEES_LAST, SEES_INITIAL, FIRST_NAME, NAMES_OF_THREAD = 0, 1, 2, 1 << 20


class OperationKind(StrEnum):
    """Kinds of operations: shown to the user, and two operations are symmetric only if their kinds are equal."""

    START = "start"
    END = "end"
    CREATE = "create"
    JOIN = "join"
    READ = "read"
    WRITE = "write"
    UPDATE = "update"
    FENCE = "fence"
    LOCK = "lock"
    TRYLOCK = "trylock"
    TIMEDLOCK = "timed lock"
    UNLOCK = "unlock"
    READ_LOCK = "read lock"
    WAIT = "wait"
    WAKE = "wake"
    TIMED_WAKE = "wake or time-out"
    SIGNAL = "signal"
    BROADCAST = "broadcast"
    SEMAPHORE_WAIT = "semaphore wait"
    SEMAPHORE_TRY = "semaphore try"
    TIMED_SEMAPHORE_WAIT = "timed semaphore wait"
    SEMAPHORE_POST = "semaphore post"
    BARRIER = "barrier"
    BARRIER_LEAVE = "leave barrier"
    ONCE = "once"
    INITIALISE = "initialise"
    DESTROY = "destroy"
    FREE = "free"
    TOSS = "toss"
    SLEEP = "sleep"
    YIELD = "yield"
    OUTSIDE = "outside"


class Space(IntEnum):
    """Where the bytes of a span are: in memory; a lock or the like at an address; the end of a thread; elsewhere."""

    MEMORY = 0
    SYNC = 1
    ENDS = 2
    OUTSIDE = 3


class AccessKind(IntEnum):
    """What an atomic access does; a fence belongs to those around it."""

    LOAD = 0
    STORE = 1
    UPDATE = 2
    FENCE = 3


class PlaceFlag(IntFlag):
    """What is known of a program point."""

    APART = 1
    EXPOSES = 2
    BEGINNING = 4
    ERRNO = 8
    UNUSED = 16  # the result of the call is not looked at
    WALKS = 32  # the call may go from one object to another


class Commuting(IntEnum):
    """Updates of one kind whose results nobody looks at commute."""

    NEVER = 0
    ADD = 1
    AND = 2
    OR = 3
    XOR = 4


class Compute(IntEnum):
    """How code computes a value from others, in 64 bits."""

    NUMBER = 0
    CARRIED = 1
    ADD = 2
    SUB = 3
    MUL = 4
    HIGH = 5  # the upper half of a product, signed
    HIGHU = 6
    SHL = 7
    SHR = 8
    SAR = 9
    AND = 10
    OR = 11
    XOR = 12
    QUOTIENT = 13
    REMAINDER = 14
    QUOTIENTU = 15
    REMAINDERU = 16
    EQUAL = 17
    LESS = 18
    BELOW = 19
    ZERO8 = 20  # from here on of one value
    ZERO16 = 21
    ZERO32 = 22
    SIGN8 = 23
    SIGN16 = 24
    SIGN32 = 25


class Rule(IntEnum):
    """What code does with a value: docs/develop/decisions/numbered-threads.md."""

    FLOW = 0  # a carrier gets it
    ADDRESS = 1  # memory is touched there
    SAME = 2  # whatever follows from it must not change under a renaming
    PIN = 3  # these variables do not move
    WIDEN = 4  # a carrier gets something that is not known, and is no number of a thread
    WILD = 5  # memory is touched, and nobody knows where
    OPAQUE = 6  # nothing is known
    UNSEEN = 7  # a library that nobody knows gets values; the first rule of its instruction
    LEADS = 8  # it is the address of a place of this carrier
    OWN = 9  # a carrier gets the address of what code makes as it runs; what is there follows from the rules


class MessageKind(StrEnum):
    """What the process says."""

    FINDING = "finding"
    NOTE = "note"
    OUTCOME = "outcome"
    AGAIN = "again"
    ORDER = "order"
    REVERSED = "reversed"
    WEAK = "weak"
    STRANGER = "stranger"
    VISIT = "visit"
    APART = "apart"
    FAMILIES = "families"
    PROGRESS = "progress"
    WONDERS = "wonders"
    RESULT = "result"
    STATE = "state"
    ALIKE = "alike"
    LIMITS = "limits"


class QuestionKind(StrEnum):
    """What the process asks about its own code."""

    PLACE = "place"
    FRAME = "frame"
    PAIR = "pair"
    GLOBALS = "globals"
    RULES = "rules"
    BLOCKS = "blocks"


class RequestKind(StrEnum):
    """What a process that serves is asked for."""

    RESTART = "restart"
    STEP = "step"
    RUN = "run"
    STUCK = "stuck"
    ALIKE = "alike"
    LIMITS = "limits"


class Incomplete(StrEnum):
    """Why an exploration left something out."""

    NOTHING = ""
    DEPTH = "depth"
    EXECUTIONS = "executions"
    TIME = "time"
    PREEMPTIONS = "preemptions"
    INTERRUPTED = "interrupted"
    MEMORY = "memory"
    CUTS = "cuts"
    CRASH = "crash"
    FORK = "fork"
    WEAK = "weak"
    LOST = "lost"
    BLOCKED = "blocked"  # most of what was tried led nowhere: another search may do better
    UNREAD = "unread"  # most executions differed in orders that nobody sees: the same
    GIVEN_UP = "given_up"  # some of the first were given up: another search may have few executions, and give up none
    REPEATED = "repeated"  # some of the first showed nothing new: the same


class Tried(StrEnum):
    """What speaks for a search that was tried for a few executions."""

    DONE = "done"  # it needs no more
    CLEAN = "clean"  # it needs more, and hardly gives any up


def header() -> str:
    """All of the above as a C header; the runtime has no other definition of them."""
    return c_header.header(
        c_header.numbers(
            MOST_THREADS=MOST_THREADS, GRANULE=GRANULE, SAVED_REGISTERS=len(SAVED_REGISTERS), LIVE_UNIT=LIVE_UNIT,
            RACE_READ=RACE_READ, RACE_WRITE=RACE_WRITE, RACE_ATOMIC=RACE_ATOMIC, RACE_UPDATE=RACE_UPDATE,
            RACE_HELD=RACE_HELD, RACE_STORE=RACE_STORE, RACE_WEAK_SHIFT=RACE_WEAK_SHIFT, RACE_WEAK=RACE_WEAK,
            SEES_LAST=SEES_LAST, SEES_INITIAL=SEES_INITIAL, FIRST_NAME=FIRST_NAME, NAMES_OF_THREAD=NAMES_OF_THREAD,
        ),
        c_header.addresses(REGION_BASE=REGION_BASE, REGION_SIZE=REGION_SIZE, HEAP_FROM=HEAP_FROM, LIVE_BASE=LIVE_BASE),
        c_header.enumeration(OperationKind, "OP_", "operation_kind"),
        c_header.enumeration(Space, "", "space"),
        c_header.enumeration(AccessKind, "ACCESS_", "access_kind"),
        c_header.enumeration(PlaceFlag, "PLACE_"),
        c_header.enumeration(Commuting, "COMMUTES_", "commuting"),
        c_header.enumeration(Compute, "COMPUTE_", "compute"),
        c_header.enumeration(Rule, "RULE_", "rule_kind"),
        c_header.words(MessageKind, "MESSAGE_"),
        c_header.words(QuestionKind, "QUESTION_"),
        c_header.words(RequestKind, "REQUEST_"),
        c_header.words(Incomplete, "INCOMPLETE_"),
        c_header.words(Tried, "TRIED_"),
    )  # fmt: skip
