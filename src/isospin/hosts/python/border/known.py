"""Code without hooks of which it is known what it touches, and why: the list behind the border of control.

A call of such code reads what it is given and all that is in it (or changes that, see `WRITERS`), and touches nothing
else that a program can see.  Whatever is not named here makes a verdict incomplete when other threads could come in
between.  The table in docs/reference/python-programs.md is this one; a test compares them.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple


class _Row(NamedTuple):
    """A row of the list: what is known, and why it may be."""

    names: frozenset[str]  # modules, and `module.name` for one function or class
    reason: str


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KNOWN = (
    _Row(words("builtins array _array collections _collections _collections_abc"),
        "the language itself: what these functions, types and containers touch is in their arguments"),
    _Row(words("math cmath numbers fractions decimal _decimal _pydecimal statistics _statistics"),
        "numbers cannot be changed, and each thread has a decimal context of its own"),
    _Row(words("string _string textwrap re _sre unicodedata difflib fnmatch shlex html base64 binascii codecs keyword"),
        "texts cannot be changed; a cache of patterns gives the same answer whether it is full or empty"),
    _Row(words("datetime _datetime _strptime calendar zoneinfo uuid ipaddress enum secrets"),
        "dates, addresses and members of an enumeration cannot be changed"),
    _Row(words("pathlib.PurePath pathlib.Path() pathlib.PosixPath() "
              "posixpath ntpath os.fspath posix.fspath os.fsencode os.fsdecode genericpath.commonprefix"),
        "names of files are texts; what asks the file system itself is not in this list"),
    _Row(words("itertools functools _functools operator _operator types typing abc _abc dataclasses copy copyreg "
              "contextlib reprlib graphlib weakref _weakref _weakrefset"),
        "tools that work on what they are given; the functions that they call have hooks of their own"),
    _Row(words("json _json pprint pickle _pickle struct _struct hashlib _hashlib _sha1 _sha256 _sha512 _md5 _sha3 "
              "_blake2 hmac zlib csv _csv"),
        "they put data into another form, and keep none of it"),
    _Row(words("io.StringIO _io.StringIO io.BytesIO _io.BytesIO"),
        "files in memory: each method is one step of C code on that one object"),
    _Row(words("heapq _heapq bisect _bisect random _random"),
        "they change the list or the generator of random numbers that they are given, and nothing else"),
    _Row(words("logging warnings.warn _warnings.warn traceback linecache"),
        "messages: nobody in the program sees the order in which threads put them out, unless a handler is its own"),
    _Row(words("threading _thread queue concurrent time isospin pytest _pytest unittest argparse getopt "
              "inspect.signature inspect.isclass inspect.isfunction inspect.ismethod inspect.iscoroutinefunction "
              "inspect.getdoc inspect.cleandoc"),
        "threads, locks, queues, pools and clocks are under control; tests and arguments are one thread's business"),
    _Row(words("sys.exit sys.getsizeof sys.getrefcount sys.intern sys.getrecursionlimit "
              "sys.getswitchinterval sys.exc_info sys.getdefaultencoding sys.is_finalizing "
              "gc.collect gc.isenabled gc.get_threshold "
              "os.getpid posix.getpid os.getppid posix.getppid os.cpu_count posix.cpu_count os.getenv os._Environ "
              "os.urandom posix.urandom posix.sched_getaffinity platform"),
        "the interpreter and the machine: the answer is the same at any time, or (`os.environ`) its object is touched"),
)  # fmt: skip

NOT_KNOWN = words("""
    open _io.open io.open io.open_code compile __import__ input exec eval breakpoint help globals locals vars dir
    type.__subclasses__
    contextlib.redirect_stdout contextlib.redirect_stderr contextlib.chdir codecs.open codecs.register
    logging.shutdown logging.config.dictConfig logging.config.fileConfig logging.basicConfig logging.FileHandler
    posixpath.realpath posixpath.expanduser posixpath.ismount posixpath.lexists ntpath.realpath
    logging.Logger.setLevel logging.Logger.addHandler logging.Logger.removeHandler logging.disable
    logging.Handler.setLevel logging.Handler.setFormatter logging.Filterer.addFilter logging.Filterer.removeFilter
    logging.addLevelName logging.captureWarnings logging.setLoggerClass logging.setLogRecordFactory
    abc.ABCMeta.register functools.singledispatch.<locals>.register functools.singledispatchmethod.register
    decimal.setcontext unittest.main pytest.main copyreg.pickle random.SystemRandom
    pickle.load _pickle.load pickle.Unpickler _pickle.Unpickler
""")  # of the modules above: they touch what others can see

SUBJECTS: dict[str, tuple[object, ...]] = dict.fromkeys(
    ("os.getenv", "posixpath.expandvars", "ntpath.expandvars"), (os.environ,)
)  # what known functions touch besides their arguments

INSIDE_OF_LOCKS = words("""
    _value _cond _flag _waiters _lock _count _owner _block _is_owned _state _parties _started _tstate_lock _is_stopped
    _condition _result _exception _done_callbacks _threads _work_queue _max_workers _idle_semaphore _shutdown
""")  # what programs look for though it is not theirs

WRITERS = words("""
    heappush heappop heapify heappushpop heapreplace shuffle insort insort_left insort_right setitem delitem iadd
    iconcat ior iand isub ixor imul append extend pack_into readinto update subtract load
""")
LOOKING = words("""
    get keys values items copy count index __getitem__ __contains__ __len__ __iter__ __eq__ __ne__ __repr__ __str__
    __format__ __bool__ __lt__ __hash__ most_common total elements getvalue tell read_bytes digest hexdigest
""")  # methods that only look at their object
VALUES = words("""
    re _sre datetime _datetime zoneinfo decimal _decimal fractions uuid enum string ipaddress pathlib isospin pytest
    _pytest abc _abc typing numbers logging operator
""")  # modules with objects that never change what others see of them
INSIDE = words("attrgetter methodcaller copy deepcopy asdict astuple replace dumps dump pformat pprint")
SHALLOW = words("len list tuple dict set frozenset deque bool reversed iter shuffle choice sample")
HASHING = words("dict set frozenset Counter OrderedDict")  # of the shallow ones: they ask the items for their hash
STEPWISE = words("min max sum any all set frozenset reduce")  # one item after the other, as a loop does
PURE = words("""
    len isinstance issubclass repr str sorted sum min max any all abs hash id bool int float round divmod ord chr
    callable format print tuple list dict set frozenset sleep
""")  # without an effect that a later call could see
LAZY = words("""
    enumerate zip map filter chain islice cycle starmap accumulate pairwise takewhile dropwhile filterfalse compress
    zip_longest product permutations combinations combinations_with_replacement groupby tee batched
""")
FRAMED = words("collections typing warnings _warnings enum dataclasses inspect logging types unittest traceback")
UNCONTROLLED = words("""
    socket _socket ssl _ssl subprocess _posixsubprocess multiprocessing _multiprocessing asyncio _asyncio select
    selectors http urllib ftplib smtplib imaplib poplib telnetlib xmlrpc socketserver trio anyio gevent requests
""")  # they wait or start something where the scheduler cannot see it: never complete, not even with one thread
PROCESSES = words("""
    fork forkpty system popen wait waitpid wait3 wait4 pipe spawnv spawnl execv execve execl posix_spawn
""")
UNCONTROLLED_CALLS = {
    "os": PROCESSES,
    "posix": PROCESSES,
    "builtins": words("input breakpoint"),
    "signal": words("pause sigwait alarm setitimer signal"),
    "_signal": words("pause sigwait alarm setitimer"),
    "_thread": words("start_new_thread start_new acquire allocate_lock allocate start_joinable_thread"),
    "fcntl": words("flock lockf"),
    "threading": words("_start_new_thread _start_joinable_thread"),
    "sys": words("settrace setprofile"),
    "atexit": words("register unregister"),
}

REASONS = {name: row.reason for row in KNOWN for name in row.names}


def is_pythons(module: str) -> bool:
    """Does a module belong to Python, or is all of it known?"""
    root = module.partition(".")[0]
    return root in sys.stdlib_module_names or root in REASONS


def reason(module: str, *names: str) -> str:
    """Why the code of a module, with one of these names, is known; empty if it is not."""
    for name in names:
        full = name if module == "builtins" else f"{module}.{name}"
        if full in NOT_KNOWN:
            return ""
        if full in REASONS:
            return REASONS[full]
    return REASONS.get(module) or REASONS.get(module.split(".")[0], "")
